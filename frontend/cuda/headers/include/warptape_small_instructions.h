// SPDX-License-Identifier: Apache-2.0
// Operations on the bits of half and bfloat16, of one number (u16) and of two in a word (u32). Each is the PTX instruction where
// the architecture has it (PTX ISA, 9.7.4 "Half precision floating point instructions"), else it is made of a plain one.
#ifndef __WARPTAPE_SMALL_INSTRUCTIONS_H__
#define __WARPTAPE_SMALL_INSTRUCTIONS_H__
#define __WT_BOTH__ static __inline__ __attribute__((host, device))
#define __WT_DEVICE__ static __inline__ __attribute__((device))
typedef unsigned short __wt_u16;
typedef unsigned int __wt_u32;

// Instructions: name(a, b), name2 of pairs, and the same of three operands; PTX names the operation and its type.
#define __WT_NATIVE_PAIR__(F, name, ptx)                                                                                    \
  __WT_DEVICE__ __wt_u32 __wt_##F##_##name##2(__wt_u32 a, __wt_u32 b) { __wt_u32 d; asm(ptx "x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); return d; }
#define __WT_NATIVE_2__(F, name, ptx)                                                                                       \
  __WT_DEVICE__ __wt_u16 __wt_##F##_##name(__wt_u16 a, __wt_u16 b) { __wt_u16 d; asm(ptx " %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b)); return d; } \
  __WT_NATIVE_PAIR__(F, name, ptx)
#define __WT_NATIVE_3__(F, name, ptx)                                                                                       \
  __WT_DEVICE__ __wt_u16 __wt_##F##_##name(__wt_u16 a, __wt_u16 b, __wt_u16 c) {                                            \
    __wt_u16 d;                                                                                                             \
    asm(ptx " %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c));                                                         \
    return d;                                                                                                               \
  }                                                                                                                         \
  __WT_DEVICE__ __wt_u32 __wt_##F##_##name##2(__wt_u32 a, __wt_u32 b, __wt_u32 c) {                                         \
    __wt_u32 d;                                                                                                             \
    asm(ptx "x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                                                       \
    return d;                                                                                                               \
  }
// Sums, differences and products by the fused instruction, with a one, or with a negative zero that changes no product.
#define __WT_FUSED_2__(F, name, ptx, operands, one, pair)                                                                   \
  __WT_DEVICE__ __wt_u16 __wt_##F##_##name(__wt_u16 a, __wt_u16 b) { __wt_u16 d; asm(ptx " %0, " operands ";" : "=h"(d) : "h"(a), "h"(b), "h"((__wt_u16)one)); return d; } \
  __WT_DEVICE__ __wt_u32 __wt_##F##_##name##2(__wt_u32 a, __wt_u32 b) { __wt_u32 d; asm(ptx "x2 %0, " operands ";" : "=r"(d) : "r"(a), "r"(b), "r"(pair)); return d; }
// A pair by its two numbers.
#define __WT_TWICE_2__(F, name)                                                                                             \
  __WT_BOTH__ __wt_u32 __wt_##F##_##name##2(__wt_u32 a, __wt_u32 b) {                                                       \
    return (__wt_u32)__wt_##F##_##name((__wt_u16)(a >> 16), (__wt_u16)(b >> 16)) << 16 | __wt_##F##_##name((__wt_u16)a, (__wt_u16)b); \
  }
#define __WT_TWICE_3__(F, name)                                                                                             \
  __WT_BOTH__ __wt_u32 __wt_##F##_##name##2(__wt_u32 a, __wt_u32 b, __wt_u32 c) {                                           \
    return (__wt_u32)__wt_##F##_##name((__wt_u16)(a >> 16), (__wt_u16)(b >> 16), (__wt_u16)(c >> 16)) << 16 |               \
           __wt_##F##_##name((__wt_u16)a, (__wt_u16)b, (__wt_u16)c);                                                        \
  }
