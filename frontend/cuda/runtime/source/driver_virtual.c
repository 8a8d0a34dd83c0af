// SPDX-License-Identifier: Apache-2.0
// Virtual memory that a program maps itself (CUDA Driver API, "Virtual Memory Management"): the
// device says that it has none, and each call says so, too.
#include "warptape.h"
#include "cuda.h"

static CUresult absent(const char *call, void *place) {
  name_missing(call, "memory has its address from cuMemAlloc; CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED is zero", place);
  return CUDA_ERROR_NOT_SUPPORTED;
}
#define ABSENT(name, parameters, used) \
  EXPORT CUresult name parameters { used; return absent(#name, __builtin_return_address(0)); }
ABSENT(cuMemGetAllocationGranularity, (size_t *n, const CUmemAllocationProp *p, CUmemAllocationGranularity_flags f), (void)n; (void)p; (void)f)
ABSENT(cuMemAddressReserve, (CUdeviceptr *p, size_t n, size_t a, CUdeviceptr at, unsigned long long f), (void)p; (void)n; (void)a; (void)at; (void)f)
ABSENT(cuMemAddressFree, (CUdeviceptr p, size_t n), (void)p; (void)n)
ABSENT(cuMemCreate, (CUmemGenericAllocationHandle *h, size_t n, const CUmemAllocationProp *p, unsigned long long f), (void)h; (void)n; (void)p; (void)f)
ABSENT(cuMemRelease, (CUmemGenericAllocationHandle h), (void)h)
ABSENT(cuMemMap, (CUdeviceptr p, size_t n, size_t o, CUmemGenericAllocationHandle h, unsigned long long f), (void)p; (void)n; (void)o; (void)h; (void)f)
ABSENT(cuMemUnmap, (CUdeviceptr p, size_t n), (void)p; (void)n)
ABSENT(cuMemSetAccess, (CUdeviceptr p, size_t n, const CUmemAccessDesc *l, size_t c), (void)p; (void)n; (void)l; (void)c)
ABSENT(cuMemGetAllocationPropertiesFromHandle, (CUmemAllocationProp *p, CUmemGenericAllocationHandle h), (void)p; (void)h)
ABSENT(cuMemExportToShareableHandle, (void *t, CUmemGenericAllocationHandle h, CUmemAllocationHandleType k, unsigned long long f), (void)t; (void)h; (void)k; (void)f)
ABSENT(cuMemImportFromShareableHandle, (CUmemGenericAllocationHandle *h, void *t, CUmemAllocationHandleType k), (void)h; (void)t; (void)k)

// There is one device, and so no peer.
EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  return peer ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED : CUDA_ERROR_INVALID_CONTEXT;
}
