// SPDX-License-Identifier: Apache-2.0
// The error function, its relatives and their inverses on the device, in single precision.
#ifndef __WARPTAPE_MATH_ERROR_H__
#define __WARPTAPE_MATH_ERROR_H__
// erfc(x)*exp(x*x) of x >= 0, from a polynomial in (x - 2)/(x + 2) that all of it maps to.
__WT_PRIVATE__ float __wt_erfcxf(float x) {
  if (x > 1e18f) return 0x1.20dd76p-1f / x; // 1/sqrt(pi)
  float t = __wt_add(x, 2.0f), q = __wt_add(x, -2.0f) / t;
  float e = __WT_FMAF__(q, -t, __wt_add(x, -2.0f)); // of the quotient
  q = __WT_FMAF__(e, 1.0f / t, q);
  float d = __WT_FMAF__(x, 2.0f, 1.0f), p = __wt_poly_erfcxf(q), r = p / d;
  return __WT_FMAF__(__WT_FMAF__(-2.0f * r, x, __wt_add(p, -r)), 1.0f / d, r);
}
// exp(-x*x), with the square's lower half.
__WT_PRIVATE__ float __wt_bellf(float x) {
  float u = __wt_mul(x, x), low = __WT_FMAF__(x, x, -u), e = __wt_expf(-u, 0);
  return __WT_FMAF__(e, -low, e);
}
__WT_PUBLIC__ float __nv_erfcxf(float x) {
  if (__wt_nans(x)) return x + x;
  float a = __builtin_fabsf(x), r = __wt_erfcxf(a);
  if (x >= 0.0f) return r;
  float u = __wt_mul(a, a), low = __WT_FMAF__(a, a, -u), e = __wt_expf(__builtin_fminf(u, 100.0f), 1);
  return e < __wt_inff() ? __WT_FMAF__(e, low, e) - r : e;
}
__WT_PUBLIC__ float __nv_erfcf(float x) {
  if (__wt_nans(x)) return x + x;
  float a = __builtin_fminf(__builtin_fabsf(x), 10.5f), u = __wt_mul(x, x);
  if (a < 0.45f) return 1.0f - __WT_FMAF__(x, __wt_poly_erff(u), x);
  float r = __wt_mul(__wt_bellf(a), __wt_erfcxf(a));
  return x < 0.0f ? 2.0f - r : r;
}
__WT_PUBLIC__ float __nv_erff(float x) {
  if (__wt_nans(x)) return x + x;
  float a = __builtin_fminf(__builtin_fabsf(x), 5.0f), u = __wt_mul(x, x);
  if (a < 0.9f) return __WT_FMAF__(x, __wt_poly_erff(u), x);
  return __wt_sign(1.0f - __wt_mul(__wt_bellf(a), __wt_erfcxf(a)), x);
}
__WT_PUBLIC__ float __nv_normcdff(float x) {
  if (__wt_nans(x)) return x + x;
  x = __wt_clampf(x, -15.0f, 15.0f);
  float a = __wt_mul(x, -0x1.6a09e6p-1f), low = __WT_FMAF__(x, -0x1.6a09e6p-1f, -a);
  low = __WT_FMAF__(x, -0x1.9fcef4p-27f, low);
  float r = __nv_erfcf(a);
  if (x < -1.0f) r = __WT_FMAF__(__wt_mul(-2.0f * a, low), r, r); // erfc falls there as exp(-a*a)
  return 0.5f * r;
}
// erfinv(x), where v is 1 - x*x
__WT_PRIVATE__ float __wt_erfinvf(float x, float v) {
  __wt_pairf l = __wt_log_pairf(v);
  float w = -l.hi;
  if (w < 4.0f) return __WT_FMAF__(x, 0x1.c5bf8ap-1f, __wt_mul(x, __WT_FMAF__(w, __wt_poly_erfinvcentralf(w), -0x1.c96212p-26f)));
  float s = __builtin_sqrtf(w), e = __WT_FMAF__(-s, s, w) - l.lo; // what s*s lacks; the result grows nearly as s
  float u = __wt_add(s, -3.0f), t = __wt_mul(u, __wt_poly_erfinvouterf(u));
  __wt_pairf p = __wt_sum(0x1.6a9efcp+1f, t);
  return __WT_FMAF__(x, p.hi, __wt_mul(x, __WT_FMAF__(e, 0.47f / s, __wt_add(p.lo, -0x1.4c8a8cp-26f))));
}
__WT_PUBLIC__ float __nv_erfinvf(float x) {
  float v = __WT_FMAF__(x, -x, 1.0f);
  if (!(v > 0.0f)) return x == 1.0f || x == -1.0f ? __wt_sign(__wt_inff(), x) : __wt_nanf();
  return x == 0.0f ? x : __wt_erfinvf(x, v);
}
__WT_PUBLIC__ float __nv_erfcinvf(float y) {
  if (!(y >= 0.0f && y <= 2.0f)) return __wt_nanf();
  if (y == 0.0f || y == 2.0f) return y == 0.0f ? __wt_inff() : -__wt_inff();
  float low = y > 1.0f ? 2.0f - y : y;
  if (low > 0.006f) return __wt_erfinvf(__wt_add(1.0f, -y), __wt_mul(low, 2.0f - low));
  float s = __builtin_sqrtf(-__nv_logf(low)), r = __wt_mul(s, __wt_poly_erfcinvf(__wt_add(1.0f / s, -0.25f)));
  return y > 1.0f ? -r : r;
}
__WT_PUBLIC__ float __nv_normcdfinvf(float y) { return __wt_mul(-0x1.6a09e6p+0f, __nv_erfcinvf(y + y)); }
#endif
