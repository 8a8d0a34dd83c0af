// SPDX-License-Identifier: Apache-2.0
// Functions of vectors. A reduction has one partial result a thread block, and a second kernel
// joins them: their order does not depend on the machine.
#include "blas.h"

namespace blas {

template <typename T> __global__ void axpyKernel(int n, Scalar<T> alpha, const T *x, int incx, T *y, int incy) {
  const T a = alpha.get();
  if (isZero(a)) return;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const long long to = at(i, n, incy);
    y[to] = fma_(a, x[at(i, n, incx)], y[to]);
  }
}
template <typename T> __global__ void copyKernel(int n, const T *x, int incx, T *y, int incy) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[at(i, n, incy)] = x[at(i, n, incx)];
}
template <typename T> __global__ void swapKernel(int n, T *x, int incx, T *y, int incy) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const long long a = at(i, n, incx), b = at(i, n, incy);
    const T t = x[a];
    x[a] = y[b], y[b] = t;
  }
}
template <typename T> __device__ T times(T a, T x) { return mul(a, x); }
__device__ inline cuComplex times(float a, cuComplex x) { return make_cuFloatComplex(a * x.x, a * x.y); }
__device__ inline cuDoubleComplex times(double a, cuDoubleComplex x) { return make_cuDoubleComplex(a * x.x, a * x.y); }
template <typename A, typename T> __global__ void scalKernel(int n, Scalar<A> alpha, T *x, int incx) {
  const A a = alpha.get();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[(long long)i * incx] = times(a, x[(long long)i * incx]);
}

// A reduction has a state that takes elements and joins others, and a result.
template <typename T, typename Acc, typename Out, bool conjugate> struct Dot {
  typedef Out Result;
  Acc sum;
  const T *x, *y;
  int n, incx, incy;
  __device__ void clear() { sum = Acc(); }
  __device__ void take(int i) {
    const Acc a = Convert<Acc, T>::of(x[at(i, n, incx)]);
    sum = fma_(conjugate ? conj(a) : a, Convert<Acc, T>::of(y[at(i, n, incy)]), sum);
  }
  __device__ void join(const Acc &o) { sum = add(sum, o); }
  __device__ Acc &state() { return sum; }
  __device__ Result result() const { return Convert<Out, Acc>::of(sum); }
  typedef Acc State;
};

template <typename T, typename R> struct Asum {
  typedef R Result;
  typedef R State;
  R sum;
  const T *x;
  int n, incx;
  __device__ void clear() { sum = 0; }
  __device__ void take(int i) { sum += size(x[(long long)i * incx]); }
  __device__ void join(const State &o) { sum += o; }
  __device__ State &state() { return sum; }
  __device__ Result result() const { return sum; }
};

// Norms have the largest part and the sum of squares of the parts divided by it, so that nothing
// overflows (LAPACK's dlassq, before release 3.10).
struct Squares { double scale, sum; };
__device__ inline void joinSquares(Squares &s, double scale, double sum) {
  if (scale != scale || s.scale != s.scale) { // not a number stays
    s.scale = s.scale != s.scale ? s.scale : scale, s.sum = 1;
    return;
  }
  if (scale == 0) return;
  if (isinf(scale) || isinf(s.scale)) {
    s.scale = INFINITY, s.sum = 1;
  } else if (s.scale < scale) {
    const double q = s.scale / scale;
    s.sum = sum + s.sum * q * q, s.scale = scale;
  } else {
    const double q = scale / s.scale;
    s.sum += sum * q * q;
  }
}
template <typename T> struct Parts {
  __device__ static void take(Squares &s, T v) { joinSquares(s, fabs(double(v)), 1); }
};
template <> struct Parts<cuComplex> {
  __device__ static void take(Squares &s, cuComplex v) { joinSquares(s, fabs(double(v.x)), 1), joinSquares(s, fabs(double(v.y)), 1); }
};
template <> struct Parts<cuDoubleComplex> {
  __device__ static void take(Squares &s, cuDoubleComplex v) { joinSquares(s, fabs(v.x), 1), joinSquares(s, fabs(v.y), 1); }
};
template <typename T, typename R> struct Norm {
  typedef R Result;
  typedef Squares State;
  Squares squares;
  const T *x;
  int n, incx;
  __device__ void clear() { squares.scale = 0, squares.sum = 0; }
  __device__ void take(int i) { Parts<T>::take(squares, x[(long long)i * incx]); }
  __device__ void join(const State &o) { joinSquares(squares, o.scale, o.sum); }
  __device__ State &state() { return squares; }
  __device__ Result result() const { return R(squares.scale * sqrt(squares.sum)); }
};

