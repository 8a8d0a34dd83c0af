// SPDX-License-Identifier: Apache-2.0
// What half and bfloat16 share: a number of 16 bits, its arithmetic, and pairs of them.
// Operations that are no instructions are those of single precision, rounded once: of a sum, a product, a quotient
// and a square root that is the right result (S. A. Figueroa, When is double rounding innocuous?, 1995).
#ifndef __WARPTAPE_SMALL_FLOATS_H__
#define __WARPTAPE_SMALL_FLOATS_H__
#include "warptape_small_instructions.h"
#define __WT_CLASS__(T, T2, F)                                                                                                             \
  struct __attribute__((aligned(2))) T##_raw { unsigned short x; };                                                                        \
  struct __attribute__((aligned(4))) T2##_raw { unsigned short x, y; };                                                                    \
  struct __attribute__((aligned(2))) T {                                                                                                   \
    unsigned short __x;                                                                                                                    \
    T() = default;                                                                                                                         \
    __attribute__((host, device)) T(const T##_raw &r) : __x(r.x) {}                                                                        \
    __attribute__((host, device)) T(float f) : __x(__wt_##F##_bits(f)) {}                                                                  \
    __attribute__((host, device)) T(double f) : __x(__wt_##F##_bits(__wt_##F##_single(f))) {}                                              \
    __attribute__((host, device)) T(int f) : __x(__wt_##F##_bits(__wt_##F##_single((double)f))) {}                                         \
    __attribute__((host, device)) T(unsigned int f) : __x(__wt_##F##_bits(__wt_##F##_single((double)f))) {}                                \
    __attribute__((host, device)) T(long f) : __x(__wt_##F##_bits(__wt_##F##_single((double)f))) {}                                        \
    __attribute__((host, device)) T(unsigned long f) : __x(__wt_##F##_bits(__wt_##F##_single((double)f))) {}                               \
    __attribute__((host, device)) T(long long f) : __x(__wt_##F##_bits(__wt_##F##_single((double)f))) {}                                   \
    __attribute__((host, device)) T(unsigned long long f) : __x(__wt_##F##_bits(__wt_##F##_single((double)f))) {}                          \
    __attribute__((host, device)) T(short f) : __x(__wt_##F##_bits((float)f)) {}                                                           \
    __attribute__((host, device)) T(unsigned short f) : __x(__wt_##F##_bits((float)f)) {}                                                  \
    __attribute__((host, device)) operator float() const { return __wt_##F##_value(__x); }                                                 \
    __attribute__((host, device)) operator T##_raw() const { T##_raw r; r.x = __x; return r; }                                             \
    __attribute__((host, device)) T &operator=(float f) { __x = __wt_##F##_bits(f); return *this; }                                        \
    __attribute__((host, device)) T &operator=(double f) { __x = __wt_##F##_bits(__wt_##F##_single(f)); return *this; }                    \
    __attribute__((host, device)) T &operator=(int f) { return *this = T(f); }                                                             \
  };                                                                                                                                       \
  __WT_BOTH__ T __wt_##F(unsigned short bits) { T h; h.__x = bits; return h; }                                                             \
  struct __attribute__((aligned(4))) T2 {                                                                                                  \
    T x, y;                                                                                                                                \
    T2() = default;                                                                                                                        \
    __attribute__((host, device)) T2(const T &a, const T &b) : x(a), y(b) {}                                                               \
    __attribute__((host, device)) T2(const T2##_raw &r) : x(__wt_##F(r.x)), y(__wt_##F(r.y)) {}                                            \
    __attribute__((host, device)) operator T2##_raw() const { T2##_raw r; r.x = x.__x; r.y = y.__x; return r; }                            \
  };                                                                                                                                       \
  __WT_OPERATIONS__(T, T2, F)
// Operations by their CUDA names, which both types have.
#define __WT_PAIR__(T2, v) __builtin_bit_cast(T2, v)
#define __WT_WORD__(v) __builtin_bit_cast(unsigned int, v)
#define __WT_NAMED_2__(T, T2, F, name, pair, op)                                                                 \
  __WT_BOTH__ T name(T a, T b) { return __wt_##F(__wt_##F##_##op(a.__x, b.__x)); }                               \
  __WT_BOTH__ T2 pair(T2 a, T2 b) { return __WT_PAIR__(T2, __wt_##F##_##op##2(__WT_WORD__(a), __WT_WORD__(b))); }
#define __WT_NAMED_3__(T, T2, F, name, pair, op)                                                                 \
  __WT_BOTH__ T name(T a, T b, T c) { return __wt_##F(__wt_##F##_##op(a.__x, b.__x, c.__x)); }                   \
  __WT_BOTH__ T2 pair(T2 a, T2 b, T2 c) { return __WT_PAIR__(T2, __wt_##F##_##op##2(__WT_WORD__(a), __WT_WORD__(b), __WT_WORD__(c))); }
// The plain form may become a part of a fused one, that of _rn may not.
#define __WT_OPERATION2__(T, T2, F, name, op)                                                                    \
  __WT_NAMED_2__(T, T2, F, name, name##2, op)                                                                    \
  __WT_NAMED_2__(T, T2, F, name##_rn, name##2_rn, op##_rn)                                                       \
  __WT_NAMED_2__(T, T2, F, name##_sat, name##2_sat, op##_sat)
#define __WT_COMPARED_PAIRS__(T, T2, F, name)                                                                    \
  __WT_BOTH__ T2 __h##name##2(T2 a, T2 b) { return __WT_PAIR__(T2, __wt_##F##_##name##_one2(__WT_WORD__(a), __WT_WORD__(b))); } \
  __WT_BOTH__ unsigned int __h##name##2_mask(T2 a, T2 b) { return __wt_##F##_##name##_mask2(__WT_WORD__(a), __WT_WORD__(b)); }   \
  __WT_BOTH__ bool __hb##name##2(T2 a, T2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
#define __WT_COMPARISON__(T, T2, F, name, sign, unordered)                                                       \
  __WT_BOTH__ bool __h##name(T a, T b) { return __wt_##F##_ordinal(a.__x) sign __wt_##F##_ordinal(b.__x); }      \
  __WT_BOTH__ bool __h##name##u(T a, T b) { return !(__wt_##F##_ordinal(a.__x) unordered __wt_##F##_ordinal(b.__x)); }        \
  __WT_COMPARED_PAIRS__(T, T2, F, name)                                                                          \
  __WT_COMPARED_PAIRS__(T, T2, F, name##u)                                                                       \
  __WT_BOTH__ bool operator sign(const T &a, const T &b) { return __h##name(a, b); }                             \
  __WT_BOTH__ bool operator sign(const T2 &a, const T2 &b) { return __hb##name##2(a, b); }
#define __WT_OPERATOR__(T, T2, sign, name)                                                                       \
  __WT_BOTH__ T operator sign(const T &a, const T &b) { return name(a, b); }                                     \
  __WT_BOTH__ T &operator sign##=(T &a, const T &b) { return a = name(a, b); }                                   \
  __WT_BOTH__ T2 operator sign(const T2 &a, const T2 &b) { return name##2(a, b); }                               \
  __WT_BOTH__ T2 &operator sign##=(T2 &a, const T2 &b) { return a = name##2(a, b); }
#define __WT_FUNCTION__(T, T2, name, f)                                                                          \
  __WT_DEVICE__ T h##name(T a) { return T(f((float)a)); }                                                        \
  __WT_DEVICE__ T2 h2##name(T2 a) { return T2(h##name(a.x), h##name(a.y)); }
#define __WT_SHUFFLE__(T, T2, name, U)                                                                           \
  __WT_DEVICE__ T name(unsigned int mask, T v, U by, int width = 32) { T r; r.__x = (unsigned short)name(mask, (int)v.__x, by, width); return r; } \
  __WT_DEVICE__ T2 name(unsigned int mask, T2 v, U by, int width = 32) { return __builtin_bit_cast(T2, name(mask, __builtin_bit_cast(int, v), by, width)); }
// Templates, so that a program may have functions of these names itself: CUDA 11 lacks them on some targets.
#define __WT_LOAD__(T, T2, name)                                                                                 \
  template <int = 0> __WT_DEVICE__ T name(const T *p) { T r; r.__x = name(&p->__x); return r; }                  \
  template <int = 0> __WT_DEVICE__ T2 name(const T2 *p) { return __builtin_bit_cast(T2, name((const unsigned int *)p)); }
#define __WT_STORE__(T, T2, name)                                                                                \
  template <int = 0> __WT_DEVICE__ void name(T *p, T v) { name(&p->__x, v.__x); }                                \
  template <int = 0> __WT_DEVICE__ void name(T2 *p, T2 v) { name((unsigned int *)p, __builtin_bit_cast(unsigned int, v)); }
#define __WT_OPERATIONS__(T, T2, F)                                                                              \
  __WT_OPERATION2__(T, T2, F, __hadd, add)                                                                       \
  __WT_OPERATION2__(T, T2, F, __hsub, sub)                                                                       \
  __WT_OPERATION2__(T, T2, F, __hmul, mul)                                                                       \
  __WT_NAMED_3__(T, T2, F, __hfma, __hfma2, fma)                                                                 \
  __WT_NAMED_3__(T, T2, F, __hfma_sat, __hfma2_sat, fma_sat)                                                     \
  __WT_NAMED_3__(T, T2, F, __hfma_relu, __hfma2_relu, fma_relu)                                                  \
  __WT_NAMED_2__(T, T2, F, __hmax, __hmax2, max)                                                                 \
  __WT_NAMED_2__(T, T2, F, __hmin, __hmin2, min)                                                                 \
  __WT_NAMED_2__(T, T2, F, __hmax_nan, __hmax2_nan, max_nan)                                                     \
  __WT_NAMED_2__(T, T2, F, __hmin_nan, __hmin2_nan, min_nan)                                                     \
  __WT_BOTH__ T __hdiv(T a, T b) { return T((float)a / (float)b); }                                              \
  __WT_BOTH__ T2 __h2div(T2 a, T2 b) { return T2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }                          \
  __WT_BOTH__ T2 __hdiv2(T2 a, T2 b) { return __h2div(a, b); }                                                   \
  __WT_BOTH__ T __hneg(T a) { return __wt_##F((unsigned short)(a.__x ^ 0x8000)); }                               \
  __WT_BOTH__ T2 __hneg2(T2 a) { return T2(__hneg(a.x), __hneg(a.y)); }                                          \
  /* a times b and c, of complex numbers. */                                                                     \
  __WT_BOTH__ T2 __hcmadd(T2 a, T2 b, T2 c) {                                                                    \
    return T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));         \
  }                                                                                                              \
  __WT_BOTH__ T __habs(T a) { return __wt_##F((unsigned short)(a.__x & 0x7fff)); }                               \
  __WT_BOTH__ T2 __habs2(T2 a) { return T2(__habs(a.x), __habs(a.y)); }                                          \
  __WT_BOTH__ bool __hisnan(T a) { return __wt_##F##_isnan(a.__x); }                                             \
  __WT_BOTH__ T2 __hisnan2(T2 a) { return T2(T((float)__hisnan(a.x)), T((float)__hisnan(a.y))); }                \
  __WT_BOTH__ int __hisinf(T a) { float f = a; return f - f != f - f && f == f ? (f > 0.0f ? 1 : -1) : 0; }      \
  __WT_COMPARISON__(T, T2, F, eq, ==, !=)                                                                        \
  __WT_COMPARISON__(T, T2, F, lt, <, >=)                                                                         \
  __WT_COMPARISON__(T, T2, F, le, <=, >)                                                                         \
  __WT_COMPARISON__(T, T2, F, gt, >, <=)                                                                         \
  __WT_COMPARISON__(T, T2, F, ge, >=, <)                                                                         \
  __WT_BOTH__ bool __hne(T a, T b) { return __wt_##F##_ordinal(a.__x) < __wt_##F##_ordinal(b.__x) || __wt_##F##_ordinal(a.__x) > __wt_##F##_ordinal(b.__x); } \
  __WT_BOTH__ bool __hneu(T a, T b) { return !__heq(a, b); }                                                     \
  __WT_COMPARED_PAIRS__(T, T2, F, ne)                                                                            \
  __WT_COMPARED_PAIRS__(T, T2, F, neu)                                                                           \
  __WT_BOTH__ bool operator!=(const T &a, const T &b) { return __hneu(a, b); }                                   \
  __WT_BOTH__ bool operator!=(const T2 &a, const T2 &b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }         \
  __WT_OPERATOR__(T, T2, +, __hadd)                                                                              \
  __WT_OPERATOR__(T, T2, -, __hsub)                                                                              \
  __WT_OPERATOR__(T, T2, *, __hmul)                                                                              \
  __WT_OPERATOR__(T, T2, /, __hdiv)                                                                              \
  __WT_BOTH__ T operator+(const T &a) { return a; }                                                              \
  __WT_BOTH__ T operator-(const T &a) { return __hneg(a); }                                                      \
  __WT_BOTH__ T2 operator-(const T2 &a) { return __hneg2(a); }                                                   \
  __WT_BOTH__ T &operator++(T &a) { return a += T(1.0f); }                                                       \
  __WT_BOTH__ T &operator--(T &a) { return a -= T(1.0f); }                                                       \
  __WT_BOTH__ T operator++(T &a, int) { T old = a; a += T(1.0f); return old; }                                   \
  __WT_BOTH__ T operator--(T &a, int) { T old = a; a -= T(1.0f); return old; }                                   \
  __WT_FUNCTION__(T, T2, sqrt, __wt_small_sqrt)                                                                   \
  __WT_FUNCTION__(T, T2, rsqrt, __wt_small_rsqrt)                                                                 \
  __WT_FUNCTION__(T, T2, rcp, __wt_small_rcp)                                                                            \
  __WT_FUNCTION__(T, T2, exp, __wt_small_exp)                                                                     \
  __WT_FUNCTION__(T, T2, exp2, __wt_small_exp2)                                                                   \
  __WT_FUNCTION__(T, T2, exp10, __wt_small_exp10)                                                                 \
  __WT_FUNCTION__(T, T2, log, __wt_small_log)                                                                     \
  __WT_FUNCTION__(T, T2, log2, __wt_small_log2)                                                                   \
  __WT_FUNCTION__(T, T2, log10, __wt_small_log10)                                                                 \
  __WT_FUNCTION__(T, T2, sin, sinf)                                                                              \
  __WT_FUNCTION__(T, T2, cos, cosf)                                                                              \
  __WT_FUNCTION__(T, T2, tanh, tanhf)                                                                            \
  __WT_FUNCTION__(T, T2, floor, floorf)                                                                          \
  __WT_FUNCTION__(T, T2, ceil, ceilf)                                                                            \
  __WT_FUNCTION__(T, T2, rint, rintf)                                                                            \
  __WT_FUNCTION__(T, T2, trunc, truncf)                                                                          \
  __WT_SHUFFLE__(T, T2, __shfl_sync, int)                                                                        \
  __WT_SHUFFLE__(T, T2, __shfl_up_sync, unsigned int)                                                            \
  __WT_SHUFFLE__(T, T2, __shfl_down_sync, unsigned int)                                                          \
  __WT_SHUFFLE__(T, T2, __shfl_xor_sync, int)                                                                    \
  __WT_LOAD__(T, T2, __ldg)                                                                                      \
  __WT_LOAD__(T, T2, __ldcg)                                                                                     \
  __WT_LOAD__(T, T2, __ldcs)                                                                                     \
  __WT_LOAD__(T, T2, __ldca)                                                                                     \
  __WT_LOAD__(T, T2, __ldlu)                                                                                     \
  __WT_LOAD__(T, T2, __ldcv)                                                                                     \
  __WT_STORE__(T, T2, __stwb)                                                                                    \
  __WT_STORE__(T, T2, __stcg)                                                                                    \
  __WT_STORE__(T, T2, __stcs)                                                                                    \
  __WT_STORE__(T, T2, __stwt)                                                                                    \
  /* Sums in memory: the instruction, or the word that has the number compared and swapped. */                   \
  __WT_DEVICE__ T2 atomicAdd(T2 *p, T2 v) { return __WT_PAIR__(T2, __wt_##F##_sum2((unsigned int *)p, __WT_WORD__(v))); } \
  __WT_DEVICE__ T atomicAdd(T *p, T v) { return __wt_##F(__wt_##F##_sum(&p->__x, v.__x)); }                      \
  /* Pairs of one number, and of the numbers of others. */                                                       \
  __WT_BOTH__ float __low2float(T2 a) { return a.x; }                                                            \
  __WT_BOTH__ float __high2float(T2 a) { return a.y; }                                                           \
  __WT_BOTH__ T2 __lowhigh2highlow(T2 a) { return T2(a.y, a.x); }
// Of numbers of double precision the last bit remembers what was cut off, so that the second rounding is right.
#define __WT_TO_ODD__(F)                                                                                         \
  __WT_BOTH__ float __wt_##F##_single(double d) {                                                                \
    float f = (float)d;                                                                                          \
    unsigned int b = __builtin_bit_cast(unsigned int, f);                                                        \
    if ((double)f != d && d == d && (b & 0x7fffffffu) != 0x7f800000u) {                                          \
      if (__builtin_fabs((double)f) > __builtin_fabs(d)) b--;                                                    \
      b |= 1;                                                                                                    \
    }                                                                                                            \
    return __builtin_bit_cast(float, b);                                                                         \
  }
#endif
