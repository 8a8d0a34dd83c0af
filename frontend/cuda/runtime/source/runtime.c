// SPDX-License-Identifier: Apache-2.0
// The runtime API's memory and launches.
#include "warptape.h"
#include "cuda_runtime_api.h"

struct call { struct extent grid, block; size_t shared; void *stream; };
static _Thread_local struct call calls[16]; // nested by calls in arguments of launches
static _Thread_local int depth;
static _Thread_local unsigned char old_arguments[4096];

EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
  if (depth == 16) return 1;
  calls[depth++] = (struct call){{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared, stream};
  return 0;
}
EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  if (depth == 0) return done(cudaErrorMissingConfiguration);
  struct call *c = &calls[--depth];
  *grid = (dim3){c->grid.x, c->grid.y, c->grid.z};
  *block = (dim3){c->block.x, c->block.y, c->block.z};
  *shared = c->shared;
  *(void **)stream = c->stream;
  return 0;
}
EXPORT cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  return __cudaPushCallConfiguration(grid, block, shared, stream) ? done(cudaErrorInvalidConfiguration) : 0;
}
EXPORT cudaError_t cudaSetupArgument(const void *argument, size_t size, size_t offset) {
  if (offset > sizeof old_arguments || size > sizeof old_arguments - offset) return done(cudaErrorInvalidValue);
  memcpy(old_arguments + offset, argument, size);
  return 0;
}

static struct extent extent_of(dim3 d) { return (struct extent){d.x, d.y, d.z}; }

int launch_symbol(const void *host, const struct launch *s, void **arguments, void *stream) {
  lock();
  struct function *f = NULL;
  unsigned char *packed = NULL;
  int e = connected();
  if (!e) e = function_of(host, &f);
  if (!e) e = pack_arguments(f, arguments, &packed);
  if (!e) e = do_launch(stream, f, s, packed);
  free(packed);
  unlock();
  return done(e);
}

static cudaError_t launch(const void *host, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream, bool cooperative) {
  struct launch s = {.grid = extent_of(grid), .block = extent_of(block), .shared = shared, .cooperative = cooperative};
  return launch_symbol(host, &s, arguments, stream);
}

EXPORT cudaError_t cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream) {
  return launch(f, grid, block, arguments, shared, stream, false);
}
EXPORT cudaError_t cudaLaunchKernel_ptsz(const void *f, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream) {
  return launch(f, grid, block, arguments, shared, stream, false);
}
EXPORT cudaError_t cudaLaunchCooperativeKernel(const void *f, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream) {
  return launch(f, grid, block, arguments, shared, stream, true);
}
EXPORT cudaError_t cudaLaunch(const void *host) {
  if (depth == 0) return done(cudaErrorMissingConfiguration);
  struct call c = calls[--depth];
  lock();
  struct function *f = NULL;
  int e = connected();
  if (!e) e = function_of(host, &f);
  if (!e && f->parameter_bytes > sizeof old_arguments) e = cudaErrorInvalidValue;
  if (!e) e = do_launch(c.stream, f, &(struct launch){.grid = c.grid, .block = c.block, .shared = c.shared}, old_arguments);
  unlock();
  return done(e);
}

static cudaError_t get(int kind, void **p, size_t n, unsigned flags) {
  if (!p) return done(cudaErrorInvalidValue);
  if (n == 0) { *p = NULL; return kind == MEMORY_MANAGED ? done(cudaErrorInvalidValue) : 0; }
  lock();
  uint64_t address = 0;
  int e = connected();
  if (!e) e = broken();
  if (!e) e = allocate(kind, n, flags, &address);
  if (!e) *p = (void *)address;
  unlock();
  return done(e);
}
static cudaError_t give(void *p, bool host) {
  if (!p) return 0;
  lock();
  int e = connected();
  if (!e) e = release_memory((uint64_t)p, host);
  unlock();
  return done(e);
}

EXPORT cudaError_t cudaMalloc(void **p, size_t n) { return get(MEMORY_DEVICE, p, n, 0); }
EXPORT cudaError_t cudaMallocManaged(void **p, size_t n, unsigned flags) { return get(MEMORY_MANAGED, p, n, flags); }
EXPORT cudaError_t cudaMallocHost(void **p, size_t n) { return get(MEMORY_PINNED, p, n, 0); }
EXPORT cudaError_t cudaHostAlloc(void **p, size_t n, unsigned flags) { return get(MEMORY_PINNED, p, n, flags); }
EXPORT cudaError_t cudaFree(void *p) {
  if (!p) { lock(); int e = connected(); unlock(); return done(e); } // the usual way to begin
  return give(p, false);
}
EXPORT cudaError_t cudaFreeAsync(void *p, cudaStream_t s) { (void)s; return give(p, false); }
EXPORT cudaError_t cudaFreeHost(void *p) { return give(p, true); }

