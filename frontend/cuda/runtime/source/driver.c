// SPDX-License-Identifier: Apache-2.0
// The driver API, over what the runtime API has. There is one device and one context, which
// is current from the first call on.
#include "driver_result.h"
#include "driver_jit.h"

static const struct { int number; const char *name; } results[] = {
#define RESULT(name, number) {number, #name},
#include "results.inc"
#undef RESULT
};

static CUresult finish(int e) { unlock(); return driver_error(e); }
static int begin(void) { lock(); return connected(); }

EXPORT CUresult cuInit(unsigned flags) { return flags ? CUDA_ERROR_INVALID_VALUE : finish(begin()); }
EXPORT CUresult cuDriverGetVersion(int *v) { *v = NEWEST_VERSION; return 0; }
EXPORT CUresult cuGetErrorName(CUresult e, const char **name) {
  for (size_t i = 0; i < sizeof results / sizeof *results; i++)
    if (results[i].number == (int)e) { *name = results[i].name; return 0; }
  *name = NULL;
  return CUDA_ERROR_INVALID_VALUE;
}
EXPORT CUresult cuGetErrorString(CUresult e, const char **text) { *text = cudaGetErrorString((cudaError_t)e); return 0; }
EXPORT CUresult cuDeviceGet(CUdevice *d, int n) { *d = 0; return n ? CUDA_ERROR_INVALID_DEVICE : 0; }
EXPORT CUresult cuDeviceGetCount(int *n) { return result(cudaGetDeviceCount(n)); }
EXPORT CUresult cuDeviceGetName(char *name, int n, CUdevice d) {
  if (d) return CUDA_ERROR_INVALID_DEVICE;
  int e = begin();
  if (!e) snprintf(name, (size_t)n, "%s", device()->name);
  return finish(e);
}
EXPORT CUresult cuDeviceGetUuid(CUuuid *u, CUdevice d) { memcpy(u, "warptape device", 16); return d ? CUDA_ERROR_INVALID_DEVICE : 0; }
EXPORT CUresult cuDeviceTotalMem_v2(size_t *n, CUdevice d) {
  if (d) return CUDA_ERROR_INVALID_DEVICE;
  int e = begin();
  *n = device()->property[DEVICE_MEMORY_BYTES];
  return finish(e);
}
EXPORT CUresult cuDeviceGetAttribute(int *v, CUdevice_attribute a, CUdevice d) { return result(cudaDeviceGetAttribute(v, (enum cudaDeviceAttr)a, d)); }
EXPORT CUresult cuDeviceGetProperties(CUdevprop *to, CUdevice d) {
  struct cudaDeviceProp p;
  CUresult e = result(cudaGetDeviceProperties(&p, d));
  if (e) return e;
  *to = (CUdevprop){.maxThreadsPerBlock = p.maxThreadsPerBlock, .sharedMemPerBlock = (int)p.sharedMemPerBlock, .totalConstantMemory = (int)p.totalConstMem,
    .SIMDWidth = 32, .memPitch = (int)p.memPitch, .regsPerBlock = p.regsPerBlock, .clockRate = p.clockRate, .textureAlign = 512};
  memcpy(to->maxThreadsDim, p.maxThreadsDim, sizeof to->maxThreadsDim);
  memcpy(to->maxGridSize, p.maxGridSize, sizeof to->maxGridSize);
  return 0;
}
EXPORT CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice d) {
  CUresult e = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d);
  return e ? e : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, d);
}
EXPORT CUresult cuDeviceCanAccessPeer(int *can, CUdevice d, CUdevice peer) {
  if (!can) return CUDA_ERROR_INVALID_VALUE;
  if (d || peer) return CUDA_ERROR_INVALID_DEVICE;
  *can = 0;
  return 0;
}

