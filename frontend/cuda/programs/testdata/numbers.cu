// Functions for dynamic programming, complex numbers and shuffles of the old names, on the device and on the host. The oracles are
// plain sums and comparisons in wider integers, and std::complex in wider floating point.
#include <algorithm>
#include <complex>
#include <cuComplex.h>
#include "check.h"
#if !__CUDACC__ // nvcc gives it a value
#error "__CUDACC__ has no value"
#endif
// CUB before 2.0 calls templates so, with "template" and no arguments; nvcc takes it.
struct Sized {
  template <class T> static int size(T) { return sizeof(T); }
};
template <class S> static int sizeOf(short v) { return S::template size(v); }

// A member of a template that no program uses may call what is not there.
template <class T> struct Kept {
  T value;
  __host__ __device__ T get() const { return value; }
  template <class... A> __host__ __device__ void set(A... a) { this->make(a...); }
};
__device__ static int ofKept(int v) { return Kept<int>{v}.get(); }

// A program for newer GPUs has shuffles of the old names by itself, for a structure and for all types.
__device__ static float2 __shfl_down(const float2 v, const unsigned int d, const unsigned int width = 32) {
  return make_float2(__shfl_down_sync(~0u, v.x, d, width), __shfl_down_sync(~0u, v.y, d, width));
}
template <class T> __device__ static T __shfl_xor(T v, int mask, int width = 32) { return __shfl_xor_sync(~0u, v, mask, width) + 100; }
__global__ static void shuffles(float *r) {
  float lane = threadIdx.x;
  r[threadIdx.x] = __shfl_down(lane, 1);
  r[32 + threadIdx.x] = __shfl_down(make_float2(lane, -lane), 2).y;
  r[64 + threadIdx.x] = __shfl_xor(lane, 1);
  r[96 + threadIdx.x] = __shfl((short)ofKept(lane), 5u) + __shfl_up(lane, 8, 16);
}
static void oldShuffles() {
  float *r;
  OK(cudaMallocManaged(&r, 128 * sizeof *r));
  shuffles<<<1, 32>>>(r);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; i++) {
    CHECK(r[i] == (i < 31 ? i + 1 : i));
    CHECK(r[32 + i] == -(i < 30 ? i + 2 : i));
    CHECK(r[64 + i] == (i ^ 1) + 100);
    CHECK(r[96 + i] == 5 + (i % 16 < 8 ? i : i - 8));
  }
}