// The first of the largest or smallest, counted from one.
template <typename R> struct Place { R value; int index; };
template <typename T, typename R, bool largest> struct Extreme {
  typedef int Result;
  typedef Place<R> State;
  Place<R> best;
  const T *x;
  int n, incx;
  __device__ void clear() { best.value = 0, best.index = 0; }
  __device__ void take(int i) {
    const Place<R> p = {size(x[(long long)i * incx]), i + 1};
    join(p);
  }
  __device__ void join(const State &o) {
    if (o.index == 0) return;
    const bool better = largest ? o.value > best.value : o.value < best.value;
    if (best.index == 0 || better || (o.value == best.value && o.index < best.index)) best = o;
  }
  __device__ State &state() { return best; }
  __device__ Result result() const { return best.index; }
};

// joined leaves in thread 0 what the threads of a block have.
template <typename Op> __device__ void joined(Op &op) {
  __shared__ typename Op::State part[threads];
  part[threadIdx.x] = op.state();
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      op.join(part[threadIdx.x + half]);
      part[threadIdx.x] = op.state();
    }
  }
}
template <typename Op> __global__ void reduceKernel(Op op, typename Op::State *partial) {
  op.clear();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < op.n; i += gridDim.x * blockDim.x) op.take(i);
  joined(op);
  if (threadIdx.x == 0) partial[blockIdx.x] = op.state();
}
template <typename Op> __global__ void resultKernel(Op op, const typename Op::State *partial, int parts, typename Op::Result *result) {
  op.clear();
  if (threadIdx.x < parts) op.join(partial[threadIdx.x]);
  joined(op);
  if (threadIdx.x == 0) *result = op.result();
}

template <typename Op> cublasStatus_t reduce(cublasHandle_t h, const Op &op, typename Op::Result *result) {
  typedef typename Op::State State;
  typedef typename Op::Result Result;
  static_assert(sizeof(State) <= partialBytes && maxBlocks <= threads, "partial results fit the scratch memory and one thread block");
  State *partial = reinterpret_cast<State *>(h->scratch);
  const bool host = h->pointers == CUBLAS_POINTER_MODE_HOST;
  Result *to = host ? reinterpret_cast<Result *>(h->scratch + resultOffset) : result;
  const int blocks = blocksOf(op.n, maxBlocks);
  reduceKernel<<<blocks, threads, 0, h->stream>>>(op, partial);
  resultKernel<<<1, threads, 0, h->stream>>>(op, partial, blocks, to);
  cublasStatus_t status = launched();
  if (status != CUBLAS_STATUS_SUCCESS || !host) return status;
  if (cudaMemcpyAsync(result, to, sizeof(Result), cudaMemcpyDeviceToHost, h->stream) != cudaSuccess || cudaStreamSynchronize(h->stream) != cudaSuccess)
    return CUBLAS_STATUS_EXECUTION_FAILED;
  return CUBLAS_STATUS_SUCCESS;
}

// nothing is the result of a vector without elements, or with a step that BLAS does not take.
template <typename R> cublasStatus_t nothing(cublasHandle_t h, R *result) {
  if (h->pointers == CUBLAS_POINTER_MODE_HOST) {
    *result = R();
    return CUBLAS_STATUS_SUCCESS;
  }
  return cudaMemsetAsync(result, 0, sizeof(R), h->stream) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

template <typename T, typename Acc, typename Out, bool conjugate>
cublasStatus_t dot(cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy, Out *result) {
  if (cublasStatus_t s = check(h, result != nullptr)) return s;
  if (n <= 0) return nothing(h, result);
  Dot<T, Acc, Out, conjugate> op = {Acc(), x, y, n, incx, incy};
  return reduce(h, op, result);
}

constexpr int many = 1024; // thread blocks of a kernel that stores as many elements as it reads

} // namespace blas

using namespace blas;

