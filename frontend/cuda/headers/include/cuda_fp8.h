// SPDX-License-Identifier: Apache-2.0
// Numbers of 8 bits (Micikevicius et al., FP8 formats for deep learning, 2022): E4M3 has a
// bias of 7, no infinities, and one NaN of each sign above 448; E5M2 has a bias of 15 and
// is the upper half of a half. Numbers are rounded to nearest, ties to even, once. NaNs
// become 0x7f, as those of PTX's cvt do here.
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__
#if defined(__cplusplus) && defined(__CUDA__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short int __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

__WT_BOTH__ __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t format) {
  const bool e4m3 = format == __NV_E4M3;
  const int places = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
  const unsigned int largest = e4m3 ? 0x7e : 0x7b, beyond = e4m3 ? 0x7f : 0x7c;
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, x), magnitude = bits & ~(1ull << 63);
  const unsigned int sign = (unsigned int)(bits >> 56) & 0x80;
  if (magnitude > 0x7ffull << 52) return 0x7f;
  const int exponent = (int)(magnitude >> 52) - 1023;
  const int below = exponent < 1 - bias ? 1 - bias - exponent : 0; // places that a subnormal number lacks
  const int shift = 52 - places + below;
  if (shift > 53) return (__nv_fp8_storage_t)sign; // less than half of the least number
  const unsigned long long digits = (magnitude & ((1ull << 52) - 1)) | 1ull << 52;
  const unsigned long long rest = digits & ((1ull << shift) - 1), half = 1ull << (shift - 1);
  unsigned int code = (unsigned int)(digits >> shift);
  if (rest > half || (rest == half && (code & 1))) code++;
  if (!below) code += (unsigned int)(exponent + bias - 1) << places; // a carry goes to the exponent
  if (code > largest) code = saturate == __NV_SATFINITE ? largest : beyond;
  return (__nv_fp8_storage_t)(sign | code);
}
__WT_BOTH__ __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(const double2 x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t format) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, saturate, format) | __nv_cvt_double_to_fp8(x.y, saturate, format) << 8);
}
__WT_BOTH__ __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(const float2 x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t format) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  if (saturate == __NV_SATFINITE) { // an instruction since this architecture
    __nv_fp8x2_storage_t r;
    if (format == __NV_E4M3) asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(x.y), "f"(x.x));
    else asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r) : "f"(x.y), "f"(x.x));
    return r;
  }
#endif
  return __nv_cvt_double2_to_fp8x2(make_double2((double)x.x, (double)x.y), saturate, format);
}
__WT_BOTH__ __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t format) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  if (saturate == __NV_SATFINITE) return (__nv_fp8_storage_t)__nv_cvt_float2_to_fp8x2(make_float2(x, 0.0f), saturate, format);
#endif
  return __nv_cvt_double_to_fp8((double)x, saturate, format);
}
#define __WT_TO_FP8__(name, raw, value)                                                                                                                            \
  __WT_BOTH__ __nv_fp8_storage_t __nv_cvt_##name##raw_to_fp8(const raw##_raw x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t format) {        \
    return __nv_cvt_float_to_fp8(value(x.x), saturate, format);                                                                                                    \
  }                                                                                                                                                                \
  __WT_BOTH__ __nv_fp8x2_storage_t __nv_cvt_##name##raw2_to_fp8x2(const raw##2_raw x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t format) {  \
    return __nv_cvt_float2_to_fp8x2(make_float2(value(x.x), value(x.y)), saturate, format);                                                                        \
  }
__WT_TO_FP8__(half, __half, __wt_half_value)
__WT_TO_FP8__(bfloat16, __nv_bfloat16, __wt_bfloat_value)

