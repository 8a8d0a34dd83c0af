// SPDX-License-Identifier: Apache-2.0
// Trigonometric functions, exponentials, logarithms, powers and hyperbolic functions on the
// device, in double precision. Where the guide's bound is one place, results carry the lower
// halves of what they are made of.
#ifndef __WARPTAPE_MATH_DOUBLE_H__
#define __WARPTAPE_MATH_DOUBLE_H__
// As __wt_reduce_hugef, with words of 64 bits: four give 126 bits behind the point.
__WT_PRIVATE__ __wt_pair __wt_reduce_huge(double x, int *quadrant) {
  unsigned long long ix = __wt_bits(x), m = ix << 11 | 0x8000000000000000ull, p[6], carry = 0;
  int e = (int)(ix >> 52 & 2047) - 1023 - 63, s = e >= 2 ? (e - 2) >> 6 : 0, f = e - 64 * s;
#pragma unroll
  for (int i = 3; i >= 0; i--) {
    unsigned long long w = __wt_two_over_pi[s + i], low = m * w + carry;
    carry = __wt_high(m, w) + (low < carry);
    p[3 - i] = low;
  }
  p[4] = carry;
  p[5] = 0;
  int shift = 130 - f, bit = shift & 63; // 65 and more
  bool two = shift >= 128;
  unsigned long long a = two ? p[2] : p[1], b = two ? p[3] : p[2], c = two ? p[4] : p[3];
  if (bit) {
    a = a >> bit | b << (64 - bit);
    b = b >> bit | c << (64 - bit);
  }
  unsigned long long q = (b + (1ull << 61)) >> 62;
  b -= q << 62;
  bool minus = b >> 63;
  if (minus) {
    b = ~b + (a == 0);
    a = 0 - a;
  }
  int zeros = b ? __builtin_clzll(b) : 64 + (a ? __builtin_clzll(a) : 63);
  if (zeros >= 64) b = a, a = 0;
  int left = zeros & 63;
  if (left) {
    b = b << left | a >> (64 - left);
    a <<= left;
  }
  // b has 64 bits of the fraction, a those behind them.
  double hi = (double)(b >> 11) * __wt_power(11 - 62 - zeros), lo = (double)((b & 2047) << 40 | a >> 24) * __wt_power(24 - 126 - zeros);
  __wt_pair r = __wt_product(hi, 0x1.921fb54442d18p+0);
  r.lo += __WT_FMA__(hi, 0x1.1a62633145c07p-54, __wt_mul(lo, 0x1.921fb54442d18p+0));
  r = __wt_sum(r.hi, r.lo);
  bool other = (ix >> 63) != 0;
  *quadrant = (int)(other ? 0ull - q : q);
  if (other != minus) r.hi = -r.hi, r.lo = -r.lo;
  return r;
}
__WT_PRIVATE__ __wt_pair __wt_reduce(double x, int *quadrant) {
  __wt_pair r;
  *quadrant = 0;
  r.lo = 0.0;
  if (__builtin_fabs(x) > 0x1p19) {
    if (__wt_finite(x)) return __wt_reduce_huge(x, quadrant);
    r.hi = x * 0.0;
    return r;
  }
  double n = __builtin_rint(x * 0x1.45f306dc9c883p-1);
  *quadrant = (int)n;
  double w = __WT_FMA__(-n, 0x1.921fb544p+0, x); // exact, as the parts of pi/2 have 33 bits
  double v = __WT_FMA__(-n, 0x1.0b4611a6p-34, w), low = __WT_FMA__(-n, 0x1.0b4611a6p-34, __wt_add(w, -v));
  return __wt_sum(v, __WT_FMA__(-n, 0x1.3198a2e037073p-69, low));
}
// Sine and cosine of r in [-pi/4, pi/4], as pairs whose parts are not yet added.
__WT_PRIVATE__ __wt_pair __wt_sine_part(__wt_pair r, double u) {
  __wt_pair s;
  s.hi = r.hi;
  s.lo = __WT_FMA__(__wt_mul(r.hi, u), __wt_poly_sin(u), __WT_FMA__(-0.5 * u, r.lo, r.lo));
  return s;
}
__WT_PRIVATE__ __wt_pair __wt_cosine_part(__wt_pair r, double u) {
  __wt_pair s = __wt_sum(1.0, -0.5 * u);
  s.lo = __WT_FMA__(__wt_mul(u, u), __wt_poly_cos(u), __WT_FMA__(-r.hi, r.lo, s.lo));
  return s;
}
__WT_PRIVATE__ double __wt_wave(__wt_pair r, int quadrant) {
  double u = __wt_mul(r.hi, r.hi);
  __wt_pair s = quadrant & 1 ? __wt_cosine_part(r, u) : __wt_sine_part(r, u);
  return quadrant & 2 ? -(s.hi + s.lo) : s.hi + s.lo;
}
__WT_PUBLIC__ double __nv_sin(double x) {
  int q;
  __wt_pair r = __wt_reduce(x, &q);
  return x == 0.0 ? x : __wt_wave(r, q);
}
__WT_PUBLIC__ double __nv_cos(double x) {
  int q;
  __wt_pair r = __wt_reduce(x, &q);
  return __wt_wave(r, q + 1);
}
__WT_PUBLIC__ void __nv_sincos(double x, double *s, double *c) {
  int q;
  __wt_pair r = __wt_reduce(x, &q);
  *s = x == 0.0 ? x : __wt_wave(r, q);
  *c = __wt_wave(r, q + 1);
}
__WT_PUBLIC__ double __nv_tan(double x) {
  int q;
  __wt_pair r = __wt_reduce(x, &q);
  double u = __wt_mul(r.hi, r.hi);
  __wt_pair s = __wt_sine_part(r, u), c = __wt_cosine_part(r, u);
  s = __wt_sum(s.hi, s.lo);
  c = __wt_sum(c.hi, c.lo);
  if (q & 1) {
    __wt_pair t = s;
    s.hi = -c.hi, s.lo = -c.lo;
    c = t;
  }
  double t = s.hi / c.hi;
  return x == 0.0 ? x : t + (__WT_FMA__(-t, c.hi, s.hi) + __WT_FMA__(-t, c.lo, s.lo)) / c.hi;
}
__WT_PRIVATE__ __wt_pair __wt_turn(double x, int *quadrant) {
  __wt_pair r;
  *quadrant = 0;
  r.hi = x * 0.0, r.lo = 0.0;
  if (!(__builtin_fabs(x) < 0x1p53)) return r; // an even number, or none
  double n = __builtin_rint(x + x);
  *quadrant = (int)(long long)n;
  double f = __WT_FMA__(n, -0.5, x);
  r = __wt_product(f, 0x1.921fb54442d18p+1);
  r.lo = __WT_FMA__(f, 0x1.1a62633145c07p-53, r.lo);
  return r;
}
__WT_PUBLIC__ double __nv_sinpi(double x) {
  int q;
  __wt_pair r = __wt_turn(x, &q);
  return r.hi == 0.0 && !(q & 1) ? x * 0.0 : __wt_wave(r, q);
}
__WT_PUBLIC__ double __nv_cospi(double x) {
  int q;
  __wt_pair r = __wt_turn(x, &q);
  return r.hi == 0.0 && q & 1 ? 0.0 : __wt_wave(r, q + 1);
}
__WT_PUBLIC__ void __nv_sincospi(double x, double *s, double *c) {
  *s = __nv_sinpi(x);
  *c = __nv_cospi(x);
}
__WT_PRIVATE__ double __wt_arctangent(double t) {
  double u = __wt_mul(t, t);
  return __WT_FMA__(__wt_mul(t, u), __wt_poly_atan(u), t);
}
// whole - r, with the lower half of the first
__WT_PRIVATE__ double __wt_beyond(double hi, double lo, double r) {
  __wt_pair s = __wt_sum(hi, -r);
  return s.hi + (s.lo + lo);
}
__WT_PUBLIC__ double __nv_atan(double x) {
  double a = __builtin_fabs(x), r = __wt_arctangent(a > 1.0 ? 1.0 / a : a);
  if (a > 1.0) r = __wt_beyond(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, r);
  return __wt_nans(x) ? x + x : __wt_sign(r, x);
}
__WT_PUBLIC__ double __nv_atan2(double y, double x) {
  if (__wt_nans(x) || __wt_nans(y)) return x + y;
  double a = __builtin_fabs(x), b = __builtin_fabs(y), large = b > a ? b : a, small = b > a ? a : b;
  double t = large == 0.0 ? 0.0 : large == small ? 1.0 : small / large, r = __wt_arctangent(t);
  if (b > a) r = __wt_beyond(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, r);
  if (__wt_bits(x) >> 63) r = __wt_beyond(0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, r);
  return __wt_sign(r, y);
}
__WT_PRIVATE__ double __wt_arcsine(double a) {
  double u = __wt_mul(a, a);
  return __WT_FMA__(__wt_mul(a, u), __wt_poly_asin(u), a);
}
__WT_PUBLIC__ double __nv_asin(double x) {
  double a = __builtin_fabs(x), r;
  if (a <= 0.5625) r = __wt_arcsine(a);
  else r = __wt_beyond(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, 2.0 * __wt_arcsine(__builtin_sqrt(__WT_FMA__(a, -0.5, 0.5))));
  return __wt_nans(r) ? __wt_nan() : __wt_sign(r, x);
}
__WT_PUBLIC__ double __nv_acos(double x) {
  double a = __builtin_fabs(x), r;
  if (a <= 0.5625) return __wt_beyond(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, __wt_sign(__wt_arcsine(a), x));
  r = 2.0 * __wt_arcsine(__builtin_sqrt(__WT_FMA__(a, -0.5, 0.5)));
  if (__wt_bits(x) >> 63) r = __wt_beyond(0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, r);
  return __wt_nans(r) ? __wt_nan() : r;
}
__WT_PRIVATE__ double __wt_clamp(double x, double low, double high) { return __builtin_fmin(__builtin_fmax(x, low), high); }
// e^(r + low), |r| at most log(2)/2 and low below its last place, as a pair.
__WT_PRIVATE__ __wt_pair __wt_exp_near(double r, double low) {
  double u = __wt_mul(r, r);
  __wt_pair s = __wt_sum(1.0, r);
  s.lo += __WT_FMA__(u, __WT_FMA__(r, __wt_poly_exp(r), 0.5), __WT_FMA__(r, low, low));
  return s;
}
// e^(x + low) times 2^shift; x is not NaN.
__WT_PRIVATE__ double __wt_exp(double x, double low, int shift) {
  double a = __wt_clamp(x, -800.0, 800.0), n = __builtin_rint(a * 0x1.71547652b82fep+0);
  double r = __WT_FMA__(-n, 0x1.62e42fefa39efp-1, a);
  r = __WT_FMA__(-n, 0x1.abc9e3b39803fp-56, r);
  double v = __wt_add(r, low);
  __wt_pair s = __wt_exp_near(v, __wt_add(low, -__wt_add(v, -r)));
  return __wt_scale(s.hi + s.lo, (int)n + shift);
}
__WT_PUBLIC__ double __nv_exp(double x) { return __wt_nans(x) ? x + x : __wt_exp(x, 0.0, 0); }
__WT_PUBLIC__ double __nv_exp2(double x) {
  if (__wt_nans(x)) return x + x;
  double a = __wt_clamp(x, -1200.0, 1200.0), n = __builtin_rint(a);
  __wt_pair r = __wt_product(__wt_add(a, -n), 0x1.62e42fefa39efp-1), s = __wt_exp_near(r.hi, r.lo);
  return __wt_scale(s.hi + s.lo, (int)n);
}
__WT_PUBLIC__ double __nv_exp10(double x) {
  if (__wt_nans(x)) return x + x;
  double a = __wt_clamp(x, -400.0, 400.0), n = __builtin_rint(a * 0x1.a934f0979a371p+1);
  double r = __WT_FMA__(-n, 0x1.34413508p-2, a); // exact, as that part of log10(2) has 32 bits
  r = __WT_FMA__(-n, 0x1.f79fef311f12bp-34, r);
  __wt_pair l = __wt_product(r, 0x1.26bb1bbb55516p+1), s = __wt_exp_near(l.hi, __WT_FMA__(r, -0x1.f48ad494ea3e9p-53, l.lo));
  return __wt_scale(s.hi + s.lo, (int)n);
}
__WT_PUBLIC__ double __nv_expm1(double x) {
  if (__wt_nans(x) || x == 0.0) return x + x;
  double a = __wt_clamp(x, -60.0, 710.0), n = __builtin_fabs(x) < 0.5 ? 0.0 : __builtin_rint(a * 0x1.71547652b82fep+0);
  double r = __WT_FMA__(-n, 0x1.62e42fefa39efp-1, a), low = __wt_mul(n, -0x1.abc9e3b39803fp-56);
  double v = __wt_add(r, low);
  low = __wt_add(low, -__wt_add(v, -r));
  double u = __wt_mul(v, v);
  __wt_pair p = __wt_sum(v, __WT_FMA__(u, __WT_FMA__(v, __wt_poly_expm1(v), 0.5), __WT_FMA__(v, low, low)));
  if (n == 0.0) return p.hi;
  int k = (int)n;
  double h = __wt_power(k - 1);
  __wt_pair t = k < 1 ? __wt_sum(-0.5, h) : __wt_sum(h, -0.5), s = __wt_sum(t.hi, p.hi * h);
  double w = s.hi + (s.lo + __WT_FMA__(p.lo, h, t.lo));
  return w + w;
}
// A number above 0 as 2^e*(1 + f), with 1 + f in [sqrt(1/2), sqrt(2)).
__WT_PRIVATE__ double __wt_parts(double x, double *e) {
  double bias = 0.0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    bias = -54.0;
  }
  long long d = (long long)((__wt_bits(x) - 0x3fe6a09e667f3bcdull) & 0xfff0000000000000ull);
  *e = (double)(int)(d >> 52) + bias;
  return __wt_add(__wt_double(__wt_bits(x) - (unsigned long long)d), -1.0);
}
// log(1 + f + low): 2*atanh(f/(2 + f)), written so that f itself is added last.
__WT_PRIVATE__ __wt_pair __wt_log_near(double f, double low) {
  double q = f / (2.0 + f), w = __wt_mul(q, q), half = __wt_mul(0.5, f);
  __wt_pair u = __wt_product(half, f);
  __wt_pair s = __wt_sum(f, -u.hi);
  s.lo += __WT_FMA__(q, __WT_FMA__(w, __wt_poly_log(w), u.hi), -u.lo) + low;
  return s;
}
__WT_PRIVATE__ double __wt_no_log(double x) { return x == 0.0 ? -__wt_inf() : x > 0.0 ? x : __wt_nans(x) ? x + x : __wt_nan(); }
// e*log(2) + a pair, rounded
__WT_PRIVATE__ double __wt_log_sum(double e, __wt_pair l) {
  double k = __wt_mul(e, 0x1.62e42feep-1); // exact
  __wt_pair s = e == 0.0 ? l : __wt_sum(k, l.hi);
  if (e != 0.0) s.lo += l.lo;
  return s.hi + __WT_FMA__(e, 0x1.a39ef35793c76p-33, s.lo);
}
__WT_PUBLIC__ double __nv_log(double x) {
  if (!(x > 0.0 && x < __wt_inf())) return __wt_no_log(x);
  double e, f = __wt_parts(x, &e);
  return __wt_log_sum(e, __wt_log_near(f, 0.0));
}
__WT_PUBLIC__ double __nv_log1p(double x) {
  if (!(x > -1.0 && x < __wt_inf())) return x == -1.0 ? -__wt_inf() : x > 0.0 ? x : __wt_nans(x) ? x + x : __wt_nan();
  if (x == 0.0) return x;
  __wt_pair y = x > 1.0 ? __wt_sum(x, 1.0) : __wt_sum(1.0, x);
  if (__builtin_fabs(x) < 0.25) return __wt_log_sum(0.0, __wt_log_near(x, 0.0));
  double e, f = __wt_parts(y.hi, &e), low = e > 1000.0 ? 0.0 : y.lo * __wt_power(-(int)e);
  return __wt_log_sum(e, __wt_log_near(f, low / (1.0 + f)));
}
// log of a number above 0 as e*log(2) + a pair that is right to some 65 bits.
__WT_PRIVATE__ __wt_pair __wt_log_pair(double x, double *e) {
  double f = __wt_parts(x, e), t = __wt_add(f, 2.0), t_lo = __wt_add(f, -__wt_add(t, -2.0)), q = f / t;
  double rest = __WT_FMA__(-q, t_lo, __WT_FMA__(-q, t, f)) / t;
  __wt_pair w = __wt_product(q, q);
  w.lo = __WT_FMA__(q + q, rest, w.lo);
  __wt_pair c = __wt_product(q, w.hi); // q^3
  c.lo += __WT_FMA__(q, w.lo, __wt_mul(rest, w.hi));
  __wt_pair d = __wt_product(c.hi, 0x1.5555555555555p-1);
  d.lo += __WT_FMA__(c.hi, 0x1.5555555555555p-55, __wt_mul(c.lo, 0x1.5555555555555p-1));
  __wt_pair g = __wt_sum(d.hi, __wt_mul(__wt_mul(c.hi, w.hi), __wt_poly_logtail(w.hi)));
  g.lo += d.lo;
  __wt_pair s = __wt_sum(q + q, g.hi);
  s.lo += g.lo + (rest + rest);
  return __wt_sum(s.hi, s.lo);
}
__WT_PRIVATE__ __wt_pair __wt_times_pair(__wt_pair a, double hi, double lo) {
  __wt_pair p = __wt_product(a.hi, hi);
  p.lo += __WT_FMA__(a.hi, lo, __wt_mul(a.lo, hi));
  return __wt_sum(p.hi, p.lo);
}
__WT_PUBLIC__ double __nv_log2(double x) {
  if (!(x > 0.0 && x < __wt_inf())) return __wt_no_log(x);
  double e;
  __wt_pair l = __wt_times_pair(__wt_log_pair(x, &e), 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
  if (e == 0.0) return l.hi;
  __wt_pair s = __wt_sum(e, l.hi);
  return s.hi + (s.lo + l.lo);
}
__WT_PUBLIC__ double __nv_log10(double x) {
  if (!(x > 0.0 && x < __wt_inf())) return __wt_no_log(x);
  double e;
  __wt_pair l = __wt_times_pair(__wt_log_pair(x, &e), 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
  if (e == 0.0) return l.hi;
  __wt_pair s = __wt_sum(__wt_mul(e, 0x1.34413508p-2), l.hi); // the product is exact
  return s.hi + __WT_FMA__(e, 0x1.f79fef311f12bp-34, s.lo + l.lo);
}
__WT_PUBLIC__ double __nv_logb(double x) {
  if (x == 0.0) return -__wt_inf();
  if (!__wt_finite(x)) return x * x;
  unsigned long long b = __wt_bits(x) & 0x7fffffffffffffffull;
  return b >> 52 ? (double)((int)(b >> 52) - 1023) : (double)(-1011 - __builtin_clzll(b));
}
__WT_PUBLIC__ int __nv_ilogb(double x) {
  if (x == 0.0 || __wt_nans(x)) return -2147483647 - 1;
  return __wt_finite(x) ? (int)__nv_logb(x) : 2147483647;
}
// a^y of a > 0, both finite
__WT_PRIVATE__ double __wt_power_of(double a, double y) {
  double e;
  __wt_pair l = __wt_log_pair(a, &e), k = __wt_product(e, 0x1.62e42fefa39efp-1), s = l;
  if (e != 0.0) {
    s = __wt_sum(k.hi, l.hi);
    s.lo += __WT_FMA__(e, 0x1.abc9e3b39803fp-56, k.lo + l.lo);
    s = __wt_sum(s.hi, s.lo);
  }
  double p = __wt_mul(s.hi, y);
  if (!(__builtin_fabs(p) < 800.0)) return p > 0.0 ? __wt_inf() : 0.0;
  return __wt_exp(p, __WT_FMA__(s.lo, y, __WT_FMA__(s.hi, y, -p)), 0);
}
__WT_PUBLIC__ double __nv_pow(double x, double y) {
  if (x == 1.0 || y == 0.0) return 1.0;
  if (__wt_nans(x) || __wt_nans(y)) return x + y;
  double a = __builtin_fabs(x), half = 0.5 * y;
  bool odd = __builtin_fabs(y) < 0x1p53 && __builtin_trunc(y) == y && __builtin_trunc(half) != half;
  double sign = odd && __wt_bits(x) >> 63 ? -1.0 : 1.0;
  if (a == 0.0 || a == __wt_inf()) return sign * ((a == 0.0) == (y > 0.0) ? 0.0 : __wt_inf());
  if (!__wt_finite(y)) return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? __wt_inf() : 0.0;
  if (x < 0.0 && __builtin_trunc(y) != y) return __wt_nan();
  return sign * __wt_power_of(a, y);
}
__WT_PUBLIC__ double __nv_powi(double x, int n) { return __nv_pow(x, (double)n); }
// e^a/2 as a pair, for a >= 0 where e^a does not vanish
__WT_PRIVATE__ __wt_pair __wt_half_exp(double a, int *n) {
  a = __builtin_fmin(a, 800.0);
  double k = __builtin_rint(a * 0x1.71547652b82fep+0), r = __WT_FMA__(-k, 0x1.62e42fefa39efp-1, a), low = __wt_mul(k, -0x1.abc9e3b39803fp-56);
  double v = __wt_add(r, low);
  *n = (int)k - 1;
  __wt_pair s = __wt_exp_near(v, __wt_add(low, -__wt_add(v, -r)));
  return __wt_sum(s.hi, s.lo);
}
__WT_PRIVATE__ double __wt_cosh_sinh(double a, double sign) {
  int n;
  __wt_pair z = __wt_half_exp(a, &n); // e^a/2 = z*2^n, n at least -1
  double other = n < 60 ? sign * 0.25 / z.hi * __wt_power(-2 * n) : 0.0;
  __wt_pair s = __wt_sum(z.hi, other);
  return __wt_scale(s.hi + (s.lo + z.lo), n);
}
__WT_PUBLIC__ double __nv_sinh(double x) {
  double a = __builtin_fabs(x), u = __wt_mul(x, x);
  if (a < 1.0) return __wt_sign(__WT_FMA__(__wt_mul(a, u), __wt_poly_sinh(u), a), x);
  return __wt_nans(x) ? x + x : __wt_sign(__wt_cosh_sinh(a, -1.0), x);
}
__WT_PUBLIC__ double __nv_cosh(double x) { return __wt_nans(x) ? x + x : __wt_cosh_sinh(__builtin_fabs(x), 1.0); }
__WT_PUBLIC__ double __nv_tanh(double x) {
  double a = __builtin_fabs(x), u = __wt_mul(x, x);
  if (a < 0.55) return __wt_sign(__WT_FMA__(__wt_mul(a, u), __wt_poly_tanh(u), a), x);
  if (__wt_nans(x)) return x + x;
  int n;
  __wt_pair z = __wt_half_exp(__builtin_fmin(a + a, 100.0), &n); // 1 - 2/(e^2a + 1)
  double scale = __wt_power(n + 1);
  __wt_pair d = __wt_sum(z.hi * scale, 1.0);
  d.lo = __WT_FMA__(z.lo, scale, d.lo);
  double t = 2.0 / d.hi, low = __WT_FMA__(-t, d.lo, __WT_FMA__(-t, d.hi, 2.0)) / d.hi;
  __wt_pair r = __wt_sum(1.0, -t);
  return __wt_sign(r.hi + (r.lo - low), x);
}
__WT_PUBLIC__ double __nv_asinh(double x) {
  double a = __builtin_fabs(x), u = __wt_mul(a, a), r;
  if (a > 0x1p60) r = __nv_log(a) + 0x1.62e42fefa39efp-1;
  else r = __nv_log1p(__wt_add(a, u / (1.0 + __builtin_sqrt(__WT_FMA__(a, a, 1.0)))));
  return __wt_sign(r, x);
}
__WT_PUBLIC__ double __nv_acosh(double x) {
  if (x < 1.0) return __wt_nan();
  double t = __wt_add(x, -1.0);
  if (t > 0x1p60) return __nv_log(x) + 0x1.62e42fefa39efp-1;
  return __nv_log1p(__wt_add(t, __builtin_sqrt(__WT_FMA__(t, t, t + t))));
}
__WT_PUBLIC__ double __nv_atanh(double x) {
  double a = __builtin_fabs(x);
  return __wt_sign(0.5 * __nv_log1p((a + a) / (1.0 - a)), x);
}
#endif
