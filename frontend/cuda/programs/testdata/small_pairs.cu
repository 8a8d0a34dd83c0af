// half and bfloat16: what the device's instructions give is what the host's code gives, on all pairs of numbers of
// every kind. Exponentials, logarithms and roots are within one place of what double precision says, for every number.
#include <cmath>
#include <cstring>
#include "check.h"
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
enum { kValues = 48, kWords = 34 };

template <class T2> __host__ __device__ unsigned int word(T2 p) { return *(unsigned int *)&p; }
template <class T> __host__ __device__ unsigned short bits(T v) { return *(unsigned short *)&v; }
template <class T> __host__ __device__ T number(unsigned short b) { return *(T *)&b; }

// Each operation's name, whether it has numbers (and not masks), and one word of results.
#define OPERATIONS(X)                                                                                              \
  X(1, __hadd2(p, q)) X(1, __hadd2_rn(p, q)) X(1, __hadd2_sat(p, q)) X(1, __hsub2(p, q)) X(1, __hsub2_rn(p, q))    \
  X(1, __hsub2_sat(p, q)) X(1, __hmul2(p, q)) X(1, __hmul2_rn(p, q)) X(1, __hmul2_sat(p, q)) X(1, __hfma2(p, q, r)) \
  X(1, __hfma2_sat(p, q, r)) X(1, __hfma2_relu(p, q, r)) X(1, __hmax2(p, q)) X(1, __hmin2(p, q))                   \
  X(1, __hmax2_nan(p, q)) X(1, __hmin2_nan(p, q)) X(1, T2(__hadd(p.x, q.y), __hmul_rn(p.y, q.x)))                  \
  X(1, T2(__hfma_relu(p.x, q.y, r.x), __hsub_sat(p.y, q.x))) X(1, T2(__hmax(p.x, q.y), __hmin_nan(p.y, q.x)))      \
  X(1, __hcmadd(p, q, r)) X(0, __heq2(p, q)) X(0, __hne2(p, q)) X(0, __hlt2(p, q)) X(0, __hgeu2(p, q))             \
  X(0, __hneu2(p, q)) X(0, __hequ2(p, q)) X(0, __heq2_mask(p, q)) X(0, __hne2_mask(p, q)) X(0, __hgt2_mask(p, q))  \
  X(0, __hleu2_mask(p, q)) X(0, __hltu2_mask(p, q)) X(0, __hge2_mask(p, q))                                        \
  X(0, (__hlt(p.x, q.x) ? 1u : 0u) | (__hneu(p.x, q.y) ? 2u : 0u) | (__hgeu(p.y, q.x) ? 4u : 0u) | (__hne(p.y, q.y) ? 8u : 0u)) \
  X(0, (__hbeq2(p, q) ? 1u : 0u) | (__hbneu2(p, q) ? 2u : 0u) | (p > q ? 4u : 0u))
__host__ __device__ unsigned int word(unsigned int w) { return w; }
template <class T, class T2> __host__ __device__ void operations(const unsigned short *v, int i, int j, unsigned int *out) {
  T2 p(number<T>(v[i]), number<T>(v[(i + 7) % kValues])), q(number<T>(v[j]), number<T>(v[(j + 5) % kValues]));
  T2 r(number<T>(v[(i + j) % kValues]), number<T>(v[(i * 3 + j) % kValues]));
#define STORE(numbers, value) *out++ = word(value);
  OPERATIONS(STORE)
}
template <class T, class T2> __global__ void onDevice(const unsigned short *v, unsigned int *out) {
  operations<T, T2>(v, blockIdx.x, threadIdx.x, out + (blockIdx.x * kValues + threadIdx.x) * kWords);
}
static const int kNumbers[] = {
#define NUMBERS(numbers, value) numbers,
  OPERATIONS(NUMBERS)
};
static unsigned short canonical(unsigned short b, int infinity) { return (b & 0x7fff) > infinity ? 0x7fff : b; }

template <class T, class T2> void compare(int infinity, int one) {
  static_assert(sizeof kNumbers / sizeof *kNumbers == kWords, "a word for each operation");
  unsigned short *v;
  unsigned int *out, want[kWords], state = 7;
  OK(cudaMallocManaged(&v, kValues * sizeof *v));
  OK(cudaMallocManaged(&out, kValues * kValues * kWords * sizeof *out));
  const int special[] = {0, one, 1, 2, infinity - 1, infinity, infinity + 1, 0x7fff, one + 1, one - 1, 0x3f00, 0x4200};
  for (int i = 0; i < kValues; i++) {
    state = state * 1664525u + 1013904223u;
    v[i] = i < 24 ? special[i / 2] | (i & 1) << 15 : i < 36 ? one - 0x300 + (state >> 16) % 0x600 | (state & 0x100) << 7 : state >> 16;
  }
  onDevice<T, T2><<<kValues, kValues>>>(v, out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < kValues; i++)
    for (int j = 0; j < kValues; j++) {
      operations<T, T2>(v, i, j, want);
      for (int k = 0; k < kWords; k++) {
        unsigned int a = want[k], b = out[(i * kValues + j) * kWords + k];
        bool same = a == b;
        if (kNumbers[k]) same = canonical(a, infinity) == canonical(b, infinity) && canonical(a >> 16, infinity) == canonical(b >> 16, infinity);
        if (!same) printf("operation %d of %04x and %04x: %08x on the host, %08x on the device\n", k, v[i], v[j], a, b);
        CHECK(same);
      }
    }
  cudaFree(v), cudaFree(out);
}

