// SPDX-License-Identifier: Apache-2.0
// Conversions, operations that round in a given direction, integers and bits on the device:
// one PTX instruction each, and what CUDA does with the parts of a word.
#ifndef __WARPTAPE_MATH_INTEGER_H__
#define __WARPTAPE_MATH_INTEGER_H__
#ifdef __CUDA_ARCH__
#define __WT_ASM1__(R, name, A, text, r, a) __WT_PUBLIC__ R __nv_##name(A x) { R y; asm(text " %0, %1;" : "=" r(y) : a(x)); return y; }
#define __WT_ASM2__(R, name, A, text, r) __WT_PUBLIC__ R __nv_##name(A x, A y) { R z; asm(text " %0, %1, %2;" : "=" r(z) : r(x), r(y)); return z; }
#define __WT_ASM3__(R, name, text, r) __WT_PUBLIC__ R __nv_##name(R x, R y, R z) { R w; asm(text " %0, %1, %2, %3;" : "=" r(w) : r(x), r(y), r(z)); return w; }
__WT_ASM2__(float, fadd_rn, float, "add.rn.f32", "f")
__WT_ASM2__(float, fsub_rn, float, "sub.rn.f32", "f")
__WT_ASM2__(float, fmul_rn, float, "mul.rn.f32", "f")
__WT_ASM2__(float, fdiv_rn, float, "div.rn.f32", "f")
__WT_ASM1__(float, frcp_rn, float, "rcp.rn.f32", "f", "f")
__WT_ASM1__(float, fsqrt_rn, float, "sqrt.rn.f32", "f", "f")
__WT_ASM2__(double, dadd_rn, double, "add.rn.f64", "d")
__WT_ASM2__(double, dsub_rn, double, "sub.rn.f64", "d")
__WT_ASM2__(double, dmul_rn, double, "mul.rn.f64", "d")
__WT_ASM2__(double, ddiv_rn, double, "div.rn.f64", "d")
__WT_ASM1__(double, drcp_rn, double, "rcp.rn.f64", "d", "d")
__WT_ASM1__(double, dsqrt_rn, double, "sqrt.rn.f64", "d", "d")
__WT_ASM3__(float, fmaf_rn, "fma.rn.f32", "f")
__WT_ASM3__(float, fmaf_ieee_rn, "fma.rn.f32", "f")
__WT_ASM3__(double, fma_rn, "fma.rn.f64", "d")
__WT_ASM2__(float, fadd_rz, float, "add.rz.f32", "f")
__WT_ASM2__(float, fsub_rz, float, "sub.rz.f32", "f")
__WT_ASM2__(float, fmul_rz, float, "mul.rz.f32", "f")
__WT_ASM2__(float, fdiv_rz, float, "div.rz.f32", "f")
__WT_ASM1__(float, frcp_rz, float, "rcp.rz.f32", "f", "f")
__WT_ASM1__(float, fsqrt_rz, float, "sqrt.rz.f32", "f", "f")
__WT_ASM2__(double, dadd_rz, double, "add.rz.f64", "d")
__WT_ASM2__(double, dsub_rz, double, "sub.rz.f64", "d")
__WT_ASM2__(double, dmul_rz, double, "mul.rz.f64", "d")
__WT_ASM2__(double, ddiv_rz, double, "div.rz.f64", "d")
__WT_ASM1__(double, drcp_rz, double, "rcp.rz.f64", "d", "d")
__WT_ASM1__(double, dsqrt_rz, double, "sqrt.rz.f64", "d", "d")
__WT_ASM3__(float, fmaf_rz, "fma.rz.f32", "f")
__WT_ASM3__(float, fmaf_ieee_rz, "fma.rz.f32", "f")
__WT_ASM3__(double, fma_rz, "fma.rz.f64", "d")
__WT_ASM2__(float, fadd_rd, float, "add.rm.f32", "f")
__WT_ASM2__(float, fsub_rd, float, "sub.rm.f32", "f")
__WT_ASM2__(float, fmul_rd, float, "mul.rm.f32", "f")
__WT_ASM2__(float, fdiv_rd, float, "div.rm.f32", "f")
__WT_ASM1__(float, frcp_rd, float, "rcp.rm.f32", "f", "f")
__WT_ASM1__(float, fsqrt_rd, float, "sqrt.rm.f32", "f", "f")
__WT_ASM2__(double, dadd_rd, double, "add.rm.f64", "d")
__WT_ASM2__(double, dsub_rd, double, "sub.rm.f64", "d")
__WT_ASM2__(double, dmul_rd, double, "mul.rm.f64", "d")
__WT_ASM2__(double, ddiv_rd, double, "div.rm.f64", "d")
__WT_ASM1__(double, drcp_rd, double, "rcp.rm.f64", "d", "d")
__WT_ASM1__(double, dsqrt_rd, double, "sqrt.rm.f64", "d", "d")
__WT_ASM3__(float, fmaf_rd, "fma.rm.f32", "f")
__WT_ASM3__(float, fmaf_ieee_rd, "fma.rm.f32", "f")
__WT_ASM3__(double, fma_rd, "fma.rm.f64", "d")
__WT_ASM2__(float, fadd_ru, float, "add.rp.f32", "f")
__WT_ASM2__(float, fsub_ru, float, "sub.rp.f32", "f")
__WT_ASM2__(float, fmul_ru, float, "mul.rp.f32", "f")
__WT_ASM2__(float, fdiv_ru, float, "div.rp.f32", "f")
__WT_ASM1__(float, frcp_ru, float, "rcp.rp.f32", "f", "f")
__WT_ASM1__(float, fsqrt_ru, float, "sqrt.rp.f32", "f", "f")
__WT_ASM2__(double, dadd_ru, double, "add.rp.f64", "d")
__WT_ASM2__(double, dsub_ru, double, "sub.rp.f64", "d")
__WT_ASM2__(double, dmul_ru, double, "mul.rp.f64", "d")
__WT_ASM2__(double, ddiv_ru, double, "div.rp.f64", "d")
__WT_ASM1__(double, drcp_ru, double, "rcp.rp.f64", "d", "d")
__WT_ASM1__(double, dsqrt_ru, double, "sqrt.rp.f64", "d", "d")
__WT_ASM3__(float, fmaf_ru, "fma.rp.f32", "f")
__WT_ASM3__(float, fmaf_ieee_ru, "fma.rp.f32", "f")
__WT_ASM3__(double, fma_ru, "fma.rp.f64", "d")
__WT_ASM1__(int, float2int_rn, float, "cvt.rni.s32.f32", "r", "f")
__WT_ASM1__(int, float2int_rz, float, "cvt.rzi.s32.f32", "r", "f")
__WT_ASM1__(int, float2int_rd, float, "cvt.rmi.s32.f32", "r", "f")
__WT_ASM1__(int, float2int_ru, float, "cvt.rpi.s32.f32", "r", "f")
__WT_ASM1__(unsigned int, float2uint_rn, float, "cvt.rni.u32.f32", "r", "f")
__WT_ASM1__(unsigned int, float2uint_rz, float, "cvt.rzi.u32.f32", "r", "f")
__WT_ASM1__(unsigned int, float2uint_rd, float, "cvt.rmi.u32.f32", "r", "f")
__WT_ASM1__(unsigned int, float2uint_ru, float, "cvt.rpi.u32.f32", "r", "f")
__WT_ASM1__(long long, float2ll_rn, float, "cvt.rni.s64.f32", "l", "f")
__WT_ASM1__(long long, float2ll_rz, float, "cvt.rzi.s64.f32", "l", "f")
__WT_ASM1__(long long, float2ll_rd, float, "cvt.rmi.s64.f32", "l", "f")
__WT_ASM1__(long long, float2ll_ru, float, "cvt.rpi.s64.f32", "l", "f")
__WT_ASM1__(unsigned long long, float2ull_rn, float, "cvt.rni.u64.f32", "l", "f")
__WT_ASM1__(unsigned long long, float2ull_rz, float, "cvt.rzi.u64.f32", "l", "f")
__WT_ASM1__(unsigned long long, float2ull_rd, float, "cvt.rmi.u64.f32", "l", "f")
__WT_ASM1__(unsigned long long, float2ull_ru, float, "cvt.rpi.u64.f32", "l", "f")
__WT_ASM1__(float, double2float_rn, double, "cvt.rn.f32.f64", "f", "d")
__WT_ASM1__(float, double2float_rz, double, "cvt.rz.f32.f64", "f", "d")
__WT_ASM1__(float, double2float_rd, double, "cvt.rm.f32.f64", "f", "d")
__WT_ASM1__(float, double2float_ru, double, "cvt.rp.f32.f64", "f", "d")
__WT_ASM1__(int, double2int_rn, double, "cvt.rni.s32.f64", "r", "d")
__WT_ASM1__(int, double2int_rz, double, "cvt.rzi.s32.f64", "r", "d")
__WT_ASM1__(int, double2int_rd, double, "cvt.rmi.s32.f64", "r", "d")
__WT_ASM1__(int, double2int_ru, double, "cvt.rpi.s32.f64", "r", "d")
__WT_ASM1__(unsigned int, double2uint_rn, double, "cvt.rni.u32.f64", "r", "d")
__WT_ASM1__(unsigned int, double2uint_rz, double, "cvt.rzi.u32.f64", "r", "d")
__WT_ASM1__(unsigned int, double2uint_rd, double, "cvt.rmi.u32.f64", "r", "d")
__WT_ASM1__(unsigned int, double2uint_ru, double, "cvt.rpi.u32.f64", "r", "d")
__WT_ASM1__(long long, double2ll_rn, double, "cvt.rni.s64.f64", "l", "d")
__WT_ASM1__(long long, double2ll_rz, double, "cvt.rzi.s64.f64", "l", "d")
__WT_ASM1__(long long, double2ll_rd, double, "cvt.rmi.s64.f64", "l", "d")
__WT_ASM1__(long long, double2ll_ru, double, "cvt.rpi.s64.f64", "l", "d")
__WT_ASM1__(unsigned long long, double2ull_rn, double, "cvt.rni.u64.f64", "l", "d")
__WT_ASM1__(unsigned long long, double2ull_rz, double, "cvt.rzi.u64.f64", "l", "d")
__WT_ASM1__(unsigned long long, double2ull_rd, double, "cvt.rmi.u64.f64", "l", "d")
__WT_ASM1__(unsigned long long, double2ull_ru, double, "cvt.rpi.u64.f64", "l", "d")
__WT_ASM1__(float, int2float_rn, int, "cvt.rn.f32.s32", "f", "r")
__WT_ASM1__(float, int2float_rz, int, "cvt.rz.f32.s32", "f", "r")
__WT_ASM1__(float, int2float_rd, int, "cvt.rm.f32.s32", "f", "r")
__WT_ASM1__(float, int2float_ru, int, "cvt.rp.f32.s32", "f", "r")
__WT_ASM1__(double, int2double_rn, int, "cvt.rn.f64.s32", "d", "r")
__WT_ASM1__(float, uint2float_rn, unsigned int, "cvt.rn.f32.u32", "f", "r")
__WT_ASM1__(float, uint2float_rz, unsigned int, "cvt.rz.f32.u32", "f", "r")
__WT_ASM1__(float, uint2float_rd, unsigned int, "cvt.rm.f32.u32", "f", "r")
__WT_ASM1__(float, uint2float_ru, unsigned int, "cvt.rp.f32.u32", "f", "r")
__WT_ASM1__(double, uint2double_rn, unsigned int, "cvt.rn.f64.u32", "d", "r")
__WT_ASM1__(float, ll2float_rn, long long, "cvt.rn.f32.s64", "f", "l")
__WT_ASM1__(float, ll2float_rz, long long, "cvt.rz.f32.s64", "f", "l")
__WT_ASM1__(float, ll2float_rd, long long, "cvt.rm.f32.s64", "f", "l")
__WT_ASM1__(float, ll2float_ru, long long, "cvt.rp.f32.s64", "f", "l")
__WT_ASM1__(double, ll2double_rn, long long, "cvt.rn.f64.s64", "d", "l")
__WT_ASM1__(double, ll2double_rz, long long, "cvt.rz.f64.s64", "d", "l")
__WT_ASM1__(double, ll2double_rd, long long, "cvt.rm.f64.s64", "d", "l")
__WT_ASM1__(double, ll2double_ru, long long, "cvt.rp.f64.s64", "d", "l")
__WT_ASM1__(float, ull2float_rn, unsigned long long, "cvt.rn.f32.u64", "f", "l")
__WT_ASM1__(float, ull2float_rz, unsigned long long, "cvt.rz.f32.u64", "f", "l")
__WT_ASM1__(float, ull2float_rd, unsigned long long, "cvt.rm.f32.u64", "f", "l")
__WT_ASM1__(float, ull2float_ru, unsigned long long, "cvt.rp.f32.u64", "f", "l")
__WT_ASM1__(double, ull2double_rn, unsigned long long, "cvt.rn.f64.u64", "d", "l")
__WT_ASM1__(double, ull2double_rz, unsigned long long, "cvt.rz.f64.u64", "d", "l")
__WT_ASM1__(double, ull2double_rd, unsigned long long, "cvt.rm.f64.u64", "d", "l")
__WT_ASM1__(double, ull2double_ru, unsigned long long, "cvt.rp.f64.u64", "d", "l")
#undef __WT_ASM1__
#undef __WT_ASM2__
#undef __WT_ASM3__
__WT_PUBLIC__ float __nv_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__WT_PUBLIC__ double __nv_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
__WT_PUBLIC__ float __nv_fabsf(float a) { return __builtin_fabsf(a); }
__WT_PUBLIC__ double __nv_fabs(double a) { return __builtin_fabs(a); }
__WT_PUBLIC__ float __nv_ceilf(float a) { return __builtin_ceilf(a); }
__WT_PUBLIC__ double __nv_ceil(double a) { return __builtin_ceil(a); }
__WT_PUBLIC__ float __nv_floorf(float a) { return __builtin_floorf(a); }
__WT_PUBLIC__ double __nv_floor(double a) { return __builtin_floor(a); }
__WT_PUBLIC__ float __nv_truncf(float a) { return __builtin_truncf(a); }
__WT_PUBLIC__ double __nv_trunc(double a) { return __builtin_trunc(a); }
__WT_PUBLIC__ float __nv_rintf(float a) { return __builtin_rintf(a); }
__WT_PUBLIC__ double __nv_rint(double a) { return __builtin_rint(a); }
__WT_PUBLIC__ float __nv_nearbyintf(float a) { return __builtin_rintf(a); }
__WT_PUBLIC__ double __nv_nearbyint(double a) { return __builtin_rint(a); }
__WT_PUBLIC__ float __nv_copysignf(float a, float b) { return __builtin_copysignf(a, b); }
__WT_PUBLIC__ double __nv_copysign(double a, double b) { return __builtin_copysign(a, b); }
__WT_PUBLIC__ float __nv_fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
__WT_PUBLIC__ double __nv_fmax(double a, double b) { return __builtin_fmax(a, b); }
__WT_PUBLIC__ float __nv_fminf(float a, float b) { return __builtin_fminf(a, b); }
__WT_PUBLIC__ double __nv_fmin(double a, double b) { return __builtin_fmin(a, b); }
__WT_PUBLIC__ float __nv_saturatef(float a) { return __nvvm_saturate_f(a); }
__WT_PUBLIC__ float __nv_frsqrt_rn(float a) { return (float)__nv_rsqrt((double)a); }
__WT_PUBLIC__ long long __nv_llrintf(float a) { return __nv_float2ll_rn(a); }
__WT_PUBLIC__ long long __nv_llrint(double a) { return __nv_double2ll_rn(a); }
__WT_PUBLIC__ long long __nv_llroundf(float a) { return __nv_float2ll_rz(__nv_roundf(a)); }
__WT_PUBLIC__ long long __nv_llround(double a) { return __nv_double2ll_rz(__nv_round(a)); }
__WT_PUBLIC__ int __nv_isnanf(float a) { return __wt_nans(a); }
__WT_PUBLIC__ int __nv_isnand(double a) { return __wt_nans(a); }
__WT_PUBLIC__ int __nv_isinff(float a) { return (__wt_bits(a) & 0x7fffffffu) == 0x7f800000u; }
__WT_PUBLIC__ int __nv_isinfd(double a) { return (__wt_bits(a) & 0x7fffffffffffffffull) == 0x7ff0000000000000ull; }
__WT_PUBLIC__ int __nv_finitef(float a) { return __wt_finite(a); }
__WT_PUBLIC__ int __nv_isfinited(double a) { return __wt_finite(a); }
__WT_PUBLIC__ int __nv_signbitf(float a) { return (int)(__wt_bits(a) >> 31); }
__WT_PUBLIC__ int __nv_signbitd(double a) { return (int)(__wt_bits(a) >> 63); }
__WT_PUBLIC__ int __nv_float_as_int(float a) { return __builtin_bit_cast(int, a); }
__WT_PUBLIC__ unsigned int __nv_float_as_uint(float a) { return __wt_bits(a); }
__WT_PUBLIC__ float __nv_int_as_float(int a) { return __builtin_bit_cast(float, a); }
__WT_PUBLIC__ float __nv_uint_as_float(unsigned int a) { return __wt_float(a); }
__WT_PUBLIC__ unsigned long long __nv_double_as_longlong(double a) { return __wt_bits(a); }
__WT_PUBLIC__ double __nv_longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
__WT_PUBLIC__ int __nv_double2hiint(double a) { return (int)(__wt_bits(a) >> 32); }
__WT_PUBLIC__ int __nv_double2loint(double a) { return (int)__wt_bits(a); }
__WT_PUBLIC__ double __nv_hiloint2double(int hi, int lo) { return __wt_double((unsigned long long)(unsigned int)hi << 32 | (unsigned int)lo); }
__WT_PUBLIC__ int __nv_abs(int a) { return a < 0 ? -a : a; }
__WT_PUBLIC__ long long __nv_llabs(long long a) { return a < 0 ? -a : a; }
__WT_PUBLIC__ int __nv_min(int a, int b) { return a < b ? a : b; }
__WT_PUBLIC__ int __nv_max(int a, int b) { return a > b ? a : b; }
__WT_PUBLIC__ unsigned int __nv_umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
__WT_PUBLIC__ unsigned int __nv_umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
__WT_PUBLIC__ long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
__WT_PUBLIC__ long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
__WT_PUBLIC__ unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
__WT_PUBLIC__ unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
__WT_PUBLIC__ int __nv_mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
__WT_PUBLIC__ unsigned int __nv_umulhi(unsigned int a, unsigned int b) { return __nvvm_mulhi_ui(a, b); }
__WT_PUBLIC__ long long __nv_mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
__WT_PUBLIC__ unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) { return __nvvm_mulhi_ull(a, b); }
__WT_PUBLIC__ int __nv_mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
__WT_PUBLIC__ unsigned int __nv_umul24(unsigned int a, unsigned int b) { return __nvvm_mul24_ui(a, b); }
__WT_PUBLIC__ int __nv_brev(int a) { return (int)__builtin_bitreverse32((unsigned int)a); }
__WT_PUBLIC__ long long __nv_brevll(long long a) { return (long long)__builtin_bitreverse64((unsigned long long)a); }
__WT_PUBLIC__ int __nv_clz(int a) { return a ? __builtin_clz((unsigned int)a) : 32; }
__WT_PUBLIC__ int __nv_clzll(long long a) { return a ? __builtin_clzll((unsigned long long)a) : 64; }
__WT_PUBLIC__ int __nv_popc(unsigned int a) { return __builtin_popcount(a); }
__WT_PUBLIC__ int __nv_popcll(unsigned long long a) { return __builtin_popcountll(a); }
__WT_PUBLIC__ int __nv_ffs(int a) { return a ? 32 - __nv_clz(a & -a) : 0; }
__WT_PUBLIC__ int __nv_ffsll(long long a) { return a ? 64 - __nv_clzll(a & -a) : 0; }
__WT_PUBLIC__ int __nv_byte_perm(int a, int b, int c) { int d; asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c & 0x7777)); return d; }
__WT_PUBLIC__ int __nv_hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
__WT_PUBLIC__ int __nv_rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
__WT_PUBLIC__ int __nv_uhadd(unsigned int a, unsigned int b) { return (int)((a & b) + ((a ^ b) >> 1)); }
__WT_PUBLIC__ unsigned int __nv_urhadd(unsigned int a, unsigned int b) { return (a | b) - ((a ^ b) >> 1); }
__WT_PUBLIC__ int __nv_sad(int a, int b, int c) { int d; asm("sad.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); return d; }
__WT_PUBLIC__ unsigned int __nv_usad(unsigned int a, unsigned int b, unsigned int c) { unsigned int d; asm("sad.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); return d; }
__WT_PUBLIC__ float __nv_half2float(unsigned short a) { float b; asm("cvt.f32.f16 %0, %1;" : "=f"(b) : "h"(a)); return b; }
__WT_PUBLIC__ unsigned short __nv_float2half_rn(float a) { unsigned short b; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(b) : "f"(a)); return b; }
__WT_PUBLIC__ float __nv_nanf(const signed char *) { return __wt_nanf(); }
__WT_PUBLIC__ double __nv_nan(const signed char *) { return __wt_double(0xfff8000000000000ull); }
// Functions of the bytes or halves of a word, as newer GPUs do them: one part after the other.
template <int __wt_B, class __wt_F> __WT_PRIVATE__ int __wt_parts_of(int a, int b, __wt_F f) {
  unsigned int r = 0;
#pragma unroll
  for (int i = 0; i < 32; i += __wt_B) r |= ((unsigned int)f(a >> i, b >> i) & ((1u << __wt_B) - 1)) << i;
  return (int)r;
}
template <int __wt_B> __WT_PRIVATE__ int __wt_s(int a) { return (int)((unsigned int)a << (32 - __wt_B)) >> (32 - __wt_B); }
template <int __wt_B> __WT_PRIVATE__ int __wt_u(int a) { return a & ((1 << __wt_B) - 1); }
#define __WT_WORD__(name, n, B, parts) \
  struct __wt_##name##n { __attribute__((device)) int operator()(int a, int b) const { return parts; } }; \
  __WT_PUBLIC__ int __nv_##name##n(int a, int b) { return __wt_parts_of<B>(a, b, __wt_##name##n()); }
#define __WT_WORD1__(name, n, B, parts) \
  struct __wt_##name##n { __attribute__((device)) int operator()(int a, int b) const { return parts; } }; \
  __WT_PUBLIC__ int __nv_##name##n(int a) { return __wt_parts_of<B>(a, 0, __wt_##name##n()); }
#define __WT_SUM__(name, n, B, parts) \
  __WT_PUBLIC__ int __nv_##name##n(int x, int y) { \
    int r = 0; \
    for (int i = 0; i < 32; i += B) { int a = x >> i, b = y >> i; r += parts; } \
    return r; \
  }
#define __WT_CLAMP_S__(v, B) (v) < -(1 << (B - 1)) ? -(1 << (B - 1)) : (v) > (1 << (B - 1)) - 1 ? (1 << (B - 1)) - 1 : (v)
#define __WT_CLAMP_U__(v, B) (v) < 0 ? 0 : (v) > (1 << B) - 1 ? (1 << B) - 1 : (v)
#define __WT_WORDS__(n, B) \
  __WT_WORD__(vadd, n, B, a + b) \
  __WT_WORD__(vsub, n, B, a - b) \
  __WT_WORD__(vaddss, n, B, __WT_CLAMP_S__(__wt_s<B>(a) + __wt_s<B>(b), B)) \
  __WT_WORD__(vsubss, n, B, __WT_CLAMP_S__(__wt_s<B>(a) - __wt_s<B>(b), B)) \
  __WT_WORD__(vaddus, n, B, __WT_CLAMP_U__(__wt_u<B>(a) + __wt_u<B>(b), B)) \
  __WT_WORD__(vsubus, n, B, __WT_CLAMP_U__(__wt_u<B>(a) - __wt_u<B>(b), B)) \
  __WT_WORD__(vavgs, n, B, (__wt_s<B>(a) + __wt_s<B>(b) + (__wt_s<B>(a) + __wt_s<B>(b) >= 0)) >> 1) \
  __WT_WORD__(vavgu, n, B, (__wt_u<B>(a) + __wt_u<B>(b) + 1) >> 1) \
  __WT_WORD__(vhaddu, n, B, (__wt_u<B>(a) + __wt_u<B>(b)) >> 1) \
  __WT_WORD__(vmaxs, n, B, __nv_max(__wt_s<B>(a), __wt_s<B>(b))) \
  __WT_WORD__(vmins, n, B, __nv_min(__wt_s<B>(a), __wt_s<B>(b))) \
  __WT_WORD__(vmaxu, n, B, __nv_max(__wt_u<B>(a), __wt_u<B>(b))) \
  __WT_WORD__(vminu, n, B, __nv_min(__wt_u<B>(a), __wt_u<B>(b))) \
  __WT_WORD__(vabsdiffs, n, B, __nv_abs(__wt_s<B>(a) - __wt_s<B>(b))) \
  __WT_WORD__(vabsdiffu, n, B, __nv_abs(__wt_u<B>(a) - __wt_u<B>(b))) \
  __WT_WORD1__(vabs, n, B, __nv_abs(__wt_s<B>(a)) + 0 * b) \
  __WT_WORD1__(vabsss, n, B, __nv_min(__nv_abs(__wt_s<B>(a)), (1 << (B - 1)) - 1) + 0 * b) \
  __WT_WORD1__(vneg, n, B, b - a) \
  __WT_WORD1__(vnegss, n, B, __nv_min(b - __wt_s<B>(a), (1 << (B - 1)) - 1)) \
  __WT_SUM__(vsads, n, B, __nv_abs(__wt_s<B>(a) - __wt_s<B>(b))) \
  __WT_SUM__(vsadu, n, B, __nv_abs(__wt_u<B>(a) - __wt_u<B>(b))) \
  __WT_COMPARE__(n, B, eq, s, ==, ) \
  __WT_COMPARE__(n, B, ne, s, !=, ) \
  __WT_COMPARE__(n, B, ge, s, >=, s) \
  __WT_COMPARE__(n, B, gt, s, >, s) \
  __WT_COMPARE__(n, B, le, s, <=, s) \
  __WT_COMPARE__(n, B, lt, s, <, s) \
  __WT_COMPARE__(n, B, ge, u, >=, u) \
  __WT_COMPARE__(n, B, gt, u, >, u) \
  __WT_COMPARE__(n, B, le, u, <=, u) \
  __WT_COMPARE__(n, B, lt, u, <, u)
#define __WT_COMPARE__(n, B, op, as, sign, suffix) \
  __WT_WORD__(vcmp##op##suffix, n, B, -(int)(__wt_##as<B>(a) sign __wt_##as<B>(b))) \
  __WT_WORD__(vset##op##suffix, n, B, (int)(__wt_##as<B>(a) sign __wt_##as<B>(b)))
__WT_WORDS__(2, 16)
__WT_WORDS__(4, 8)
#undef __WT_WORDS__
#undef __WT_COMPARE__
#undef __WT_CLAMP_S__
#undef __WT_CLAMP_U__
#undef __WT_SUM__
#undef __WT_WORD1__
#undef __WT_WORD__
#endif
#endif
