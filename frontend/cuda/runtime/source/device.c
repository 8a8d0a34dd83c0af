// SPDX-License-Identifier: Apache-2.0
// The device: its properties, limits and occupancy, and errors.
#include "warptape.h"
#include "cuda_runtime_api.h"

static const struct { int number; const char *name, *text; } errors[] = {
#define ERROR(name, number, text) {number, #name, text},
#include "errors.inc"
#undef ERROR
};

EXPORT const char *cudaGetErrorName(cudaError_t e) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].number == (int)e) return errors[i].name;
  return "unrecognized error code";
}
EXPORT const char *cudaGetErrorString(cudaError_t e) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].number == (int)e) return errors[i].text;
  return "unrecognized error code";
}
EXPORT cudaError_t cudaGetLastError(void) { return last_error(true); }
EXPORT cudaError_t cudaPeekAtLastError(void) { return last_error(false); }

static int begin(void) {
  lock();
  int e = connected();
  unlock();
  return e;
}
static int on(int number) {
  int e = begin();
  return e ? e : number != 0 ? cudaErrorInvalidDevice : 0;
}

EXPORT cudaError_t cudaGetDeviceCount(int *n) {
  if (!n) return done(cudaErrorInvalidValue);
  int e = begin();
  *n = e ? 0 : 1;
  return done(e);
}
EXPORT cudaError_t cudaSetDevice(int d) { return done(on(d)); }
EXPORT cudaError_t cudaInitDevice(int d, unsigned device_flags, unsigned flags) { (void)device_flags; (void)flags; return done(on(d)); }
EXPORT cudaError_t cudaGetDevice(int *d) { int e = begin(); *d = 0; return done(e); }
EXPORT cudaError_t cudaSetValidDevices(int *d, int n) { (void)d; (void)n; return 0; }
static unsigned device_flags;
EXPORT cudaError_t cudaSetDeviceFlags(unsigned flags) { device_flags = flags; return 0; }
EXPORT cudaError_t cudaGetDeviceFlags(unsigned *flags) { *flags = device_flags; return 0; }
EXPORT cudaError_t cudaChooseDevice(int *d, const struct cudaDeviceProp *p) { (void)p; *d = 0; return done(begin()); }
EXPORT cudaError_t cudaDriverGetVersion(int *v) { *v = NEWEST_VERSION; return 0; }
EXPORT cudaError_t cudaRuntimeGetVersion(int *v) { *v = NEWEST_VERSION; return 0; }
/* There is one device, which is no peer of itself. */
EXPORT cudaError_t cudaDeviceCanAccessPeer(int *can, int d, int peer) {
  if (!can) return done(cudaErrorInvalidValue);
  if (d || peer) return done(cudaErrorInvalidDevice);
  *can = 0;
  return 0;
}
EXPORT cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) { (void)peer; (void)flags; return done(cudaErrorInvalidDevice); }
EXPORT cudaError_t cudaDeviceDisablePeerAccess(int peer) { (void)peer; return done(cudaErrorPeerAccessNotEnabled); }
EXPORT cudaError_t cudaDeviceGetP2PAttribute(int *v, enum cudaDeviceP2PAttr a, int s, int d) { (void)v; (void)a; (void)s; (void)d; return done(cudaErrorInvalidDevice); }
EXPORT cudaError_t cudaDeviceGetByPCIBusId(int *d, const char *id) {
  if (strcmp(id, "0000:01:00.0")) return done(cudaErrorInvalidValue);
  *d = 0;
  return 0;
}
EXPORT cudaError_t cudaDeviceGetPCIBusId(char *id, int n, int d) {
  int e = on(d);
  if (!e) snprintf(id, (size_t)n, "0000:01:00.0");
  return done(e);
}
EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return 0;
}

static uint64_t of(int property) { return device()->property[property]; }

// reserved is what each thread block takes of the shared memory besides its own: of all that a
// multiprocessor has, no thread block may ask for it.
static uint64_t reserved(void) { return of(DEVICE_SHARED_PER_MULTIPROCESSOR) - of(DEVICE_SHARED_OPTIN); }

