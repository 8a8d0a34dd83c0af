// SPDX-License-Identifier: Apache-2.0
// Which operations of bfloat16 are instructions, by compute capability: the fused one, extremes and relu from 8.0. Sums and
// products are that one before 9.0, which has their own, and sums in memory (PTX ISA, 9.7.4 and 9.7.13.5).
#ifndef __WARPTAPE_BFLOAT_INSTRUCTIONS_H__
#define __WARPTAPE_BFLOAT_INSTRUCTIONS_H__
#include "warptape_small_instructions.h"
__WT_BOUNDS__(bfloat)
__WT_BOTH__ float __wt_bfloat_ordinal(__wt_u16 a) { return __wt_bfloat_value(a); }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define __WT_BFLOAT_NATIVE__(name)                                                                                          \
  __WT_NATIVE_2__(bfloat, name, #name ".bf16")                                                                              \
  __WT_NATIVE_2__(bfloat, name##_rn, #name ".rn.bf16")
__WT_BFLOAT_NATIVE__(add)
__WT_BFLOAT_NATIVE__(sub)
__WT_BFLOAT_NATIVE__(mul)
__WT_NATIVE_COMPARISONS__(bfloat, "bf16")
__WT_NATIVE_SUM__(bfloat, "bf16")
__WT_NATIVE_PAIR_SUM__(bfloat, "bf16")
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define __WT_BFLOAT_FUSED__(name, operands, one, pair)                                                                      \
  __WT_FUSED_2__(bfloat, name, "fma.rn.bf16", operands, one, pair)                                                          \
  __WT_FUSED_2__(bfloat, name##_rn, "fma.rn.bf16", operands, one, pair)
__WT_BFLOAT_FUSED__(add, "%1, %3, %2", 0x3f80, 0x3f803f80u)
__WT_BFLOAT_FUSED__(sub, "%2, %3, %1", 0xbf80, 0xbf80bf80u)
__WT_BFLOAT_FUSED__(mul, "%1, %2, %3", 0x8000, 0x80008000u)
__WT_COMPARISONS__(bfloat)
#else
#define __WT_BFLOAT_PLAIN__(name, sign)                                                                                     \
  __WT_PLAIN_2__(bfloat, name, __wt_bfloat_bits(__wt_bfloat_value(a) sign __wt_bfloat_value(b)))                            \
  __WT_PLAIN_2__(bfloat, name##_rn, __wt_bfloat_##name(a, b))
__WT_BFLOAT_PLAIN__(add, +)
__WT_BFLOAT_PLAIN__(sub, -)
__WT_BFLOAT_PLAIN__(mul, *)
__WT_COMPARISONS__(bfloat)
#endif
__WT_PLAIN_2__(bfloat, add_sat, __wt_bfloat_saturated(__wt_bfloat_add_rn(a, b)))
__WT_PLAIN_2__(bfloat, sub_sat, __wt_bfloat_saturated(__wt_bfloat_sub_rn(a, b)))
__WT_PLAIN_2__(bfloat, mul_sat, __wt_bfloat_saturated(__wt_bfloat_mul_rn(a, b)))
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__WT_NATIVE_3__(bfloat, fma, "fma.rn.bf16")
__WT_NATIVE_3__(bfloat, fma_relu, "fma.rn.relu.bf16")
__WT_NATIVE_NARROW__(bfloat, "bf16")
__WT_NATIVE_EXTREMES__(bfloat, "bf16")
#else
// The product is exact in double precision. The sum is rounded to odd, as what is left over may decide a tie of the last
// rounding. It is the error of a sum by Knuth (The Art of Computer Programming 2, 4.2.2).
__WT_BOTH__ double __wt_bfloat_sum_to_odd(double p, double c) {
  double s = p + c, rest = s - p, left = (p - (s - rest)) + (c - rest);
  long long bits = __builtin_bit_cast(long long, s);
  if (left == left && left != 0 && (bits & 1) == 0) bits += (left > 0) == (s > 0) ? 1 : -1;
  return __builtin_bit_cast(double, bits);
}
__WT_PLAIN_3__(bfloat, fma, __wt_bfloat_bits(__wt_bfloat_single(__wt_bfloat_sum_to_odd((double)__wt_bfloat_value(a) * (double)__wt_bfloat_value(b), __wt_bfloat_value(c)))))
__WT_PLAIN_NARROW__(bfloat)
__WT_PLAIN_3__(bfloat, fma_relu, __wt_bfloat_positive(__wt_bfloat_fma(a, b, c)))
__WT_PLAIN_EXTREMES__(bfloat)
#endif
__WT_PLAIN_3__(bfloat, fma_sat, __wt_bfloat_saturated(__wt_bfloat_fma(a, b, c)))
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 900
__WT_SWAPPED_SUM__(bfloat)
__WT_SWAPPED_PAIR_SUM__(bfloat)
#endif
#endif