typedef long long Wide;
static Wide sum(Wide a, Wide b, int bits, bool isSigned) { // wraps around
  Wide m = (Wide)1 << bits, s = ((a + b) % m + m) % m;
  return isSigned && s >= m / 2 ? s - m : s;
}
// All forms of one type: which is 0 for the maximum, 1 for the minimum.
static Wide best(int which, Wide a, Wide b) { return which ? std::min(a, b) : std::max(a, b); }
enum { kForms = 6 }; // three, sum; with a zero below: two, three, sum; with which
static Wide want(int which, int form, Wide a, Wide b, Wide c, int bits, bool isSigned) {
  switch (form) {
  case 0: return best(which, best(which, a, b), c);
  case 1: return best(which, sum(a, b, bits, isSigned), c);
  case 2: return std::max(best(which, a, b), (Wide)0);
  case 3: return std::max(best(which, best(which, a, b), c), (Wide)0);
  case 4: return std::max(best(which, sum(a, b, bits, isSigned), c), (Wide)0);
  default: return best(which, a, b);
  }
}
#define FORMS(type, which, relu2, relu3, reluAdd, with) \
  {__vi##which##3_##type(a, b, c), __viadd##which##_##type(a, b, c), relu2, relu3, reluAdd, with}
#define SIGNED(which, type, with) FORMS(type, which, __vi##which##_##type##_relu(a, b), __vi##which##3_##type##_relu(a, b, c), __viadd##which##_##type##_relu(a, b, c), with)
#define UNSIGNED(which, type, with) FORMS(type, which, 0, 0, 0, with)
struct Result {
  int s32[2][kForms];
  unsigned int u32[2][kForms], s16[2][kForms], u16[2][kForms];
  bool first[2][6];
};
__host__ __device__ static void compute(unsigned int x, unsigned int y, unsigned int z, Result *r) {
  bool(&f)[2][6] = r->first;
  {
    int a = (int)x, b = (int)y, c = (int)z;
    int largest[] = SIGNED(max, s32, __vibmax_s32(a, b, &f[0][0])), least[] = SIGNED(min, s32, __vibmin_s32(a, b, &f[1][0]));
    for (int i = 0; i < kForms; i++) r->s32[0][i] = largest[i], r->s32[1][i] = least[i];
  }
  unsigned int a = x, b = y, c = z;
#define STORE(field, kind, type, ...) \
  { \
    unsigned int largest[] = kind(max, type, __vibmax_##type(a, b, __VA_ARGS__)); \
    for (int i = 0; i < kForms; i++) r->field[0][i] = largest[i]; \
  }
#define STORE_LEAST(field, kind, type, ...) \
  { \
    unsigned int least[] = kind(min, type, __vibmin_##type(a, b, __VA_ARGS__)); \
    for (int i = 0; i < kForms; i++) r->field[1][i] = least[i]; \
  }
  STORE(u32, UNSIGNED, u32, &f[0][1])
  STORE_LEAST(u32, UNSIGNED, u32, &f[1][1])
  STORE(s16, SIGNED, s16x2, &f[0][2], &f[0][3])
  STORE_LEAST(s16, SIGNED, s16x2, &f[1][2], &f[1][3])
  STORE(u16, UNSIGNED, u16x2, &f[0][4], &f[0][5])
  STORE_LEAST(u16, UNSIGNED, u16x2, &f[1][4], &f[1][5])
}
__global__ void bests(const unsigned int *in, Result *r) {
  const unsigned int *v = in + 3 * threadIdx.x;
  compute(v[0], v[1], v[2], &r[threadIdx.x]);
}
static void checkBests(const unsigned int *v, const Result &r) {
  auto first = [](int which, Wide a, Wide b) { return which ? a <= b : a >= b; };
  for (int w = 0; w < 2; w++) {
    int a = (int)v[0], b = (int)v[1], c = (int)v[2];
    CHECK(r.first[w][0] == first(w, a, b));
    CHECK(r.first[w][1] == first(w, v[0], v[1]));
    for (int half = 0; half < 2; half++) {
      int at = half ? 0 : 16; // the upper half comes first
      CHECK(r.first[w][2 + half] == first(w, (short)(v[0] >> at), (short)(v[1] >> at)));
      CHECK(r.first[w][4 + half] == first(w, (unsigned short)(v[0] >> at), (unsigned short)(v[1] >> at)));
    }
    for (int i = 0; i < kForms; i++) {
      bool relu = i >= 2 && i <= 4; // signed types have it
      CHECK(r.s32[w][i] == want(w, i, a, b, c, 32, true));
      if (!relu) CHECK(r.u32[w][i] == want(w, i, v[0], v[1], v[2], 32, false));
      for (int at = 0; at < 32; at += 16) {
        CHECK((short)(r.s16[w][i] >> at) == want(w, i, (short)(v[0] >> at), (short)(v[1] >> at), (short)(v[2] >> at), 16, true));
        if (!relu) CHECK((unsigned short)(r.u16[w][i] >> at) == want(w, i, (unsigned short)(v[0] >> at), (unsigned short)(v[1] >> at), (unsigned short)(v[2] >> at), 16, false));
      }
    }
  }
}

template <class C, class R> struct Complex { C sum, difference, product, quotient, conjugate, fused; R size; };
#define COMPUTE(C, R, f) \
  __host__ __device__ static Complex<C, R> compute(C a, C b, C c) { \
    return {cuCadd##f(a, b), cuCsub##f(a, b), cuCmul##f(a, b), cuCdiv##f(a, b), cuConj##f(a), cuCfma##f(a, b, c), cuCabs##f(a)}; \
  } \
  __host__ static std::complex<long double> wide(C a) { return {(long double)cuCreal##f(a), (long double)cuCimag##f(a)}; } \
  __host__ static C make(R x, R y, C) { return make_##C(x, y); }
COMPUTE(cuFloatComplex, float, f)
COMPUTE(cuDoubleComplex, double, )
template <class C, class R> __global__ void complexes(const C *v, Complex<C, R> *r) { r[threadIdx.x] = compute(v[3 * threadIdx.x], v[3 * threadIdx.x + 1], v[3 * threadIdx.x + 2]); }
// Errors are relative to the largest term, of which a part may cancel.
template <class C> static bool near(C got, std::complex<long double> want, long double terms, long double epsilon) { return std::abs(wide(got) - want) <= 8 * epsilon * terms; }
template <class C, class R> static void checkComplex(const C *v, const Complex<C, R> &r, long double e) {
  std::complex<long double> a = wide(v[0]), b = wide(v[1]), c = wide(v[2]);
  CHECK(near(r.sum, a + b, std::abs(a) + std::abs(b), e));
  CHECK(near(r.difference, a - b, std::abs(a) + std::abs(b), e));
  CHECK(near(r.product, a * b, std::abs(a) * std::abs(b), e));
  CHECK(near(r.quotient, a / b, std::abs(a) / std::abs(b), e));
  CHECK(near(r.fused, a * b + c, std::abs(a) * std::abs(b) + std::abs(c), e));
  CHECK(wide(r.conjugate) == std::conj(a));
  CHECK(std::fabs((long double)r.size - std::abs(a)) <= 8 * e * std::abs(a));
}
template <class C, class R> static void complexNumbers(R large, long double epsilon) {
  enum { n = 64 };
  C *v;
  Complex<C, R> *r;
  OK(cudaMallocManaged(&v, 3 * n * sizeof *v));
  OK(cudaMallocManaged(&r, n * sizeof *r));
  unsigned int seed = 7;
  auto draw = [&] { return (R)((int)(seed = seed * 1664525 + 1013904223) >> 8) / (R)(1 << 20); };
  for (int i = 0; i < 3 * n; i++) v[i] = make(draw(), draw(), C());
  v[0] = make(3, -4, C()), v[1] = make(0, 2, C());              // the divisor's parts of zero
  v[3] = make(1, 1, C()), v[4] = make(large, large / 2, C());   // its square would overflow
  complexes<<<1, n>>>(v, r);
  OK(cudaDeviceSynchronize());
  CHECK(r[0].size == 5 && r[0].quotient.x == -2 && r[0].quotient.y == (R)-1.5);
  for (int i = 0; i < n; i++) {
    Complex<C, R> h = compute(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
    if (i == 1) h.product = r[i].product, h.fused = r[i].fused;
    checkComplex(v + 3 * i, r[i], epsilon);
    checkComplex(v + 3 * i, h, epsilon);
  }
}

int main() {
  enum { n = 256 };
  unsigned int *in;
  Result *r;
  OK(cudaMallocManaged(&in, 3 * n * sizeof *in));
  OK(cudaMallocManaged(&r, n * sizeof *r));
  unsigned int seed = 5;
  const unsigned int edges[] = {0, 1, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fff8000};
  for (int i = 0; i < 3 * n; i++) in[i] = i % 3 && i % 5 ? seed = seed * 1664525 + 1013904223 : edges[(seed >> 16) % 10];
  for (int i = 0; i < n; i += 16) in[3 * i] = in[3 * i + 1]; // equal ones
  bests<<<1, n>>>(in, r);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) {
    Result h;
    compute(in[3 * i], in[3 * i + 1], in[3 * i + 2], &h);
    checkBests(in + 3 * i, r[i]);
    checkBests(in + 3 * i, h);
  }
  complexNumbers<cuFloatComplex, float>(1e30f, 5.97e-8l);
  complexNumbers<cuDoubleComplex, double>(1e200, 1.12e-16l);
  CHECK(cuComplexDoubleToFloat(cuComplexFloatToDouble(make_cuComplex(1.5f, -2.25f))).y == -2.25f);
  CHECK(sizeOf<Sized>(1) == 2);
  oldShuffles();
  puts("ok");
}
