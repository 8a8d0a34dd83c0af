// SPDX-License-Identifier: Apache-2.0
// What is known of a pointer (CUDA Driver API, "Unified Addressing").
#include "driver_result.h"

// attribute gives one of a pointer, or zeros of one that is no pointer to memory of the device.
static CUresult attribute(void *to, CUpointer_attribute a, CUdeviceptr p, const struct cudaPointerAttributes *known) {
  CUdeviceptr base = 0;
  size_t bytes = 0;
  struct allocation *at = NULL;
  lock();
  if (known->type != cudaMemoryTypeUnregistered) {
    at = allocation_at((uint64_t)known->devicePointer, 0);
    if (!at) at = allocation_at_host((void *)p);
    if (at) { base = at->address; bytes = at->bytes; }
  }
  CUmemoryPool pool = at ? at->pool : NULL;
  unlock();
  bool there = known->type != cudaMemoryTypeUnregistered;
  switch (a) {
  case CU_POINTER_ATTRIBUTE_CONTEXT: return there ? cuCtxGetCurrent(to) : (*(CUcontext *)to = NULL, CUDA_SUCCESS);
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *(CUmemorytype *)to = !there ? 0 : known->type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)to = (CUdeviceptr)known->devicePointer; return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER: *(void **)to = there ? known->hostPointer : NULL; return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: *(int *)to = 0; return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_BUFFER_ID: *(unsigned long long *)to = base; return CUDA_SUCCESS; // no two allocations share an address
  case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(int *)to = known->type == cudaMemoryTypeManaged; return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)to = there ? 0 : -2; return CUDA_SUCCESS; // -2: no device (CUDA Driver API)
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(CUdeviceptr *)to = base; return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)to = bytes; return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MAPPED: *(int *)to = there; return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: *(int *)to = 0; return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: *(unsigned long long *)to = 0; return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: *(int *)to = there ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE; return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: *(CUmemoryPool *)to = pool; return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

// of_unknown says which attributes a pointer has that is none to memory of the device: one
// alone is an error then, but for these.
static bool of_unknown(CUpointer_attribute a) { return a == CU_POINTER_ATTRIBUTE_IS_MANAGED || a == CU_POINTER_ATTRIBUTE_MAPPED; }

EXPORT CUresult cuPointerGetAttribute(void *to, CUpointer_attribute a, CUdeviceptr p) {
  struct cudaPointerAttributes known;
  if (!to) return CUDA_ERROR_INVALID_VALUE;
  CUresult e = result(cudaPointerGetAttributes(&known, (void *)p));
  if (e) return e;
  if (known.type == cudaMemoryTypeUnregistered && !of_unknown(a)) return CUDA_ERROR_INVALID_VALUE;
  return attribute(to, a, p, &known);
}
EXPORT CUresult cuPointerGetAttributes(unsigned n, CUpointer_attribute *list, void **to, CUdeviceptr p) {
  struct cudaPointerAttributes known;
  if (!n || !list || !to) return CUDA_ERROR_INVALID_VALUE;
  CUresult e = result(cudaPointerGetAttributes(&known, (void *)p));
  for (unsigned i = 0; !e && i < n; i++) e = to[i] ? attribute(to[i], list[i], p, &known) : CUDA_ERROR_INVALID_VALUE;
  return e;
}
