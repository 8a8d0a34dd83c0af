// SPDX-License-Identifier: Apache-2.0
// Overloads of the runtime API that take types and symbols of the program.
#ifndef __WARPTAPE_RUNTIME_TEMPLATES_H__
#define __WARPTAPE_RUNTIME_TEMPLATES_H__
#include "cuda_runtime_api.h"

#define __WARPTAPE_API__ static inline __WARPTAPE_HOST__ cudaError_t
template <class T> __WARPTAPE_API__ cudaMalloc(T **p, size_t n) { return ::cudaMalloc((void **)(void *)p, n); }
template <class T> __WARPTAPE_API__ cudaMallocHost(T **p, size_t n, unsigned int flags = 0) { return ::cudaHostAlloc((void **)(void *)p, n, flags); }
template <class T> __WARPTAPE_API__ cudaHostAlloc(T **p, size_t n, unsigned int flags) { return ::cudaHostAlloc((void **)(void *)p, n, flags); }
template <class T> __WARPTAPE_API__ cudaHostGetDevicePointer(T **p, void *host, unsigned int flags) { return ::cudaHostGetDevicePointer((void **)(void *)p, host, flags); }
template <class T> __WARPTAPE_API__ cudaMallocManaged(T **p, size_t n, unsigned int flags = cudaMemAttachGlobal) { return ::cudaMallocManaged((void **)(void *)p, n, flags); }
template <class T> __WARPTAPE_API__ cudaMallocPitch(T **p, size_t *pitch, size_t w, size_t h) { return ::cudaMallocPitch((void **)(void *)p, pitch, w, h); }
template <class T> __WARPTAPE_API__ cudaMallocFromPoolAsync(T **p, size_t n, cudaMemPool_t pool, cudaStream_t s) { return ::cudaMallocFromPoolAsync((void **)(void *)p, n, pool, s); }
static inline __WARPTAPE_HOST__ cudaError_t cudaMallocAsync(void **p, size_t n, cudaMemPool_t pool, cudaStream_t s) { return ::cudaMallocFromPoolAsync(p, n, pool, s); }
template <class T> __WARPTAPE_API__ cudaMallocAsync(T **p, size_t n, cudaMemPool_t pool, cudaStream_t s) { return ::cudaMallocFromPoolAsync((void **)(void *)p, n, pool, s); }
template <class T> __WARPTAPE_API__ cudaMallocAsync(T **p, size_t n, cudaStream_t s) { return ::cudaMallocAsync((void **)(void *)p, n, s); }
static inline __WARPTAPE_HOST__ cudaError_t cudaEventCreate(cudaEvent_t *e, unsigned int flags) { return ::cudaEventCreateWithFlags(e, flags); }
// CUDA 13 names places by type and number.
static inline __WARPTAPE_HOST__ cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, struct cudaMemLocation to, unsigned int flags, cudaStream_t s = 0) {
  return flags ? cudaErrorInvalidValue : ::cudaMemPrefetchAsync(p, n, to.type == cudaMemLocationTypeDevice ? to.id : cudaCpuDeviceId, s);
}
static inline __WARPTAPE_HOST__ cudaError_t cudaMemAdvise(const void *p, size_t n, enum cudaMemoryAdvise advice, struct cudaMemLocation at) {
  return ::cudaMemAdvise(p, n, advice, at.type == cudaMemLocationTypeDevice ? at.id : cudaCpuDeviceId);
}
static inline __WARPTAPE_HOST__ cudaError_t cudaMallocHost(void **p, size_t n, unsigned int flags) { return ::cudaHostAlloc(p, n, flags); }
static inline __WARPTAPE_HOST__ cudaError_t cudaGraphInstantiate(cudaGraphExec_t *e, cudaGraph_t g, cudaGraphNode_t *, char *, size_t) { return ::cudaGraphInstantiateWithFlags(e, g, 0); }

template <class T> __WARPTAPE_API__ cudaMemcpyToSymbol(const T &symbol, const void *source, size_t n, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void *)&symbol, source, n, offset, kind);
}
template <class T> __WARPTAPE_API__ cudaMemcpyFromSymbol(void *to, const T &symbol, size_t n, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, n, offset, kind);
}
template <class T> __WARPTAPE_API__ cudaMemcpyToSymbolAsync(const T &symbol, const void *source, size_t n, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t s = 0) {
  return ::cudaMemcpyToSymbolAsync((const void *)&symbol, source, n, offset, kind, s);
}
template <class T> __WARPTAPE_API__ cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t n, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t s = 0) {
  return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, n, offset, kind, s);
}
template <class T> __WARPTAPE_API__ cudaGetSymbolAddress(void **p, const T &symbol) { return ::cudaGetSymbolAddress(p, (const void *)&symbol); }
template <class T> __WARPTAPE_API__ cudaGetSymbolSize(size_t *n, const T &symbol) { return ::cudaGetSymbolSize(n, (const void *)&symbol); }