__WT_BOTH__ __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t format) {
  const unsigned int sign = (unsigned int)(x & 0x80) << 8, magnitude = x & 0x7f;
  unsigned int bits;
  if (format == __NV_E5M2) bits = magnitude > 0x7c ? 0x7fff : sign | magnitude << 8;
  else if (magnitude == 0x7f) bits = 0x7fff;
  else if (magnitude > 7) bits = sign | ((magnitude << 7) + (8u << 10)); // the biases are 7 and 15
  else bits = sign | __wt_half_bits((float)magnitude * 0x1p-9f);
  __half_raw r;
  r.x = (unsigned short)bits;
  return r;
}
__WT_BOTH__ __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x, const __nv_fp8_interpretation_t format) {
  __half2_raw r;
  r.x = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, format).x;
  r.y = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), format).x;
  return r;
}
__WT_BOTH__ float __wt_fp8_value(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t format) { return __wt_half_value(__nv_cvt_fp8_to_halfraw(x, format).x); }

#define __WT_FP8_FROM__(name, T, to, format) \
  explicit __WT_FP8_BOTH__ name(const T f) : __x(to) {}
#define __WT_FP8_BOTH__ __attribute__((host, device))
// Numbers become integers towards zero and within their bounds, as conversions of PTX have it.
#define __WT_FP8_TO__(T, least, most)                                      \
  explicit __WT_FP8_BOTH__ operator T() const {                            \
    const float f = float(*this);                                          \
    return f != f ? (T)0 : f <= (float)(least) ? (T)(least) : f >= (float)(most) ? (T)(most) : (T)f; \
  }
#define __WT_FP8__(name, format)                                                                                              \
  struct __attribute__((aligned(1))) name {                                                                                   \
    __nv_fp8_storage_t __x;                                                                                                   \
    name() = default;                                                                                                         \
    __WT_FP8_FROM__(name, __half, __nv_cvt_float_to_fp8((float)f, __NV_SATFINITE, format), format)                            \
    __WT_FP8_FROM__(name, __nv_bfloat16, __nv_cvt_float_to_fp8((float)f, __NV_SATFINITE, format), format)                     \
    __WT_FP8_FROM__(name, float, __nv_cvt_float_to_fp8(f, __NV_SATFINITE, format), format)                                    \
    __WT_FP8_FROM__(name, double, __nv_cvt_double_to_fp8(f, __NV_SATFINITE, format), format)                                  \
    __WT_FP8_FROM__(name, short, __nv_cvt_float_to_fp8((float)f, __NV_SATFINITE, format), format)                             \
    __WT_FP8_FROM__(name, unsigned short, __nv_cvt_float_to_fp8((float)f, __NV_SATFINITE, format), format)                    \
    __WT_FP8_FROM__(name, int, __nv_cvt_double_to_fp8((double)f, __NV_SATFINITE, format), format)                             \
    __WT_FP8_FROM__(name, unsigned int, __nv_cvt_double_to_fp8((double)f, __NV_SATFINITE, format), format)                    \
    __WT_FP8_FROM__(name, long, __nv_cvt_double_to_fp8((double)f, __NV_SATFINITE, format), format)                            \
    __WT_FP8_FROM__(name, unsigned long, __nv_cvt_double_to_fp8((double)f, __NV_SATFINITE, format), format)                   \
    __WT_FP8_FROM__(name, long long, __nv_cvt_double_to_fp8((double)f, __NV_SATFINITE, format), format)                       \
    __WT_FP8_FROM__(name, unsigned long long, __nv_cvt_double_to_fp8((double)f, __NV_SATFINITE, format), format)              \
    explicit __WT_FP8_BOTH__ operator float() const { return __wt_fp8_value(__x, format); }                                   \
    explicit __WT_FP8_BOTH__ operator double() const { return (double)__wt_fp8_value(__x, format); }                          \
    explicit __WT_FP8_BOTH__ operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, format)); }                 \
    explicit __WT_FP8_BOTH__ operator __nv_bfloat16() const { return __nv_bfloat16(__wt_fp8_value(__x, format)); }            \
    explicit __WT_FP8_BOTH__ operator bool() const { return (__x & 0x7f) != 0; }                                              \
    __WT_FP8_TO__(char, -128, 127)                                                                                            \
    __WT_FP8_TO__(signed char, -128, 127)                                                                                     \
    __WT_FP8_TO__(unsigned char, 0, 255)                                                                                      \
    __WT_FP8_TO__(short, -32768, 32767)                                                                                       \
    __WT_FP8_TO__(unsigned short, 0, 65535)                                                                                   \
    __WT_FP8_TO__(int, -2147483647 - 1, 2147483647)                                                                           \
    __WT_FP8_TO__(unsigned int, 0, 4294967295u)                                                                               \
    __WT_FP8_TO__(long, -__LONG_MAX__ - 1, __LONG_MAX__)                                                                      \
    __WT_FP8_TO__(unsigned long, 0, 2ul * __LONG_MAX__ + 1)                                                                   \
    __WT_FP8_TO__(long long, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__)                                                       \
    __WT_FP8_TO__(unsigned long long, 0, 2ull * __LONG_LONG_MAX__ + 1)                                                        \
  };