static char the_context;
#define CONTEXT ((CUcontext)&the_context)
EXPORT CUresult cuCtxCreate_v2(CUcontext *c, unsigned flags, CUdevice d) { (void)flags; *c = CONTEXT; return d ? CUDA_ERROR_INVALID_DEVICE : finish(begin()); }
EXPORT CUresult cuCtxCreate_v4(CUcontext *c, CUctxCreateParams *p, unsigned flags, CUdevice d) {
  if (p && (p->numExecAffinityParams || p->cigParams)) return CUDA_ERROR_NOT_SUPPORTED;
  return cuCtxCreate_v2(c, flags, d);
}
EXPORT CUresult cuCtxDestroy_v2(CUcontext c) { (void)c; return result(cudaDeviceReset()); }
EXPORT CUresult cuCtxPushCurrent_v2(CUcontext c) { (void)c; return 0; }
EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *c) { if (c) *c = CONTEXT; return 0; }
EXPORT CUresult cuCtxSetCurrent(CUcontext c) { (void)c; return 0; }
EXPORT CUresult cuCtxGetCurrent(CUcontext *c) { *c = CONTEXT; return 0; }
EXPORT CUresult cuCtxGetDevice(CUdevice *d) { *d = 0; return 0; }
EXPORT CUresult cuCtxGetFlags(unsigned *f) { *f = 0; return 0; }
EXPORT CUresult cuCtxGetApiVersion(CUcontext c, unsigned *v) { (void)c; *v = NEWEST_VERSION; return 0; }
EXPORT CUresult cuCtxSynchronize(void) { return result(cudaDeviceSynchronize()); }
EXPORT CUresult cuCtxSetCacheConfig(CUfunc_cache c) { (void)c; return 0; }
EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d) { return cuCtxCreate_v2(c, 0, d); }
EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice d) { (void)d; return 0; }
EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice d) { (void)d; return result(cudaDeviceReset()); }
EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice d, unsigned f) { (void)d; (void)f; return 0; }
EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice d, unsigned *f, int *active) { (void)d; *f = 0; *active = connected_already(); return 0; }

// A module is its number, and one more, so that none is NULL.
static uint64_t module_of(CUmodule m) { return (uint64_t)m - 1; }
// load_with_log loads a module. What is wrong with it is known now, and goes into the log.
CUresult load_with_log(CUmodule *m, const void *image, struct jit *j) {
  if (!m || !image) return CUDA_ERROR_INVALID_VALUE;
  uint64_t number;
  int e = begin();
  if (!e && !(e = load_image(image, j->error, j->error_bytes, &number))) *m = (CUmodule)(number + 1);
  return finish(e);
}
EXPORT CUresult cuModuleLoadDataEx(CUmodule *m, const void *image, unsigned n, CUjit_option *o, void **v) {
  struct jit j;
  jit_options(&j, n, o, v);
  CUresult e = load_with_log(m, image, &j);
  jit_done(&j);
  return e;
}
EXPORT CUresult cuModuleLoadData(CUmodule *m, const void *image) { return cuModuleLoadDataEx(m, image, 0, NULL, NULL); }
EXPORT CUresult cuModuleLoadFatBinary(CUmodule *m, const void *image) { return cuModuleLoadData(m, image); }
CUresult read_file(const char *name, char **text, size_t *n) {
  FILE *f = fopen(name, "rb");
  size_t got;
  *text = NULL;
  *n = 0;
  if (!f) return CUDA_ERROR_FILE_NOT_FOUND;
  do {
    char *more = realloc(*text, *n + 65537);
    if (!more) { free(*text); fclose(f); return CUDA_ERROR_OUT_OF_MEMORY; }
    *text = more;
    got = fread(*text + *n, 1, 65536, f);
    *n += got;
  } while (got > 0);
  fclose(f);
  (*text)[*n] = 0;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuModuleLoad(CUmodule *m, const char *name) {
  char *text;
  size_t n;
  CUresult e = name ? read_file(name, &text, &n) : CUDA_ERROR_FILE_NOT_FOUND;
  if (e) return e;
  e = n < 16 || image_bytes(text) > n ? CUDA_ERROR_INVALID_IMAGE : cuModuleLoadData(m, text);
  free(text);
  return e;
}
EXPORT CUresult cuModuleUnload(CUmodule m) {
  if (!m) return CUDA_ERROR_INVALID_HANDLE;
  int e = begin();
  if (!e) e = unload(module_of(m));
  return finish(e);
}
EXPORT CUresult cuModuleGetFunction(CUfunction *to, CUmodule m, const char *name) {
  if (!to || !m || !name) return CUDA_ERROR_INVALID_VALUE;
  struct function *f = NULL;
  int e = begin();
  if (!e) e = find_function(module_of(m), name, &f);
  if (!e) *to = (CUfunction)f;
  return finish(e);
}
EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *p, size_t *n, CUmodule m, const char *name) {
  if (!m || !name) return CUDA_ERROR_INVALID_VALUE;
  uint64_t address, bytes;
  int e = begin();
  if (!e && !(e = find_symbol(module_of(m), name, &address, &bytes))) {
    if (p) *p = address;
    if (n) *n = bytes;
  }
  return finish(e);
}

