// SPDX-License-Identifier: Apache-2.0
// Which operations of half are instructions, by compute capability: arithmetic from 5.3, extremes and relu from 8.0,
// sums in memory of pairs from 6.0 and of one from 7.0 (PTX ISA, 9.7.4 and 9.7.13.5).
#ifndef __WARPTAPE_HALF_INSTRUCTIONS_H__
#define __WARPTAPE_HALF_INSTRUCTIONS_H__
#include "warptape_small_instructions.h"
__WT_BOUNDS__(half)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
// One number's are the compiler's, so that it may fuse a product and a sum, as ptxas does.
#define __WT_HALF_PLAIN__(name, sign)                                                                                       \
  __WT_DEVICE__ __wt_u16 __wt_half_##name(__wt_u16 a, __wt_u16 b) {                                                         \
    return __builtin_bit_cast(__wt_u16, (_Float16)(__builtin_bit_cast(_Float16, a) sign __builtin_bit_cast(_Float16, b)));  \
  }                                                                                                                         \
  __WT_NATIVE_PAIR__(half, name, #name ".f16")                                                                              \
  __WT_NATIVE_2__(half, name##_rn, #name ".rn.f16")                                                                         \
  __WT_NATIVE_2__(half, name##_sat, #name ".sat.f16")
__WT_HALF_PLAIN__(add, +)
__WT_HALF_PLAIN__(sub, -)
__WT_HALF_PLAIN__(mul, *)
__WT_NATIVE_3__(half, fma, "fma.rn.f16")
__WT_NATIVE_3__(half, fma_sat, "fma.rn.sat.f16")
__WT_DEVICE__ _Float16 __wt_half_ordinal(__wt_u16 a) { return __builtin_bit_cast(_Float16, a); }
#else // products and sums of halves are exact in double precision, but for the last rounding
#define __WT_HALF_PLAIN__(name, sign)                                                                                       \
  __WT_PLAIN_2__(half, name, __builtin_bit_cast(__wt_u16, (_Float16)(__builtin_bit_cast(_Float16, a) sign __builtin_bit_cast(_Float16, b)))) \
  __WT_PLAIN_2__(half, name##_rn, __wt_half_##name(a, b))                                                                   \
  __WT_PLAIN_2__(half, name##_sat, __wt_half_saturated(__wt_half_##name(a, b)))
__WT_HALF_PLAIN__(add, +)
__WT_HALF_PLAIN__(sub, -)
__WT_HALF_PLAIN__(mul, *)
__WT_PLAIN_3__(half, fma, __wt_half_bits(__wt_half_single(__builtin_fma((double)__wt_half_value(a), (double)__wt_half_value(b), (double)__wt_half_value(c)))))
__WT_PLAIN_3__(half, fma_sat, __wt_half_saturated(__wt_half_fma(a, b, c)))
__WT_BOTH__ float __wt_half_ordinal(__wt_u16 a) { return __wt_half_value(a); }
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__WT_NATIVE_3__(half, fma_relu, "fma.rn.relu.f16")
__WT_NATIVE_NARROW__(half, "f16")
__WT_NATIVE_EXTREMES__(half, "f16")
__WT_NATIVE_COMPARISONS__(half, "f16")
#else
__WT_PLAIN_NARROW__(half)
__WT_PLAIN_3__(half, fma_relu, __wt_half_positive(__wt_half_fma(a, b, c)))
__WT_PLAIN_EXTREMES__(half)
__WT_COMPARISONS__(half)
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 600
__WT_NATIVE_PAIR_SUM__(half, "f16")
#else
__WT_SWAPPED_PAIR_SUM__(half)
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
__WT_NATIVE_SUM__(half, "f16")
#else
__WT_SWAPPED_SUM__(half)
#endif
#endif