// Scaled, so that logarithms and exponentials of all numbers are checked where they are numbers.
enum { kFunctions = 9 };
template <class T> __global__ void functions(T *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T v = number<T>(i), *o = out + i * kFunctions;
  o[0] = hexp(v), o[1] = hexp2(v), o[2] = hexp10(v), o[3] = hlog(v), o[4] = hlog2(v), o[5] = hlog10(v), o[6] = hsqrt(v), o[7] = hrsqrt(v), o[8] = hrcp(v);
}
template <class T> void accuracy(int digits, double least, double largest) {
  T *out;
  OK(cudaMallocManaged(&out, 65536 * kFunctions * sizeof *out));
  functions<<<256, 256>>>(out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 65536; i++) {
    double x = (double)(float)number<T>(i);
    double want[kFunctions] = {exp(x), exp2(x), pow(10, x), log(x), log2(x), log10(x), sqrt(x), 1 / sqrt(x), 1 / x};
    for (int k = 0; k < kFunctions; k++) {
      double got = (double)(float)out[i * kFunctions + k];
      if (isnan(want[k])) { CHECK(isnan(got)); continue; }
      double place = ldexp(1, want[k] == 0 || isinf(want[k]) ? -1000 : ilogb(want[k]) - digits);
      if (place < least) place = least;
      bool near = fabs(want[k]) >= largest ? fabs(got) >= largest * (1 - ldexp(1, -digits)) && got * want[k] > 0 : fabs(got - want[k]) <= place * 1.01;
      if (isinf(got) && fabs(want[k]) > largest * (1 - ldexp(1, -digits))) near = true;
      if (!near) printf("function %d of %04x: %g, not %g\n", k, i, got, want[k]);
      CHECK(near);
    }
  }
  cudaFree(out);
}

// Sums in memory: every thread adds one to its own half of a word and to a pair.
template <class T, class T2> __global__ void sums(T *one, T2 *pair, T *old) {
  old[threadIdx.x] = atomicAdd(&one[threadIdx.x % 2], T(1.0f));
  atomicAdd(pair, T2(T(1.0f), T(0.5f)));
}
template <class T, class T2> void memory() {
  T *one, *old;
  T2 *pair;
  OK(cudaMallocManaged(&one, 4));
  OK(cudaMallocManaged(&pair, 4));
  OK(cudaMallocManaged(&old, 64 * sizeof *old));
  one[0] = T(2.0f), one[1] = T(-4.0f), *pair = T2(T(0.0f), T(8.0f));
  sums<T, T2><<<1, 64>>>(one, pair, old);
  OK(cudaDeviceSynchronize());
  CHECK((float)one[0] == 34 && (float)one[1] == 28 && (float)pair->x == 64 && (float)pair->y == 40);
  bool seen[2][32] = {};
  for (int i = 0; i < 64; i++) {
    int before = (int)(float)old[i] - (i % 2 ? -4 : 2);
    CHECK(before >= 0 && before < 32 && !seen[i % 2][before]);
    seen[i % 2][before] = true;
  }
  cudaFree(one), cudaFree(pair), cudaFree(old);
}

// Whoever swaps its number in for zero is the one that counts; a neighbour's half of the word stays.
__global__ void swaps(unsigned short *at, int *won) {
#if __CUDA_ARCH__ >= 700
  if (atomicCAS(&at[1], (unsigned short)0, (unsigned short)(threadIdx.x + 1)) == 0) atomicAdd(won, (int)threadIdx.x + 1);
#endif
}
void swapped() {
  unsigned short *at;
  int *won;
  OK(cudaMallocManaged(&at, 8));
  OK(cudaMallocManaged(&won, sizeof *won));
  at[0] = 7, at[1] = 0, at[2] = 9, at[3] = 0, *won = 0;
  swaps<<<1, 64>>>(at, won);
  OK(cudaDeviceSynchronize());
  cudaFuncAttributes built;
  OK(cudaFuncGetAttributes(&built, swaps));
  CHECK(at[0] == 7 && at[2] == 9 && *won == at[1] && (at[1] != 0) == (built.ptxVersion >= 70));
  OK((cudaError_t)cuMemsetD16Async((CUdeviceptr)at, 0x1234, 3, 0));
  OK(cudaDeviceSynchronize());
  CHECK(at[0] == 0x1234 && at[2] == 0x1234 && at[3] == 0);
  cudaFree(at), cudaFree(won);
}

// A product that lies in the middle of two numbers of bfloat16, and what decides between them.
__global__ void ties(unsigned short *out) {
  for (int i = 0; i < 3; i++) {
    __nv_bfloat16 c = number<__nv_bfloat16>(i == 0 ? 0x8001 : i == 1 ? 0 : 1);
    out[i] = bits(__hfma(number<__nv_bfloat16>(0xc00e), number<__nv_bfloat16>(0x3fa0), c));
  }
}
void middle() {
  unsigned short *out;
  OK(cudaMallocManaged(&out, 6));
  ties<<<1, 1>>>(out);
  OK(cudaDeviceSynchronize());
  CHECK(out[0] == 0xc032 && out[1] == 0xc032 && out[2] == 0xc031); // -2.7734375 is 177.5 places
  cudaFree(out);
}

int main() {
  middle();
  swapped();
  compare<__half, __half2>(0x7c00, 0x3c00);
  compare<__nv_bfloat16, __nv_bfloat162>(0x7f80, 0x3f80);
  accuracy<__half>(10, ldexp(1, -24), 65520);
  accuracy<__nv_bfloat16>(7, ldexp(1, -133), ldexp(1, 128));
  memory<__half, __half2>();
  memory<__nv_bfloat16, __nv_bfloat162>();
  printf("ok\n");
}
