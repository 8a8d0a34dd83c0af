// SPDX-License-Identifier: Apache-2.0
// What the files of the library share: a handle, arithmetic of the types, and operands that are on the host or on the device.
#pragma once
#include "cublas_v2.h"

struct cublasContext {
  cudaStream_t stream;
  cublasPointerMode_t pointers;
  cublasAtomicsMode_t atomics;
  cublasMath_t math;
  char *scratch; // on the device: partial results, and behind them a result for the host
};

namespace blas {

constexpr int threads = 256, maxBlocks = 128, partialBytes = 16, resultOffset = maxBlocks * partialBytes;

// status of the launches before it.
cublasStatus_t launched();

// check is what each function asks of its handle and sizes first.
inline cublasStatus_t check(cublasHandle_t h, bool valid) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  return valid ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
inline bool operation(cublasOperation_t op) { return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C; }
inline bool rows(int ld, int n) { return ld >= (n > 1 ? n : 1); }
inline int blocksOf(long long n, int most) {
  long long b = (n + threads - 1) / threads;
  return b < 1 ? 1 : b > most ? most : int(b);
}

// Scalar is a factor that the caller has on the host or on the device.
template <typename T> struct Scalar {
  const T *device;
  T value;
  __device__ T get() const { return device ? *device : value; }
};
template <typename T> Scalar<T> scalar(cublasHandle_t h, const T *p) {
  Scalar<T> s = {};
  if (h->pointers == CUBLAS_POINTER_MODE_DEVICE) s.device = p;
  else s.value = *p;
  return s;
}

// at is the place of element i of a vector of n: with a negative step the first is at the end, as in BLAS.
__device__ inline long long at(int i, int n, int inc) { return inc < 0 ? (long long)(i - n + 1) * inc : (long long)i * inc; }

__device__ inline float conj(float a) { return a; }
__device__ inline double conj(double a) { return a; }
__device__ inline int conj(int a) { return a; }
__device__ inline cuComplex conj(cuComplex a) { return cuConjf(a); }
__device__ inline cuDoubleComplex conj(cuDoubleComplex a) { return cuConj(a); }
__device__ inline float add(float a, float b) { return a + b; }
__device__ inline double add(double a, double b) { return a + b; }
__device__ inline int add(int a, int b) { return a + b; }
__device__ inline cuComplex add(cuComplex a, cuComplex b) { return cuCaddf(a, b); }
__device__ inline cuDoubleComplex add(cuDoubleComplex a, cuDoubleComplex b) { return cuCadd(a, b); }
__device__ inline float mul(float a, float b) { return a * b; }
__device__ inline double mul(double a, double b) { return a * b; }
__device__ inline int mul(int a, int b) { return a * b; }
__device__ inline cuComplex mul(cuComplex a, cuComplex b) { return cuCmulf(a, b); }
__device__ inline cuDoubleComplex mul(cuDoubleComplex a, cuDoubleComplex b) { return cuCmul(a, b); }
__device__ inline float fma_(float a, float b, float c) { return fmaf(a, b, c); }
__device__ inline double fma_(double a, double b, double c) { return fma(a, b, c); }
__device__ inline int fma_(int a, int b, int c) { return a * b + c; }
__device__ inline cuComplex fma_(cuComplex a, cuComplex b, cuComplex c) {
  return make_cuFloatComplex(fmaf(-a.y, b.y, fmaf(a.x, b.x, c.x)), fmaf(a.y, b.x, fmaf(a.x, b.y, c.y)));
}
__device__ inline cuDoubleComplex fma_(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
  return make_cuDoubleComplex(fma(-a.y, b.y, fma(a.x, b.x, c.x)), fma(a.y, b.x, fma(a.x, b.y, c.y)));
}
__device__ inline bool isZero(float a) { return a == 0; }
__device__ inline bool isZero(double a) { return a == 0; }
__device__ inline bool isZero(int a) { return a == 0; }
__device__ inline bool isZero(cuComplex a) { return a.x == 0 && a.y == 0; }
__device__ inline bool isZero(cuDoubleComplex a) { return a.x == 0 && a.y == 0; }
// size is what BLAS compares and sums: the sum of the parts' absolute values.
__device__ inline float size(float a) { return fabsf(a); }
__device__ inline double size(double a) { return fabs(a); }
__device__ inline float size(cuComplex a) { return fabsf(a.x) + fabsf(a.y); }
__device__ inline double size(cuDoubleComplex a) { return fabs(a.x) + fabs(a.y); }

// to converts an element to the type that sums have, and back.
template <typename To, typename From> struct Convert {
  __device__ static To of(From a) { return To(a); }
};
template <> struct Convert<cuComplex, cuComplex> { __device__ static cuComplex of(cuComplex a) { return a; } };
template <> struct Convert<cuDoubleComplex, cuDoubleComplex> { __device__ static cuDoubleComplex of(cuDoubleComplex a) { return a; } };
template <> struct Convert<float, __half> { __device__ static float of(__half a) { return __half2float(a); } };
template <> struct Convert<__half, float> { __device__ static __half of(float a) { return __float2half(a); } };
template <> struct Convert<float, __nv_bfloat16> { __device__ static float of(__nv_bfloat16 a) { return __bfloat162float(a); } };
template <> struct Convert<__nv_bfloat16, float> { __device__ static __nv_bfloat16 of(float a) { return __float2bfloat16(a); } };

} // namespace blas
