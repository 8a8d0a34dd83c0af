// SPDX-License-Identifier: Apache-2.0
// The error function, its relatives and their inverses in double precision, and the gamma
// function in both: that of single precision is computed in double.
#ifndef __WARPTAPE_MATH_SPECIAL_H__
#define __WARPTAPE_MATH_SPECIAL_H__
__WT_PRIVATE__ double __wt_erfcx(double x) { // x >= 0
  if (x > 1e150) return 0x1.20dd750429b6dp-1 / x; // 1/sqrt(pi)
  double t = __wt_add(x, 4.0), q = __wt_add(x, -4.0) / t;
  double e = __WT_FMA__(q, -t, __wt_add(x, -4.0)) - __wt_mul(q, __wt_add(x, -__wt_add(t, -4.0)));
  q = __WT_FMA__(e, 1.0 / t, q);
  double d = __WT_FMA__(x, 2.0, 1.0), p = __wt_poly_erfcx(q), r = p / d;
  return __WT_FMA__(__WT_FMA__(-2.0 * r, x, __wt_add(p, -r)), 1.0 / d, r);
}
__WT_PRIVATE__ double __wt_bell(double x) {
  double u = __wt_mul(x, x);
  return __wt_exp(-u, -__WT_FMA__(x, x, -u), 0);
}
__WT_PUBLIC__ double __nv_erfcx(double x) {
  if (__wt_nans(x)) return x + x;
  double a = __builtin_fabs(x), r = __wt_erfcx(a);
  if (x >= 0.0) return r;
  double u = __wt_mul(a, a), e = u < 720.0 ? __wt_exp(u, __WT_FMA__(a, a, -u), 1) : __wt_inf();
  return e < __wt_inf() ? e - r : e;
}
__WT_PUBLIC__ double __nv_erfc(double x) {
  if (__wt_nans(x)) return x + x;
  double a = __builtin_fmin(__builtin_fabs(x), 28.0), u = __wt_mul(x, x);
  if (a < 0.45) return 1.0 - __WT_FMA__(x, __wt_poly_erfdouble(u), x);
  double r = __wt_mul(__wt_bell(a), __wt_erfcx(a));
  return x < 0.0 ? 2.0 - r : r;
}
__WT_PUBLIC__ double __nv_erf(double x) {
  if (__wt_nans(x)) return x + x;
  double a = __builtin_fmin(__builtin_fabs(x), 7.0), u = __wt_mul(x, x);
  if (a < 0.9) return __WT_FMA__(x, __wt_poly_erfdouble(u), x);
  return __wt_sign(1.0 - __wt_mul(__wt_bell(a), __wt_erfcx(a)), x);
}
__WT_PUBLIC__ double __nv_normcdf(double x) {
  if (__wt_nans(x)) return x + x;
  x = __wt_clamp(x, -39.0, 39.0);
  double a = __wt_mul(x, -0x1.6a09e667f3bcdp-1), low = __WT_FMA__(x, -0x1.6a09e667f3bcdp-1, -a);
  low = __WT_FMA__(x, 0x1.bdd3413b26456p-55, low);
  double r = __nv_erfc(a);
  if (x < -1.0) r = __WT_FMA__(__wt_mul(-2.0 * a, low), r, r); // erfc falls there as exp(-a*a)
  return 0.5 * r;
}
// A zero of erfc(z) - y, near one that single precision knows: a step of Halley's.
__WT_PUBLIC__ double __nv_erfinv(double x) {
  double a = __builtin_fabs(x);
  if (!(a < 1.0)) return a == 1.0 ? __wt_sign(__wt_inf(), x) : __wt_nan();
  if (a < 1e-9) return __wt_mul(x, 0x1.c5bf891b4ef6bp-1); // sqrt(pi)/2
  double low = 1.0 - a, z, e;
  if (a < 0.5) {
    z = (double)__nv_erfinvf((float)a);
    e = __wt_add(__nv_erf(z), -a);
  } else {
    double s = __builtin_sqrt(-__nv_log(low));
    z = low > 0.006 ? (double)__nv_erfinvf((float)a) : s * (double)__wt_poly_erfcinvf(1.0f / (float)s - 0.25f);
    e = __wt_add(low, -__nv_erfc(z));
  }
  e *= __wt_mul(0x1.c5bf891b4ef6bp-1, __wt_exp(__wt_mul(z, z), 0.0, 0));
  return __wt_sign(z - e / __WT_FMA__(z, e, 1.0), x);
}
__WT_PUBLIC__ double __nv_erfcinv(double y) {
  if (!(y >= 0.0 && y <= 2.0)) return __wt_nan();
  if (y == 0.0 || y == 2.0) return y == 0.0 ? __wt_inf() : -__wt_inf();
  if (y > 0.25 && y < 1.75) return __nv_erfinv(1.0 - y);
  double low = y > 1.0 ? 2.0 - y : y, s = __builtin_sqrt(-__nv_log(low)), z;
  z = low > 0.006 ? (double)__nv_erfcinvf((float)low) : s * (double)__wt_poly_erfcinvf(1.0f / (float)s - 0.25f);
  double u = __wt_mul(z, z), u_lo = __WT_FMA__(z, z, -u);
  // (y - erfc(z))/erfc'(z), with the common factor exp(-z*z) taken out
  double e = __wt_add(__wt_erfcx(z), -low * __wt_exp(u, u_lo, 0));
  if (u > 690.0) e = __wt_erfcx(z) - __wt_exp(__nv_log(low) + u, u_lo, 0);
  e *= -0x1.c5bf891b4ef6bp-1;
  z = z - e / __WT_FMA__(z, e, 1.0);
  return y > 1.0 ? -z : z;
}
__WT_PUBLIC__ double __nv_normcdfinv(double y) { return __wt_mul(-0x1.6a09e667f3bcdp+0, __nv_erfcinv(y + y)); }
// log(gamma(x)) for x >= 8 or so, without (x - 1/2)*log(x) - x + log(2*pi)/2: Stirling's series.
__WT_PRIVATE__ double __wt_stirling(double x) {
  double r = 1.0 / x;
  return __wt_mul(r, __wt_poly_stirling(__wt_mul(r, r)));
}
// gamma(x) for x in [1/2, 171.7): below 12 by exact steps of one to [3/2, 5/2), above as
// sqrt(2*pi)*x^(x - 1/2)*e^-x*e^stirling, carried as a pair in the exponent.
__WT_PRIVATE__ double __wt_gamma(double y) {
  if (y < 1.5) return 1.0 / __wt_mul(y, __wt_poly_rgamma(y - 1.0));
  if (y < 12.0) {
    double product = 1.0;
    while (y >= 2.5) {
      y -= 1.0;
      product *= y;
    }
    return product / __wt_poly_rgamma(y - 2.0);
  }
  double e;
  __wt_pair l = __wt_log_pair(y, &e), k = __wt_product(e, 0x1.62e42fefa39efp-1), s = e == 0.0 ? l : __wt_sum(k.hi, l.hi);
  if (e != 0.0) s.lo += __WT_FMA__(e, 0x1.abc9e3b39803fp-56, k.lo + l.lo);
  s = __wt_sum(s.hi, s.lo);
  double h = __wt_add(y, -0.5);
  __wt_pair p = __wt_product(h, s.hi), t = __wt_sum(p.hi, -y);
  t.lo += __WT_FMA__(h, s.lo, p.lo) + __wt_stirling(y);
  t = __wt_sum(t.hi, t.lo);
  return __wt_mul(__wt_exp(t.hi, t.lo, -1), 0x1.40d931ff62706p+2); // 2*sqrt(2*pi)
}
__WT_PUBLIC__ double __nv_tgamma(double x) {
  if (__wt_nans(x)) return x + x;
  if (x == 0.0) return 1.0 / x;
  double f = __builtin_trunc(x);
  if (x < 0.0 && (f == x || x == -__wt_inf())) return __wt_nan();
  if (x > 171.7) return __wt_inf();
  if (x >= 0.5) return __wt_gamma(x);
  if (x > -0.5) return 1.0 / __wt_mul(__WT_FMA__(x, x, x), __wt_poly_rgamma(x));
  if (x < -185.0) return __wt_mul(0.0, __nv_sinpi(x));
  // gamma(x)*gamma(1 - x) = pi/sin(pi*x), in two halves where gamma(1 - x) overflows
  double s = __nv_sinpi(x), g = -x;
  if (g < 170.0) return 0x1.921fb54442d18p+1 / __wt_mul(__wt_mul(s, g), __wt_gamma(g));
  double d = g;
  for (int i = 1; i < 16; i++) d *= g - (double)i;
  return 0x1.921fb54442d18p+1 / s / __wt_gamma(g - 15.0) / d;
}
__WT_PRIVATE__ double __wt_lgamma(double a) { // a > 0
  if (a >= 8.0) {
    if (a > 1e300) return a * (__nv_log(a) - 1.0);
    __wt_pair p = __wt_product(__wt_add(a, -0.5), __wt_add(__nv_log(a), -1.0));
    return p.hi + (p.lo + (0x1.acfe390c97d69p-2 + __wt_stirling(a))); // log(2*pi)/2 - 1/2
  }
  double t = a - 1.0, u = a - 2.0;
  if (a < 0.5) return __WT_FMA__(__wt_mul(a, t), __wt_poly_lgamma1(a), -__nv_log(a));
  if (a < 1.5) return __wt_mul(__wt_mul(t, u), __wt_poly_lgamma1(t)) + 0.0;
  if (a < 2.5) return __wt_mul(__wt_mul(t, u), __wt_poly_lgamma2(u)) + 0.0;
  if (a < 3.5) return __wt_mul(__wt_mul(t, u), __wt_poly_lgamma3(a - 3.0));
  double p = 1.0;
  while (a >= 3.5) {
    a -= 1.0;
    p *= a;
  }
  t = a - 1.0, u = a - 2.0;
  return __nv_log(p) + __wt_mul(__wt_mul(t, u), __wt_poly_lgamma3(a - 3.0));
}
__WT_PUBLIC__ double __nv_lgamma(double x) {
  if (__wt_nans(x)) return x + x;
  double a = __builtin_fabs(x);
  if (a == __wt_inf() || (x <= 0.0 && __builtin_trunc(x) == x)) return __wt_inf();
  if (x > 0.0) return __wt_lgamma(x);
  if (a < 1e-18) return -__nv_log(a);
  // gamma(a)*gamma(-a) = -pi/(a*sin(pi*a))
  __wt_pair m = __wt_product(__builtin_fabs(__nv_sinpi(a)), a);
  double v = 0x1.921fb54442d18p+1 / m.hi, low = __WT_FMA__(-v, m.lo, __WT_FMA__(-v, m.hi, 0x1.921fb54442d18p+1) + 0x1.1a62633145c07p-53);
  return __nv_log(v) + (low / 0x1.921fb54442d18p+1 - __wt_lgamma(a));
}
__WT_PUBLIC__ float __nv_tgammaf(float x) { return (float)__nv_tgamma((double)x); }
__WT_PUBLIC__ float __nv_lgammaf(float x) { return (float)__nv_lgamma((double)x); }
#endif
