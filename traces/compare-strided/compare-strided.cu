// Number of positions in which two strings differ. A thread compares one
// character of each; the block counts its differences at a barrier and adds
// them to the total with one atomic.
extern "C" __global__ void compare(const char *__restrict__ a, const char *__restrict__ b, int *total, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int different = __syncthreads_count(i < n && a[i] != b[i]);
  if (threadIdx.x == 0)
    atomicAdd(total, different);
}