static void fill(struct cudaDeviceProp *p) {
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "%s", device()->name);
  memcpy(p->uuid.bytes, "warptape device", 16);
  p->totalGlobalMem = of(DEVICE_MEMORY_BYTES);
  p->sharedMemPerBlock = of(DEVICE_SHARED_PER_BLOCK);
  p->regsPerBlock = p->regsPerMultiprocessor = (int)of(DEVICE_REGISTERS);
  p->warpSize = 32;
  p->memPitch = 0x7fffffff;
  p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->clockRate = (int)of(DEVICE_CLOCK_KHZ);
  p->totalConstMem = of(DEVICE_CONSTANT_BYTES);
  p->major = (int)of(DEVICE_MAJOR);
  p->minor = (int)of(DEVICE_MINOR);
  p->textureAlignment = 512;
  p->texturePitchAlignment = TEXTURE_PITCH_ALIGNMENT;
  p->deviceOverlap = p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = 1;
  p->multiProcessorCount = (int)of(DEVICE_MULTIPROCESSORS);
  p->maxTexture1D = p->maxTexture2D[0] = 131072;
  p->maxTexture2D[1] = 65536;
  p->maxTexture1DLinear = 1 << 28;
  p->maxTexture2DLinear[0] = p->maxTexture2DLinear[1] = 131072;
  p->maxTexture2DLinear[2] = 2097120;
  p->maxTexture3D[0] = p->maxTexture3D[1] = p->maxTexture3D[2] = 16384;
  p->maxTexture1DLayered[0] = p->maxTexture2DLayered[0] = p->maxTexture2DLayered[1] = 32768;
  p->maxTexture1DLayered[1] = p->maxTexture2DLayered[2] = 2048;
  p->maxSurface1D = p->maxSurface2D[0] = 32768;
  p->maxSurface2D[1] = 65536;
  p->maxSurface3D[0] = p->maxSurface3D[1] = p->maxSurface3D[2] = 16384;
  p->surfaceAlignment = 512;
  p->pciBusID = 1;
  p->asyncEngineCount = 2;
  p->memoryClockRate = (int)of(DEVICE_MEMORY_CLOCK_KHZ);
  p->memoryBusWidth = (int)of(DEVICE_BUS_BITS);
  p->l2CacheSize = (int)of(DEVICE_L2_BYTES);
  p->maxThreadsPerMultiProcessor = (int)of(DEVICE_THREADS);
  p->streamPrioritiesSupported = p->globalL1CacheSupported = p->localL1CacheSupported = 1;
  p->sharedMemPerMultiprocessor = of(DEVICE_SHARED_PER_MULTIPROCESSOR);
  p->managedMemory = 1;
  p->singleToDoublePrecisionPerfRatio = 2;
  p->computePreemptionSupported = p->cooperativeLaunch = p->hostRegisterSupported = 1;
  p->sharedMemPerBlockOptin = of(DEVICE_SHARED_OPTIN);
  p->reservedSharedMemPerBlock = reserved();
  p->maxBlocksPerMultiProcessor = (int)of(DEVICE_BLOCKS);
  p->clusterLaunch = p->major >= CLUSTER_CAPABILITY;
}

EXPORT cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int d) {
  if (!p) return done(cudaErrorInvalidValue);
  int e = on(d);
  if (!e) fill(p);
  return done(e);
}
EXPORT cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *p, int d) { return cudaGetDeviceProperties(p, d); }

