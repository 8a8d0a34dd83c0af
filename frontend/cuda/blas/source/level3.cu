// SPDX-License-Identifier: Apache-2.0
// Products and sums of matrices, which have their columns one behind the other. A thread block has a
// square tile of the result, and each thread a square part of it in registers.
#include "blas.h"

namespace blas {

// Operand is one matrix of each product: by a step from one to the next, or by a list on the device.
template <typename T> struct Operand {
  T *base;
  long long step;
  T *const *list;
  int ld;
  __device__ T *of(int product) const { return list ? list[product] : base + product * step; }
};

constexpr int side = 16, depth = 8; // threads along a side of the tile, and how much of k it takes at a time

// element is that of op(A) at row i and column j.
template <typename Acc, typename T> __device__ Acc element(const T *a, int ld, bool transposed, bool conjugate, int i, int j) {
  const Acc v = Convert<Acc, T>::of(transposed ? a[j + (long long)i * ld] : a[i + (long long)j * ld]);
  return conjugate ? conj(v) : v;
}

// Neighbouring threads read neighbouring elements of the matrix: along i as it is, along j transposed.
template <typename T, typename Acc, typename Out, int part>
__global__ void gemmKernel(int opa, int opb, int m, int n, int k, Scalar<Acc> alpha, Operand<const T> a, Operand<const T> b, Scalar<Acc> beta, Operand<Out> c,
                           int count) {
  constexpr int tile = side * part;
  __shared__ Acc as[depth][tile + 1], bs[depth][tile + 1];
  const Acc factor = alpha.get(), keep = beta.get();
  const bool at = opa != CUBLAS_OP_N, ac = opa == CUBLAS_OP_C, bt = opb != CUBLAS_OP_N, bc = opb == CUBLAS_OP_C;
  const int steps = isZero(factor) ? 0 : k, tx = threadIdx.x % side, ty = threadIdx.x / side;
  for (int product = blockIdx.z; product < count; product += gridDim.z) {
    const T *pa = steps ? a.of(product) : nullptr, *pb = steps ? b.of(product) : nullptr;
    Out *pc = c.of(product);
    for (int first = blockIdx.y * tile; first < n; first += gridDim.y * tile) {
      const int top = blockIdx.x * tile;
      Acc sum[part][part] = {};
      for (int base = 0; base < steps; base += depth) {
        for (int e = threadIdx.x; e < tile * depth; e += side * side) {
          const int i = at ? e / depth : e % tile, l = at ? e % depth : e / tile;
          as[l][i] = top + i < m && base + l < k ? element<Acc>(pa, a.ld, at, ac, top + i, base + l) : Acc();
          const int j = bt ? e % tile : e / depth, o = bt ? e / tile : e % depth;
          bs[o][j] = first + j < n && base + o < k ? element<Acc>(pb, b.ld, bt, bc, base + o, first + j) : Acc();
        }
        __syncthreads();
#pragma unroll
        for (int l = 0; l < depth; l++) {
          Acc x[part], y[part];
#pragma unroll
          for (int i = 0; i < part; i++) x[i] = as[l][tx + i * side], y[i] = bs[l][ty + i * side];
#pragma unroll
          for (int i = 0; i < part; i++)
#pragma unroll
            for (int j = 0; j < part; j++) sum[i][j] = fma_(x[i], y[j], sum[i][j]);
        }
        __syncthreads();
      }
#pragma unroll
      for (int j = 0; j < part; j++)
#pragma unroll
        for (int i = 0; i < part; i++) {
          const int row = top + tx + i * side, column = first + ty + j * side;
          if (row >= m || column >= n) continue;
          Out *to = &pc[row + (long long)column * c.ld];
          // The result may hold anything where beta is zero.
          const Acc v = isZero(keep) ? mul(factor, sum[i][j]) : fma_(factor, sum[i][j], mul(keep, Convert<Acc, Out>::of(*to)));
          *to = Convert<Out, Acc>::of(v);
        }
    }
  }
}

template <typename T, typename Acc, typename Out>
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const Scalar<Acc> &alpha, const Operand<const T> &a,
                    const Operand<const T> &b, const Scalar<Acc> &beta, const Operand<Out> &c, int count) {
  constexpr int part = sizeof(Acc) > 8 ? 2 : 4;
  const int ra = opa == CUBLAS_OP_N ? m : k, rb = opb == CUBLAS_OP_N ? k : n;
  if (!operation(opa) || !operation(opb) || m < 0 || n < 0 || k < 0 || count < 0 || !rows(a.ld, ra) || !rows(b.ld, rb) || !rows(c.ld, m)) return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  const int tile = side * part, wide = (n + tile - 1) / tile;
  const dim3 grid((m + tile - 1) / tile, wide < 65535 ? wide : 65535, count < 65535 ? count : 65535);
  gemmKernel<T, Acc, Out, part><<<grid, side * side, 0, h->stream>>>(opa, opb, m, n, k, alpha, a, b, beta, c, count);
  return launched();
}

