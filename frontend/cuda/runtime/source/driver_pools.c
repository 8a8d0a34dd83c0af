// SPDX-License-Identifier: Apache-2.0
// Memory pools of the driver API (CUDA Driver API, "Stream Ordered Memory Allocator"). They are
// the runtime's, and their structures have the same layout.
#include "driver_result.h"

_Static_assert(sizeof(CUmemPoolProps) == sizeof(struct cudaMemPoolProps), "properties of pools");
_Static_assert(sizeof(CUmemAccessDesc) == sizeof(struct cudaMemAccessDesc), "access to pools");

EXPORT CUresult cuMemPoolCreate(CUmemoryPool *p, const CUmemPoolProps *q) { return result(cudaMemPoolCreate(p, (const struct cudaMemPoolProps *)q)); }
EXPORT CUresult cuMemPoolDestroy(CUmemoryPool p) { return result(cudaMemPoolDestroy(p)); }
EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool p, size_t least) { return result(cudaMemPoolTrimTo(p, least)); }
EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool p, CUmemPool_attribute a, void *v) { return result(cudaMemPoolSetAttribute(p, (enum cudaMemPoolAttr)a, v)); }
EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool p, CUmemPool_attribute a, void *v) { return result(cudaMemPoolGetAttribute(p, (enum cudaMemPoolAttr)a, v)); }
EXPORT CUresult cuMemPoolSetAccess(CUmemoryPool p, const CUmemAccessDesc *list, size_t n) { return result(cudaMemPoolSetAccess(p, (const struct cudaMemAccessDesc *)list, n)); }
EXPORT CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool p, CUmemLocation *at) { return result(cudaMemPoolGetAccess((enum cudaMemAccessFlags *)flags, p, (struct cudaMemLocation *)at)); }
EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *p, CUdevice d) { return result(cudaDeviceGetDefaultMemPool(p, d)); }
EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool *p, CUdevice d) { return result(cudaDeviceGetMemPool(p, d)); }
EXPORT CUresult cuDeviceSetMemPool(CUdevice d, CUmemoryPool p) { return result(cudaDeviceSetMemPool(d, p)); }
// Zero bytes are no error of the runtime, and one of the driver.
EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *to, size_t n, CUmemoryPool p, CUstream s) { return n ? result(cudaMallocFromPoolAsync((void **)to, n, p, (cudaStream_t)s)) : CUDA_ERROR_INVALID_VALUE; }
EXPORT CUresult cuMemAllocAsync(CUdeviceptr *to, size_t n, CUstream s) { return n ? result(cudaMallocAsync((void **)to, n, (cudaStream_t)s)) : CUDA_ERROR_INVALID_VALUE; }
EXPORT CUresult cuMemFreeAsync(CUdeviceptr p, CUstream s) { return p ? result(cudaFreeAsync((void *)p, (cudaStream_t)s)) : CUDA_ERROR_INVALID_VALUE; }