EXPORT cudaError_t cudaDeviceGetAttribute(int *v, enum cudaDeviceAttr a, int d) {
  int e = on(d);
  if (e || !v) return done(e ? e : cudaErrorInvalidValue);
  struct cudaDeviceProp p;
  fill(&p);
  switch ((int)a) {
  case cudaDevAttrMaxThreadsPerBlock: case cudaDevAttrMaxBlockDimX: case cudaDevAttrMaxBlockDimY: *v = 1024; break;
  case cudaDevAttrMaxBlockDimZ: *v = 64; break;
  case cudaDevAttrMaxGridDimX: *v = 0x7fffffff; break;
  case cudaDevAttrMaxGridDimY: case cudaDevAttrMaxGridDimZ: *v = 65535; break;
  case cudaDevAttrMaxSharedMemoryPerBlock: *v = (int)p.sharedMemPerBlock; break;
  case cudaDevAttrTotalConstantMemory: *v = (int)p.totalConstMem; break;
  case cudaDevAttrWarpSize: *v = 32; break;
  case cudaDevAttrMaxPitch: *v = 0x7fffffff; break;
  case cudaDevAttrMaxRegistersPerBlock: case cudaDevAttrMaxRegistersPerMultiprocessor: *v = p.regsPerBlock; break;
  case cudaDevAttrClockRate: *v = p.clockRate; break;
  case cudaDevAttrTextureAlignment: case cudaDevAttrSurfaceAlignment: *v = 512; break;
  case cudaDevAttrTexturePitchAlignment: *v = TEXTURE_PITCH_ALIGNMENT; break;
  case cudaDevAttrGpuOverlap: case cudaDevAttrCanMapHostMemory: case cudaDevAttrConcurrentKernels: case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrStreamPrioritiesSupported: case cudaDevAttrGlobalL1CacheSupported: case cudaDevAttrLocalL1CacheSupported:
  case cudaDevAttrManagedMemory: case cudaDevAttrComputePreemptionSupported: case cudaDevAttrCooperativeLaunch:
  case cudaDevAttrHostRegisterSupported: case cudaDevAttrMemoryPoolsSupported: case cudaDevAttrPciBusId: *v = 1; break;
  case cudaDevAttrMultiProcessorCount: *v = p.multiProcessorCount; break;
  case cudaDevAttrMaxTexture1DWidth: case cudaDevAttrMaxTexture2DWidth: *v = 131072; break;
  case cudaDevAttrMaxTexture2DHeight: *v = 65536; break;
  case cudaDevAttrMaxTexture3DWidth: case cudaDevAttrMaxTexture3DHeight: case cudaDevAttrMaxTexture3DDepth: *v = 16384; break;
  case cudaDevAttrMaxTexture1DLayeredWidth: case cudaDevAttrMaxTexture2DLayeredWidth: case cudaDevAttrMaxTexture2DLayeredHeight: *v = 32768; break;
  case cudaDevAttrMaxTexture1DLayeredLayers: case cudaDevAttrMaxTexture2DLayeredLayers: *v = 2048; break;
  // Of compute capability 7.x and later (CUDA C++ Programming Guide, "Technical Specifications per Compute
  // Capability", recalled). Mipmaps and cube maps are not there, so that their sizes are zero.
  case cudaDevAttrMaxSurface1DWidth: case cudaDevAttrMaxSurface1DLayeredWidth: case cudaDevAttrMaxSurface2DLayeredWidth: case cudaDevAttrMaxSurface2DLayeredHeight: *v = 32768; break;
  case cudaDevAttrMaxSurface2DWidth: case cudaDevAttrMaxTexture2DLinearWidth: *v = 131072; break;
  case cudaDevAttrMaxSurface2DHeight: *v = 65536; break;
  case cudaDevAttrMaxSurface3DWidth: case cudaDevAttrMaxSurface3DHeight: case cudaDevAttrMaxSurface3DDepth: *v = 16384; break;
  case cudaDevAttrMaxSurface1DLayeredLayers: case cudaDevAttrMaxSurface2DLayeredLayers: *v = 2048; break;
  case cudaDevAttrMaxTexture1DLinearWidth: *v = 1 << 28; break;
  case cudaDevAttrMaxTexture2DLinearHeight: *v = 65000; break;
  case cudaDevAttrMaxTexture2DLinearPitch: *v = 2097120; break;
  case cudaDevAttrMaxTexture3DWidthAlt: case cudaDevAttrMaxTexture3DHeightAlt: *v = 8192; break;
  case cudaDevAttrMaxTexture3DDepthAlt: *v = 32768; break;
  case cudaDevAttrMaxTexture2DGatherWidth: case cudaDevAttrMaxTexture2DGatherHeight: *v = 32768; break;
  case cudaDevAttrMemSyncDomainCount: *v = 1; break;
  case cudaDevAttrNumaId: *v = -1; break; // there is no node of the device's own
  case cudaDevAttrMemoryClockRate: *v = p.memoryClockRate; break;
  case cudaDevAttrGlobalMemoryBusWidth: *v = p.memoryBusWidth; break;
  case cudaDevAttrL2CacheSize: *v = p.l2CacheSize; break;
  case cudaDevAttrMaxThreadsPerMultiProcessor: *v = p.maxThreadsPerMultiProcessor; break;
  case cudaDevAttrAsyncEngineCount: case cudaDevAttrSingleToDoublePrecisionPerfRatio: *v = 2; break;
  case cudaDevAttrComputeCapabilityMajor: *v = p.major; break;
  case cudaDevAttrComputeCapabilityMinor: *v = p.minor; break;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *v = (int)p.sharedMemPerMultiprocessor; break;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin: *v = (int)p.sharedMemPerBlockOptin; break;
  case cudaDevAttrReservedSharedMemoryPerBlock: *v = (int)p.reservedSharedMemPerBlock; break;
  case cudaDevAttrClusterLaunch: *v = p.clusterLaunch; break;
  case cudaDevAttrMaxBlocksPerMultiprocessor: *v = p.maxBlocksPerMultiProcessor; break;
  default:
    if ((int)a <= 0 || (int)a > 140) return done(cudaErrorInvalidValue);
    *v = 0; // what this device does not have
  }
  return 0;
}

