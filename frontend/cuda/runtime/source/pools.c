// SPDX-License-Identifier: Apache-2.0
// Memory pools (CUDA Runtime API, "Stream Ordered Memory Allocator"). A pool keeps nothing that
// was freed: its numbers are those of the memory in use.
#include "warptape.h"
#include "cuda_runtime_api.h"

struct CUmemPoolHandle_st {
  uint64_t used, most_used, threshold;
  int reuse[3];
  bool gone; // destroyed, and waiting for the last memory that is of it
};
static struct CUmemPoolHandle_st first = {.reuse = {1, 1, 1}};
static cudaMemPool_t current = &first;

void pool_gave(cudaMemPool_t p, uint64_t bytes) {
  p->used -= bytes;
  if (p->gone && !p->used) free(p);
}

EXPORT cudaError_t cudaMemPoolCreate(cudaMemPool_t *made, const struct cudaMemPoolProps *q) {
  if (!made || !q || q->allocType != cudaMemAllocationTypePinned || q->location.type != cudaMemLocationTypeDevice) return done(cudaErrorInvalidValue);
  if (q->location.id) return done(cudaErrorInvalidDevice);
  if (q->handleTypes) return UNSUPPORTED("one process has the device");
  cudaMemPool_t p = calloc(1, sizeof *p);
  if (!p) return done(cudaErrorMemoryAllocation);
  p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
  *made = p;
  return 0;
}
EXPORT cudaError_t cudaMemPoolDestroy(cudaMemPool_t p) {
  if (!p || p == &first || p->gone) return done(cudaErrorInvalidValue);
  lock();
  if (current == p) current = &first;
  p->gone = true;
  if (!p->used) free(p);
  unlock();
  return 0;
}

EXPORT cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *p, int d) {
  if (!p) return done(cudaErrorInvalidValue);
  if (d) return done(cudaErrorInvalidDevice);
  *p = &first;
  return 0;
}
EXPORT cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *p, int d) {
  if (!p) return done(cudaErrorInvalidValue);
  if (d) return done(cudaErrorInvalidDevice);
  *p = current;
  return 0;
}
EXPORT cudaError_t cudaDeviceSetMemPool(int d, cudaMemPool_t p) {
  if (d) return done(cudaErrorInvalidDevice);
  if (!p || p->gone) return done(cudaErrorInvalidValue);
  current = p;
  return 0;
}

EXPORT cudaError_t cudaMallocFromPoolAsync(void **to, size_t n, cudaMemPool_t p, cudaStream_t s) {
  (void)s;
  if (!to || !p || p->gone) return done(cudaErrorInvalidValue);
  if (n == 0) { *to = NULL; return 0; }
  lock();
  uint64_t address = 0;
  int e = connected();
  if (!e) e = broken();
  if (!e) e = allocate(MEMORY_DEVICE, n, 0, &address);
  if (!e) {
    struct allocation *a = allocation_at(address, 0);
    a->pool = p;
    p->used += a->bytes;
    if (p->used > p->most_used) p->most_used = p->used;
    *to = (void *)address;
  }
  unlock();
  return done(e);
}
EXPORT cudaError_t cudaMallocAsync(void **to, size_t n, cudaStream_t s) { return cudaMallocFromPoolAsync(to, n, current, s); }

EXPORT cudaError_t cudaMemPoolTrimTo(cudaMemPool_t p, size_t n) { (void)n; return p ? 0 : done(cudaErrorInvalidValue); }
EXPORT cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t p, enum cudaMemPoolAttr a, void *v) {
  if (!p || !v) return done(cudaErrorInvalidValue);
  switch ((int)a) {
  case cudaMemPoolReuseFollowEventDependencies: case cudaMemPoolReuseAllowOpportunistic: case cudaMemPoolReuseAllowInternalDependencies: *(int *)v = p->reuse[a - 1]; return 0;
  case cudaMemPoolAttrReleaseThreshold: *(uint64_t *)v = p->threshold; return 0;
  case cudaMemPoolAttrReservedMemCurrent: case cudaMemPoolAttrUsedMemCurrent: *(uint64_t *)v = p->used; return 0;
  case cudaMemPoolAttrReservedMemHigh: case cudaMemPoolAttrUsedMemHigh: *(uint64_t *)v = p->most_used; return 0;
  }
  return done(cudaErrorInvalidValue);
}
EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t p, enum cudaMemPoolAttr a, void *v) {
  if (!p || !v) return done(cudaErrorInvalidValue);
  switch ((int)a) {
  case cudaMemPoolReuseFollowEventDependencies: case cudaMemPoolReuseAllowOpportunistic: case cudaMemPoolReuseAllowInternalDependencies: p->reuse[a - 1] = *(int *)v; return 0;
  case cudaMemPoolAttrReleaseThreshold: p->threshold = *(uint64_t *)v; return 0;
  case cudaMemPoolAttrReservedMemHigh: case cudaMemPoolAttrUsedMemHigh: // zero begins anew
    if (*(uint64_t *)v) return done(cudaErrorInvalidValue);
    p->most_used = p->used;
    return 0;
  }
  return done(cudaErrorInvalidValue);
}

// The device has access to its own pools, which cannot be taken away; there is no other device.
EXPORT cudaError_t cudaMemPoolSetAccess(cudaMemPool_t p, const struct cudaMemAccessDesc *list, size_t n) {
  if (!p || (n && !list)) return done(cudaErrorInvalidValue);
  for (size_t i = 0; i < n; i++) {
    if (list[i].location.type != cudaMemLocationTypeDevice || list[i].flags != cudaMemAccessFlagsProtReadWrite) return done(cudaErrorInvalidValue);
    if (list[i].location.id) return done(cudaErrorInvalidDevice);
  }
  return 0;
}
EXPORT cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t p, struct cudaMemLocation *at) {
  if (!flags || !p || !at || at->type != cudaMemLocationTypeDevice) return done(cudaErrorInvalidValue);
  if (at->id) return done(cudaErrorInvalidDevice);
  *flags = cudaMemAccessFlagsProtReadWrite;
  return 0;
}

EXPORT cudaError_t cudaMemPoolExportToShareableHandle(void *h, cudaMemPool_t p, enum cudaMemAllocationHandleType t, unsigned f) { (void)h; (void)p; (void)t; (void)f; return UNSUPPORTED("one process has the device"); }
EXPORT cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *p, void *h, enum cudaMemAllocationHandleType t, unsigned f) { (void)h; (void)p; (void)t; (void)f; return UNSUPPORTED("one process has the device"); }
EXPORT cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *d, void *p) { (void)d; (void)p; return UNSUPPORTED("one process has the device"); }
EXPORT cudaError_t cudaMemPoolImportPointer(void **to, cudaMemPool_t p, struct cudaMemPoolPtrExportData *d) { (void)to; (void)p; (void)d; return UNSUPPORTED("one process has the device"); }
