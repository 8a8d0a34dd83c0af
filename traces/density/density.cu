// Number of zeros in an array. A thread looks at one element; the block counts
// its zeros at a barrier and adds them to the total with one atomic.
extern "C" __global__ void density(const int *__restrict__ a, int *total, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int zeros = __syncthreads_count(i < n && a[i] == 0);
  if (threadIdx.x == 0)
    atomicAdd(total, zeros);
}
