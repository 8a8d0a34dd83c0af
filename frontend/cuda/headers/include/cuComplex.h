// SPDX-License-Identifier: Apache-2.0
// Complex numbers of both precisions, as functions that C can call, too.
#ifndef __CUCOMPLEX_H__
#define __CUCOMPLEX_H__
#include <math.h>
#include "cuda_runtime.h"
#ifdef __CUDA__
#define __WT_COMPLEX__ static __inline__ __attribute__((host, device, unused))
#else
#define __WT_COMPLEX__ static __inline__ __attribute__((unused))
#endif
// The quotient is Smith's (Algorithm 116, Communications of the ACM 5(8), 1962): no product of the
// divisor's parts overflows. The absolute value is the C library's hypot.
#define __WT_COMPLEX_OF__(T, R, f, hypotenuse, absolute)                                              \
  __WT_COMPLEX__ T make_##T(R x, R y) {                                                               \
    T z;                                                                                              \
    z.x = x, z.y = y;                                                                                 \
    return z;                                                                                         \
  }                                                                                                   \
  __WT_COMPLEX__ R cuCreal##f(T a) { return a.x; }                                                    \
  __WT_COMPLEX__ R cuCimag##f(T a) { return a.y; }                                                    \
  __WT_COMPLEX__ T cuConj##f(T a) { return make_##T(a.x, -a.y); }                                     \
  __WT_COMPLEX__ T cuCadd##f(T a, T b) { return make_##T(a.x + b.x, a.y + b.y); }                     \
  __WT_COMPLEX__ T cuCsub##f(T a, T b) { return make_##T(a.x - b.x, a.y - b.y); }                     \
  __WT_COMPLEX__ T cuCmul##f(T a, T b) { return make_##T(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } \
  __WT_COMPLEX__ T cuCdiv##f(T a, T b) {                                                              \
    if (absolute(b.x) >= absolute(b.y)) {                                                             \
      R q = b.y / b.x, d = b.x + b.y * q;                                                             \
      return make_##T((a.x + a.y * q) / d, (a.y - a.x * q) / d);                                      \
    }                                                                                                 \
    R q = b.x / b.y, d = b.x * q + b.y;                                                               \
    return make_##T((a.x * q + a.y) / d, (a.y * q - a.x) / d);                                        \
  }                                                                                                   \
  __WT_COMPLEX__ R cuCabs##f(T a) { return hypotenuse(a.x, a.y); }                                    \
  __WT_COMPLEX__ T cuCfma##f(T a, T b, T c) {                                                         \
    return make_##T(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x);                        \
  }
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
__WT_COMPLEX_OF__(cuFloatComplex, float, f, hypotf, fabsf)
__WT_COMPLEX_OF__(cuDoubleComplex, double, , hypot, fabs)
__WT_COMPLEX__ cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
__WT_COMPLEX__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return make_cuDoubleComplex(a.x, a.y); }
__WT_COMPLEX__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return make_cuFloatComplex((float)a.x, (float)a.y); }
#undef __WT_COMPLEX_OF__
#undef __WT_COMPLEX__
#endif
