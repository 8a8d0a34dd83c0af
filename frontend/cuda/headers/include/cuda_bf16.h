// SPDX-License-Identifier: Apache-2.0
// bfloat16: the upper half of a number of single precision.
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__
#if defined(__cplusplus) && defined(__CUDA__)
#include "warptape_small_floats.h"
__WT_BOTH__ unsigned short __wt_bfloat_bits(float f) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned short r;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(f));
  return r;
#else
  unsigned int b = __builtin_bit_cast(unsigned int, f);
  if ((b & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return (unsigned short)((b + 0x7fffu + (b >> 16 & 1)) >> 16);
#endif
}
__WT_BOTH__ float __wt_bfloat_value(unsigned short b) { return __builtin_bit_cast(float, (unsigned int)b << 16); }
__WT_TO_ODD__(bfloat)
#include "warptape_bfloat_instructions.h"
__WT_CLASS__(__nv_bfloat16, __nv_bfloat162, bfloat)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
__WT_BOTH__ __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
__WT_BOTH__ __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
__WT_BOTH__ __nv_bfloat16 __double2bfloat16(double f) { return __nv_bfloat16(f); }
__WT_BOTH__ float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
__WT_BOTH__ float __internal_bfloat162float(unsigned short a) { return __wt_bfloat_value(a); }
__WT_BOTH__ __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16(a); }
__WT_BOTH__ int __bfloat162int_rz(__nv_bfloat16 a) { return (int)(float)a; }
__WT_BOTH__ int __bfloat162int_rn(__nv_bfloat16 a) { return (int)__builtin_rintf((float)a); }
__WT_BOTH__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
__WT_BOTH__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __wt_bfloat(a); }
__WT_BOTH__ __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __WT_PAIR__(__nv_bfloat162, __wt_bfloat_narrow2(a, b)); }
__WT_BOTH__ __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
__WT_BOTH__ __nv_bfloat162 __float2bfloat162_rn(float a) { return __floats2bfloat162_rn(a, a); }
__WT_BOTH__ float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2((float)a.x, (float)a.y); }
__WT_BOTH__ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
__WT_BOTH__ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
__WT_BOTH__ __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
__WT_BOTH__ __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
__WT_BOTH__ __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
__WT_BOTH__ __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
__WT_BOTH__ __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
__WT_BOTH__ __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
__WT_BOTH__ __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
__WT_BOTH__ short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
__WT_BOTH__ __nv_bfloat16 __short_as_bfloat16(short a) { return __wt_bfloat((unsigned short)a); }
#endif
#endif