static size_t pitched(size_t width) { return (width + 511) / 512 * 512; }
EXPORT cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  if (!pitch) return done(cudaErrorInvalidValue);
  *pitch = pitched(width);
  return get(MEMORY_DEVICE, p, *pitch * height, 0);
}
EXPORT cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent e) {
  p->pitch = pitched(e.width);
  p->xsize = e.width;
  p->ysize = e.height;
  return get(MEMORY_DEVICE, &p->ptr, p->pitch * e.height * e.depth, 0);
}

EXPORT cudaError_t cudaHostRegister(void *p, size_t n, unsigned flags) {
  lock();
  int e = connected();
  if (!e) e = register_memory(p, n, flags);
  unlock();
  return done(e);
}
EXPORT cudaError_t cudaHostUnregister(void *p) {
  lock();
  int e = connected();
  if (!e) e = unregister_memory(p);
  unlock();
  return done(e);
}
EXPORT cudaError_t cudaHostGetDevicePointer(void **to, void *host, unsigned flags) {
  (void)flags;
  lock();
  struct allocation *a = allocation_at_host(host);
  int e = a ? 0 : cudaErrorInvalidValue;
  if (a) *to = a->kind == MEMORY_REGISTERED ? (void *)(a->address + ((uint64_t)host - (uint64_t)a->host)) : host;
  unlock();
  return done(e);
}
EXPORT cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
  lock();
  struct allocation *a = allocation_at_host(host);
  int e = a && a->kind != MEMORY_MANAGED ? 0 : cudaErrorInvalidValue;
  if (!e) *flags = a->flags | cudaHostAllocMapped;
  unlock();
  return done(e);
}
EXPORT cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *to, const void *p) {
  if (!to) return done(cudaErrorInvalidValue);
  lock();
  int e = connected();
  struct allocation *a = e ? NULL : allocation_at((uint64_t)p, 0);
  if (!a && !e) a = allocation_at_host(p);
  memset(to, 0, sizeof *to);
  uint64_t managed = e ? (uint64_t)p : on_device((uint64_t)p);
  if (managed != (uint64_t)p) {
    to->type = cudaMemoryTypeManaged;
    to->hostPointer = (void *)p;
    to->devicePointer = (void *)managed;
    unlock();
    return done(0);
  }
  to->hostPointer = (void *)p;
  if (a) {
    static const int types[] = {cudaMemoryTypeDevice, cudaMemoryTypeManaged, cudaMemoryTypeHost, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeDevice};
    to->type = types[a->kind];
    to->devicePointer = a->kind == MEMORY_REGISTERED && allocation_at((uint64_t)p, 0) != a ? (void *)(a->address + ((uint64_t)p - (uint64_t)a->host)) : (void *)p;
    if (to->type == cudaMemoryTypeDevice) to->hostPointer = NULL;
  }
  unlock();
  return done(e);
}
EXPORT cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  lock();
  struct buffer m = {0}, r = {0};
  int e = connected();
  if (!e) e = ask(MESSAGE_MEMORY, &m, &r);
  if (!e) { *available = take64(&r); *total = take64(&r); }
  release(&r);
  unlock();
  return done(e);
}

static cudaError_t copy(void *stream, struct copy c) {
  lock();
  int e = connected();
  if (!e) e = do_copy(stream, &c);
  unlock();
  return done(e);
}
static struct copy rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, int kind, bool blocking) {
  return (struct copy){.to = (uint64_t)to, .from = (uint64_t)from, .to_pitch = to_pitch, .from_pitch = from_pitch, .width = width,
    .height = height, .depth = 1, .kind = kind, .blocking = blocking};
}
EXPORT cudaError_t cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind kind) {
  return copy(NULL, rows(to, n, from, n, n, 1, (int)kind, true));
}
EXPORT cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t s) {
  return copy(s, rows(to, n, from, n, n, 1, (int)kind, false));
}
EXPORT cudaError_t cudaMemcpyPeer(void *to, int d, const void *from, int s, size_t n) {
  return d || s ? done(cudaErrorInvalidDevice) : cudaMemcpy(to, from, n, cudaMemcpyDeviceToDevice);
}
EXPORT cudaError_t cudaMemcpyPeerAsync(void *to, int d, const void *from, int s, size_t n, cudaStream_t stream) {
  return d || s ? done(cudaErrorInvalidDevice) : cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToDevice, stream);
}
EXPORT cudaError_t cudaMemcpy2D(void *to, size_t tp, const void *from, size_t fp, size_t w, size_t h, enum cudaMemcpyKind kind) {
  return copy(NULL, rows(to, tp, from, fp, w, h, (int)kind, true));
}
EXPORT cudaError_t cudaMemcpy2DAsync(void *to, size_t tp, const void *from, size_t fp, size_t w, size_t h, enum cudaMemcpyKind kind, cudaStream_t s) {
  return copy(s, rows(to, tp, from, fp, w, h, (int)kind, false));
}

