// SAXPY of the BLAS: y = a*x + y, one element a thread.
extern "C" __global__ void saxpy(const float *__restrict__ x, float *__restrict__ y, float a, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}
