// Sum of two vectors, one element a thread: two loads, an addition and a store.
// The host program places the three arrays in different L2 partitions.
extern "C" __global__ void vecadd(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                                  unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}