template <class T> __WARPTAPE_API__ cudaLaunchKernel(const T *f, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t s = 0) {
  return ::cudaLaunchKernel((const void *)f, grid, block, args, shared, s);
}
template <class T> __WARPTAPE_API__ cudaLaunchCooperativeKernel(const T *f, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t s = 0) {
  return ::cudaLaunchCooperativeKernel((const void *)f, grid, block, args, shared, s);
}
// Arguments become what the kernel's parameters are.
template <class... Parameters, class... Arguments>
__WARPTAPE_API__ cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*f)(Parameters...), Arguments &&...arguments) {
  return [&](Parameters... as) {
    void *list[sizeof...(Parameters) + 1] = {(void *)&as...};
    return ::cudaLaunchKernelExC(config, (const void *)f, list);
  }((Arguments &&)(arguments)...);
}
template <class T> __WARPTAPE_API__ cudaOccupancyMaxActiveClusters(int *clusters, T *f, const cudaLaunchConfig_t *config) {
  return ::cudaOccupancyMaxActiveClusters(clusters, (const void *)f, config);
}
template <class T> __WARPTAPE_API__ cudaOccupancyMaxPotentialClusterSize(int *size, T *f, const cudaLaunchConfig_t *config) {
  return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)f, config);
}
template <class T> __WARPTAPE_API__ cudaLaunch(T *f) { return ::cudaLaunch((const void *)f); }
template <class T> __WARPTAPE_API__ cudaSetupArgument(T argument, size_t offset) { return ::cudaSetupArgument(&argument, sizeof(T), offset); }
template <class T> __WARPTAPE_API__ cudaFuncSetCacheConfig(T *f, enum cudaFuncCache c) { return ::cudaFuncSetCacheConfig((const void *)f, c); }
template <class T> __WARPTAPE_API__ cudaFuncSetSharedMemConfig(T *f, enum cudaSharedMemConfig c) { return ::cudaFuncSetSharedMemConfig((const void *)f, c); }
template <class T> __WARPTAPE_API__ cudaFuncSetAttribute(T *f, enum cudaFuncAttribute a, int v) { return ::cudaFuncSetAttribute((const void *)f, a, v); }
template <class T> __WARPTAPE_API__ cudaFuncGetAttributes(struct cudaFuncAttributes *a, T *f) { return ::cudaFuncGetAttributes(a, (const void *)f); }
template <class T> __WARPTAPE_API__ cudaGetFuncBySymbol(cudaFunction_t *to, const T *f) { return ::cudaGetFuncBySymbol(to, (const void *)f); }
template <class T> __WARPTAPE_API__ cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T f, int threads, size_t shared) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)f, threads, shared);
}
template <class T> __WARPTAPE_API__ cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T f, int threads, size_t shared, unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)f, threads, shared, flags);
}

// The size of a thread block that keeps the most threads on a multiprocessor; the
// larger of equals.
template <class Shared, class T>
__WARPTAPE_API__ cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGrid, int *best, T f, Shared shared, int limit = 0) {
  struct cudaFuncAttributes a;
  int device = 0, multiprocessors = 0;
  cudaError_t e = ::cudaGetDevice(&device);
  if (e == cudaSuccess) e = ::cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (e == cudaSuccess) e = ::cudaFuncGetAttributes(&a, (const void *)f);
  if (e != cudaSuccess) return e;
  int most = a.maxThreadsPerBlock;
  if (limit > 0 && limit < most) most = limit;
  int found = 0, occupied = 0, foundBlocks = 0;
  for (int n = (most + 31) / 32 * 32; n > 0; n -= 32) {
    int threads = n < most ? n : most, blocks = 0;
    e = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)f, threads, shared(threads));
    if (e != cudaSuccess) return e;
    if (blocks * threads > occupied) { occupied = blocks * threads; found = threads; foundBlocks = blocks; }
  }
  *best = found;
  *minGrid = foundBlocks * multiprocessors;
  return cudaSuccess;
}
struct __warptape_fixed_shared { size_t n; size_t operator()(int) const { return n; } };
template <class T> __WARPTAPE_API__ cudaOccupancyMaxPotentialBlockSize(int *minGrid, int *best, T f, size_t shared = 0, int limit = 0) {
  __warptape_fixed_shared fixed = {shared};
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(minGrid, best, f, fixed, limit);
}
template <class T> __WARPTAPE_API__ cudaOccupancyMaxPotentialBlockSizeWithFlags(int *minGrid, int *best, T f, size_t shared = 0, int limit = 0, unsigned int = 0) {
  return cudaOccupancyMaxPotentialBlockSize(minGrid, best, f, shared, limit);
}

