// The device's mathematics against the C library's, with the documented bounds.
#include "mathematics_oracles.h"
#include "check.h"
enum { kPoints = 1024, kPairs = 1024 };
#define KERNEL1(name, oracle, single, twice) \
  __global__ void single_##name(const float *x, const float *, float *r) { int i = blockIdx.x * blockDim.x + threadIdx.x; r[i] = name##f(x[i]); } \
  __global__ void double_##name(const double *x, const double *, double *r) { int i = blockIdx.x * blockDim.x + threadIdx.x; r[i] = name(x[i]); }
#define KERNEL2(name, oracle, single, twice) \
  __global__ void single_##name(const float *x, const float *y, float *r) { int i = blockIdx.x * blockDim.x + threadIdx.x; r[i] = name##f(x[i], y[i]); } \
  __global__ void double_##name(const double *x, const double *y, double *r) { int i = blockIdx.x * blockDim.x + threadIdx.x; r[i] = name(x[i], y[i]); }
FUNCTIONS1(KERNEL1)
FUNCTIONS2(KERNEL2)
template <class T> struct Data { T *x, *y, *r; };
template <class T> static Data<T> make(bool pairs) {
  Data<T> d;
  cudaMallocManaged(&d.x, kPoints * sizeof(T));
  cudaMallocManaged(&d.y, kPoints * sizeof(T));
  cudaMallocManaged(&d.r, kPoints * sizeof(T));
  for (int i = 0; i < kPoints; i++) {
    d.x[i] = pairs ? argument<T>(i < 400 ? i / 20 : i + 48) : argument<T>(i);
    d.y[i] = argument<T>(i < 400 ? i % 20 : (int)(draw() % 100000));
  }
  return d;
}
template <class T> static void run(const char *name, void (*kernel)(const T *, const T *, T *), Data<T> d, Wide (*one)(Wide), Wide (*two)(Wide, Wide), double bound) {
  kernel<<<kPoints / 128, 128>>>(d.x, d.y, d.r);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  double worst = 0;
  int at = 0;
  for (int i = 0; i < kPoints; i++) {
    if (outside(name, d.x[i])) continue;
    double p = places(d.r[i], one ? one(d.x[i]) : two(d.x[i], d.y[i]));
    if (!(p <= worst)) worst = p, at = i;
  }
  judge(name, worst, bound, d.x[at], d.y[at]);
}
#define RUN1(name, oracle, single, twice) run(#name "f", single_##name, f1, oracle, nullptr, single); run(#name, double_##name, d1, oracle, nullptr, twice);
#define RUN2(name, oracle, single, twice) run(#name "f", single_##name, f2, nullptr, oracle, single); run(#name, double_##name, d2, nullptr, oracle, twice);
int main() {
  Data<float> f1 = make<float>(false), f2 = make<float>(true);
  Data<double> d1 = make<double>(false), d2 = make<double>(true);
  FUNCTIONS1(RUN1)
  FUNCTIONS2(RUN2)
  CHECK(failures == 0);
  printf("ok\n");
}
