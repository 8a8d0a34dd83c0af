// SPDX-License-Identifier: Apache-2.0
// Products of a matrix and a vector, and of two vectors. Matrices have their columns one behind the other.
#include "blas.h"

namespace blas {

constexpr int group = 32; // threads that share a row of a transposed product

template <typename T> __device__ void store(T *y, T alpha, T sum, T beta) {
  *y = isZero(beta) ? mul(alpha, sum) : fma_(alpha, sum, mul(beta, *y)); // y may hold anything where beta is zero
}

template <typename T>
__global__ void gemvKernel(int m, int n, Scalar<T> alpha, const T *a, int lda, const T *x, int incx, Scalar<T> beta, T *y, int incy) {
  const T factor = alpha.get(), keep = beta.get();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += gridDim.x * blockDim.x) {
    T sum = T();
    if (!isZero(factor))
      for (int j = 0; j < n; j++) sum = fma_(a[i + (long long)j * lda], x[at(j, n, incx)], sum);
    store(&y[at(i, m, incy)], factor, sum, keep);
  }
}

// A column of the matrix is read by the threads of a group, and their sums are joined in a tree.
template <typename T, bool conjugate>
__global__ void gemvTransposedKernel(int m, int n, Scalar<T> alpha, const T *a, int lda, const T *x, int incx, Scalar<T> beta, T *y, int incy) {
  __shared__ T part[threads];
  const T factor = alpha.get(), keep = beta.get();
  const int lane = threadIdx.x % group, per = threads / group;
  for (int first = blockIdx.x * per; first < n; first += gridDim.x * per) {
    const int j = first + threadIdx.x / group;
    T sum = T();
    if (j < n && !isZero(factor))
      for (int i = lane; i < m; i += group) {
        const T v = a[i + (long long)j * lda];
        sum = fma_(conjugate ? conj(v) : v, x[at(i, m, incx)], sum);
      }
    part[threadIdx.x] = sum;
    for (int half = group / 2; half > 0; half /= 2) {
      __syncthreads();
      if (lane < half) part[threadIdx.x] = add(part[threadIdx.x], part[threadIdx.x + half]);
    }
    __syncthreads();
    if (j < n && lane == 0) store(&y[at(j, n, incy)], factor, part[threadIdx.x], keep);
    __syncthreads();
  }
}

template <typename T, bool conjugate> __global__ void gerKernel(int m, int n, Scalar<T> alpha, const T *x, int incx, const T *y, int incy, T *a, int lda) {
  const T factor = alpha.get();
  if (isZero(factor)) return;
  for (int j = blockIdx.y; j < n; j += gridDim.y) {
    const T v = y[at(j, n, incy)], w = mul(factor, conjugate ? conj(v) : v);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += gridDim.x * blockDim.x) {
      T *to = &a[i + (long long)j * lda];
      *to = fma_(x[at(i, m, incx)], w, *to);
    }
  }
}

constexpr int most = 4096;

template <typename T>
cublasStatus_t gemv(cublasHandle_t h, cublasOperation_t op, int m, int n, const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy) {
  if (cublasStatus_t s = check(h, operation(op) && m >= 0 && n >= 0 && rows(lda, m) && incx && incy && alpha && beta)) return s;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  Scalar<T> factor = scalar(h, alpha), keep = scalar(h, beta);
  if (op == CUBLAS_OP_N) {
    gemvKernel<T><<<blocksOf(m, most), threads, 0, h->stream>>>(m, n, factor, a, lda, x, incx, keep, y, incy);
    return launched();
  }
  const int blocks = blocksOf((long long)n * group, most);
  if (op == CUBLAS_OP_C) gemvTransposedKernel<T, true><<<blocks, threads, 0, h->stream>>>(m, n, factor, a, lda, x, incx, keep, y, incy);
  else gemvTransposedKernel<T, false><<<blocks, threads, 0, h->stream>>>(m, n, factor, a, lda, x, incx, keep, y, incy);
  return launched();
}

template <typename T, bool conjugate>
cublasStatus_t ger(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a, int lda) {
  if (cublasStatus_t s = check(h, m >= 0 && n >= 0 && rows(lda, m) && incx && incy && alpha)) return s;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  gerKernel<T, conjugate><<<dim3(blocksOf(m, most), n < most ? n : most), threads, 0, h->stream>>>(m, n, scalar(h, alpha), x, incx, y, incy, a, lda);
  return launched();
}

} // namespace blas

#define GEMV(X, T)                                                                                                                                     \
  cublasStatus_t cublas##X##gemv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n, const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, \
                                    T *y, int incy) {                                                                                                  \
    return blas::gemv<T>(h, op, m, n, alpha, a, lda, x, incx, beta, y, incy);                                                                          \
  }
GEMV(S, float)
GEMV(D, double)
GEMV(C, cuComplex)
GEMV(Z, cuDoubleComplex)
#define GER(name, T, conjugate)                                                                                                                   \
  cublasStatus_t cublas##name##_v2(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a, int lda) { \
    return blas::ger<T, conjugate>(h, m, n, alpha, x, incx, y, incy, a, lda);                                                                     \
  }
GER(Sger, float, false)
GER(Dger, double, false)
GER(Cgeru, cuComplex, false)
GER(Cgerc, cuComplex, true)
GER(Zgeru, cuDoubleComplex, false)
GER(Zgerc, cuDoubleComplex, true)