EXPORT CUresult cuMemGetInfo_v2(size_t *f, size_t *t) { return result(cudaMemGetInfo(f, t)); }
EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t n) { return n ? result(cudaMalloc((void **)p, n)) : CUDA_ERROR_INVALID_VALUE; }
EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr *p, size_t *pitch, size_t w, size_t h, unsigned element) { (void)element; return result(cudaMallocPitch((void **)p, pitch, w, h)); }
EXPORT CUresult cuMemAllocManaged(CUdeviceptr *p, size_t n, unsigned f) { return result(cudaMallocManaged((void **)p, n, f)); }
EXPORT CUresult cuMemFree_v2(CUdeviceptr p) { return result(cudaFree((void *)p)); }
EXPORT CUresult cuMemAllocHost_v2(void **p, size_t n) { return result(cudaMallocHost(p, n)); }
EXPORT CUresult cuMemFreeHost(void *p) { return result(cudaFreeHost(p)); }
EXPORT CUresult cuMemHostAlloc(void **p, size_t n, unsigned f) { return result(cudaHostAlloc(p, n, f)); }
EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *d, void *h, unsigned f) { return result(cudaHostGetDevicePointer((void **)d, h, f)); }
EXPORT CUresult cuMemHostRegister_v2(void *p, size_t n, unsigned f) { return result(cudaHostRegister(p, n, f)); }
EXPORT CUresult cuMemHostUnregister(void *p) { return result(cudaHostUnregister(p)); }
EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *n, CUdeviceptr p) {
  int e = begin();
  struct allocation *a = e ? NULL : allocation_at(p, 0);
  if (!e && !a) e = cudaErrorInvalidValue;
  if (a && base) *base = a->address;
  if (a && n) *n = a->bytes;
  return finish(e);
}
static CUresult copy(uint64_t to, uint64_t from, size_t n, int kind, void *stream, bool blocking) {
  struct copy c = {.to = to, .from = from, .width = n, .height = 1, .depth = 1, .kind = kind, .blocking = blocking};
  int e = begin();
  if (!e) e = do_copy(stream, &c);
  return finish(e);
}
EXPORT CUresult cuMemcpy(CUdeviceptr t, CUdeviceptr f, size_t n) { return copy(t, f, n, COPY_ANY, NULL, true); }
EXPORT CUresult cuMemcpyAsync(CUdeviceptr t, CUdeviceptr f, size_t n, CUstream s) { return copy(t, f, n, COPY_ANY, s, false); }
EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr t, const void *f, size_t n) { return copy(t, (uint64_t)f, n, COPY_TO_DEVICE, NULL, true); }
EXPORT CUresult cuMemcpyDtoH_v2(void *t, CUdeviceptr f, size_t n) { return copy((uint64_t)t, f, n, COPY_TO_HOST, NULL, true); }
EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr t, CUdeviceptr f, size_t n) { return copy(t, f, n, COPY_ON_DEVICE, NULL, true); }
EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr t, const void *f, size_t n, CUstream s) { return copy(t, (uint64_t)f, n, COPY_TO_DEVICE, s, false); }
EXPORT CUresult cuMemcpyDtoHAsync_v2(void *t, CUdeviceptr f, size_t n, CUstream s) { return copy((uint64_t)t, f, n, COPY_TO_HOST, s, false); }
EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr t, CUdeviceptr f, size_t n, CUstream s) { return copy(t, f, n, COPY_ON_DEVICE, s, false); }
static CUresult fill(uint64_t p, uint64_t v, unsigned element, size_t n, void *stream) {
  int e = begin();
  if (!e) e = do_fill(stream, p, v, element, n, 1, n * element, false);
  return finish(e);
}
EXPORT CUresult cuMemsetD8_v2(CUdeviceptr p, unsigned char v, size_t n) { return fill(p, v, 1, n, NULL); }
EXPORT CUresult cuMemsetD16_v2(CUdeviceptr p, unsigned short v, size_t n) { return fill(p, v, 2, n, NULL); }
EXPORT CUresult cuMemsetD32_v2(CUdeviceptr p, unsigned v, size_t n) { return fill(p, v, 4, n, NULL); }
EXPORT CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char v, size_t n, CUstream s) { return fill(p, v, 1, n, s); }
EXPORT CUresult cuMemsetD16Async(CUdeviceptr p, unsigned short v, size_t n, CUstream s) { return fill(p, v, 2, n, s); }
EXPORT CUresult cuMemsetD32Async(CUdeviceptr p, unsigned v, size_t n, CUstream s) { return fill(p, v, 4, n, s); }