// Limits are taken and given back; the emulator's own do not follow them.
static size_t limits[8] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0, 0};
EXPORT cudaError_t cudaDeviceSetLimit(enum cudaLimit l, size_t v) {
  if ((unsigned)l > 6) return done(cudaErrorUnsupportedLimit);
  limits[l] = v;
  return 0;
}
EXPORT cudaError_t cudaDeviceGetLimit(size_t *v, enum cudaLimit l) {
  if ((unsigned)l > 6) return done(cudaErrorUnsupportedLimit);
  *v = limits[l];
  return 0;
}
EXPORT cudaError_t cudaThreadSetLimit(enum cudaLimit l, size_t v) { return cudaDeviceSetLimit(l, v); }
EXPORT cudaError_t cudaThreadGetLimit(size_t *v, enum cudaLimit l) { return cudaDeviceGetLimit(v, l); }

// Preferences between cache and shared memory do not change a recording.
static enum cudaFuncCache preferred;
static enum cudaSharedMemConfig banks = cudaSharedMemBankSizeFourByte;
EXPORT cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache c) { preferred = c; return 0; }
EXPORT cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *c) { *c = preferred; return 0; }
EXPORT cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache c) { preferred = c; return 0; }
EXPORT cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *c) { *c = preferred; return 0; }
EXPORT cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig c) { banks = c; return 0; }
EXPORT cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *c) { *c = banks; return 0; }
EXPORT cudaError_t cudaFuncSetCacheConfig(const void *f, enum cudaFuncCache c) { (void)f; (void)c; return 0; }
EXPORT cudaError_t cudaFuncSetSharedMemConfig(const void *f, enum cudaSharedMemConfig c) { (void)f; (void)c; return 0; }

static uint64_t up(uint64_t n, uint64_t unit) { return unit ? (n + unit - 1) / unit * unit : n; }

// warp_registers are those of a warp of a thread block of so many. They are counted in PTX, and the
// vendor's compiler often needs fewer: so a thread block that may be launched has them.
uint64_t warp_registers(struct function *f, uint64_t warps) {
  uint64_t needed = up(f->registers * 32, of(DEVICE_REGISTER_UNIT)), most = of(DEVICE_REGISTERS) / warps;
  if (of(DEVICE_REGISTER_UNIT)) most -= most % of(DEVICE_REGISTER_UNIT);
  return needed < most ? needed : most;
}

int occupancy(struct function *f, int threads, uint64_t shared, int *blocks) {
  if (threads <= 0 || threads > 1024) { *blocks = 0; return threads <= 0 ? cudaErrorInvalidValue : 0; }
  uint64_t warps = ((uint64_t)threads + 31) / 32, most = of(DEVICE_BLOCKS);
  uint64_t by_threads = of(DEVICE_THREADS) / 32 / warps;
  uint64_t registers = warp_registers(f, warps) * warps;
  uint64_t bytes = f->shared + shared, taken = bytes + reserved();
  if (by_threads < most) most = by_threads;
  if (registers && of(DEVICE_REGISTERS) / registers < most) most = of(DEVICE_REGISTERS) / registers;
  if (taken && of(DEVICE_SHARED_PER_MULTIPROCESSOR) / taken < most) most = of(DEVICE_SHARED_PER_MULTIPROCESSOR) / taken;
  if (bytes > of(DEVICE_SHARED_OPTIN)) most = 0;
  *blocks = (int)most;
  return 0;
}