template <typename T> __global__ void geamKernel(int opa, int opb, int m, int n, Scalar<T> alpha, const T *a, int lda, Scalar<T> beta, const T *b, int ldb, T *c, int ldc) {
  const T fa = alpha.get(), fb = beta.get();
  for (int j = blockIdx.y; j < n; j += gridDim.y)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += gridDim.x * blockDim.x) {
      T v = T(); // a matrix whose factor is zero is not read
      if (!isZero(fa)) v = mul(fa, element<T>(a, lda, opa != CUBLAS_OP_N, opa == CUBLAS_OP_C, i, j));
      if (!isZero(fb)) v = fma_(fb, element<T>(b, ldb, opb != CUBLAS_OP_N, opb == CUBLAS_OP_C, i, j), v);
      c[i + (long long)j * ldc] = v;
    }
}

template <typename T>
cublasStatus_t geam(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb,
                    T *c, int ldc) {
  const bool na = opa == CUBLAS_OP_N, nb = opb == CUBLAS_OP_N;
  const bool valid = operation(opa) && operation(opb) && m >= 0 && n >= 0 && alpha && beta && rows(lda, na ? m : n) && rows(ldb, nb ? m : n) && rows(ldc, m);
  // In place a matrix has to be as it is stored.
  if (cublasStatus_t s = check(h, valid && !(c == a && (!na || lda != ldc)) && !(c == b && (!nb || ldb != ldc)))) return s;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  geamKernel<T><<<dim3(blocksOf(m, 4096), n < 4096 ? n : 4096), threads, 0, h->stream>>>(opa, opb, m, n, scalar(h, alpha), a, lda, scalar(h, beta), b, ldb, c, ldc);
  return launched();
}

struct Any { // an operand whose type is told
  const void *base;
  cudaDataType type;
  long long step;
  const void *const *list;
  int ld;
  template <typename T> Operand<T> as() const { return {(T *)base, step, (T *const *)list, ld}; }
};

static cublasStatus_t gemmEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const void *alpha, const Any &a, const Any &b,
                             const void *beta, const Any &c, int count, cublasComputeType_t compute) {
  if (cublasStatus_t s = check(h, alpha && beta)) return s;
  if (a.type != b.type) return CUBLAS_STATUS_NOT_SUPPORTED;
  // Pedantic and fast kinds of a type have its ordinary sums: none here is of fewer digits.
  const bool single = compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_PEDANTIC || compute == CUBLAS_COMPUTE_32F_FAST_16F ||
                      compute == CUBLAS_COMPUTE_32F_FAST_16BF || compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const bool twice = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC;
  const bool whole = compute == CUBLAS_COMPUTE_32I || compute == CUBLAS_COMPUTE_32I_PEDANTIC;
#define TYPES(sums, ta, tc, T, Acc, Out)                                                                                                                      \
  if (sums && a.type == ta && c.type == tc)                                                                                                                   \
    return gemm<T, Acc, Out>(h, opa, opb, m, n, k, scalar(h, (const Acc *)alpha), a.as<const T>(), b.as<const T>(), scalar(h, (const Acc *)beta), c.as<Out>(), count);
  TYPES(single, CUDA_R_32F, CUDA_R_32F, float, float, float)
  TYPES(single, CUDA_R_16F, CUDA_R_16F, __half, float, __half)
  TYPES(single, CUDA_R_16F, CUDA_R_32F, __half, float, float)
  TYPES(single, CUDA_R_16BF, CUDA_R_16BF, __nv_bfloat16, float, __nv_bfloat16)
  TYPES(single, CUDA_R_16BF, CUDA_R_32F, __nv_bfloat16, float, float)
  TYPES(single, CUDA_R_8I, CUDA_R_32F, signed char, float, float)
  TYPES(single, CUDA_C_32F, CUDA_C_32F, cuComplex, cuComplex, cuComplex)
  TYPES(twice, CUDA_R_64F, CUDA_R_64F, double, double, double)
  TYPES(twice, CUDA_C_64F, CUDA_C_64F, cuDoubleComplex, cuDoubleComplex, cuDoubleComplex)
  TYPES(whole, CUDA_R_8I, CUDA_R_32I, signed char, int, int)
#undef TYPES
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

// Products of halves have sums of single precision, as tensor cores do; the factors are halves.
static cublasStatus_t halves(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const __half *alpha, const Any &a, const Any &b,
                             const __half *beta, const Any &c, int count) {
  if (cublasStatus_t s = check(h, alpha && beta)) return s;
  __half factors[2];
  if (h->pointers == CUBLAS_POINTER_MODE_HOST) factors[0] = *alpha, factors[1] = *beta;
  else if (cudaMemcpyAsync(&factors[0], alpha, sizeof *alpha, cudaMemcpyDeviceToHost, h->stream) != cudaSuccess ||
           cudaMemcpyAsync(&factors[1], beta, sizeof *beta, cudaMemcpyDeviceToHost, h->stream) != cudaSuccess || cudaStreamSynchronize(h->stream) != cudaSuccess)
    return CUBLAS_STATUS_EXECUTION_FAILED;
  Scalar<float> fa = {nullptr, __half2float(factors[0])}, fb = {nullptr, __half2float(factors[1])};
  return gemm<__half, float, __half>(h, opa, opb, m, n, k, fa, a.as<const __half>(), b.as<const __half>(), fb, c.as<__half>(), count);
}

template <typename T>
cublasStatus_t product(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const T *alpha, const Any &a, const Any &b, const T *beta,
                       const Any &c, int count) {
  if (cublasStatus_t s = check(h, alpha && beta)) return s;
  return gemm<T, T, T>(h, opa, opb, m, n, k, scalar(h, alpha), a.as<const T>(), b.as<const T>(), scalar(h, beta), c.as<T>(), count);
}
template <>
cublasStatus_t product<__half>(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const __half *alpha, const Any &a, const Any &b,
                               const __half *beta, const Any &c, int count) {
  return halves(h, opa, opb, m, n, k, alpha, a, b, beta, c, count);
}

inline Any one(const void *p, int ld, long long step = 0, cudaDataType type = CUDA_R_32F) { return {p, type, step, nullptr, ld}; }
inline Any listed(const void *const *p, int ld, cudaDataType type = CUDA_R_32F) { return {nullptr, type, 0, p, ld}; }

} // namespace blas

