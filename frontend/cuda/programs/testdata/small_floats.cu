// half and bfloat16: every one of the 65,536 numbers there and back, and arithmetic
// against exact sums and products, rounded by the compiler's own types of the host.
#include <cmath>
#include <cstring>
#include "check.h"
#include <cuda_fp16.h>
#include <cuda_bf16.h>
enum { kCount = 4096 };
struct Results { __half2 pair; __half sum, product, quotient, fused, least; __nv_bfloat16 bsum, bproduct, bfused; };
__device__ __host__ Results compute(float x, float y, float z) {
  __half a = __float2half(x), b(y), c = z;
  __nv_bfloat16 p = __float2bfloat16(x), q(y), r = z;
  Results s;
  s.sum = a + b, s.product = __hmul(a, b), s.quotient = a / b, s.fused = __hfma(a, b, c), s.least = __hmin(a, b);
  s.pair = __hfma2(__halves2half2(a, b), __half2half2(c), __floats2half2_rn(x, y));
  s.bsum = p + q, s.bproduct = p * q, s.bfused = __hfma(p, q, r);
  return s;
}
__global__ void arithmetic(const float *x, Results *r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  r[i] = compute(x[i], x[(i + 1) % kCount], x[(i + 2) % kCount]);
}
__global__ void around(unsigned short *h, unsigned short *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  h[i] = __half_as_ushort(__float2half(__half2float(__ushort_as_half(i))));
  b[i] = __bfloat16_as_ushort(__float2bfloat16(i & 1 ? __internal_bfloat162float(i) : __bfloat162float(__ushort_as_bfloat16(i))));
}
__global__ void sums(__half *h, __half2 *p, __half *shuffled) {
  atomicAdd(h + (threadIdx.x & 1), __half(1.0f));
  atomicAdd(p, __floats2half2_rn(1.0f, 2.0f));
  __half v = __int2half_rn(threadIdx.x);
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x == 0) *shuffled = hsqrt(v);
}
static bool same(_Float16 want, __half got) { return memcmp(&want, &got, 2) == 0 || (want != want && __hisnan(got)); }
int main() {
  unsigned short *h, *b;
  OK(cudaMallocManaged(&h, 65536 * 2));
  OK(cudaMallocManaged(&b, 65536 * 2));
  around<<<256, 256>>>(h, b);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 65536; i++) {
    CHECK(h[i] == i || ((i & 0x7fff) > 0x7c00 && (h[i] & 0x7fff) > 0x7c00));
    CHECK(b[i] == i || ((i & 0x7fff) > 0x7f80 && (b[i] & 0x7fff) > 0x7f80));
  }
  __half2_raw pair = __floats2half2_rn(1.0f, -2.0f);
  __nv_bfloat162_raw brains = (__nv_bfloat162_raw)__floats2bfloat162_rn(1.0f, -2.0f);
  CHECK(pair.x == 0x3c00 && pair.y == 0xc000 && brains.x == 0x3f80 && brains.y == 0xc000);
  float *x;
  Results *r;
  OK(cudaMallocManaged(&x, kCount * sizeof *x));
  OK(cudaMallocManaged(&r, kCount * sizeof *r));
  unsigned int state = 1;
  for (int i = 0; i < kCount; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = ldexpf((float)(int)state * 0x1p-31f, (int)(state >> 8 & 31) - 18);
  }
  arithmetic<<<kCount / 128, 128>>>(x, r);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < kCount; i++) {
    float f = x[i], g = x[(i + 1) % kCount], k = x[(i + 2) % kCount];
    _Float16 a = (_Float16)f, c = (_Float16)g, e = (_Float16)k;
    CHECK(same((_Float16)((double)a + (double)c), r[i].sum));
    CHECK(same((_Float16)((double)a * (double)c), r[i].product));
    CHECK(same((_Float16)((long double)a / (long double)c), r[i].quotient));
    CHECK(same((_Float16)fmal((long double)a, (long double)c, (long double)e), r[i].fused));
    Results host = compute(f, g, k);
    CHECK(memcmp(&host, &r[i], sizeof host) == 0);
    // A sum of bfloat16 is within half a place, at most 2^-8 of it.
    double exact = (double)(float)__nv_bfloat16(f) + (double)(float)__nv_bfloat16(g);
    CHECK(fabs((float)r[i].bsum - exact) <= ldexp(fabs(exact), -8) + 1e-40);
  }
  __half *s, *shuffled;
  __half2 *p;
  OK(cudaMallocManaged(&s, 4));
  OK(cudaMallocManaged(&p, 4));
  OK(cudaMallocManaged(&shuffled, 4));
  s[0] = s[1] = 0.0f;
  *p = __half2(0.0f, 0.0f);
  sums<<<1, 32>>>(s, p, shuffled);
  OK(cudaDeviceSynchronize());
  CHECK((float)s[0] == 16 && (float)s[1] == 16 && __low2float(*p) == 32 && __high2float(*p) == 64);
  CHECK((float)*shuffled == (float)__half(sqrtf(496)));
  CHECK((float)__float2half_rz(2049.0f) == 2048 && (float)__float2half_ru(2049.0f) == 2050 && (float)__float2half_rd(-2049.0f) == -2050);
  CHECK(__half(1.0f) < __half(2.0f) && !(__half(NAN) == __half(NAN)) && __hneu(__half(NAN), __half(1.0f)) && __hgtu(__half(NAN), __half(1.0f)));
  printf("ok\n");
}
