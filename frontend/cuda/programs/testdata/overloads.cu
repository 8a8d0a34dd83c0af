// Functions of mathematics by their names without a suffix, of numbers of single precision:
// they are those of the C library, and give single precision.
#include <math.h>
#include "check.h"
static __device__ float same(float v) { return v; } // one of double precision does not fit
static __device__ void same(double) = delete;
#define EACH(f) f(erf) f(erfc) f(cbrt) f(exp2) f(log2) f(logb) f(rint) f(acosh) f(asinh) f(expm1) f(log1p) f(round) f(trunc) f(lgamma) f(tgamma) f(nearbyint) \
  f(ilogb) f(lrint) f(lround) f(llrint) f(llround)
#define PAIRS(f) f(fdim) f(fmax) f(fmin) f(hypot) f(copysign) f(nextafter) f(remainder)
enum { kResults = 36 };
__global__ void device(float a, float b, double *r) {
  int n = 0;
#define DEVICE(name) r[n++] = (double)name(a);
  EACH(DEVICE)
#define PAIR(name) r[n++] = (double)same(name(a, b));
  PAIRS(PAIR)
  int quotient;
  r[n++] = same(fma(a, b, a));
  r[n++] = same(remquo(a, b, &quotient));
  r[n++] = quotient & 7;
  r[n++] = same(scalbn(a, 3));
  r[n++] = same(scalbln(a, -3l));
  r[n++] = same(atanh(1 / a));
  r[n++] = isnan(nan(""));
  r[n++] = isnan(nanf(""));
}
int main() {
  double *r;
  OK(cudaMallocManaged(&r, kResults * sizeof *r));
  for (float a : (const float[]){1.5f, 2.5f, 7.3f, 1.0625f, 20.75f}) {
    float b = 2.25f;
    device<<<1, 1>>>(a, b, r);
    OK(cudaDeviceSynchronize());
    int n = 0, quotient;
    auto near = [](double want, double got) { return fabs(want - got) <= 2e-6 * fabs(want); };
#define HOST(name) CHECK(near((double)name##f(a), r[n++]));
    EACH(HOST)
#define HOSTS(name) CHECK(near((double)name##f(a, b), r[n++]));
    PAIRS(HOSTS)
    CHECK(r[n++] == fmaf(a, b, a));
    CHECK(r[n++] == remquof(a, b, &quotient));
    CHECK(r[n++] == (quotient & 7));
    CHECK(r[n++] == 8 * a);
    CHECK(r[n++] == a / 8);
    CHECK(near(atanhf(1 / a), r[n++]));
    CHECK(r[n] == 1 && r[n + 1] == 1);
    CHECK(n + 2 == kResults);
  }
  printf("ok\n");
}