// Plain forms.
#define __WT_PLAIN_2__(F, name, value)                                                                                      \
  __WT_BOTH__ __wt_u16 __wt_##F##_##name(__wt_u16 a, __wt_u16 b) { return value; }                                          \
  __WT_TWICE_2__(F, name)
#define __WT_PLAIN_3__(F, name, value)                                                                                      \
  __WT_BOTH__ __wt_u16 __wt_##F##_##name(__wt_u16 a, __wt_u16 b, __wt_u16 c) { return value; }                              \
  __WT_TWICE_3__(F, name)

// Two numbers of single precision as a pair.
#define __WT_NATIVE_NARROW__(F, type)                                                                                       \
  __WT_DEVICE__ __wt_u32 __wt_##F##_narrow2(float x, float y) { __wt_u32 d; asm("cvt.rn." type "x2.f32 %0, %1, %2;" : "=r"(d) : "f"(y), "f"(x)); return d; }
#define __WT_PLAIN_NARROW__(F)                                                                                              \
  __WT_BOTH__ __wt_u32 __wt_##F##_narrow2(float x, float y) { return (__wt_u32)__wt_##F##_bits(y) << 16 | __wt_##F##_bits(x); }

// Bounds, and relu, which leaves NaN as it is and gives zero no sign.
#define __WT_BOUNDS__(F)                                                                                                    \
  __WT_BOTH__ bool __wt_##F##_isnan(__wt_u16 a) { return __wt_##F##_value(a) != __wt_##F##_value(a); }                      \
  __WT_BOTH__ __wt_u16 __wt_##F##_saturated(__wt_u16 a) {                                                                   \
    float f = __wt_##F##_value(a);                                                                                          \
    return f > 1.0f ? __wt_##F##_bits(1.0f) : f > 0.0f ? a : (__wt_u16)0;                                                   \
  }                                                                                                                         \
  __WT_BOTH__ __wt_u16 __wt_##F##_positive(__wt_u16 a) { return __wt_##F##_value(a) <= 0.0f ? (__wt_u16)0 : a; }            \
  __WT_BOTH__ __wt_u16 __wt_##F##_larger(__wt_u16 a, __wt_u16 b) {                                                          \
    float f = __wt_##F##_value(a), g = __wt_##F##_value(b);                                                                 \
    return f > g ? a : f < g ? b : (__wt_u16)(a & b);                                                                       \
  }                                                                                                                         \
  __WT_BOTH__ __wt_u16 __wt_##F##_smaller(__wt_u16 a, __wt_u16 b) {                                                         \
    float f = __wt_##F##_value(a), g = __wt_##F##_value(b);                                                                 \
    return f < g ? a : f > g ? b : (__wt_u16)(a | b);                                                                       \
  }
