// SPDX-License-Identifier: Apache-2.0
// Half precision.
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__
#if defined(__cplusplus) && defined(__CUDA__)
#include "warptape_small_floats.h"
__WT_BOTH__ unsigned short __wt_half_bits(float f) { return __builtin_bit_cast(unsigned short, (_Float16)f); }
__WT_BOTH__ float __wt_half_value(unsigned short b) { return (float)__builtin_bit_cast(_Float16, b); }
__WT_TO_ODD__(half)
#include "warptape_half_instructions.h"
__WT_CLASS__(__half, __half2, half)
typedef __half half;
typedef __half2 half2;
__WT_BOTH__ __half __float2half(float f) { return __half(f); }
__WT_BOTH__ __half __float2half_rn(float f) { return __half(f); }
__WT_BOTH__ __half __double2half(double f) { return __half(f); }
__WT_BOTH__ float __half2float(__half a) { return (float)a; }
// Towards zero, down and up: the nearest one, and its neighbour where it lies on the wrong side.
__WT_BOTH__ __half __wt_half_towards(float f, int side) { // -1 down, 1 up, 0 to zero
  __half h(f);
  float v = h;
  bool up = side > 0 || (side == 0 && f < 0.0f);
  if (v == f || f != f || (up ? v > f : v < f)) return h;
  if ((h.__x & 0x7fff) == 0) return __wt_half(up ? 1 : 0x8001);
  h.__x += ((v > 0.0f) == up) ? 1 : -1;
  return h;
}
__WT_BOTH__ __half __float2half_rz(float f) { return __wt_half_towards(f, 0); }
__WT_BOTH__ __half __float2half_rd(float f) { return __wt_half_towards(f, -1); }
__WT_BOTH__ __half __float2half_ru(float f) { return __wt_half_towards(f, 1); }
__WT_BOTH__ __half __int2half_rn(int a) { return __half(a); }
__WT_BOTH__ __half __uint2half_rn(unsigned int a) { return __half(a); }
__WT_BOTH__ __half __short2half_rn(short a) { return __half(a); }
__WT_BOTH__ __half __ushort2half_rn(unsigned short a) { return __half(a); }
__WT_BOTH__ __half __ll2half_rn(long long a) { return __half(a); }
__WT_BOTH__ int __half2int_rz(__half a) { return (int)(float)a; }
__WT_BOTH__ int __half2int_rn(__half a) { return (int)__builtin_rintf((float)a); }
__WT_BOTH__ int __half2int_rd(__half a) { return (int)__builtin_floorf((float)a); }
__WT_BOTH__ int __half2int_ru(__half a) { return (int)__builtin_ceilf((float)a); }
__WT_BOTH__ unsigned int __half2uint_rz(__half a) { return (unsigned int)(float)a; }
__WT_BOTH__ unsigned int __half2uint_rn(__half a) { return (unsigned int)__builtin_rintf((float)a); }
__WT_BOTH__ short __half2short_rz(__half a) { return (short)(float)a; }
__WT_BOTH__ short __half2short_rn(__half a) { return (short)__builtin_rintf((float)a); }
__WT_BOTH__ unsigned short __half_as_ushort(__half a) { return a.__x; }
__WT_BOTH__ short __half_as_short(__half a) { return (short)a.__x; }
__WT_BOTH__ __half __ushort_as_half(unsigned short a) { return __wt_half(a); }
__WT_BOTH__ __half __short_as_half(short a) { return __wt_half((unsigned short)a); }
__WT_BOTH__ __half2 __floats2half2_rn(float a, float b) { return __WT_PAIR__(__half2, __wt_half_narrow2(a, b)); }
__WT_BOTH__ __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
__WT_BOTH__ __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
__WT_BOTH__ float2 __half22float2(__half2 a) { return make_float2((float)a.x, (float)a.y); }
__WT_BOTH__ __half2 __half2half2(__half a) { return __half2(a, a); }
__WT_BOTH__ __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
__WT_BOTH__ __half2 make_half2(__half a, __half b) { return __half2(a, b); }
__WT_BOTH__ __half __low2half(__half2 a) { return a.x; }
__WT_BOTH__ __half __high2half(__half2 a) { return a.y; }
__WT_BOTH__ __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
__WT_BOTH__ __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
__WT_BOTH__ __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
__WT_BOTH__ __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
#endif
#endif