#ifdef __CUDA__
template <class T, int __wt_D, enum cudaTextureReadMode __wt_M>
__WARPTAPE_API__ cudaBindTexture(size_t *offset, const struct texture<T, __wt_D, __wt_M> &t, const void *p, const struct cudaChannelFormatDesc &desc, size_t n = UINT_MAX) {
  return ::cudaBindTexture(offset, (const struct textureReference *)&t, p, &desc, n);
}
template <class T, int __wt_D, enum cudaTextureReadMode __wt_M>
__WARPTAPE_API__ cudaBindTexture(size_t *offset, const struct texture<T, __wt_D, __wt_M> &t, const void *p, size_t n = UINT_MAX) {
  return ::cudaBindTexture(offset, (const struct textureReference *)&t, p, &((const struct textureReference *)&t)->channelDesc, n);
}
template <class T, int __wt_D, enum cudaTextureReadMode __wt_M>
__WARPTAPE_API__ cudaBindTexture2D(size_t *offset, const struct texture<T, __wt_D, __wt_M> &t, const void *p, const struct cudaChannelFormatDesc &desc, size_t w, size_t h, size_t pitch) {
  return ::cudaBindTexture2D(offset, (const struct textureReference *)&t, p, &desc, w, h, pitch);
}
template <class T, int __wt_D, enum cudaTextureReadMode __wt_M>
__WARPTAPE_API__ cudaBindTexture2D(size_t *offset, const struct texture<T, __wt_D, __wt_M> &t, const void *p, size_t w, size_t h, size_t pitch) {
  return ::cudaBindTexture2D(offset, (const struct textureReference *)&t, p, &((const struct textureReference *)&t)->channelDesc, w, h, pitch);
}
template <class T, int __wt_D, enum cudaTextureReadMode __wt_M>
__WARPTAPE_API__ cudaBindTextureToArray(const struct texture<T, __wt_D, __wt_M> &t, cudaArray_const_t a, const struct cudaChannelFormatDesc &desc) {
  return ::cudaBindTextureToArray((const struct textureReference *)&t, a, &desc);
}
template <class T, int __wt_D, enum cudaTextureReadMode __wt_M>
__WARPTAPE_API__ cudaBindTextureToArray(const struct texture<T, __wt_D, __wt_M> &t, cudaArray_const_t a) {
  struct cudaChannelFormatDesc desc;
  cudaError_t e = ::cudaGetChannelDesc(&desc, a);
  return e == cudaSuccess ? ::cudaBindTextureToArray((const struct textureReference *)&t, a, &desc) : e;
}
template <class T, int __wt_D, enum cudaTextureReadMode __wt_M>
__WARPTAPE_API__ cudaUnbindTexture(const struct texture<T, __wt_D, __wt_M> &t) { return ::cudaUnbindTexture((const struct textureReference *)&t); }
template <class T, int __wt_D, enum cudaTextureReadMode __wt_M>
__WARPTAPE_API__ cudaGetTextureAlignmentOffset(size_t *offset, const struct texture<T, __wt_D, __wt_M> &t) { return ::cudaGetTextureAlignmentOffset(offset, (const struct textureReference *)&t); }
template <class T, int __wt_D>
__WARPTAPE_API__ cudaBindSurfaceToArray(const struct surface<T, __wt_D> &s, cudaArray_const_t a) {
  struct cudaChannelFormatDesc desc;
  cudaError_t e = ::cudaGetChannelDesc(&desc, a);
  return e == cudaSuccess ? ::cudaBindSurfaceToArray((const struct surfaceReference *)&s, a, &desc) : e;
}
#endif
#undef __WARPTAPE_API__
#endif