#define __WT_FP8X2__(name, format)                                                                                            \
  struct __attribute__((aligned(2))) name {                                                                                   \
    __nv_fp8x2_storage_t __x;                                                                                                 \
    name() = default;                                                                                                         \
    __WT_FP8_FROM__(name, __half2, __nv_cvt_float2_to_fp8x2(__half22float2(f), __NV_SATFINITE, format), format)               \
    __WT_FP8_FROM__(name, __nv_bfloat162, __nv_cvt_float2_to_fp8x2(__bfloat1622float2(f), __NV_SATFINITE, format), format)    \
    __WT_FP8_FROM__(name, float2, __nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, format), format)                                \
    __WT_FP8_FROM__(name, double2, __nv_cvt_double2_to_fp8x2(f, __NV_SATFINITE, format), format)                              \
    explicit __WT_FP8_BOTH__ operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, format)); }            \
    explicit __WT_FP8_BOTH__ operator float2() const {                                                                        \
      return make_float2(__wt_fp8_value((__nv_fp8_storage_t)__x, format), __wt_fp8_value((__nv_fp8_storage_t)(__x >> 8), format)); \
    }                                                                                                                         \
  };
#define __WT_FP8X4__(name, half_name, format)                                                                                 \
  struct __attribute__((aligned(4))) name {                                                                                   \
    __nv_fp8x4_storage_t __x;                                                                                                 \
    name() = default;                                                                                                         \
    explicit __WT_FP8_BOTH__ name(const __half2 low, const __half2 high) : __x(half_name(low).__x | (unsigned int)half_name(high).__x << 16) {} \
    explicit __WT_FP8_BOTH__ name(const __nv_bfloat162 low, const __nv_bfloat162 high) : __x(half_name(low).__x | (unsigned int)half_name(high).__x << 16) {} \
    __WT_FP8_FROM__(name, float4, half_name(make_float2(f.x, f.y)).__x | (unsigned int)half_name(make_float2(f.z, f.w)).__x << 16, format) \
    __WT_FP8_FROM__(name, double4, half_name(make_double2(f.x, f.y)).__x | (unsigned int)half_name(make_double2(f.z, f.w)).__x << 16, format) \
    explicit __WT_FP8_BOTH__ operator float4() const {                                                                        \
      half_name low, high;                                                                                                    \
      low.__x = (__nv_fp8x2_storage_t)__x, high.__x = (__nv_fp8x2_storage_t)(__x >> 16);                                      \
      const float2 a = float2(low), b = float2(high);                                                                         \
      return make_float4(a.x, a.y, b.x, b.y);                                                                                 \
    }                                                                                                                         \
  };
__WT_FP8__(__nv_fp8_e4m3, __NV_E4M3)
__WT_FP8__(__nv_fp8_e5m2, __NV_E5M2)
__WT_FP8X2__(__nv_fp8x2_e4m3, __NV_E4M3)
__WT_FP8X2__(__nv_fp8x2_e5m2, __NV_E5M2)
__WT_FP8X4__(__nv_fp8x4_e4m3, __nv_fp8x2_e4m3, __NV_E4M3)
__WT_FP8X4__(__nv_fp8x4_e5m2, __nv_fp8x2_e5m2, __NV_E5M2)
#endif
#endif
