extern "C" __global__ void dot(const int *__restrict__ a, const int *__restrict__ b, int *sum, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int product = i < n ? a[i] * b[i] : 0;
  for (unsigned delta = warpSize / 2; delta > 0; delta /= 2)
    product += __shfl_down_sync(0xffffffffu, product, delta);
  if (threadIdx.x % warpSize == 0)
    atomicAdd(sum, product);
}