static struct function *of(CUfunction f) { return (struct function *)f; }
EXPORT CUresult cuFuncGetAttribute(int *v, CUfunction_attribute a, CUfunction handle) {
  struct function *f = of(handle);
  switch (a) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *v = f->most_threads ? (int)f->most_threads : 1024; break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *v = (int)f->shared; break;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *v = (int)f->constant; break;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *v = (int)f->local; break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: *v = (int)f->registers; break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION: case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *v = (int)f->target; break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *v = (int)(device()->property[DEVICE_SHARED_PER_BLOCK] - f->shared); break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *v = (int)f->cluster[0]; break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *v = (int)f->cluster[1]; break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *v = (int)f->cluster[2]; break;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: *v = f->larger_clusters; break;
  default: *v = 0;
  }
  return 0;
}
EXPORT CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute a, int v) {
  if (a == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) of(f)->larger_clusters = v != 0;
  if (a != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return 0;
  if (v < 0 || (uint64_t)v + of(f)->shared > device()->property[DEVICE_SHARED_OPTIN]) return CUDA_ERROR_INVALID_VALUE;
  of(f)->most_dynamic = (uint64_t)v;
  return 0;
}
EXPORT CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache c) { (void)f; (void)c; return 0; }

// extra_arguments takes arguments that the program has packed itself.
static int extra_arguments(struct function *f, void **extra, unsigned char **packed) {
  const void *data = NULL;
  size_t n = 0;
  for (; extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) data = extra[1];
    else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) n = *(size_t *)extra[1];
    else return cudaErrorInvalidValue;
  }
  *packed = calloc(f->parameter_bytes + 1, 1);
  if (!*packed) return cudaErrorMemoryAllocation;
  if (data) memcpy(*packed, data, n < f->parameter_bytes ? n : f->parameter_bytes);
  return 0;
}
CUresult launch_function(CUfunction handle, const struct launch *s, void *stream, void **parameters, void **extra) {
  struct function *f = of(handle);
  if (!f) return CUDA_ERROR_INVALID_HANDLE;
  unsigned char *packed = NULL;
  int e = begin();
  if (!e && !parameters && !extra && f->parameters) e = cudaErrorInvalidValue;
  if (!e) e = extra ? extra_arguments(f, extra, &packed) : pack_arguments(f, parameters, &packed);
  if (!e) e = do_launch(stream, f, s, packed);
  free(packed);
  return finish(e);
}
EXPORT CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream s, void **parameters, void **extra) {
  struct launch shape = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared};
  return launch_function(f, &shape, s, parameters, extra);
}
EXPORT CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream s, void **parameters) {
  struct launch shape = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared, .cooperative = true};
  return launch_function(f, &shape, s, parameters, NULL);
}
EXPORT CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z) {
  of(f)->block[0] = (unsigned)x;
  of(f)->block[1] = (unsigned)y;
  of(f)->block[2] = (unsigned)z;
  return 0;
}
EXPORT CUresult cuFuncSetSharedSize(CUfunction f, unsigned n) { of(f)->old_shared = n; return 0; }
EXPORT CUresult cuParamSetv(CUfunction handle, int offset, void *data, unsigned n) {
  struct function *f = of(handle);
  if (!f->old_arguments) f->old_arguments = calloc(f->parameter_bytes + 1, 1);
  if (!f->old_arguments || offset < 0 || (uint64_t)offset + n > f->parameter_bytes) return CUDA_ERROR_INVALID_VALUE;
  memcpy(f->old_arguments + offset, data, n);
  return 0;
}
EXPORT CUresult cuParamSeti(CUfunction f, int offset, unsigned v) { return cuParamSetv(f, offset, &v, sizeof v); }
EXPORT CUresult cuParamSetf(CUfunction f, int offset, float v) { return cuParamSetv(f, offset, &v, sizeof v); }
EXPORT CUresult cuParamSetSize(CUfunction f, unsigned n) { return n > of(f)->parameter_bytes ? CUDA_ERROR_INVALID_VALUE : 0; }
EXPORT CUresult cuLaunchGridAsync(CUfunction handle, int w, int h, CUstream s) {
  struct function *f = of(handle);
  static unsigned char none[1];
  if (f->parameter_bytes && !f->old_arguments) return CUDA_ERROR_INVALID_VALUE;
  int e = begin();
  struct launch shape = {.grid = {(unsigned)w, (unsigned)h, 1}, .block = {f->block[0], f->block[1], f->block[2]}, .shared = f->old_shared};
  if (!e) e = do_launch(s, f, &shape, f->old_arguments ? f->old_arguments : none);
  return finish(e);
}
EXPORT CUresult cuLaunchGrid(CUfunction f, int w, int h) { return cuLaunchGridAsync(f, w, h, NULL); }
EXPORT CUresult cuLaunch(CUfunction f) { return cuLaunchGridAsync(f, 1, 1, NULL); }
EXPORT CUresult cuLaunchHostFunc(CUstream s, CUhostFn function, void *data) { return result(cudaLaunchHostFunc((cudaStream_t)s, function, data)); }
EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t shared) { return result(occupancy(of(f), threads, shared, blocks)); }
EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *best, CUfunction f, CUoccupancyB2DSize needed, size_t shared, int limit) {
  int most = of(f)->most_threads ? (int)of(f)->most_threads : 1024, occupied = 0, most_blocks = 0;
  if (limit > 0 && limit < most) most = limit;
  for (int n = (most + 31) / 32 * 32; n > 0; n -= 32) {
    int threads = n < most ? n : most, blocks = 0;
    int e = occupancy(of(f), threads, needed ? needed(threads) : shared, &blocks);
    if (e) return result(e);
    if (blocks * threads > occupied) { occupied = blocks * threads; *best = threads; most_blocks = blocks; }
  }
  *grid = most_blocks * (int)device()->property[DEVICE_MULTIPROCESSORS];
  return result(occupied ? 0 : cudaErrorInvalidValue);
}

