// SPDX-License-Identifier: Apache-2.0
// What the device mathematics is made of: operations that no compiler fuses or reorders,
// and the bits of numbers. The same functions compile for the host, where tests measure them.
#ifndef __WARPTAPE_MATH_CORE_H__
#define __WARPTAPE_MATH_CORE_H__
#ifdef __CUDA_ARCH__
#define __WT_PRIVATE__ static __inline__ __attribute__((device))
#define __WT_PUBLIC__ extern "C" __inline__ __attribute__((device))
__WT_PRIVATE__ float __wt_mul(float a, float b) { return __nvvm_mul_rn_f(a, b); }
__WT_PRIVATE__ float __wt_add(float a, float b) { return __nvvm_add_rn_f(a, b); }
__WT_PRIVATE__ double __wt_mul(double a, double b) { return __nvvm_mul_rn_d(a, b); }
__WT_PRIVATE__ double __wt_add(double a, double b) { return __nvvm_add_rn_d(a, b); }
__WT_PRIVATE__ float __wt_ex2(float a) { return __nvvm_ex2_approx_f(a); }
__WT_PRIVATE__ float __wt_lg2(float a) { return __nvvm_lg2_approx_f(a); }
__WT_PRIVATE__ float __wt_rsq(float a) { return __nvvm_rsqrt_approx_f(a); }
__WT_PRIVATE__ double __wt_rsq(double a) { return __nvvm_rsqrt_approx_d(a); }
__WT_PRIVATE__ unsigned int __wt_high(unsigned int a, unsigned int b) { return __nvvm_mulhi_ui(a, b); }
__WT_PRIVATE__ unsigned long long __wt_high(unsigned long long a, unsigned long long b) { return __nvvm_mulhi_ull(a, b); }
#else
#define __WT_PRIVATE__ static inline
#define __WT_PUBLIC__ static inline
__WT_PRIVATE__ float __wt_mul(float a, float b) { return a * b; }
__WT_PRIVATE__ float __wt_add(float a, float b) { return a + b; }
__WT_PRIVATE__ double __wt_mul(double a, double b) { return a * b; }
__WT_PRIVATE__ double __wt_add(double a, double b) { return a + b; }
__WT_PRIVATE__ float __wt_ex2(float a) { return (float)__builtin_exp2((double)a); }
__WT_PRIVATE__ float __wt_lg2(float a) { return (float)__builtin_log2((double)a); }
__WT_PRIVATE__ float __wt_rsq(float a) { return (float)(1.0 / __builtin_sqrt((double)a)); }
__WT_PRIVATE__ double __wt_rsq(double a) { return 1.0 / __builtin_sqrt(a); }
__WT_PRIVATE__ unsigned int __wt_high(unsigned int a, unsigned int b) { return (unsigned int)((unsigned long long)a * b >> 32); }
__WT_PRIVATE__ unsigned long long __wt_high(unsigned long long a, unsigned long long b) { return (unsigned long long)((unsigned __int128)a * b >> 64); }
#endif
#define __WT_FMAF__ __builtin_fmaf
#define __WT_FMA__ __builtin_fma
__WT_PRIVATE__ unsigned int __wt_bits(float a) { return __builtin_bit_cast(unsigned int, a); }
__WT_PRIVATE__ unsigned long long __wt_bits(double a) { return __builtin_bit_cast(unsigned long long, a); }
__WT_PRIVATE__ float __wt_float(unsigned int a) { return __builtin_bit_cast(float, a); }
__WT_PRIVATE__ double __wt_double(unsigned long long a) { return __builtin_bit_cast(double, a); }
__WT_PRIVATE__ float __wt_inff() { return __wt_float(0x7f800000u); }
__WT_PRIVATE__ double __wt_inf() { return __wt_double(0x7ff0000000000000ull); }
__WT_PRIVATE__ float __wt_nanf() { return __wt_float(0x7fffffffu); }
__WT_PRIVATE__ double __wt_nan() { return __wt_double(0x7ff8000000000000ull); }
// 2 to the n, for exponents of normal numbers.
__WT_PRIVATE__ float __wt_powerf(int n) { return __wt_float((unsigned int)(n + 127) << 23); }
__WT_PRIVATE__ double __wt_power(int n) { return __wt_double((unsigned long long)(n + 1023) << 52); }
// a times 2 to the n, rounded once when the product is subnormal by at most 2 to the -n/2.
__WT_PRIVATE__ float __wt_scalef(float a, int n) {
  int h = n / 2;
  return a * __wt_powerf(h) * __wt_powerf(n - h);
}
__WT_PRIVATE__ double __wt_scale(double a, int n) {
  int h = n / 2;
  return a * __wt_power(h) * __wt_power(n - h);
}
__WT_PRIVATE__ bool __wt_nans(float a) { return (__wt_bits(a) & 0x7fffffffu) > 0x7f800000u; }
__WT_PRIVATE__ bool __wt_nans(double a) { return (__wt_bits(a) & 0x7fffffffffffffffull) > 0x7ff0000000000000ull; }
__WT_PRIVATE__ bool __wt_finite(float a) { return (__wt_bits(a) & 0x7fffffffu) < 0x7f800000u; }
__WT_PRIVATE__ bool __wt_finite(double a) { return (__wt_bits(a) & 0x7fffffffffffffffull) < 0x7ff0000000000000ull; }
__WT_PRIVATE__ float __wt_sign(float magnitude, float sign) { return __builtin_copysignf(magnitude, sign); }
__WT_PRIVATE__ double __wt_sign(double magnitude, double sign) { return __builtin_copysign(magnitude, sign); }
// Pairs of numbers stand for their unrounded sum (T. J. Dekker, A floating-point technique
// for extending the available precision, 1971).
struct __wt_pairf { float hi, lo; };
struct __wt_pair { double hi, lo; };
__WT_PRIVATE__ __wt_pairf __wt_sum(float a, float b) { // |a| >= |b|
  __wt_pairf s;
  s.hi = __wt_add(a, b);
  s.lo = __wt_add(b, -__wt_add(s.hi, -a));
  return s;
}
__WT_PRIVATE__ __wt_pair __wt_sum(double a, double b) { // |a| >= |b|
  __wt_pair s;
  s.hi = __wt_add(a, b);
  s.lo = __wt_add(b, -__wt_add(s.hi, -a));
  return s;
}
__WT_PRIVATE__ __wt_pairf __wt_product(float a, float b) {
  __wt_pairf p;
  p.hi = __wt_mul(a, b);
  p.lo = __WT_FMAF__(a, b, -p.hi);
  return p;
}
__WT_PRIVATE__ __wt_pair __wt_product(double a, double b) {
  __wt_pair p;
  p.hi = __wt_mul(a, b);
  p.lo = __WT_FMA__(a, b, -p.hi);
  return p;
}
#endif
