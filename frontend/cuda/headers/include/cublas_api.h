// SPDX-License-Identifier: Apache-2.0
// What cublas_v2.h declares. Names with _v2 are those of the library's functions, as programs of NVIDIA's releases call them.
#ifndef CUBLAS_API_H_
#define CUBLAS_API_H_
#include <stdint.h>
#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "library_types.h"

#define CUBLAS_VER_MAJOR 11
#define CUBLAS_VER_MINOR 11
#define CUBLAS_VER_PATCH 3
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)
#ifndef CUBLASAPI
#define CUBLASAPI
#endif
#ifndef CUBLASWINAPI
#define CUBLASWINAPI
#endif

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1, CUBLAS_STATUS_ALLOC_FAILED = 3, CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11, CUBLAS_STATUS_EXECUTION_FAILED = 13, CUBLAS_STATUS_INTERNAL_ERROR = 14, CUBLAS_STATUS_NOT_SUPPORTED = 15, CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2, CUBLAS_OP_HERMITAN = 2, CUBLAS_OP_CONJG = 3 } cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0, CUBLAS_TENSOR_OP_MATH = 1, CUBLAS_PEDANTIC_MATH = 2, CUBLAS_TF32_TENSOR_OP_MATH = 3, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum { CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DFALT_TENSOR_OP = 99, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 } cublasGemmAlgo_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_16F_PEDANTIC = 65, CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_PEDANTIC = 69, CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71, CUBLAS_COMPUTE_32I = 72, CUBLAS_COMPUTE_32I_PEDANTIC = 73, CUBLAS_COMPUTE_32F_FAST_16F = 74, CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef cudaDataType cublasDataType_t;
typedef struct cublasContext *cublasHandle_t;

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetVector(int n, int size, const void *x, int incx, void *device, int incy);
cublasStatus_t cublasGetVector(int n, int size, const void *device, int incx, void *y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void *a, int lda, void *device, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void *device, int lda, void *b, int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int size, const void *x, int incx, void *device, int incy, cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int size, const void *device, int incx, void *y, int incy, cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int size, const void *a, int lda, void *device, int ldb, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int size, const void *device, int lda, void *b, int ldb, cudaStream_t stream);

// Names are whole, as a program may have letters of its own.
#define __WT_BLAS__(X, T, R, Real, Largest)                                                                                                        \
  cublasStatus_t X##axpy_v2(cublasHandle_t handle, int n, const T *alpha, const T *x, int incx, T *y, int incy);                                   \
  cublasStatus_t X##copy_v2(cublasHandle_t handle, int n, const T *x, int incx, T *y, int incy);                                                   \
  cublasStatus_t X##swap_v2(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy);                                                         \
  cublasStatus_t X##scal_v2(cublasHandle_t handle, int n, const T *alpha, T *x, int incx);                                                         \
  cublasStatus_t Real##nrm2_v2(cublasHandle_t handle, int n, const T *x, int incx, R *result);                                                     \
  cublasStatus_t Real##asum_v2(cublasHandle_t handle, int n, const T *x, int incx, R *result);                                                     \
  cublasStatus_t Largest##amax_v2(cublasHandle_t handle, int n, const T *x, int incx, int *result);                                                \
  cublasStatus_t Largest##amin_v2(cublasHandle_t handle, int n, const T *x, int incx, int *result);                                                \
  cublasStatus_t X##gemv_v2(cublasHandle_t handle, cublasOperation_t op, int m, int n, const T *alpha, const T *a, int lda, const T *x,            \
                                    int incx, const T *beta, T *y, int incy);                                                                      \
  cublasStatus_t X##geam(cublasHandle_t handle, cublasOperation_t opa, cublasOperation_t opb, int m, int n, const T *alpha, const T *a,            \
                                 int lda, const T *beta, const T *b, int ldb, T *c, int ldc);                                                      \
  __WT_BLAS_PRODUCTS__(X, T, _v2)
#define __WT_BLAS_PRODUCTS__(X, T, suffix)                                                                                                         \
  cublasStatus_t X##gemm##suffix(cublasHandle_t handle, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const T *alpha,         \
                                         const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc);                                  \
  cublasStatus_t X##gemmBatched(cublasHandle_t handle, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const T *alpha,          \
                                        const T *const a[], int lda, const T *const b[], int ldb, const T *beta, T *const c[], int ldc,            \
                                        int count);                                                                                                \
  cublasStatus_t X##gemmStridedBatched(cublasHandle_t handle, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,                   \
                                               const T *alpha, const T *a, int lda, long long stridea, const T *b, int ldb, long long strideb,     \
                                               const T *beta, T *c, int ldc, long long stridec, int count);
