// SPDX-License-Identifier: Apache-2.0
// Minimum and maximum on the device, for all pairs that CUDA C++ has, and mathematics.
#ifndef __WARPTAPE_DEVICE_MATH_H__
#define __WARPTAPE_DEVICE_MATH_H__
#define __WARPTAPE_MATH__ static __inline__ __attribute__((device, always_inline))
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
__WARPTAPE_MATH__ float min(float a, float b) { return __nv_fminf(a, b); }
__WARPTAPE_MATH__ float max(float a, float b) { return __nv_fmaxf(a, b); }
__WARPTAPE_MATH__ double min(float a, double b) { return __nv_fmin((double)a, (double)b); }
__WARPTAPE_MATH__ double max(float a, double b) { return __nv_fmax((double)a, (double)b); }
__WARPTAPE_MATH__ double min(double a, float b) { return __nv_fmin((double)a, (double)b); }
__WARPTAPE_MATH__ double max(double a, float b) { return __nv_fmax((double)a, (double)b); }
__WARPTAPE_MATH__ double min(double a, double b) { return __nv_fmin((double)a, (double)b); }
__WARPTAPE_MATH__ double max(double a, double b) { return __nv_fmax((double)a, (double)b); }
__WARPTAPE_MATH__ void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" :: "r"(ns)); }
__WARPTAPE_MATH__ int __dp4a(int a, int b, int c) { int d; asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); return d; }
__WARPTAPE_MATH__ unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) { unsigned int d; asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); return d; }
#undef __WARPTAPE_MATH__
// Overloads for single precision that clang's headers declare in the global namespace, and
// that CUDA's define.
#define __WT_OVERLOAD__(T, name) static __inline__ __attribute__((device)) T name(float a) { return name##f(a); }
#define __WT_OVERLOAD2__(T, name, U) static __inline__ __attribute__((device)) T name(float a, U b) { return name##f(a, b); }
__WT_OVERLOAD__(float, erf)
__WT_OVERLOAD__(float, erfc)
__WT_OVERLOAD__(float, cbrt)
__WT_OVERLOAD__(float, exp2)
__WT_OVERLOAD__(float, log2)
__WT_OVERLOAD__(float, logb)
__WT_OVERLOAD__(float, rint)
__WT_OVERLOAD__(float, acosh)
__WT_OVERLOAD__(float, asinh)
__WT_OVERLOAD__(float, atanh)
__WT_OVERLOAD__(float, expm1)
__WT_OVERLOAD__(float, log1p)
__WT_OVERLOAD__(float, round)
__WT_OVERLOAD__(float, trunc)
__WT_OVERLOAD__(float, lgamma)
__WT_OVERLOAD__(float, tgamma)
__WT_OVERLOAD__(float, nearbyint)
__WT_OVERLOAD__(int, ilogb)
__WT_OVERLOAD__(long, lrint)
__WT_OVERLOAD__(long, lround)
__WT_OVERLOAD__(long long, llrint)
__WT_OVERLOAD__(long long, llround)
__WT_OVERLOAD2__(float, fdim, float)
__WT_OVERLOAD2__(float, fmax, float)
__WT_OVERLOAD2__(float, fmin, float)
__WT_OVERLOAD2__(float, hypot, float)
__WT_OVERLOAD2__(float, copysign, float)
__WT_OVERLOAD2__(float, nextafter, float)
__WT_OVERLOAD2__(float, remainder, float)
__WT_OVERLOAD2__(float, scalbn, int)
__WT_OVERLOAD2__(float, scalbln, long)
static __inline__ __attribute__((device)) float fma(float a, float b, float c) { return fmaf(a, b, c); }
static __inline__ __attribute__((device)) float remquo(float a, float b, int *quotient) { return remquof(a, b, quotient); }
static __inline__ __attribute__((device)) double nan(const char *) { return __builtin_nan(""); }
static __inline__ __attribute__((device)) float nanf(const char *) { return __builtin_nanf(""); }
#undef __WT_OVERLOAD__
#undef __WT_OVERLOAD2__
#endif