using namespace blas;

#define PRODUCTS(X, T, suffix)                                                                                                                             \
  cublasStatus_t cublas##X##gemm##suffix(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const T *alpha, const T *a, int lda,  \
                                         const T *b, int ldb, const T *beta, T *c, int ldc) {                                                              \
    return product<T>(h, opa, opb, m, n, k, alpha, one(a, lda), one(b, ldb), beta, one(c, ldc), 1);                                                        \
  }                                                                                                                                                        \
  cublasStatus_t cublas##X##gemmBatched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const T *alpha, const T *const a[],    \
                                        int lda, const T *const b[], int ldb, const T *beta, T *const c[], int ldc, int count) {                           \
    return product<T>(h, opa, opb, m, n, k, alpha, listed((const void *const *)a, lda), listed((const void *const *)b, ldb), beta,                         \
                      listed((const void *const *)c, ldc), count);                                                                                         \
  }                                                                                                                                                        \
  cublasStatus_t cublas##X##gemmStridedBatched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const T *alpha, const T *a,     \
                                               int lda, long long sa, const T *b, int ldb, long long sb, const T *beta, T *c, int ldc, long long sc, int count) {   \
    return product<T>(h, opa, opb, m, n, k, alpha, one(a, lda, sa), one(b, ldb, sb), beta, one(c, ldc, sc), count);                                        \
  }
PRODUCTS(S, float, _v2)
PRODUCTS(D, double, _v2)
PRODUCTS(C, cuComplex, _v2)
PRODUCTS(Z, cuDoubleComplex, _v2)
PRODUCTS(H, __half, )

#define SUM(X, T)                                                                                                                                                \
  cublasStatus_t cublas##X##geam(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, const T *alpha, const T *a, int lda, const T *beta, \
                                 const T *b, int ldb, T *c, int ldc) {                                                                                           \
    return geam<T>(h, opa, opb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                                                                                      \
  }
SUM(S, float)
SUM(D, double)
SUM(C, cuComplex)
SUM(Z, cuDoubleComplex)

cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const void *alpha, const void *a, cudaDataType ta, int lda,
                            const void *b, cudaDataType tb, int ldb, const void *beta, void *c, cudaDataType tc, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t) {
  return gemmEx(h, opa, opb, m, n, k, alpha, one(a, lda, 0, ta), one(b, ldb, 0, tb), beta, one(c, ldc, 0, tc), 1, compute);
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const void *alpha, const void *const a[],
                                   cudaDataType ta, int lda, const void *const b[], cudaDataType tb, int ldb, const void *beta, void *const c[], cudaDataType tc, int ldc,
                                   int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  return gemmEx(h, opa, opb, m, n, k, alpha, listed(a, lda, ta), listed(b, ldb, tb), beta, listed((const void *const *)c, ldc, tc), count, compute);
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const void *alpha, const void *a,
                                          cudaDataType ta, int lda, long long sa, const void *b, cudaDataType tb, int ldb, long long sb, const void *beta, void *c,
                                          cudaDataType tc, int ldc, long long sc, int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  return gemmEx(h, opa, opb, m, n, k, alpha, one(a, lda, sa, ta), one(b, ldb, sb, tb), beta, one(c, ldc, sc, tc), count, compute);
}
