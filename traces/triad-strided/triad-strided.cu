// The triad of the STREAM benchmark: c = a + s*b, one element a thread.
extern "C" __global__ void triad(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, float s,
                                 unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + s * b[i];
}
