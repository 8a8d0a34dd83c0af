// SPDX-License-Identifier: Apache-2.0
// Functions that CUDA C++ has on the host beside those of C: minimum and maximum of numbers,
// and mathematics that the C library lacks.
#ifndef __WARPTAPE_HOST_MATH_H__
#define __WARPTAPE_HOST_MATH_H__
#include <math.h>
#define __WARPTAPE_MATH__ static inline __attribute__((host))
__WARPTAPE_MATH__ int min(int a, int b) { return (int)a < (int)b ? (int)a : (int)b; }
__WARPTAPE_MATH__ int max(int a, int b) { return (int)a > (int)b ? (int)a : (int)b; }
__WARPTAPE_MATH__ unsigned int min(int a, unsigned int b) { return (unsigned int)a < (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
__WARPTAPE_MATH__ unsigned int max(int a, unsigned int b) { return (unsigned int)a > (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
__WARPTAPE_MATH__ unsigned int min(unsigned int a, int b) { return (unsigned int)a < (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
__WARPTAPE_MATH__ unsigned int max(unsigned int a, int b) { return (unsigned int)a > (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
__WARPTAPE_MATH__ unsigned int min(unsigned int a, unsigned int b) { return (unsigned int)a < (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
__WARPTAPE_MATH__ unsigned int max(unsigned int a, unsigned int b) { return (unsigned int)a > (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
__WARPTAPE_MATH__ long min(long a, long b) { return (long)a < (long)b ? (long)a : (long)b; }
__WARPTAPE_MATH__ long max(long a, long b) { return (long)a > (long)b ? (long)a : (long)b; }
__WARPTAPE_MATH__ unsigned long min(long a, unsigned long b) { return (unsigned long)a < (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
__WARPTAPE_MATH__ unsigned long max(long a, unsigned long b) { return (unsigned long)a > (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
__WARPTAPE_MATH__ unsigned long min(unsigned long a, long b) { return (unsigned long)a < (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
__WARPTAPE_MATH__ unsigned long max(unsigned long a, long b) { return (unsigned long)a > (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
__WARPTAPE_MATH__ unsigned long min(unsigned long a, unsigned long b) { return (unsigned long)a < (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
__WARPTAPE_MATH__ unsigned long max(unsigned long a, unsigned long b) { return (unsigned long)a > (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
__WARPTAPE_MATH__ long long min(long long a, long long b) { return (long long)a < (long long)b ? (long long)a : (long long)b; }
__WARPTAPE_MATH__ long long max(long long a, long long b) { return (long long)a > (long long)b ? (long long)a : (long long)b; }
__WARPTAPE_MATH__ unsigned long long min(long long a, unsigned long long b) { return (unsigned long long)a < (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
__WARPTAPE_MATH__ unsigned long long max(long long a, unsigned long long b) { return (unsigned long long)a > (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
__WARPTAPE_MATH__ unsigned long long min(unsigned long long a, long long b) { return (unsigned long long)a < (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
__WARPTAPE_MATH__ unsigned long long max(unsigned long long a, long long b) { return (unsigned long long)a > (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
__WARPTAPE_MATH__ unsigned long long min(unsigned long long a, unsigned long long b) { return (unsigned long long)a < (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
__WARPTAPE_MATH__ unsigned long long max(unsigned long long a, unsigned long long b) { return (unsigned long long)a > (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
__WARPTAPE_MATH__ float min(float a, float b) { return fminf(a, b); }
__WARPTAPE_MATH__ float max(float a, float b) { return fmaxf(a, b); }
__WARPTAPE_MATH__ double min(float a, double b) { return fmin((double)a, (double)b); }
__WARPTAPE_MATH__ double max(float a, double b) { return fmax((double)a, (double)b); }
__WARPTAPE_MATH__ double min(double a, float b) { return fmin((double)a, (double)b); }
__WARPTAPE_MATH__ double max(double a, float b) { return fmax((double)a, (double)b); }
__WARPTAPE_MATH__ double min(double a, double b) { return fmin(a, b); }
__WARPTAPE_MATH__ double max(double a, double b) { return fmax(a, b); }
__WARPTAPE_MATH__ unsigned int umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
__WARPTAPE_MATH__ unsigned int umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
__WARPTAPE_MATH__ long long llmin(long long a, long long b) { return a < b ? a : b; }
__WARPTAPE_MATH__ long long llmax(long long a, long long b) { return a > b ? a : b; }
__WARPTAPE_MATH__ unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
__WARPTAPE_MATH__ unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
__WARPTAPE_MATH__ double rsqrt(double x) { return 1.0 / ::sqrt(x); }
__WARPTAPE_MATH__ float rsqrtf(float x) { return (float)(1.0 / ::sqrt((double)x)); }
__WARPTAPE_MATH__ double rcbrt(double x) { return 1.0 / ::cbrt(x); }
__WARPTAPE_MATH__ float rcbrtf(float x) { return (float)(1.0 / ::cbrt((double)x)); }
__WARPTAPE_MATH__ double sinpi(double x) {
  double r = ::fmod(x, 2.0);
  if (r == 0.0 || r == 1.0 || r == -1.0) return ::copysign(0.0, x);
  if (r > 0.5 && r <= 1.5) r = 1.0 - r; else if (r > 1.5) r -= 2.0;
  else if (r < -0.5 && r >= -1.5) r = -1.0 - r; else if (r < -1.5) r += 2.0;
  return ::sin(3.14159265358979323846 * r);
}
__WARPTAPE_MATH__ float sinpif(float x) { return (float)sinpi((double)x); }
__WARPTAPE_MATH__ double cospi(double x) { return sinpi(::fmod(x, 2.0) + 0.5); }
__WARPTAPE_MATH__ float cospif(float x) { return (float)cospi((double)x); }
__WARPTAPE_MATH__ void sincospi(double x, double *s, double *c) { *s = sinpi(x); *c = cospi(x); }
__WARPTAPE_MATH__ void sincospif(float x, float *s, float *c) { *s = sinpif(x); *c = cospif(x); }
__WARPTAPE_MATH__ double normcdf(double x) { return 0.5 * ::erfc(-x * 0.70710678118654752440); }
__WARPTAPE_MATH__ float normcdff(float x) { return (float)normcdf((double)x); }
// erfc is inverted by bisection of its exponent and mantissa: slow, and exact to the last places.
__WARPTAPE_MATH__ double erfcinv(double y) {
  if (!(y >= 0.0 && y <= 2.0)) return NAN;
  if (y == 0.0) return INFINITY;
  if (y == 2.0) return -INFINITY;
  double low = -6.0, high = 28.0;
  for (int i = 0; i < 200; i++) {
    double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    if (::erfc(middle) > y) low = middle; else high = middle;
  }
  return 0.5 * (low + high);
}
__WARPTAPE_MATH__ float erfcinvf(float y) { return (float)erfcinv((double)y); }
__WARPTAPE_MATH__ double erfinv(double y) { return erfcinv(1.0 - y); }
__WARPTAPE_MATH__ float erfinvf(float y) { return (float)erfinv((double)y); }
__WARPTAPE_MATH__ double normcdfinv(double y) { return -1.41421356237309504880 * erfcinv(2.0 * y); }
__WARPTAPE_MATH__ float normcdfinvf(float y) { return (float)normcdfinv((double)y); }
__WARPTAPE_MATH__ double erfcx(double x) {
  if (x < 25.0) return ::exp(x * x) * ::erfc(x);
  double r = 1.0 / (x * x); // the asymptotic series
  return 0.56418958354775628695 / x * (1.0 - 0.5 * r * (1.0 - 1.5 * r * (1.0 - 2.5 * r)));
}
__WARPTAPE_MATH__ float erfcxf(float x) { return (float)erfcx((double)x); }
#undef __WARPTAPE_MATH__
#endif