// What a release before the instruction's makes of plain ones. A NaN that goes on is the canonical one, as instructions have it.
#define __WT_PLAIN_EXTREMES__(F)                                                                                            \
  __WT_PLAIN_2__(F, max, __wt_##F##_isnan(a) ? (__wt_##F##_isnan(b) ? (__wt_u16)0x7fff : b) : __wt_##F##_isnan(b) ? a : __wt_##F##_larger(a, b))  \
  __WT_PLAIN_2__(F, min, __wt_##F##_isnan(a) ? (__wt_##F##_isnan(b) ? (__wt_u16)0x7fff : b) : __wt_##F##_isnan(b) ? a : __wt_##F##_smaller(a, b)) \
  __WT_PLAIN_2__(F, max_nan, __wt_##F##_isnan(a) || __wt_##F##_isnan(b) ? (__wt_u16)0x7fff : __wt_##F##_larger(a, b))       \
  __WT_PLAIN_2__(F, min_nan, __wt_##F##_isnan(a) || __wt_##F##_isnan(b) ? (__wt_u16)0x7fff : __wt_##F##_smaller(a, b))
#define __WT_NATIVE_EXTREMES__(F, type)                                                                                     \
  __WT_NATIVE_2__(F, max, "max." type)                                                                                      \
  __WT_NATIVE_2__(F, min, "min." type)                                                                                      \
  __WT_NATIVE_2__(F, max_nan, "max.NaN." type)                                                                              \
  __WT_NATIVE_2__(F, min_nan, "min.NaN." type)

// Comparisons of pairs: 1.0 or 0, or a mask of sixteen bits, for each number. un says that the form is true where one is NaN.
#define __WT_COMPARED_PAIR__(F, name, holds)                                                                                \
  __WT_BOTH__ __wt_u32 __wt_##F##_##name##_mask2(__wt_u32 x, __wt_u32 y) {                                                  \
    float a = __wt_##F##_value((__wt_u16)x), b = __wt_##F##_value((__wt_u16)y);                                             \
    __wt_u32 mask = (holds) ? 0xffffu : 0u;                                                                                 \
    a = __wt_##F##_value((__wt_u16)(x >> 16)), b = __wt_##F##_value((__wt_u16)(y >> 16));                                   \
    return (holds) ? mask | 0xffff0000u : mask;                                                                             \
  }                                                                                                                         \
  __WT_BOTH__ __wt_u32 __wt_##F##_##name##_one2(__wt_u32 x, __wt_u32 y) {                                                   \
    __wt_u32 one = __wt_##F##_bits(1.0f);                                                                                   \
    return __wt_##F##_##name##_mask2(x, y) & (one << 16 | one);                                                             \
  }
#define __WT_COMPARED_PAIR_NATIVE__(F, name, ptx, type)                                                                     \
  __WT_DEVICE__ __wt_u32 __wt_##F##_##name##_mask2(__wt_u32 x, __wt_u32 y) { __wt_u32 d; asm("set." ptx ".u32." type "x2 %0, %1, %2;" : "=r"(d) : "r"(x), "r"(y)); return d; } \
  __WT_DEVICE__ __wt_u32 __wt_##F##_##name##_one2(__wt_u32 x, __wt_u32 y) { __wt_u32 d; asm("set." ptx "." type "x2." type "x2 %0, %1, %2;" : "=r"(d) : "r"(x), "r"(y)); return d; }
#define __WT_COMPARISONS__(F)                                                                                               \
  __WT_COMPARED_PAIR__(F, eq, a == b)                                                                                       \
  __WT_COMPARED_PAIR__(F, ne, a < b || a > b)                                                                               \
  __WT_COMPARED_PAIR__(F, lt, a < b)                                                                                        \
  __WT_COMPARED_PAIR__(F, le, a <= b)                                                                                       \
  __WT_COMPARED_PAIR__(F, gt, a > b)                                                                                        \
  __WT_COMPARED_PAIR__(F, ge, a >= b)                                                                                       \
  __WT_COMPARED_PAIR__(F, equ, !(a < b || a > b))                                                                           \
  __WT_COMPARED_PAIR__(F, neu, !(a == b))                                                                                   \
  __WT_COMPARED_PAIR__(F, ltu, !(a >= b))                                                                                   \
  __WT_COMPARED_PAIR__(F, leu, !(a > b))                                                                                    \
  __WT_COMPARED_PAIR__(F, gtu, !(a <= b))                                                                                   \
  __WT_COMPARED_PAIR__(F, geu, !(a < b))
#define __WT_NATIVE_COMPARISONS__(F, type)                                                                                  \
  __WT_COMPARED_PAIR_NATIVE__(F, eq, "eq", type)                                                                            \
  __WT_COMPARED_PAIR_NATIVE__(F, ne, "ne", type)                                                                            \
  __WT_COMPARED_PAIR_NATIVE__(F, lt, "lt", type)                                                                            \
  __WT_COMPARED_PAIR_NATIVE__(F, le, "le", type)                                                                            \
  __WT_COMPARED_PAIR_NATIVE__(F, gt, "gt", type)                                                                            \
  __WT_COMPARED_PAIR_NATIVE__(F, ge, "ge", type)                                                                            \
  __WT_COMPARED_PAIR_NATIVE__(F, equ, "equ", type)                                                                          \
  __WT_COMPARED_PAIR_NATIVE__(F, neu, "neu", type)                                                                          \
  __WT_COMPARED_PAIR_NATIVE__(F, ltu, "ltu", type)                                                                          \
  __WT_COMPARED_PAIR_NATIVE__(F, leu, "leu", type)                                                                          \
  __WT_COMPARED_PAIR_NATIVE__(F, gtu, "gtu", type)                                                                          \
  __WT_COMPARED_PAIR_NATIVE__(F, geu, "geu", type)

// Functions whose results are those of the special function unit in single precision, rounded once more. Arguments of
// exponentials are scaled first. So a result may be the neighbour of the nearest one.
__WT_DEVICE__ float __wt_small_exp2(float f) { return __nvvm_ex2_approx_f(f); }
__WT_DEVICE__ float __wt_small_exp(float f) { return __nvvm_ex2_approx_f(f * 0x1.715476p0f); }    // log2(e)
__WT_DEVICE__ float __wt_small_exp10(float f) { return __nvvm_ex2_approx_f(f * 0x1.a934fp1f); }   // log2(10)
__WT_DEVICE__ float __wt_small_log2(float f) { return __nvvm_lg2_approx_f(f); }
__WT_DEVICE__ float __wt_small_log(float f) { return __nvvm_lg2_approx_f(f) * 0x1.62e43p-1f; }    // ln(2)
__WT_DEVICE__ float __wt_small_log10(float f) { return __nvvm_lg2_approx_f(f) * 0x1.344136p-2f; } // log10(2)
__WT_DEVICE__ float __wt_small_sqrt(float f) { return __nvvm_sqrt_approx_f(f); }
__WT_DEVICE__ float __wt_small_rsqrt(float f) { return __nvvm_rsqrt_approx_f(f); }
__WT_DEVICE__ float __wt_small_rcp(float f) { float r; asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(f)); return r; }

// Sums in memory.
#define __WT_NATIVE_SUM__(F, type)                                                                                          \
  __WT_DEVICE__ __wt_u16 __wt_##F##_sum(__wt_u16 *p, __wt_u16 v) {                                                          \
    __wt_u16 old;                                                                                                           \
    asm volatile("atom.add.noftz." type " %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v) : "memory");                          \
    return old;                                                                                                             \
  }
#define __WT_NATIVE_PAIR_SUM__(F, type)                                                                                     \
  __WT_DEVICE__ __wt_u32 __wt_##F##_sum2(__wt_u32 *p, __wt_u32 v) {                                                         \
    __wt_u32 old;                                                                                                           \
    asm volatile("atom.add.noftz." type "x2 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");                        \
    return old;                                                                                                             \
  }
#define __WT_SWAPPED_SUM__(F)                                                                                               \
  __WT_DEVICE__ __wt_u16 __wt_##F##_sum(__wt_u16 *p, __wt_u16 v) {                                                          \
    __wt_u32 *w = (__wt_u32 *)((unsigned long long)p & ~3ull), old = *w, seen, shift = (__wt_u32)((unsigned long long)p & 2) * 8; \
    do {                                                                                                                    \
      seen = old;                                                                                                           \
      __wt_u16 sum = __wt_##F##_add_rn((__wt_u16)(seen >> shift), v);                                                       \
      old = atomicCAS(w, seen, (seen & ~(0xffffu << shift)) | (__wt_u32)sum << shift);                                      \
    } while (old != seen);                                                                                                  \
    return (__wt_u16)(old >> shift);                                                                                        \
  }
#define __WT_SWAPPED_PAIR_SUM__(F)                                                                                          \
  __WT_DEVICE__ __wt_u32 __wt_##F##_sum2(__wt_u32 *p, __wt_u32 v) {                                                         \
    __wt_u32 old = *p, seen;                                                                                                \
    do {                                                                                                                    \
      seen = old;                                                                                                           \
      old = atomicCAS(p, seen, __wt_##F##_add_rn2(seen, v));                                                                \
    } while (old != seen);                                                                                                  \
    return old;                                                                                                             \
  }
#endif
