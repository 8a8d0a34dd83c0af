// Smallest prime factor by trial division, one number a thread. A thread ends
// with an exit where it finds the factor, while other lanes of its warp go on.
extern "C" __global__ void smallest_factor(const unsigned *__restrict__ numbers, unsigned *__restrict__ factors,
                                           unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned x = numbers[i];
  if (x % 2 == 0) {
    factors[i] = 2;
    __nvvm_exit();
  }
#pragma unroll 1
  for (unsigned d = 3; d * d <= x; d += 2) {
    if (x % d == 0) {
      factors[i] = d;
      __nvvm_exit();
    }
  }
  factors[i] = x;
}