EXPORT CUresult cuStreamCreate(CUstream *s, unsigned flags) { return result(cudaStreamCreateWithFlags((cudaStream_t *)s, flags)); }
EXPORT CUresult cuStreamCreateWithPriority(CUstream *s, unsigned flags, int priority) { return result(cudaStreamCreateWithPriority((cudaStream_t *)s, flags, priority)); }
EXPORT CUresult cuStreamDestroy_v2(CUstream s) { return result(cudaStreamDestroy((cudaStream_t)s)); }
EXPORT CUresult cuStreamSynchronize(CUstream s) { return result(cudaStreamSynchronize((cudaStream_t)s)); }
EXPORT CUresult cuStreamQuery(CUstream s) { return result(cudaStreamQuery((cudaStream_t)s)); }
EXPORT CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags) { return result(cudaStreamWaitEvent((cudaStream_t)s, (cudaEvent_t)e, flags)); }
EXPORT CUresult cuEventCreate(CUevent *e, unsigned flags) { return result(cudaEventCreateWithFlags((cudaEvent_t *)e, flags)); }
EXPORT CUresult cuEventRecord(CUevent e, CUstream s) { return result(cudaEventRecord((cudaEvent_t)e, (cudaStream_t)s)); }
EXPORT CUresult cuEventQuery(CUevent e) { return result(cudaEventQuery((cudaEvent_t)e)); }
EXPORT CUresult cuEventSynchronize(CUevent e) { return result(cudaEventSynchronize((cudaEvent_t)e)); }
EXPORT CUresult cuEventDestroy_v2(CUevent e) { return result(cudaEventDestroy((cudaEvent_t)e)); }
EXPORT CUresult cuEventElapsedTime(float *ms, CUevent a, CUevent b) { return result(cudaEventElapsedTime(ms, (cudaEvent_t)a, (cudaEvent_t)b)); }
EXPORT CUresult cuProfilerStart(void) { return 0; }
EXPORT CUresult cuProfilerStop(void) { return 0; }

// warptape_leave ends the session before the library is unloaded, and gives device memory back.
// At the end of a process it stays: threads may still use it.
EXPORT void warptape_leave(void) { end_session(); }
