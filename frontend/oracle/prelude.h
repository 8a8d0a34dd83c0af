// SPDX-License-Identifier: Apache-2.0
// What random kernels are written in, for the device (PTX by clang) and for
// the host. The host's versions are plain C++; where the device has a
// function of its own, its result is the same by PTX's definition.
#pragma once

typedef signed char s8;
typedef unsigned char u8;
typedef short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned int u32;
typedef long long s64;
typedef unsigned long long u64;
typedef unsigned __int128 u128;
typedef _Float16 f16;
typedef float f32;
typedef double f64;

#ifdef __CUDA__
#define DEVICE static __attribute__((device, noinline))
#define INLINE static inline __attribute__((device, always_inline))
#define KERNEL(name) extern "C" __attribute__((global)) void name(const u64 *input, u64 *output)
#define THREAD (u32)(__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x())
INLINE f32 fma_f32(f32 a, f32 b, f32 c) { return __nvvm_fma_rn_f(a, b, c); }
INLINE f64 fma_f64(f64 a, f64 b, f64 c) { return __nvvm_fma_rn_d(a, b, c); }
INLINE f32 sqrt_f32(f32 a) { return __nvvm_sqrt_rn_f(a); }
INLINE f64 sqrt_f64(f64 a) { return __nvvm_sqrt_rn_d(a); }
INLINE f32 min_f32(f32 a, f32 b) { return __nvvm_fmin_f(a, b); }
INLINE f32 max_f32(f32 a, f32 b) { return __nvvm_fmax_f(a, b); }
INLINE f64 min_f64(f64 a, f64 b) { return __nvvm_fmin_d(a, b); }
INLINE f64 max_f64(f64 a, f64 b) { return __nvvm_fmax_d(a, b); }
INLINE u32 bits_of(f32 a) { return __nvvm_bitcast_f2i(a); }
INLINE u64 bits_of(f64 a) { return __nvvm_bitcast_d2ll(a); }
#else
#define DEVICE static __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))
extern u32 current_thread;
#define KERNEL(name) extern "C" void name(const u64 *input, u64 *output)
#define THREAD current_thread
INLINE f32 fma_f32(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
INLINE f64 fma_f64(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
INLINE f32 sqrt_f32(f32 a) { return __builtin_sqrtf(a); }
INLINE f64 sqrt_f64(f64 a) { return __builtin_sqrt(a); }
// PTX's minimum and maximum (9.7.3.11): a number beats NaN, -0 is below +0.
#define EXTREMES(T)                                                                                                    \
  INLINE T min_##T(T a, T b) { return a != a ? b : b != b ? a : a < b ? a : b < a ? b : __builtin_signbit(a) ? a : b; } \
  INLINE T max_##T(T a, T b) { return a != a ? b : b != b ? a : a < b ? b : b < a ? a : __builtin_signbit(a) ? b : a; }
EXTREMES(f32)
EXTREMES(f64)
INLINE u32 bits_of(f32 a) { return __builtin_bit_cast(u32, a); }
INLINE u64 bits_of(f64 a) { return __builtin_bit_cast(u64, a); }
#endif

// Halves compute in single precision what they have no function for.
INLINE f16 fma_f16(f16 a, f16 b, f16 c) { return (f16)(a * b) + c; }
INLINE f16 sqrt_f16(f16 a) { return (f16)sqrt_f32(a); }
INLINE f16 min_f16(f16 a, f16 b) { return (f16)min_f32(a, b); }
INLINE f16 max_f16(f16 a, f16 b) { return (f16)max_f32(a, b); }

#define ROUNDINGS(T, suffix)                                       \
  INLINE T floor_##T(T a) { return (T)__builtin_floor##suffix(a); } \
  INLINE T ceil_##T(T a) { return (T)__builtin_ceil##suffix(a); }   \
  INLINE T trunc_##T(T a) { return (T)__builtin_trunc##suffix(a); } \
  INLINE T rint_##T(T a) { return (T)__builtin_rint##suffix(a); }   \
  INLINE T abs_##T(T a) { return (T)__builtin_fabs##suffix(a); }
ROUNDINGS(f16, f)
ROUNDINGS(f32, f)
ROUNDINGS(f64, )

// Bits of values, with one NaN.
INLINE u64 bits_f32(f32 a) { return a != a ? 0x7fc00000u : bits_of(a); }
INLINE u64 bits_f64(f64 a) { return a != a ? 0x7ff8000000000000ull : bits_of(a); }
INLINE u64 bits_f16(f16 a) { return a != a ? 0x7e00u : (u64)__builtin_bit_cast(u16, a); }
INLINE u64 bits_u128(u128 a) { return (u64)(a >> 64) * 31 ^ (u64)a; }
INLINE f32 from_bits_f32(u64 a) { return __builtin_bit_cast(f32, (u32)a); }
INLINE f64 from_bits_f64(u64 a) { return __builtin_bit_cast(f64, a); }
INLINE f16 from_bits_f16(u64 a) { return __builtin_bit_cast(f16, (u16)(a >> 16)); }
INLINE u128 from_bits_u128(u64 a) { return (u128)a * 0x9000000000000003ull; }
INLINE f32 mixed_f32(u64 a) { return (f32)(s64)a; }
INLINE f64 mixed_f64(u64 a) { return (f64)a; }
INLINE f16 mixed_f16(u64 a) { return (f16)(f32)(s16)a; }
INLINE u128 mixed_u128(u64 a) { return a; }
INLINE u64 mix(u64 h, u64 v) { return (h ^ v) * 0x9e3779b97f4a7c15ull ^ h >> 29; }

#define INTEGER(T, U, W, bits)                                                                        \
  INLINE u64 bits_##T(T a) { return (u64)(s64)a; }                                                    \
  INLINE T from_bits_##T(u64 a) { return (T)a; }                                                      \
  INLINE T mixed_##T(u64 a) { return (T)(a ^ a >> 17); }                                              \
  INLINE T min_##T(T a, T b) { return a < b ? a : b; }                                                \
  INLINE T max_##T(T a, T b) { return a > b ? a : b; }                                                \
  INLINE T sat_add_##T(T a, T b) { return __builtin_elementwise_add_sat(a, b); }                      \
  INLINE T sat_sub_##T(T a, T b) { return __builtin_elementwise_sub_sat(a, b); }                      \
  INLINE T mul_high_##T(T a, T b) { return (T)((W)a * (W)b >> bits); }                                \
  INLINE T abs_difference_##T(T a, T b) { return a > b ? (T)((U)a - (U)b) : (T)((U)b - (U)a); }       \
  INLINE T rotate_##T(T a, T b) {                                                                     \
    return (T)((U)((U)a << ((u32)b & (bits - 1))) | (U)((U)a >> (-(u32)b & (bits - 1))));             \
  }
INTEGER(s8, u8, s16, 8)
INTEGER(u8, u8, u16, 8)
INTEGER(s16, u16, s32, 16)
INTEGER(u16, u16, u32, 16)
INTEGER(s32, u32, s64, 32)
INTEGER(u32, u32, u64, 32)
INTEGER(s64, u64, __int128, 64)
INTEGER(u64, u64, u128, 64)

#define ODD(T) \
  INLINE T odd_##T(T a) { T d = (T)(a | 1); return d == (T)-1 ? (T)3 : d; }
ODD(s8)
ODD(s16)
ODD(s32)
ODD(s64)

// In range, conversion truncates; outside, C does not say, and we do.
#define TO_SMALL(T, low, high)                                                                \
  INLINE T to_##T(f32 a) { return a > (f32)low - 1.0f && a < (f32)high + 1.0f ? (T)a : (T)7; } \
  INLINE T to_##T(f64 a) { return a > (f64)low - 1.0 && a < (f64)high + 1.0 ? (T)a : (T)9; }
TO_SMALL(s8, -128, 127)
TO_SMALL(u8, 0, 255)
TO_SMALL(s16, -32768, 32767)
TO_SMALL(u16, 0, 65535)
#define TO_LARGE(T, low, end)                                                \
  INLINE T to_##T(f32 a) { return a >= low##f && a < end##f ? (T)a : (T)7; } \
  INLINE T to_##T(f64 a) { return a >= low && a < end ? (T)a : (T)9; }
TO_LARGE(s32, -2147483648.0, 2147483648.0)
TO_LARGE(u32, 0.0, 4294967296.0)
TO_LARGE(s64, -9223372036854775808.0, 9223372036854775808.0)
TO_LARGE(u64, 0.0, 18446744073709551616.0)

#define BITS(T, n, suffix)                                                                              \
  INLINE T funnel_##T(T a, T b) { return a << (b & (n - 1)) | (b >> 1) >> (~b & (n - 1)); }             \
  INLINE T reverse_##T(T a, T b) { return __builtin_bitreverse##n(a) ^ b; }                             \
  INLINE T swap_##T(T a, T b) { return __builtin_bswap##n(a) + b; }                                     \
  INLINE T count_##T(T a, T b) { return (T)__builtin_popcount##suffix(a) + b; }                         \
  INLINE T leading_##T(T a, T b) { return a == 0 ? b : (T)__builtin_clz##suffix(a); }                   \
  INLINE T trailing_##T(T a, T b) { return a == 0 ? b : (T)__builtin_ctz##suffix(a); }                  \
  INLINE T field_##T(T a, T b) { return a >> (b & (n - 1)) & (((T)1 << (b >> 8 & (n - 1))) - 1); }      \
  INLINE T insert_##T(T a, T b) { return (a & ~((T)255 << (b & (n - 1)))) | (b & 255) << (b & (n - 1)); }
BITS(u32, 32, )
BITS(u64, 64, ll)