__WT_BLAS__(cublasS, float, float, cublasS, cublasIs)
__WT_BLAS__(cublasD, double, double, cublasD, cublasId)
__WT_BLAS__(cublasC, cuComplex, float, cublasSc, cublasIc)
__WT_BLAS__(cublasZ, cuDoubleComplex, double, cublasDz, cublasIz)
__WT_BLAS_PRODUCTS__(cublasH, __half, )
#undef __WT_BLAS__
#undef __WT_BLAS_PRODUCTS__

#define __WT_BLAS_DOT__(name, T) cublasStatus_t cublas##name##_v2(cublasHandle_t handle, int n, const T *x, int incx, const T *y, int incy, T *result);
__WT_BLAS_DOT__(Sdot, float) __WT_BLAS_DOT__(Ddot, double)
__WT_BLAS_DOT__(Cdotu, cuComplex) __WT_BLAS_DOT__(Cdotc, cuComplex) __WT_BLAS_DOT__(Zdotu, cuDoubleComplex) __WT_BLAS_DOT__(Zdotc, cuDoubleComplex)
#undef __WT_BLAS_DOT__
#define __WT_BLAS_OUTER__(name, T) \
  cublasStatus_t cublas##name##_v2(cublasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a, int lda);
__WT_BLAS_OUTER__(Sger, float) __WT_BLAS_OUTER__(Dger, double)
__WT_BLAS_OUTER__(Cgeru, cuComplex) __WT_BLAS_OUTER__(Cgerc, cuComplex) __WT_BLAS_OUTER__(Zgeru, cuDoubleComplex) __WT_BLAS_OUTER__(Zgerc, cuDoubleComplex)
#undef __WT_BLAS_OUTER__
cublasStatus_t cublasCsscal_v2(cublasHandle_t handle, int n, const float *alpha, cuComplex *x, int incx);
cublasStatus_t cublasZdscal_v2(cublasHandle_t handle, int n, const double *alpha, cuDoubleComplex *x, int incx);

cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void *x, cudaDataType xtype, int incx, const void *y, cudaDataType ytype, int incy, void *result,
                           cudaDataType resulttype, cudaDataType execution);
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const void *alpha, const void *a,
                            cudaDataType atype, int lda, const void *b, cudaDataType btype, int ldb, const void *beta, void *c, cudaDataType ctype, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const void *alpha,
                                   const void *const a[], cudaDataType atype, int lda, const void *const b[], cudaDataType btype, int ldb, const void *beta,
                                   void *const c[], cudaDataType ctype, int ldc, int count, cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const void *alpha,
                                          const void *a, cudaDataType atype, int lda, long long stridea, const void *b, cudaDataType btype, int ldb,
                                          long long strideb, const void *beta, void *c, cudaDataType ctype, int ldc, long long stridec, int count,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm);

#ifdef __cplusplus
}
#endif

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasScopy cublasScopy_v2
#define cublasSswap cublasSswap_v2
#define cublasSscal cublasSscal_v2
#define cublasSgemv cublasSgemv_v2
#define cublasSgemm cublasSgemm_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasDcopy cublasDcopy_v2
#define cublasDswap cublasDswap_v2
#define cublasDscal cublasDscal_v2
#define cublasDgemv cublasDgemv_v2
#define cublasDgemm cublasDgemm_v2
#define cublasCaxpy cublasCaxpy_v2
#define cublasCcopy cublasCcopy_v2
#define cublasCswap cublasCswap_v2
#define cublasCscal cublasCscal_v2
#define cublasCgemv cublasCgemv_v2
#define cublasCgemm cublasCgemm_v2
#define cublasZaxpy cublasZaxpy_v2
#define cublasZcopy cublasZcopy_v2
#define cublasZswap cublasZswap_v2
#define cublasZscal cublasZscal_v2
#define cublasZgemv cublasZgemv_v2
#define cublasZgemm cublasZgemm_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasDasum cublasDasum_v2
#define cublasScnrm2 cublasScnrm2_v2
#define cublasScasum cublasScasum_v2
#define cublasDznrm2 cublasDznrm2_v2
#define cublasDzasum cublasDzasum_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIdamin cublasIdamin_v2
#define cublasIcamax cublasIcamax_v2
#define cublasIcamin cublasIcamin_v2
#define cublasIzamax cublasIzamax_v2
#define cublasIzamin cublasIzamin_v2
#define cublasSdot cublasSdot_v2
#define cublasDdot cublasDdot_v2
#define cublasCdotu cublasCdotu_v2
#define cublasCdotc cublasCdotc_v2
#define cublasZdotu cublasZdotu_v2
#define cublasZdotc cublasZdotc_v2
#define cublasSger cublasSger_v2
#define cublasDger cublasDger_v2
#define cublasCgeru cublasCgeru_v2
#define cublasCgerc cublasCgerc_v2
#define cublasZgeru cublasZgeru_v2
#define cublasZgerc cublasZgerc_v2
#define cublasCsscal cublasCsscal_v2
#define cublasZdscal cublasZdscal_v2
#endif
