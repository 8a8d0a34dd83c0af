// SPDX-License-Identifier: Apache-2.0
// What half and bfloat16 share: a number of 16 bits, its arithmetic, and pairs of them.
// Operations are those of single precision, rounded once: of a sum, a product, a quotient
// and a square root that is the right result (S. A. Figueroa, When is double rounding
// innocuous?, 1995). On GPUs of compute capability 5.3 and newer half's are its own instructions.
#ifndef __WARPTAPE_SMALL_FLOATS_H__
#define __WARPTAPE_SMALL_FLOATS_H__
#define __WT_BOTH__ static __inline__ __attribute__((host, device))
#define __WT_DEVICE__ static __inline__ __attribute__((device))
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
#define __WT_OPERATION2__(T, T2, F, name, op)                                                                    \
  __WT_BOTH__ T name(T a, T b) { return __wt_##F(__wt_##F##_##op(a.__x, b.__x)); }                               \
  __WT_BOTH__ T name##_rn(T a, T b) { return name(a, b); }                                                       \
  __WT_BOTH__ T name##_sat(T a, T b) { return __wt_##F##_saturated(name(a, b)); }                                \
  __WT_BOTH__ T2 name##2(T2 a, T2 b) { return T2(name(a.x, b.x), name(a.y, b.y)); }                              \
  __WT_BOTH__ T2 name##2_rn(T2 a, T2 b) { return name##2(a, b); }                                                \
  __WT_BOTH__ T2 name##2_sat(T2 a, T2 b) { return T2(name##_sat(a.x, b.x), name##_sat(a.y, b.y)); }
#define __WT_COMPARISON__(T, T2, F, name, sign, unordered)                                                       \
  __WT_BOTH__ bool __h##name(T a, T b) { return (float)a sign (float)b; }                                        \
  __WT_BOTH__ bool __h##name##u(T a, T b) { return !((float)a unordered (float)b); }                             \
  __WT_BOTH__ T2 __h##name##2(T2 a, T2 b) { return T2(T((float)__h##name(a.x, b.x)), T((float)__h##name(a.y, b.y))); }        \
  __WT_BOTH__ T2 __h##name##u2(T2 a, T2 b) { return T2(T((float)__h##name##u(a.x, b.x)), T((float)__h##name##u(a.y, b.y))); } \
  __WT_BOTH__ bool __hb##name##2(T2 a, T2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }              \
  __WT_BOTH__ bool __hb##name##u2(T2 a, T2 b) { return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); }       \
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
  __WT_BOTH__ T __wt_##F##_saturated(T a) { float f = a; return f > 1.0f ? T(1.0f) : f > 0.0f ? a : T(0.0f); }   \
  __WT_OPERATION2__(T, T2, F, __hadd, add)                                                                       \
  __WT_OPERATION2__(T, T2, F, __hsub, sub)                                                                       \
  __WT_OPERATION2__(T, T2, F, __hmul, mul)                                                                       \
  __WT_BOTH__ T __hdiv(T a, T b) { return T((float)a / (float)b); }                                              \
  __WT_BOTH__ T2 __h2div(T2 a, T2 b) { return T2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }                          \
  __WT_BOTH__ T2 __hdiv2(T2 a, T2 b) { return __h2div(a, b); }                                                   \
  __WT_BOTH__ T __hfma(T a, T b, T c) { return __wt_##F(__wt_##F##_fma(a.__x, b.__x, c.__x)); }                  \
  __WT_BOTH__ T __hfma_sat(T a, T b, T c) { return __wt_##F##_saturated(__hfma(a, b, c)); }                      \
  __WT_BOTH__ T __hfma_relu(T a, T b, T c) { T r = __hfma(a, b, c); return (float)r < 0.0f ? T(0.0f) : r; }      \
  __WT_BOTH__ T2 __hfma2(T2 a, T2 b, T2 c) { return T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }          \
  __WT_BOTH__ T2 __hfma2_sat(T2 a, T2 b, T2 c) { return T2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); } \
  __WT_BOTH__ T __hneg(T a) { return __wt_##F((unsigned short)(a.__x ^ 0x8000)); }                               \
  __WT_BOTH__ T2 __hneg2(T2 a) { return T2(__hneg(a.x), __hneg(a.y)); }                                          \
  __WT_BOTH__ T __habs(T a) { return __wt_##F((unsigned short)(a.__x & 0x7fff)); }                               \
  __WT_BOTH__ T2 __habs2(T2 a) { return T2(__habs(a.x), __habs(a.y)); }                                          \
  __WT_BOTH__ bool __hisnan(T a) { return (float)a != (float)a; }                                                \
  __WT_BOTH__ T2 __hisnan2(T2 a) { return T2(T((float)__hisnan(a.x)), T((float)__hisnan(a.y))); }                \
  __WT_BOTH__ int __hisinf(T a) { float f = a; return f - f != f - f && f == f ? (f > 0.0f ? 1 : -1) : 0; }      \
  __WT_BOTH__ T __hmax(T a, T b) { return __hisnan(a) ? b : __hisnan(b) ? a : (float)a > (float)b ? a : (float)a < (float)b ? b : __wt_##F((unsigned short)(a.__x & b.__x)); } \
  __WT_BOTH__ T __hmin(T a, T b) { return __hisnan(a) ? b : __hisnan(b) ? a : (float)a < (float)b ? a : (float)a > (float)b ? b : __wt_##F((unsigned short)(a.__x | b.__x)); } \
  __WT_BOTH__ T __hmax_nan(T a, T b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }                \
  __WT_BOTH__ T __hmin_nan(T a, T b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }                \
  __WT_BOTH__ T2 __hmax2(T2 a, T2 b) { return T2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }                          \
  __WT_BOTH__ T2 __hmin2(T2 a, T2 b) { return T2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }                          \
  __WT_COMPARISON__(T, T2, F, eq, ==, !=)                                                                        \
  __WT_COMPARISON__(T, T2, F, lt, <, >=)                                                                         \
  __WT_COMPARISON__(T, T2, F, le, <=, >)                                                                         \
  __WT_COMPARISON__(T, T2, F, gt, >, <=)                                                                         \
  __WT_COMPARISON__(T, T2, F, ge, >=, <)                                                                         \
  __WT_BOTH__ bool __hne(T a, T b) { return (float)a < (float)b || (float)a > (float)b; }                        \
  __WT_BOTH__ bool __hneu(T a, T b) { return !__heq(a, b); }                                                     \
  __WT_BOTH__ T2 __hne2(T2 a, T2 b) { return T2(T((float)__hne(a.x, b.x)), T((float)__hne(a.y, b.y))); }         \
  __WT_BOTH__ bool __hbne2(T2 a, T2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }                            \
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
  __WT_FUNCTION__(T, T2, sqrt, sqrtf)                                                                            \
  __WT_FUNCTION__(T, T2, rsqrt, rsqrtf)                                                                          \
  __WT_FUNCTION__(T, T2, rcp, 1.0f /)                                                                            \
  __WT_FUNCTION__(T, T2, exp, expf)                                                                              \
  __WT_FUNCTION__(T, T2, exp2, exp2f)                                                                            \
  __WT_FUNCTION__(T, T2, exp10, exp10f)                                                                          \
  __WT_FUNCTION__(T, T2, log, logf)                                                                              \
  __WT_FUNCTION__(T, T2, log2, log2f)                                                                            \
  __WT_FUNCTION__(T, T2, log10, log10f)                                                                          \
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
  /* Sums in memory by comparing and swapping the word that has the number. */                                   \
  __WT_DEVICE__ T2 atomicAdd(T2 *p, T2 v) {                                                                      \
    unsigned int *w = (unsigned int *)p, old = *w, seen;                                                         \
    do {                                                                                                         \
      seen = old;                                                                                                \
      old = atomicCAS(w, seen, __builtin_bit_cast(unsigned int, __hadd2(__builtin_bit_cast(T2, seen), v)));      \
    } while (old != seen);                                                                                       \
    return __builtin_bit_cast(T2, old);                                                                          \
  }                                                                                                              \
  __WT_DEVICE__ T atomicAdd(T *p, T v) {                                                                         \
    unsigned int *w = (unsigned int *)((unsigned long long)p & ~3ull), old = *w, seen, shift = (unsigned int)((unsigned long long)p & 2) * 8; \
    do {                                                                                                         \
      seen = old;                                                                                                \
      T sum = __hadd(__wt_##F((unsigned short)(seen >> shift)), v);                                              \
      old = atomicCAS(w, seen, (seen & ~(0xffffu << shift)) | (unsigned int)sum.__x << shift);                   \
    } while (old != seen);                                                                                       \
    return __wt_##F((unsigned short)(old >> shift));                                                             \
  }
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
