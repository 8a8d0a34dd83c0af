// SPDX-License-Identifier: Apache-2.0
// Roots, norms and remainders on the device, and the parts of numbers, in both precisions.
#ifndef __WARPTAPE_MATH_ROOT_H__
#define __WARPTAPE_MATH_ROOT_H__
#ifdef __WARPTAPE_FAST_ROOT__ // the instruction of -prec-sqrt=false
__WT_PUBLIC__ float __nv_sqrtf(float x) { return __WARPTAPE_FAST_ROOT__(x); }
#else
__WT_PUBLIC__ float __nv_sqrtf(float x) { return __builtin_sqrtf(x); }
#endif
__WT_PUBLIC__ double __nv_sqrt(double x) { return __builtin_sqrt(x); }
__WT_PUBLIC__ float __nv_rsqrtf(float x) { return __wt_rsq(x); }
__WT_PUBLIC__ double __nv_rsqrt(double x) {
  double y = __wt_rsq(x);
  if (!(x > 0.0 && x < __wt_inf() && y < __wt_inf())) return y;
  double e = __WT_FMA__(__wt_mul(x, y), -y, 1.0); // one step of Newton's
  return __WT_FMA__(__wt_mul(0.5, y), e, y);
}
// A third of the exponent, by lg2 and ex2, and a step of Newton's with the cube's lower half.
__WT_PRIVATE__ float __wt_rootf(float a) { // of a normal a
  float t = __wt_ex2(__wt_mul(__wt_lg2(a), 0x1.555556p-2f)), u = __wt_mul(t, t);
  float e = __WT_FMAF__(-u, t, a) - __wt_mul(__WT_FMAF__(t, t, -u), t);
  return __WT_FMAF__(e, 0x1.555556p-2f / u, t);
}
__WT_PUBLIC__ float __nv_cbrtf(float x) {
  float a = __builtin_fabsf(x);
  if (a == 0.0f || !__wt_finite(x)) return x + x;
  float r = a < 0x1p-126f ? __wt_rootf(a * 0x1p24f) * 0x1p-8f : __wt_rootf(a);
  return __wt_sign(r, x);
}
__WT_PUBLIC__ float __nv_rcbrtf(float x) {
  float a = __builtin_fabsf(x), s = a < 0x1p-126f ? 0x1p24f : 1.0f, m = s * a;
  if (a == 0.0f || !__wt_finite(x)) return 1.0f / x;
  float t = __wt_ex2(__wt_mul(__wt_lg2(m), -0x1.555556p-2f)), u = __wt_mul(t, t);
  // 1 - m*t^3
  float c = __wt_mul(m, t), c_lo = __WT_FMAF__(m, t, -c), e = __WT_FMAF__(-c, u, 1.0f) - __WT_FMAF__(c_lo, u, __wt_mul(c, __WT_FMAF__(t, t, -u)));
  t = __WT_FMAF__(__wt_mul(t, 0x1.555556p-2f), e, t);
  return __wt_sign(s == 1.0f ? t : t * 0x1p8f, x);
}
__WT_PRIVATE__ double __wt_root(double a) { // of a number whose single-precision form is normal
  double t = (double)__wt_rootf((float)a), u = __wt_mul(t, t);
  double e = a - __wt_mul(u, t);
  t = t + __wt_mul(e / __wt_mul(3.0, u), __WT_FMA__(-1.0, e / __wt_mul(3.0, a), 1.0));
  u = __wt_mul(t, t);
  e = __WT_FMA__(-u, t, a) - __wt_mul(__WT_FMA__(t, t, -u), t);
  return __WT_FMA__(e, 0x1.5555555555555p-2 / u, t);
}
// x = m*2^(3*n), with the exponent of m below 3.
__WT_PRIVATE__ double __wt_thirds(double a, int *n) {
  int bias = 0;
  if (a < 0x1p-1022) {
    a *= 0x1p54;
    bias = -18;
  }
  int e = (int)(__wt_bits(a) >> 52) - 1023, k = (e + 3 * 400) / 3 - 400;
  *n = k + bias;
  return __wt_scale(a, -3 * k);
}
__WT_PUBLIC__ double __nv_cbrt(double x) {
  if (x == 0.0 || !__wt_finite(x)) return x + x;
  int n;
  double m = __wt_thirds(__builtin_fabs(x), &n);
  return __wt_sign(__wt_mul(__wt_root(m), __wt_power(n)), x);
}
__WT_PUBLIC__ double __nv_rcbrt(double x) {
  if (x == 0.0 || !__wt_finite(x)) return 1.0 / x;
  int n;
  double m = __wt_thirds(__builtin_fabs(x), &n), t = 1.0 / __wt_root(m), u = __wt_mul(t, t);
  double c = __wt_mul(m, t), c_lo = __WT_FMA__(m, t, -c), e = __WT_FMA__(-c, u, 1.0) - __WT_FMA__(c_lo, u, __wt_mul(c, __WT_FMA__(t, t, -u)));
  t = __WT_FMA__(__wt_mul(t, 0x1.5555555555555p-2), e, t);
  return __wt_sign(__wt_mul(t, __wt_power(-n)), x);
}
// What the two precisions differ in.
template <class T> struct __wt_format;
template <> struct __wt_format<float> {
  typedef __wt_pairf pair;
  typedef unsigned int bits;
  enum { field = 23, bias = 127, chunk = 22 };
};
template <> struct __wt_format<double> {
  typedef __wt_pair pair;
  typedef unsigned long long bits;
  enum { field = 52, bias = 1023, chunk = 51 };
};
__WT_PRIVATE__ float __wt_times(float a, int n) { return __wt_scalef(a, n); }
__WT_PRIVATE__ double __wt_times(double a, int n) { return __wt_scale(a, n); }
__WT_PRIVATE__ float __wt_fused(float a, float b, float c) { return __WT_FMAF__(a, b, c); }
__WT_PRIVATE__ double __wt_fused(double a, double b, double c) { return __WT_FMA__(a, b, c); }
__WT_PRIVATE__ float __wt_size(float a) { return __builtin_fabsf(a); }
__WT_PRIVATE__ double __wt_size(double a) { return __builtin_fabs(a); }
__WT_PRIVATE__ float __wt_square_root(float a) { return __builtin_sqrtf(a); }
__WT_PRIVATE__ double __wt_square_root(double a) { return __builtin_sqrt(a); }
__WT_PRIVATE__ float __wt_whole(float a) { return __builtin_truncf(a); }
__WT_PRIVATE__ double __wt_whole(double a) { return __builtin_trunc(a); }
// The exponent of the number as its bits have it.
template <class T> __WT_PRIVATE__ int __wt_exponent(T a) {
  typedef __wt_format<T> __wt_F;
  return (int)(__wt_bits(a) >> __wt_F::field & (2 * __wt_F::bias + 1)) - __wt_F::bias;
}
// The sum of squares s as a pair, plus that of a.
template <class T> __WT_PRIVATE__ typename __wt_format<T>::pair __wt_add_square(typename __wt_format<T>::pair s, T a) {
  typename __wt_format<T>::pair p = __wt_product(a, a), r = s.hi > p.hi ? __wt_sum(s.hi, p.hi) : __wt_sum(p.hi, s.hi);
  r.lo += s.lo + p.lo;
  return r;
}
// sqrt(s) or 1/sqrt(s) times a power of 2, with a correction for the pair's lower half.
template <class T> __WT_PRIVATE__ T __wt_root_of_pair(typename __wt_format<T>::pair s, bool reciprocal, int n) {
  s = __wt_sum(s.hi, s.lo);
  T r = __wt_square_root(s.hi), e = __wt_fused(-r, r, s.hi) + s.lo;
  if (!reciprocal) return __wt_times(__wt_fused(e, (T)0.5 / r, r), n);
  T y = (T)1 / r, d = __wt_fused(-y, r, (T)1); // of the quotient, and then of the root
  y = __wt_fused(y, d - __wt_mul(__wt_mul((T)0.5, e), __wt_mul(y, y)), y);
  return __wt_times(y, -n);
}
template <class T> __WT_PRIVATE__ T __wt_norm(int count, const T *v, bool reciprocal) {
  typedef __wt_format<T> __wt_F;
  T top = 0;
  for (int i = 0; i < count; i++) top = __wt_size(v[i]) > top ? __wt_size(v[i]) : top; // no NaN gets there
  if (!__wt_finite(top)) return reciprocal ? (T)0 : top; // an infinity outweighs NaN
  for (int i = 0; i < count; i++)
    if (__wt_nans(v[i])) return v[i] + v[i];
  if (top == (T)0) return reciprocal ? (T)1 / top : top;
  int e = __wt_exponent(top), n = e == -__wt_F::bias ? -__wt_F::bias - __wt_F::field / 2 : e;
  typename __wt_F::pair s;
  s.hi = s.lo = 0;
  for (int i = 0; i < count; i++) s = __wt_add_square<T>(s, __wt_times(v[i], -n));
  return __wt_root_of_pair<T>(s, reciprocal, n);
}
#define __WT_NORMS__(T, s, d)                                                                                    \
  __WT_PUBLIC__ T __nv_hypot##s(T a, T b) { T v[2] = {a, b}; return __wt_norm(2, v, false); }                    \
  __WT_PUBLIC__ T __nv_rhypot##s(T a, T b) { T v[2] = {a, b}; return __wt_norm(2, v, true); }                    \
  __WT_PUBLIC__ T __nv_norm3d##s(T a, T b, T c) { T v[3] = {a, b, c}; return __wt_norm(3, v, false); }           \
  __WT_PUBLIC__ T __nv_rnorm3d##s(T a, T b, T c) { T v[3] = {a, b, c}; return __wt_norm(3, v, true); }           \
  __WT_PUBLIC__ T __nv_norm4d##s(T a, T b, T c, T e) { T v[4] = {a, b, c, e}; return __wt_norm(4, v, false); }   \
  __WT_PUBLIC__ T __nv_rnorm4d##s(T a, T b, T c, T e) { T v[4] = {a, b, c, e}; return __wt_norm(4, v, true); }   \
  __WT_PUBLIC__ T __nv_norm##s(int n, const T *v) { return __wt_norm(n, v, false); }                             \
  __WT_PUBLIC__ T __nv_rnorm##s(int n, const T *v) { return __wt_norm(n, v, true); }
