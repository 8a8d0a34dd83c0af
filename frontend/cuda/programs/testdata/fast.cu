// -use_fast_math as nvcc means it: infinities and subnormal results of double precision
// stay, functions of double precision are as they were, quotients are near.
#include <cmath>
#include "check.h"
__global__ void doubles(double *x) {
  x[1] = log(x[0]);
  x[2] = pow(x[0], 2.5);
  x[3] = x[0] * 10;
}
__global__ void singles(float *x) {
  x[3] = fmodf(x[0], x[1]);
  x[4] = tanhf(x[2]);
  x[5] = x[1] / x[2];
  x[6] = sinf(x[2]);
  x[7] = (x[0] + x[2]) - x[0];
}
int main() {
  double *d;
  float *f;
  OK(cudaMallocManaged(&d, 8 * sizeof *d));
  OK(cudaMallocManaged(&f, 8 * sizeof *f));
  d[0] = 1.7e308;
  f[0] = 1e30f, f[1] = 0.7f, f[2] = 0.8f;
  doubles<<<1, 1>>>(d);
  singles<<<1, 1>>>(f);
  OK(cudaDeviceSynchronize());
  CHECK(fabs(d[1] - log(1.7e308)) < 1e-12 && std::isinf(d[2]) && std::isinf(d[3]));
  CHECK(f[3] == fmodf(1e30f, 0.7f) && fabsf(f[4] - tanhf(0.8f)) < 1e-6f && fabsf(f[5] - 0.875f) < 1e-6f && fabsf(f[6] - sinf(0.8f)) < 1e-5f);
  CHECK(f[7] == 0);
  printf("ok\n");
}