static cudaError_t symbol_copy(void *stream, const void *symbol, void *other, size_t n, size_t offset, bool to_symbol, int kind, bool blocking) {
  uint64_t address, bytes;
  lock();
  int e = connected();
  if (!e) e = symbol_of(symbol, &address, &bytes);
  if (!e && (offset > bytes || n > bytes - offset)) e = cudaErrorInvalidValue;
  if (!e) {
    struct copy c = to_symbol ? rows((void *)(address + offset), n, other, n, n, 1, kind, blocking) : rows(other, n, (void *)(address + offset), n, n, 1, kind, blocking);
    e = do_copy(stream, &c);
  }
  unlock();
  return done(e);
}
EXPORT cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n, size_t offset, enum cudaMemcpyKind kind) {
  return symbol_copy(NULL, symbol, (void *)from, n, offset, true, (int)kind, true);
}
EXPORT cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind) {
  return symbol_copy(NULL, symbol, to, n, offset, false, (int)kind, true);
}
EXPORT cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t n, size_t offset, enum cudaMemcpyKind kind, cudaStream_t s) {
  return symbol_copy(s, symbol, (void *)from, n, offset, true, (int)kind, false);
}
EXPORT cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind, cudaStream_t s) {
  return symbol_copy(s, symbol, to, n, offset, false, (int)kind, false);
}
static cudaError_t symbol(const void *host, uint64_t *address, uint64_t *bytes) {
  lock();
  int e = connected();
  if (!e) e = symbol_of(host, address, bytes);
  unlock();
  return done(e);
}
EXPORT cudaError_t cudaGetSymbolAddress(void **p, const void *host) {
  uint64_t address, bytes;
  cudaError_t e = symbol(host, &address, &bytes);
  if (!e) *p = (void *)address;
  return e;
}
EXPORT cudaError_t cudaGetSymbolSize(size_t *n, const void *host) {
  uint64_t address, bytes;
  cudaError_t e = symbol(host, &address, &bytes);
  if (!e) *n = bytes;
  return e;
}

static cudaError_t fill(void *stream, void *p, size_t pitch, int value, size_t width, size_t height, bool blocking) {
  lock();
  int e = connected();
  if (!e) e = do_fill(stream, (uint64_t)p, (unsigned char)value, 1, width, height, pitch, blocking);
  unlock();
  return done(e);
}
EXPORT cudaError_t cudaMemset(void *p, int v, size_t n) { return fill(NULL, p, n, v, n, 1, true); }
EXPORT cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t s) { return fill(s, p, n, v, n, 1, false); }
EXPORT cudaError_t cudaMemset2D(void *p, size_t pitch, int v, size_t w, size_t h) { return fill(NULL, p, pitch, v, w, h, true); }
EXPORT cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int v, size_t w, size_t h, cudaStream_t s) { return fill(s, p, pitch, v, w, h, false); }
EXPORT cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int v, struct cudaExtent x, cudaStream_t s) {
  cudaError_t e = 0;
  for (size_t z = 0; z < x.depth && !e; z++) e = fill(s, (char *)p.ptr + z * p.pitch * p.ysize, p.pitch, v, x.width, x.height, false);
  return e;
}
EXPORT cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int v, struct cudaExtent x) { return cudaMemset3DAsync(p, v, x, NULL); }
EXPORT cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, int d, cudaStream_t s) { (void)n; (void)d; (void)s; return p ? 0 : done(cudaErrorInvalidValue); }
EXPORT cudaError_t cudaMemAdvise(const void *p, size_t n, enum cudaMemoryAdvise a, int d) { (void)n; (void)a; (void)d; return p ? 0 : done(cudaErrorInvalidValue); }

EXPORT cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *h, cudaEvent_t e) { (void)h; (void)e; return UNSUPPORTED("one process has the device"); }
EXPORT cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *h, void *p) { (void)h; (void)p; return UNSUPPORTED("one process has the device"); }
EXPORT cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *e, cudaIpcEventHandle_t h) { (void)e; (void)h; return UNSUPPORTED("one process has the device"); }
EXPORT cudaError_t cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t h, unsigned f) { (void)p; (void)h; (void)f; return UNSUPPORTED("one process has the device"); }
EXPORT cudaError_t cudaIpcCloseMemHandle(void *p) { (void)p; return UNSUPPORTED("one process has the device"); }