__WT_NORMS__(float, f, )
__WT_NORMS__(double, , )
#undef __WT_NORMS__
// |a| modulo |b|, exactly, and the lowest bits of the quotient: as many bits as fit into a
// product at a time.
template <class T> __WT_PRIVATE__ T __wt_modulo(T a, T b, unsigned int *quotient) {
  typedef __wt_format<T> __wt_F;
  unsigned int total = 0;
  int lift = 0; // of subnormal divisors
  if (__wt_exponent(b) == -__wt_F::bias) {
    lift = __wt_F::field + 1;
    b = __wt_times(b, lift);
    if (!(b > (T)0)) { // subnormal numbers are flushed to zero
      *quotient = 0;
      return __wt_nanf();
    }
    if (a >= __wt_times((T)1, __wt_F::bias - lift)) { // the dividend would overflow: reduce it by a multiple first
      T large = __wt_times(b, __wt_F::field + 2);
      a = __wt_modulo<T>(a, large, &total);
      total = 0; // multiples of 2^24 and more
    }
    a = __wt_times(a, lift);
  }
  while (a >= b) {
    int k = __wt_exponent(a) - __wt_exponent(b) - __wt_F::chunk;
    k = k < 0 ? 0 : k;
    T step = __wt_times(b, k), q = __wt_whole(a / step);
    if (!(q >= (T)1)) q = (T)1; // approximate quotients may be below it
    T r = __wt_fused(-q, step, a);
    if (r < (T)0) r += step, q -= (T)1;
    if (k < 32) total += (unsigned int)(unsigned long long)q << k;
    a = r;
  }
  *quotient = total;
  return lift ? __wt_times(a, -lift) : a;
}
template <class T> __WT_PRIVATE__ bool __wt_divisible(T a, T b) { return __wt_finite(a) && !__wt_nans(b) && b != (T)0; }
template <class T> __WT_PRIVATE__ T __wt_fmod(T a, T b) {
  if (!__wt_divisible(a, b)) return __wt_nans(a) || __wt_nans(b) ? a + b : (T)__wt_nanf();
  if (!__wt_finite(b)) return a;
  unsigned int q;
  return __wt_sign(__wt_modulo<T>(__wt_size(a), __wt_size(b), &q), a);
}
template <class T> __WT_PRIVATE__ T __wt_remquo(T a, T b, int *quotient) {
  *quotient = 0;
  if (!__wt_divisible(a, b)) return __wt_nans(a) || __wt_nans(b) ? a + b : (T)__wt_nanf();
  if (!__wt_finite(b)) return a;
  unsigned int q;
  T d = __wt_size(b), r = __wt_modulo<T>(__wt_size(a), d, &q), rest = d - r;
  if (r > rest || (r == rest && q & 1)) r = -rest, q++;
  q &= 7;
  *quotient = __wt_sign((T)1, a) * __wt_sign((T)1, b) < (T)0 ? -(int)q : (int)q;
  if (r == (T)0) return __wt_sign(r, a);
  return a < (T)0 ? -r : r;
}
__WT_PUBLIC__ float __nv_fmodf(float a, float b) { return __wt_fmod(a, b); }
__WT_PUBLIC__ double __nv_fmod(double a, double b) { return __wt_fmod(a, b); }
__WT_PUBLIC__ float __nv_remquof(float a, float b, int *q) { return __wt_remquo(a, b, q); }
__WT_PUBLIC__ double __nv_remquo(double a, double b, int *q) { return __wt_remquo(a, b, q); }
__WT_PUBLIC__ float __nv_remainderf(float a, float b) {
  int q;
  return __wt_remquo(a, b, &q);
}
__WT_PUBLIC__ double __nv_remainder(double a, double b) {
  int q;
  return __wt_remquo(a, b, &q);
}
__WT_PUBLIC__ float __nv_fdimf(float a, float b) { return __wt_nans(a) || __wt_nans(b) ? a + b : a > b ? a - b : 0.0f; }
__WT_PUBLIC__ double __nv_fdim(double a, double b) { return __wt_nans(a) || __wt_nans(b) ? a + b : a > b ? a - b : 0.0; }
template <class T> __WT_PRIVATE__ T __wt_frexp(T a, int *e) {
  typedef __wt_format<T> __wt_F;
  *e = 0;
  if (a == (T)0 || !__wt_finite(a)) return a + a;
  int bias = 0;
  if (__wt_exponent(a) == -__wt_F::bias) {
    a = __wt_times(a, __wt_F::field + 1);
    bias = -(__wt_F::field + 1);
  }
  int k = __wt_exponent(a) + 1;
  *e = k + bias;
  return __wt_times(a, -k);
}
__WT_PUBLIC__ float __nv_frexpf(float a, int *e) { return __wt_frexp(a, e); }
__WT_PUBLIC__ double __nv_frexp(double a, int *e) { return __wt_frexp(a, e); }
// Steps of whole exponents, so that only the last one rounds.
template <class T> __WT_PRIVATE__ T __wt_ldexp(T a, int n) {
  typedef __wt_format<T> __wt_F;
  if (a == (T)0 || !__wt_finite(a)) return a + a;
  int e, most = 3 * __wt_F::bias;
  T m = __wt_frexp(a, &e);
  n = n > most ? most : n < -most ? -most : n;
  e += n;
  if (e > __wt_F::bias + 1) return __wt_sign(__wt_times((T)1, __wt_F::bias) * (T)2, a);
  if (e < -__wt_F::bias - __wt_F::field - 1) return __wt_sign((T)0, a);
  int h = e > 0 ? e - 1 : e + __wt_F::field + 2; // m*2^h is normal
  return e > 0 ? __wt_times(m, h) * (T)2 : __wt_mul(__wt_times(m, h), __wt_times((T)1, e - h));
}
__WT_PUBLIC__ float __nv_ldexpf(float a, int n) { return __wt_ldexp(a, n); }
__WT_PUBLIC__ double __nv_ldexp(double a, int n) { return __wt_ldexp(a, n); }
__WT_PUBLIC__ float __nv_scalbnf(float a, int n) { return __wt_ldexp(a, n); }
__WT_PUBLIC__ double __nv_scalbn(double a, int n) { return __wt_ldexp(a, n); }
template <class T> __WT_PRIVATE__ T __wt_modf(T a, T *whole) {
  *whole = __wt_whole(a);
  return __wt_sign(__wt_finite(a) ? a - *whole : __wt_nans(a) ? a : (T)0, a);
}
__WT_PUBLIC__ float __nv_modff(float a, float *w) { return __wt_modf(a, w); }
__WT_PUBLIC__ double __nv_modf(double a, double *w) { return __wt_modf(a, w); }
template <class T> __WT_PRIVATE__ T __wt_nextafter(T a, T b) {
  typedef typename __wt_format<T>::bits bits;
  if (__wt_nans(a) || __wt_nans(b)) return a + b;
  if (a == b) return b;
  if (a == (T)0) return __wt_sign(__builtin_bit_cast(T, (bits)1), b);
  bits v = __wt_bits(a);
  return __builtin_bit_cast(T, (a < b) == (a > (T)0) ? v + 1 : v - 1);
}
__WT_PUBLIC__ float __nv_nextafterf(float a, float b) { return __wt_nextafter(a, b); }
__WT_PUBLIC__ double __nv_nextafter(double a, double b) { return __wt_nextafter(a, b); }
// Halves round away from zero.
__WT_PUBLIC__ float __nv_roundf(float a) {
  float t = __builtin_truncf(a);
  return __builtin_fabsf(a - t) >= 0.5f ? t + __wt_sign(1.0f, a) : __wt_sign(t, a);
}
__WT_PUBLIC__ double __nv_round(double a) {
  double t = __builtin_trunc(a);
  return __builtin_fabs(a - t) >= 0.5 ? t + __wt_sign(1.0, a) : __wt_sign(t, a);
}
#endif
