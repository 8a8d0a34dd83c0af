// SPDX-License-Identifier: Apache-2.0
// Exponentials, logarithms, powers and hyperbolic functions on the device, in single precision.
#ifndef __WARPTAPE_MATH_EXPONENTIAL_H__
#define __WARPTAPE_MATH_EXPONENTIAL_H__
// 2^(hi + lo), where hi is within the exponents' range or a little beyond.
__WT_PRIVATE__ float __wt_exp2f(float hi, float lo) {
  float n = __builtin_rintf(hi);
  return __wt_scalef(__wt_ex2(__wt_add(hi, -n) + lo), (int)n);
}
__WT_PRIVATE__ float __wt_clampf(float x, float low, float high) { return __builtin_fminf(__builtin_fmaxf(x, low), high); }
// e^x times 2^shift; x is not NaN.
__WT_PRIVATE__ float __wt_expf(float x, int shift) {
  x = __wt_clampf(x, -160.0f, 160.0f);
  float n = __builtin_rintf(x * 0x1.715476p+0f), r = __WT_FMAF__(x, 0x1.715476p+0f, -n);
  return __wt_scalef(__wt_ex2(__WT_FMAF__(x, 0x1.4ae0c0p-26f, r)), (int)n + shift);
}
__WT_PUBLIC__ float __nv_expf(float x) { return __wt_nans(x) ? x + x : __wt_expf(x, 0); }
__WT_PUBLIC__ float __nv_exp2f(float x) { return __wt_ex2(x); }
__WT_PUBLIC__ float __nv_exp10f(float x) {
  if (__wt_nans(x)) return x + x;
  x = __wt_clampf(x, -60.0f, 60.0f);
  float n = __builtin_rintf(x * 0x1.a934f0p+1f), r = __WT_FMAF__(x, 0x1.a934f0p+1f, -n);
  return __wt_scalef(__wt_ex2(__WT_FMAF__(x, 0x1.2f346ep-24f, r)), (int)n);
}
__WT_PUBLIC__ float __nv_expm1f(float x) {
  if (__wt_nans(x) || x == 0.0f) return x + x;
  float a = __wt_clampf(x, -30.0f, 89.0f), n = __builtin_fabsf(x) < 0.5f ? 0.0f : __builtin_rintf(a * 0x1.715476p+0f);
  float r = __WT_FMAF__(-n, 0x1.62e430p-1f, a);
  r = __WT_FMAF__(-n, -0x1.05c610p-29f, r);
  float u = __wt_mul(r, r), p = __WT_FMAF__(__WT_FMAF__(r, __wt_poly_expm1f(r), 0.5f), u, r);
  if (n == 0.0f) return p;
  int k = (int)n;
  float h = __wt_powerf(k - 1), less = __wt_add(h, -0.5f);
  if (k > 24) { // the 1 is below the last place of 2^k
    p -= __wt_powerf(k < 100 ? -k : -100);
    less = h;
  }
  float v = __WT_FMAF__(p, h, less);
  return v + v;
}
// The exponent of x, and x without it, in [sqrt(1/2), sqrt(2)), less 1.
__WT_PRIVATE__ float __wt_partsf(float x, float *e) {
  float bias = 0.0f;
  if (x < 0x1p-126f) {
    x *= 0x1p24f;
    bias = -24.0f;
  }
  int d = (int)((__wt_bits(x) - 0x3f3504f3u) & 0xff800000u);
  *e = __WT_FMAF__((float)d, 0x1p-23f, bias);
  return __wt_add(__wt_float(__wt_bits(x) - (unsigned int)d), -1.0f);
}
// log(1 + f) - f
__WT_PRIVATE__ float __wt_log1p_tailf(float f) {
  float u = __wt_mul(f, f);
  return __wt_mul(u, __WT_FMAF__(f, __wt_poly_log1pf(f), -0.5f));
}
// The same with the square's lower half.
__WT_PRIVATE__ float __wt_log1p_exact_tailf(float f) {
  float u = __wt_mul(f, f), low = __WT_FMAF__(f, f, -u);
  return __WT_FMAF__(u, -0.5f, __WT_FMAF__(__wt_mul(f, u), __wt_poly_log1pf(f), -0.5f * low));
}
// What logarithms give for arguments that have none, or an infinite one.
__WT_PRIVATE__ float __wt_no_logf(float x) { return x == 0.0f ? -__wt_inff() : x > 0.0f ? x : __wt_nans(x) ? x + x : __wt_nanf(); }
__WT_PUBLIC__ float __nv_logf(float x) {
  if (!(x > 0.0f && x < __wt_inff())) return __wt_no_logf(x);
  float e, f = __wt_partsf(x, &e), t = __wt_log1p_tailf(f);
  return __WT_FMAF__(e, 0x1.62e430p-1f, __wt_add(f, __WT_FMAF__(e, -0x1.05c610p-29f, t)));
}
// The same of a number above 0 as a pair.
__WT_PRIVATE__ __wt_pairf __wt_log_pairf(float x) {
  float e, f = __wt_partsf(x, &e), t = __wt_log1p_exact_tailf(f);
  __wt_pairf k = __wt_product(e, 0x1.62e430p-1f), s = e == 0.0f ? __wt_sum(f, 0.0f) : __wt_sum(k.hi, f);
  return __wt_sum(s.hi, s.lo + __WT_FMAF__(e, -0x1.05c610p-29f, k.lo + t));
}
__WT_PUBLIC__ float __nv_log2f(float x) {
  if (!(x > 0.0f && x < __wt_inff())) return __wt_no_logf(x);
  float e, f = __wt_partsf(x, &e), t = __wt_log1p_exact_tailf(f);
  __wt_pairf p = __wt_product(f, 0x1.715476p+0f), s = __wt_sum(e == 0.0f ? p.hi : e, e == 0.0f ? 0.0f : p.hi);
  return s.hi + (s.lo + __WT_FMAF__(t, 0x1.715476p+0f, __WT_FMAF__(f, 0x1.4ae0c0p-26f, p.lo)));
}
__WT_PUBLIC__ float __nv_log10f(float x) {
  if (!(x > 0.0f && x < __wt_inff())) return __wt_no_logf(x);
  float e, f = __wt_partsf(x, &e), t = __wt_log1p_tailf(f);
  float low = __WT_FMAF__(t, 0x1.bcb7b2p-2f, __wt_mul(f, -0x1.5b235ep-27f));
  return __WT_FMAF__(e, 0x1.344136p-2f, __WT_FMAF__(f, 0x1.bcb7b2p-2f, __WT_FMAF__(e, -0x1.ec10c0p-27f, low)));
}
__WT_PUBLIC__ float __nv_log1pf(float x) {
  if (!(x > -1.0f && x < __wt_inff())) return x == -1.0f ? -__wt_inff() : x > 0.0f ? x : __wt_nans(x) ? x + x : __wt_nanf();
  if (x == 0.0f) return x;
  int d = (int)((__wt_bits(__wt_add(x, 1.0f)) - 0x3f3504f3u) & 0xff800000u);
  float e = (float)d * 0x1p-23f, s = __wt_float(0x40800000u - (unsigned int)d); // 4 * 2^-e
  float less = __WT_FMAF__(s, 0.25f, -1.0f), f = __WT_FMAF__(x, __wt_mul(s, 0.25f), less);
  float low = __WT_FMAF__(x, __wt_mul(s, 0.25f), __wt_add(less, -f)), t = __wt_log1p_tailf(f) + low;
  return __WT_FMAF__(e, 0x1.62e430p-1f, __wt_add(f, __WT_FMAF__(e, -0x1.05c610p-29f, t)));
}
__WT_PUBLIC__ float __nv_logbf(float x) {
  if (x == 0.0f) return -__wt_inff();
  if (!__wt_finite(x)) return x * x;
  unsigned int b = __wt_bits(x) & 0x7fffffffu;
  return b >= 0x800000u ? (float)((int)(b >> 23) - 127) : (float)(-118 - __builtin_clz(b));
}
__WT_PUBLIC__ int __nv_ilogbf(float x) {
  if (x == 0.0f || __wt_nans(x)) return -2147483647 - 1;
  return __wt_finite(x) ? (int)__nv_logbf(x) : 2147483647;
}
// log2 of a number above 0, as a pair: 2*atanh((m - 1)/(m + 1))/log(2) + e.
__WT_PRIVATE__ __wt_pairf __wt_log2_pairf(float x) {
  float e, f = __wt_partsf(x, &e), t = __wt_add(f, 2.0f), t_lo = __wt_add(f, -__wt_add(t, -2.0f));
  float q = f / t, rest = __WT_FMAF__(-q, t_lo, __WT_FMAF__(-q, t, f)) / t;
  float w = __wt_mul(q, q), c = __WT_FMAF__(__wt_mul(w, w), __wt_poly_logtailf(w), 0.0f);
  // 2q + q*(w*2/3 + c) + 2*rest
  __wt_pairf cube = __wt_product(q, w);
  float w_lo = __WT_FMAF__(q, q, -w), cube_lo = __WT_FMAF__(q, w_lo, cube.lo);
  __wt_pairf third = __wt_product(cube.hi, 0x1.555556p-1f);
  third.lo += __WT_FMAF__(cube.hi, -0x1.555556p-26f, __wt_mul(cube_lo, 0x1.555556p-1f));
  __wt_pairf s = __wt_sum(q + q, third.hi);
  s.lo += __WT_FMAF__(q, c, third.lo + __WT_FMAF__(2.0f, rest, __wt_mul(rest + rest, w)));
  s = __wt_sum(s.hi, s.lo);
  __wt_pairf l = __wt_product(s.hi, 0x1.715476p+0f);
  l.lo += __WT_FMAF__(s.hi, 0x1.4ae0c0p-26f, __wt_mul(s.lo, 0x1.715476p+0f));
  __wt_pairf r = e == 0.0f ? l : __wt_sum(e, l.hi);
  if (e != 0.0f) r.lo += l.lo;
  return __wt_sum(r.hi, r.lo);
}
__WT_PUBLIC__ float __nv_powf(float x, float y) {
  if (x == 1.0f || y == 0.0f) return 1.0f;
  if (__wt_nans(x) || __wt_nans(y)) return x + y;
  float a = __builtin_fabsf(x), half = 0.5f * y;
  bool odd = __builtin_fabsf(y) < 0x1p24f && __builtin_truncf(y) == y && __builtin_truncf(half) != half;
  float sign = odd && __wt_bits(x) >> 31 ? -1.0f : 1.0f;
  if (a == 0.0f || a == __wt_inff()) return sign * ((a == 0.0f) == (y > 0.0f) ? 0.0f : __wt_inff());
  if (!__wt_finite(y)) return a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0.0f) ? __wt_inff() : 0.0f;
  if (x < 0.0f && __builtin_truncf(y) != y) return __wt_nanf();
  __wt_pairf l = __wt_log2_pairf(a);
  float p = __wt_mul(l.hi, y);
  if (!(__builtin_fabsf(p) < 250.0f)) return sign * (p > 0.0f ? __wt_inff() : 0.0f);
  return sign * __wt_exp2f(p, __WT_FMAF__(l.lo, y, __WT_FMAF__(l.hi, y, -p)));
}
__WT_PUBLIC__ float __nv_powif(float x, int n) {
  unsigned int k = n < 0 ? 0u - (unsigned int)n : (unsigned int)n;
  float r = 1.0f;
  for (float b = x; k; k >>= 1, b *= b)
    if (k & 1) r *= b;
  return n < 0 ? 1.0f / r : r;
}
__WT_PUBLIC__ float __nv_sinhf(float x) {
  float a = __builtin_fabsf(x), u = __wt_mul(x, x);
  if (a < 1.0f) return __WT_FMAF__(__wt_mul(x, u), __wt_poly_sinhf(u), x);
  float z = __wt_expf(a, -1);
  return __wt_nans(x) ? x + x : __wt_sign(z - 0.25f / z, x);
}
__WT_PUBLIC__ float __nv_coshf(float x) {
  float z = __wt_expf(__builtin_fabsf(x), -1);
  return __wt_nans(x) ? x + x : z + 0.25f / z;
}
__WT_PUBLIC__ float __nv_tanhf(float x) {
  float a = __builtin_fabsf(x), u = __wt_mul(x, x);
  if (a < 0.55f) return __wt_sign(__WT_FMAF__(__wt_mul(a, u), __wt_poly_tanhf(u), a), x);
  return __wt_nans(x) ? x + x : __wt_sign(1.0f - 2.0f / (__wt_expf(a + a, 0) + 1.0f), x);
}
__WT_PUBLIC__ float __nv_asinhf(float x) {
  float a = __builtin_fabsf(x), u = __wt_mul(a, a), r;
  if (a > 0x1p30f) r = __nv_logf(a) + 0x1.62e430p-1f;
  else r = __nv_log1pf(__wt_add(a, u / (1.0f + __builtin_sqrtf(__WT_FMAF__(a, a, 1.0f)))));
  return __wt_sign(r, x);
}
__WT_PUBLIC__ float __nv_acoshf(float x) {
  if (x < 1.0f) return __wt_nanf();
  float t = __wt_add(x, -1.0f);
  if (t > 0x1p30f) return __nv_logf(x) + 0x1.62e430p-1f;
  return __nv_log1pf(__wt_add(t, __builtin_sqrtf(__WT_FMAF__(t, t, t + t))));
}
__WT_PUBLIC__ float __nv_atanhf(float x) {
  float a = __builtin_fabsf(x);
  return __wt_sign(0.5f * __nv_log1pf((a + a) / (1.0f - a)), x);
}
// The ones of __sinf, __expf and their like: the special function unit alone.
#ifdef __CUDA_ARCH__
__WT_PUBLIC__ float __nv_fast_sinf(float x) { return __nvvm_sin_approx_f(x); }
__WT_PUBLIC__ float __nv_fast_cosf(float x) { return __nvvm_cos_approx_f(x); }
__WT_PUBLIC__ void __nv_fast_sincosf(float x, float *s, float *c) {
  *s = __nvvm_sin_approx_f(x);
  *c = __nvvm_cos_approx_f(x);
}
__WT_PUBLIC__ float __nv_fast_fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
__WT_PUBLIC__ float __nv_fast_tanf(float x) { return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)); }
__WT_PUBLIC__ float __nv_fast_log2f(float x) { return __wt_lg2(x); }
__WT_PUBLIC__ float __nv_fast_logf(float x) { return __wt_mul(__wt_lg2(x), 0x1.62e430p-1f); }
__WT_PUBLIC__ float __nv_fast_log10f(float x) { return __wt_mul(__wt_lg2(x), 0x1.344136p-2f); }
__WT_PUBLIC__ float __nv_fast_expf(float x) { return __wt_ex2(__wt_mul(x, 0x1.715476p+0f)); }
__WT_PUBLIC__ float __nv_fast_exp10f(float x) { return __wt_ex2(__wt_mul(x, 0x1.a934f0p+1f)); }
__WT_PUBLIC__ float __nv_fast_powf(float x, float y) { return __wt_ex2(__wt_mul(y, __wt_lg2(x))); }
#endif
#endif