#define VECTORS(X, T, R, Real, Largest)                                                                                       \
  cublasStatus_t cublas##X##axpy_v2(cublasHandle_t h, int n, const T *alpha, const T *x, int incx, T *y, int incy) {            \
    if (cublasStatus_t s = check(h, alpha != nullptr)) return s;                                                                \
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                                                   \
    axpyKernel<T><<<blocksOf(n, many), threads, 0, h->stream>>>(n, scalar(h, alpha), x, incx, y, incy);                          \
    return launched();                                                                                                        \
  }                                                                                                                           \
  cublasStatus_t cublas##X##copy_v2(cublasHandle_t h, int n, const T *x, int incx, T *y, int incy) {                            \
    if (cublasStatus_t s = check(h, true)) return s;                                                                            \
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                                                   \
    copyKernel<T><<<blocksOf(n, many), threads, 0, h->stream>>>(n, x, incx, y, incy);                                           \
    return launched();                                                                                                        \
  }                                                                                                                           \
  cublasStatus_t cublas##X##swap_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy) {                                  \
    if (cublasStatus_t s = check(h, true)) return s;                                                                            \
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                                                   \
    swapKernel<T><<<blocksOf(n, many), threads, 0, h->stream>>>(n, x, incx, y, incy);                                           \
    return launched();                                                                                                        \
  }                                                                                                                           \
  SCALED(X##scal, T, T)                                                                                                       \
  REDUCED(Real##nrm2, T, R, (Norm<T, R>{Squares(), x, n, incx}))                                                              \
  REDUCED(Real##asum, T, R, (Asum<T, R>{R(), x, n, incx}))                                                                    \
  REDUCED(Largest##amax, T, int, (Extreme<T, R, true>{Place<R>(), x, n, incx}))                                               \
  REDUCED(Largest##amin, T, int, (Extreme<T, R, false>{Place<R>(), x, n, incx}))
#define SCALED(name, A, T)                                                                            \
  cublasStatus_t cublas##name##_v2(cublasHandle_t h, int n, const A *alpha, T *x, int incx) {         \
    if (cublasStatus_t s = check(h, alpha != nullptr)) return s;                                      \
    if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;                                            \
    scalKernel<A, T><<<blocksOf(n, many), threads, 0, h->stream>>>(n, scalar(h, alpha), x, incx);      \
    return launched();                                                                              \
  }
#define REDUCED(name, T, Result, op)                                                                       \
  cublasStatus_t cublas##name##_v2(cublasHandle_t h, int n, const T *x, int incx, Result *result) {        \
    if (cublasStatus_t s = check(h, result != nullptr)) return s;                                          \
    if (n <= 0 || incx <= 0) return nothing(h, result);                                                    \
    return reduce(h, op, result);                                                                          \
  }
VECTORS(S, float, float, S, Is)
VECTORS(D, double, double, D, Id)
VECTORS(C, cuComplex, float, Sc, Ic)
VECTORS(Z, cuDoubleComplex, double, Dz, Iz)
SCALED(Csscal, float, cuComplex)
SCALED(Zdscal, double, cuDoubleComplex)
#define DOT(name, T, conjugate) \
  cublasStatus_t cublas##name##_v2(cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy, T *result) { \
    return dot<T, T, T, conjugate>(h, n, x, incx, y, incy, result);                                                  \
  }
DOT(Sdot, float, false)
DOT(Ddot, double, false)
DOT(Cdotu, cuComplex, false)
DOT(Cdotc, cuComplex, true)
DOT(Zdotu, cuDoubleComplex, false)
DOT(Zdotc, cuDoubleComplex, true)

cublasStatus_t cublasDotEx(cublasHandle_t h, int n, const void *x, cudaDataType xt, int incx, const void *y, cudaDataType yt, int incy, void *result, cudaDataType rt,
                           cudaDataType execution) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (xt != yt || xt != rt) return CUBLAS_STATUS_NOT_SUPPORTED;
#define TYPES(type, sums, T, Acc) \
  if (xt == type && execution == sums) return dot<T, Acc, T, false>(h, n, (const T *)x, incx, (const T *)y, incy, (T *)result);
  TYPES(CUDA_R_32F, CUDA_R_32F, float, float)
  TYPES(CUDA_R_64F, CUDA_R_64F, double, double)
  TYPES(CUDA_R_16F, CUDA_R_32F, __half, float)
  TYPES(CUDA_R_16BF, CUDA_R_32F, __nv_bfloat16, float)
  TYPES(CUDA_C_32F, CUDA_C_32F, cuComplex, cuComplex)
  TYPES(CUDA_C_64F, CUDA_C_64F, cuDoubleComplex, cuDoubleComplex)
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