static cudaError_t with_function(const void *host, struct function **f) {
  lock();
  int e = connected();
  if (!e) e = function_of(host, f);
  unlock();
  return done(e);
}

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int threads, size_t shared) {
  struct function *f;
  cudaError_t e = with_function(host, &f);
  return e ? e : (cudaError_t)done(occupancy(f, threads, shared, blocks));
}
EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host, int threads, size_t shared, unsigned flags) {
  (void)flags;
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, host, threads, shared);
}
EXPORT cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *host, int blocks, int threads) {
  struct function *f;
  (void)threads;
  cudaError_t e = with_function(host, &f);
  if (e) return e;
  if (blocks <= 0) return done(cudaErrorInvalidValue);
  uint64_t share = of(DEVICE_SHARED_PER_MULTIPROCESSOR) / (unsigned)blocks;
  share = share > reserved() ? share - reserved() : 0;
  if (share > of(DEVICE_SHARED_PER_BLOCK)) share = of(DEVICE_SHARED_PER_BLOCK);
  *bytes = share > f->shared ? share - f->shared : 0;
  return 0;
}

EXPORT cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *host) {
  struct function *f;
  cudaError_t e = with_function(host, &f);
  if (e) return e;
  memset(a, 0, sizeof *a);
  a->sharedSizeBytes = f->shared;
  a->constSizeBytes = f->constant;
  a->localSizeBytes = f->local;
  a->maxThreadsPerBlock = f->most_threads ? (int)f->most_threads : 1024;
  a->numRegs = (int)f->registers;
  a->ptxVersion = (int)f->target;
  a->binaryVersion = (int)(of(DEVICE_MAJOR) * 10 + of(DEVICE_MINOR));
  uint64_t most = of(DEVICE_SHARED_PER_BLOCK) > f->shared ? of(DEVICE_SHARED_PER_BLOCK) - f->shared : 0;
  a->maxDynamicSharedSizeBytes = (int)(f->most_dynamic > most ? f->most_dynamic : most);
  a->requiredClusterWidth = (int)f->cluster[0];
  a->requiredClusterHeight = (int)f->cluster[1];
  a->requiredClusterDepth = (int)f->cluster[2];
  a->nonPortableClusterSizeAllowed = f->larger_clusters;
  return 0;
}
EXPORT cudaError_t cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute a, int v) {
  struct function *f;
  cudaError_t e = with_function(host, &f);
  if (!e && a == cudaFuncAttributeNonPortableClusterSizeAllowed) f->larger_clusters = v != 0;
  if (e || a != cudaFuncAttributeMaxDynamicSharedMemorySize) return e;
  if (v < 0 || (uint64_t)v + f->shared > of(DEVICE_SHARED_OPTIN)) return done(cudaErrorInvalidValue);
  f->most_dynamic = (uint64_t)v;
  return 0;
}
EXPORT cudaError_t cudaGetFuncBySymbol(cudaFunction_t *to, const void *host) {
  struct function *f;
  cudaError_t e = with_function(host, &f);
  if (!e) *to = (cudaFunction_t)f;
  return e;
}

EXPORT cudaError_t cudaDeviceSynchronize(void) {
  lock();
  int e = connected();
  if (!e) e = wait_for(NULL, true);
  unlock();
  return done(e);
}
EXPORT cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
// A reset waits for the device; what the program still holds stays valid.
EXPORT cudaError_t cudaDeviceReset(void) {
  if (!connected_already()) return 0;
  lock();
  int e = drain();
  unlock();
  return done(e);
}
EXPORT cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
EXPORT cudaError_t cudaProfilerStart(void) { return 0; }
EXPORT cudaError_t cudaProfilerStop(void) { return 0; }
EXPORT cudaError_t cudaProfilerInitialize(const char *c, const char *o, enum cudaOutputMode m) { (void)c; (void)o; (void)m; return 0; }
