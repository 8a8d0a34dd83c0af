// SPDX-License-Identifier: Apache-2.0
// Sine, cosine, tangent and their inverses on the device, in single precision.
// Arguments are reduced by Cody and Waite's method (Software Manual for the Elementary
// Functions, 1980) with fused products, large ones by Payne and Hanek's (Radian Reduction
// for Trigonometric Functions, 1983).
#ifndef __WARPTAPE_MATH_TRIGONOMETRY_H__
#define __WARPTAPE_MATH_TRIGONOMETRY_H__
// The digits of 2/pi behind the point, in words of 64 bits.
#ifdef __CUDA_ARCH__
__attribute__((constant))
#endif
static const unsigned long long __wt_two_over_pi[21] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull,
    0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull,
    0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull, 0xa9e391615ee61b08ull};
// x = M*2^E with 32 bits of M. Word s of 2/pi is the first that gives bits below 4, and
// three words give 62 bits behind the point.
__WT_PRIVATE__ float __wt_reduce_hugef(float x, int *quadrant) {
  unsigned int ix = __wt_bits(x), m = ix << 8 | 0x80000000u;
  int e = (int)(ix >> 23 & 255) - 127 - 31, s = e >= 2 ? (e - 2) >> 5 : 0, f = e - 32 * s;
  unsigned int p[5], carry = 0;
#pragma unroll
  for (int i = 3; i >= 0; i--) {
    int w = s + i;
    unsigned long long word = __wt_two_over_pi[w >> 1];
    unsigned long long t = (unsigned long long)m * (unsigned int)(w & 1 ? word : word >> 32) + carry;
    p[3 - i] = (unsigned int)t;
    carry = (unsigned int)(t >> 32);
  }
  p[4] = carry;
  int shift = 66 - f, bit = shift & 31; // 33 and more
  bool two = shift >= 64;
  unsigned int a = two ? p[2] : p[1], b = two ? p[3] : p[2], c = two ? p[4] : p[3];
  unsigned long long v = (unsigned long long)b << 32 | a;
  if (bit) v = v >> bit | (unsigned long long)c << (64 - bit);
  unsigned long long q = (v + (1ull << 61)) >> 62;
  long long fraction = (long long)(v - (q << 62));
  float r = (float)((double)fraction * 0x1.921fb54442d18p-62);
  bool minus = ix >> 31;
  *quadrant = (int)(minus ? 0u - (unsigned int)q : (unsigned int)q);
  return minus ? -r : r;
}
__WT_PRIVATE__ float __wt_reducef(float x, int *quadrant) {
  if (__builtin_fabsf(x) > 71476.0f) {
    if (!__wt_finite(x)) {
      *quadrant = 0;
      return x * 0.0f;
    }
    return __wt_reduce_hugef(x, quadrant);
  }
  float n = __builtin_rintf(x * 0x1.45f306p-1f);
  *quadrant = (int)n;
  float r = __WT_FMAF__(-n, 0x1.921fb6p+0f, x);
  r = __WT_FMAF__(-n, -0x1.777a5cp-25f, r);
  return __WT_FMAF__(-n, -0x1.ee59dap-50f, r);
}
__WT_PRIVATE__ float __wt_sine_partf(float r, float u) { return __WT_FMAF__(__wt_mul(r, u), __wt_poly_sinf(u), r); }
__WT_PRIVATE__ float __wt_cosine_partf(float u) { return __WT_FMAF__(__wt_mul(u, u), __wt_poly_cosf(u), __WT_FMAF__(u, -0.5f, 1.0f)); }
__WT_PRIVATE__ float __wt_wavef(float r, int quadrant) {
  float u = __wt_mul(r, r), v = quadrant & 1 ? __wt_cosine_partf(u) : __wt_sine_partf(r, u);
  return quadrant & 2 ? -v : v;
}
__WT_PUBLIC__ float __nv_sinf(float x) {
  int q;
  float r = __wt_reducef(x, &q);
  return x == 0.0f ? x : __wt_wavef(r, q);
}
__WT_PUBLIC__ float __nv_cosf(float x) {
  int q;
  float r = __wt_reducef(x, &q);
  return __wt_wavef(r, q + 1);
}
__WT_PUBLIC__ void __nv_sincosf(float x, float *s, float *c) {
  int q;
  float r = __wt_reducef(x, &q);
  *s = x == 0.0f ? x : __wt_wavef(r, q);
  *c = __wt_wavef(r, q + 1);
}
__WT_PUBLIC__ float __nv_tanf(float x) {
  int q;
  float r = __wt_reducef(x, &q), u = __wt_mul(r, r), t = __WT_FMAF__(__wt_mul(r, u), __wt_poly_tanf(u), r);
  if (q & 1) t = -1.0f / t;
  return x == 0.0f ? x : t;
}
// r in [-1/4, 1/4] half turns.
__WT_PRIVATE__ float __wt_pi_wavef(float r, int quadrant) {
  float t = __wt_mul(r, 0x1.921fb6p+1f), low = __WT_FMAF__(r, -0x1.777a5cp-24f, __WT_FMAF__(r, 0x1.921fb6p+1f, -t)), u = __wt_mul(t, t), v;
  if (quadrant & 1) {
    __wt_pairf s = __wt_sum(1.0f, -0.5f * u);
    v = s.hi + __WT_FMAF__(__wt_mul(u, u), __wt_poly_cosf(u), __WT_FMAF__(-t, low, __WT_FMAF__(__WT_FMAF__(t, t, -u), -0.5f, s.lo)));
  } else {
    v = t + __WT_FMAF__(__wt_mul(t, u), __wt_poly_sinf(u), low);
  }
  return quadrant & 2 ? -v : v;
}
__WT_PRIVATE__ float __wt_turnf(float x, int *quadrant) {
  if (!(__builtin_fabsf(x) < 0x1p24f)) { // an even number, or none
    *quadrant = 0;
    return x * 0.0f;
  }
  float n = __builtin_rintf(x + x);
  *quadrant = (int)n;
  return __WT_FMAF__(n, -0.5f, x);
}
__WT_PUBLIC__ float __nv_sinpif(float x) {
  int q;
  float r = __wt_turnf(x, &q), v = __wt_pi_wavef(r, q);
  return r == 0.0f && !(q & 1) ? x * 0.0f : v;
}
__WT_PUBLIC__ float __nv_cospif(float x) {
  int q;
  float r = __wt_turnf(x, &q);
  return r == 0.0f && q & 1 ? 0.0f : __wt_pi_wavef(r, q + 1);
}
__WT_PUBLIC__ void __nv_sincospif(float x, float *s, float *c) {
  *s = __nv_sinpif(x);
  *c = __nv_cospif(x);
}
// of t in [0, 1]
__WT_PRIVATE__ float __wt_arctangentf(float t) {
  float u = __wt_mul(t, t);
  return __WT_FMAF__(__wt_mul(t, u), __wt_poly_atanf(u), t);
}
__WT_PUBLIC__ float __nv_atanf(float x) {
  float a = __builtin_fabsf(x), r = __wt_arctangentf(a > 1.0f ? 1.0f / a : a);
  if (a > 1.0f) r = __WT_FMAF__(0x1.d1f12cp-1f, 0x1.b9df98p+0f, -r); // pi/2 as a product
  return __wt_nans(x) ? x + x : __wt_sign(r, x);
}
__WT_PUBLIC__ float __nv_atan2f(float y, float x) {
  if (__wt_nans(x) || __wt_nans(y)) return x + y;
  float a = __builtin_fabsf(x), b = __builtin_fabsf(y), large = b > a ? b : a, small = b > a ? a : b;
  float t = large == 0.0f ? 0.0f : large == small ? 1.0f : small / large;
  float r = __wt_arctangentf(t);
  if (b > a) r = __WT_FMAF__(0x1.d1f12cp-1f, 0x1.b9df98p+0f, -r);
  if (__wt_bits(x) >> 31) r = __WT_FMAF__(0x1.d1f12cp+0f, 0x1.b9df98p+0f, -r);
  return __wt_sign(r, y);
}
__WT_PRIVATE__ float __wt_arcsinef(float a) { // a in [0, 0.563]
  float u = __wt_mul(a, a);
  return __WT_FMAF__(__wt_mul(a, u), __wt_poly_asinf(u), a);
}
__WT_PUBLIC__ float __nv_asinf(float x) {
  float a = __builtin_fabsf(x), r;
  if (a <= 0.5625f) {
    r = __wt_arcsinef(a);
  } else {
    r = __wt_arcsinef(__builtin_sqrtf(__WT_FMAF__(a, -0.5f, 0.5f)));
    r = __WT_FMAF__(0x1.d1f12cp-1f, 0x1.b9df98p+0f, -2.0f * r);
  }
  return __wt_nans(r) ? __wt_nanf() : __wt_sign(r, x);
}
__WT_PUBLIC__ float __nv_acosf(float x) {
  float a = __builtin_fabsf(x), r;
  if (a <= 0.5625f) {
    r = __wt_sign(__wt_arcsinef(a), x);
    return __WT_FMAF__(0x1.d1f12cp-1f, 0x1.b9df98p+0f, -r);
  }
  r = 2.0f * __wt_arcsinef(__builtin_sqrtf(__WT_FMAF__(a, -0.5f, 0.5f)));
  if (__wt_bits(x) >> 31) r = __WT_FMAF__(0x1.d1f12cp+0f, 0x1.b9df98p+0f, -r);
  return __wt_nans(r) ? __wt_nanf() : r;
}
#endif
