// SPDX-License-Identifier: Apache-2.0
// Handles, and copies of vectors and matrices between host and device.
#include <cstdio>
#include <mutex>
#include <new>
#include "blas.h"

namespace blas {

cublasStatus_t launched() { return cudaGetLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED; }

// A trace has this library's kernels, and a replay their times.
static void tell() {
  static std::once_flag once;
  std::call_once(once, [] { fprintf(stderr, "warptape: the kernels of cuBLAS are Warptape's own here: results differ from NVIDIA's in the last bits, and times are those of these kernels (D263)\n"); });
}

static cublasStatus_t copied(cudaError_t e) { return e == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR; }

static cublasStatus_t vectors(int n, int size, const void *x, int incx, void *y, int incy, cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  if (n < 0 || size <= 0 || incx <= 0 || incy <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  cudaError_t e = incx == 1 && incy == 1 ? cudaMemcpyAsync(y, x, size_t(n) * size, kind, stream)
                                         : cudaMemcpy2DAsync(y, size_t(incy) * size, x, size_t(incx) * size, size, n, kind, stream);
  if (e == cudaSuccess && wait) e = cudaStreamSynchronize(stream);
  return copied(e);
}

static cublasStatus_t matrices(int m, int n, int size, const void *a, int lda, void *b, int ldb, cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  if (m < 0 || n < 0 || size <= 0 || lda <= 0 || ldb <= 0 || lda < m || ldb < m) return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  cudaError_t e = cudaMemcpy2DAsync(b, size_t(ldb) * size, a, size_t(lda) * size, size_t(m) * size, n, kind, stream);
  if (e == cudaSuccess && wait) e = cudaStreamSynchronize(stream);
  return copied(e);
}

} // namespace blas

using namespace blas;

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  cublasHandle_t h = new (std::nothrow) cublasContext();
  if (!h) return CUBLAS_STATUS_ALLOC_FAILED;
  if (cudaMalloc(&h->scratch, resultOffset + partialBytes) != cudaSuccess) {
    delete h;
    return CUBLAS_STATUS_ALLOC_FAILED;
  }
  tell();
  *handle = h;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t h) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  cudaFree(h->scratch);
  delete h;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t h, int *version) {
  if (!version) return CUBLAS_STATUS_INVALID_VALUE;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value) {
  const int parts[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
  if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL) return CUBLAS_STATUS_INVALID_VALUE;
  *value = parts[type];
  return CUBLAS_STATUS_SUCCESS;
}

#define FIELD(name, suffix, type, field)                          \
  cublasStatus_t cublasSet##name##suffix(cublasHandle_t h, type v) { \
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;                    \
    h->field = v;                                                    \
    return CUBLAS_STATUS_SUCCESS;                                    \
  }                                                                  \
  cublasStatus_t cublasGet##name##suffix(cublasHandle_t h, type *v) { \
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;                    \
    if (!v) return CUBLAS_STATUS_INVALID_VALUE;                      \
    *v = h->field;                                                   \
    return CUBLAS_STATUS_SUCCESS;                                    \
  }
FIELD(Stream, _v2, cudaStream_t, stream)
FIELD(PointerMode, _v2, cublasPointerMode_t, pointers)
FIELD(AtomicsMode, , cublasAtomicsMode_t, atomics)
FIELD(MathMode, , cublasMath_t, math)

// A workspace of the caller is not needed: partial results have a bound.
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t h, void *, size_t) { return check(h, true); }

static const struct { cublasStatus_t status; const char *name, *text; } statuses[] = {
#define STATUS(name, text) {CUBLAS_STATUS_##name, "CUBLAS_STATUS_" #name, text}
  STATUS(SUCCESS, "success"), STATUS(NOT_INITIALIZED, "the library was not initialized"), STATUS(ALLOC_FAILED, "the resource allocation failed"),
  STATUS(INVALID_VALUE, "an invalid value was used as an argument"), STATUS(ARCH_MISMATCH, "an absent device architectural feature is required"),
  STATUS(MAPPING_ERROR, "an access to GPU memory space failed"), STATUS(EXECUTION_FAILED, "the function failed to launch on the GPU"),
  STATUS(INTERNAL_ERROR, "an internal operation failed"), STATUS(NOT_SUPPORTED, "the functionality is not supported"), STATUS(LICENSE_ERROR, "the functionality requires some license"),
};
const char *cublasGetStatusName(cublasStatus_t status) {
  for (auto &s : statuses) if (s.status == status) return s.name;
  return "UNKNOWN";
}
const char *cublasGetStatusString(cublasStatus_t status) {
  for (auto &s : statuses) if (s.status == status) return s.text;
  return "<unknown>";
}

#define COPY(name, kind)                                                                                                                            \
  cublasStatus_t cublas##name##Vector(int n, int size, const void *x, int incx, void *y, int incy) { return vectors(n, size, x, incx, y, incy, kind, 0, true); } \
  cublasStatus_t cublas##name##VectorAsync(int n, int size, const void *x, int incx, void *y, int incy, cudaStream_t s) { return vectors(n, size, x, incx, y, incy, kind, s, false); } \
  cublasStatus_t cublas##name##Matrix(int m, int n, int size, const void *a, int lda, void *b, int ldb) { return matrices(m, n, size, a, lda, b, ldb, kind, 0, true); } \
  cublasStatus_t cublas##name##MatrixAsync(int m, int n, int size, const void *a, int lda, void *b, int ldb, cudaStream_t s) { return matrices(m, n, size, a, lda, b, ldb, kind, s, false); }
COPY(Set, cudaMemcpyHostToDevice)
COPY(Get, cudaMemcpyDeviceToHost)
