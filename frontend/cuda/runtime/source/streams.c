// SPDX-License-Identifier: Apache-2.0
// Operations of streams: launches, copies, fills, events and waiting, carried out or captured.
#include "warptape.h"
#include "cuda_runtime_api.h"
#include "graphs.h"
#include <inttypes.h>
#include <stdarg.h>

static struct CUstream_st legacy = {.id = 0}, per_thread = {.id = 1};
static uint64_t next_stream = 2, next_event = 1;

struct CUstream_st *stream_of(void *handle) {
  if (handle == NULL || handle == (void *)1) return &legacy;
  if (handle == (void *)2) return &per_thread;
  return handle;
}

uint64_t new_event_id(void) { return next_event++; }

static int capturing(void *stream, struct graph **graph) { return captured(stream_of(stream), graph); }

// not_captured is the error of an operation that a capturing stream may not have. It breaks the
// capture.
static int not_captured(struct CUstream_st *s) {
  struct graph *g;
  int e = captured(s, &g);
  if (!g || e) return e;
  break_capture(g);
  return cudaErrorStreamCaptureUnsupported;
}

// too_large says why a launch is refused, once for each kernel: programs often do not look.
static int too_large(struct function *f, int error, const char *format, ...) {
  if (f->told) return error;
  f->told = true;
  va_list values;
  va_start(values, format);
  fflush(stdout);
  fprintf(stderr, "warptape: a launch of kernel %s is refused: ", f->name);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
  return error;
}

static int check_launch(struct function *f, struct extent grid, struct extent block, uint64_t shared) {
  uint64_t threads = (uint64_t)block.x * block.y * block.z;
  const uint64_t *property = device()->property;
  if (!grid.x || !grid.y || !grid.z || grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535)
    return too_large(f, cudaErrorInvalidConfiguration, "a grid of %u by %u by %u thread blocks; a device has 1 to 2147483647 by 65535 by 65535", grid.x, grid.y, grid.z);
  if (!threads || block.x > 1024 || block.y > 1024 || block.z > 64 || threads > 1024)
    return too_large(f, cudaErrorInvalidConfiguration, "a thread block of %u by %u by %u threads; a device has 1 to 1024 of them, 64 in z", block.x, block.y, block.z);
  if (f->most_threads && threads > f->most_threads)
    return too_large(f, cudaErrorInvalidValue, "a thread block of %" PRIu64 " threads; the kernel's launch bounds allow %" PRIu64, threads, (uint64_t)f->most_threads);
  if (shared + f->shared > property[DEVICE_SHARED_OPTIN] || (shared + f->shared > property[DEVICE_SHARED_PER_BLOCK] && shared > f->most_dynamic))
    return too_large(f, cudaErrorInvalidValue, "%" PRIu64 " bytes of shared memory; a thread block has %" PRIu64 ", and after cudaFuncSetAttribute up to %" PRIu64,
                     shared + f->shared, property[DEVICE_SHARED_PER_BLOCK], property[DEVICE_SHARED_OPTIN]);
  uint64_t warps = (threads + 31) / 32, needed = f->registers * 32 * warps;
  if (!f->told && warp_registers(f, warps) < f->registers * 32) {
    f->told = true;
    fflush(stdout);
    fprintf(stderr, "warptape: kernel %s: %" PRIu64 " threads of %" PRIu64 " registers need %" PRIu64 " and the device has %" PRIu64 "; the launch goes on, as the vendor's compiler often needs fewer than the PTX has\n",
            f->name, threads, (uint64_t)f->registers, needed, property[DEVICE_REGISTERS]);
  }
  return 0;
}

int do_launch(void *stream, struct function *f, const struct launch *s, const unsigned char *arguments) {
  int e = check_launch(f, s->grid, s->block, s->shared);
  struct graph *g;
  if (!e) e = check_cluster(f, s);
  if (e || (e = capturing(stream, &g))) return e;
  struct extent grid = s->grid, block = s->block;
  if (s->cooperative) {
    int blocks = 0;
    occupancy(f, (int)(block.x * block.y * block.z), s->shared, &blocks);
    if ((uint64_t)grid.x * grid.y * grid.z > (uint64_t)blocks * device()->property[DEVICE_MULTIPROCESSORS]) return cudaErrorCooperativeLaunchTooLarge;
  }
  unsigned char *copied;
  arguments = arguments_on_device(arguments, f->parameter_bytes, &copied);
  if (g) {
    e = capture_launch(g, f, s, arguments);
    free(copied);
    return e;
  }
  struct buffer m = {0};
  put64(&m, f->id);
  put64(&m, stream_of(stream)->id);
  put64(&m, grid.x); put64(&m, grid.y); put64(&m, grid.z);
  put64(&m, block.x); put64(&m, block.y); put64(&m, block.z);
  put64(&m, s->cluster.x); put64(&m, s->cluster.y); put64(&m, s->cluster.z);
  put64(&m, s->shared);
  put64(&m, s->cooperative);
  put_bytes(&m, arguments, f->parameter_bytes);
  free(copied);
  return post(MESSAGE_LAUNCH, &m);
}

// A side of a copy: where its bytes are in this process, if they are in reach.
struct side {
  struct allocation *memory; // NULL: the program's own
  unsigned char *bytes;      // NULL: constants
};

static uint64_t span(const struct copy *c, uint64_t pitch, uint64_t slice) {
  return (c->depth - 1) * slice + (c->height - 1) * pitch + c->width;
}

static int find_side(uint64_t address, uint64_t bytes, bool must, struct side *s) {
  s->memory = allocation_at(address, 0);
  s->bytes = (unsigned char *)address;
  if (!s->memory) return must || address == 0 ? cudaErrorInvalidValue : 0;
  if (!allocation_at(address, bytes)) return cudaErrorInvalidValue;
  s->bytes = s->memory->kind == MEMORY_CONSTANT ? NULL : window(s->memory->offset + address - s->memory->address);
  return 0;
}

static bool on_host(const struct side *s) { return !s->memory || s->memory->kind == MEMORY_PINNED || s->memory->kind == MEMORY_REGISTERED; }

static void copy_rows(unsigned char *to, const unsigned char *from, const struct copy *c) {
  bool whole = c->to_pitch == c->width && c->from_pitch == c->width;
  for (uint64_t z = 0; z < c->depth; z++) {
    unsigned char *t = to + z * c->to_slice;
    const unsigned char *f = from + z * c->from_slice;
    if (whole) { memmove(t, f, c->width * c->height); continue; }
    for (uint64_t y = 0; y < c->height; y++) memmove(t + y * c->to_pitch, f + y * c->from_pitch, c->width);
  }
}

// copy_constants copies to and from constant memory, whose bytes are not mapped.
static int copy_constants(const struct copy *c, const struct side *to, const struct side *from, void *stream) {
  if (c->height != 1 || c->depth != 1 || (!to->bytes && !from->bytes)) return cudaErrorInvalidValue;
  struct buffer m = {0}, r = {0};
  if (!to->bytes) {
    put64(&m, c->to);
    put64(&m, on_host(from) ? c->from : 0);
    put64(&m, stream_of(stream)->id);
    put64(&m, c->blocking);
    put_bytes(&m, from->bytes, c->width);
    return post(MESSAGE_WRITE, &m);
  }
  put64(&m, c->from);
  put64(&m, c->width);
  put64(&m, on_host(to) ? c->to : 0);
  put64(&m, stream_of(stream)->id);
  int e = ask(MESSAGE_READ, &m, &r);
  if (!e) {
    size_t n;
    const void *data = take_bytes(&r, &n);
    if (n == c->width) memcpy(to->bytes, data, n); else e = cudaErrorUnknown;
  }
  release(&r);
  return e;
}

static int copy_on_device(const struct copy *c, void *stream) {
  for (uint64_t z = 0; z < c->depth; z++) {
    struct rows r = {c->to + z * c->to_slice, c->from + z * c->from_slice, c->width, c->height, c->to_pitch, c->from_pitch};
    int e = post_move(&r, stream_of(stream)->id);
    if (e) return e;
  }
  return 0;
}

int do_copy(void *stream, const struct copy *given) {
  struct copy c = *given;
  c.to = on_device(c.to), c.from = on_device(c.from);
  if (c.width == 0 || c.height == 0 || c.depth == 0) return broken();
  if (c.height > 1 && (c.width > c.to_pitch || c.width > c.from_pitch)) return cudaErrorInvalidPitchValue;
  if (c.height == 1) { c.to_pitch = c.from_pitch = c.width; }
  if (c.kind < 0 || c.kind > COPY_ANY) return cudaErrorInvalidMemcpyDirection;
  struct side to, from;
  int e = find_side(c.to, span(&c, c.to_pitch, c.to_slice), c.kind == COPY_TO_DEVICE || c.kind == COPY_ON_DEVICE, &to);
  if (!e) e = find_side(c.from, span(&c, c.from_pitch, c.from_slice), c.kind == COPY_TO_HOST || c.kind == COPY_ON_DEVICE, &from);
  struct graph *g;
  if (e || (e = capturing(stream, &g))) return e;
  if (g) return capture_copy(g, &c);
  if (!to.bytes || !from.bytes) return copy_constants(&c, &to, &from, stream);
  bool device_to = !on_host(&to), device_from = !on_host(&from);
  if (c.kind == COPY_ON_DEVICE) device_to = device_from = true;
  if (device_to && device_from) return copy_on_device(&c, stream);
  if ((e = drain())) return e; // the device may still work on either side
  copy_rows(to.bytes, from.bytes, &c);
  if (!device_to && !device_from) return 0;
  return post_copied(device_to, device_to ? c.to : c.from, device_to ? c.from : c.to, c.width * c.height * c.depth, stream_of(stream)->id, c.blocking);
}

int do_fill(void *stream, uint64_t address, uint64_t value, unsigned element, uint64_t width, uint64_t height, uint64_t pitch, bool blocking) {
  (void)blocking;
  address = on_device(address);
  if (width == 0 || height == 0) return broken();
  if (height > 1 && width * element > pitch) return cudaErrorInvalidPitchValue;
  uint64_t bytes = (height - 1) * pitch + width * element;
  if (address % element || !allocation_at(address, bytes)) return cudaErrorInvalidValue;
  struct graph *g;
  int e = capturing(stream, &g);
  if (e) return e;
  if (g) return capture_fill(g, address, value, element, width, height, pitch);
  return post_fill(address, value, element, width, height, pitch, stream_of(stream)->id);
}

int do_host(void *stream, void (*function)(void *), void *data) {
  struct graph *g;
  int e = capturing(stream, &g);
  if (e) return e;
  if (g) return capture_host(g, function, data);
  if ((e = wait_for(stream, false))) return e;
  unlock(); // the function may not call the runtime, but another thread may
  function(data);
  lock();
  return 0;
}

int do_record(void *stream, struct CUevent_st *event) {
  struct CUstream_st *s = stream_of(stream);
  struct graph *g;
  int e = captured(s, &g);
  if (e) return e;
  event->recorded = true;
  event->capture = capture_number(g);
  if (g) return 0;
  return post_record(event->id, s->id);
}

int do_stream_wait(void *stream, struct CUevent_st *event) {
  struct CUstream_st *s = stream_of(stream);
  if (event->capture) { // the stream joins what the event's stream captures
    struct graph *g = capture_of(event->capture), *own;
    int e = captured(s, &own);
    if (e) return e;
    if (!g) return cudaErrorCapturedEvent; // that capture has ended
    if (own && own != g) {
      break_capture(own);
      break_capture(g);
      return cudaErrorStreamCaptureMerge;
    }
    s->capture = g;
    join_capture(g, s);
    return 0;
  }
  if (s->capture) return 0; // a wait for what has been done before the capture
  if (!event->recorded) return 0;
  return post_stream_wait(s->id, event->id);
}

int wait_for(void *stream, bool all) {
  struct CUstream_st *s = stream_of(stream);
  int e = all ? 0 : not_captured(s);
  if (e) return e;
  struct buffer m = {0};
  put64(&m, all ? 1 : 0);
  put64(&m, s->id);
  return ask(MESSAGE_WAIT, &m, NULL);
}

static int stream_message(uint64_t operation, struct CUstream_st *s) {
  struct buffer m = {0};
  put64(&m, operation);
  put64(&m, s->id);
  put64(&m, s->flags);
  return post(MESSAGE_STREAM, &m);
}

static cudaError_t create(cudaStream_t *stream, unsigned flags, int priority) {
  if (!stream || flags > 1) return done(cudaErrorInvalidValue);
  lock();
  int e = connected();
  struct CUstream_st *s = e ? NULL : calloc(1, sizeof *s);
  if (!e && !s) e = cudaErrorMemoryAllocation;
  if (!e) {
    s->id = next_stream++;
    s->flags = flags;
    s->priority = priority < -5 ? -5 : priority > 0 ? 0 : priority;
    if ((e = stream_message(1, s))) free(s); else *stream = s;
  }
  unlock();
  return done(e);
}

EXPORT cudaError_t cudaStreamCreate(cudaStream_t *s) { return create(s, 0, 0); }
EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags) { return create(s, flags, 0); }
EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority) { return create(s, flags, priority); }
EXPORT cudaError_t cudaStreamGetPriority(cudaStream_t s, int *priority) { *priority = stream_of(s)->priority; return 0; }
EXPORT cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned *flags) { *flags = stream_of(s)->flags; return 0; }

EXPORT cudaError_t cudaStreamDestroy(cudaStream_t s) {
  if ((uintptr_t)s <= 2) return done(cudaErrorInvalidResourceHandle);
  lock();
  leave_capture(s);
  int e = stream_message(2, s);
  free(s);
  unlock();
  return done(e);
}

EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  lock();
  int e = connected();
  if (!e) e = wait_for(s, false);
  unlock();
  return done(e);
}

EXPORT cudaError_t cudaStreamQuery(cudaStream_t s) {
  lock();
  int e = connected();
  if (!e) e = not_captured(stream_of(s));
  if (!e) e = drain();
  unlock();
  return done(e);
}

EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t event, unsigned flags) {
  (void)flags;
  if (!event) return done(cudaErrorInvalidResourceHandle);
  lock();
  int e = connected();
  if (!e) e = do_stream_wait(s, event);
  unlock();
  return done(e);
}

EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t function, void *data) {
  if (!function) return done(cudaErrorInvalidValue);
  lock();
  int e = connected();
  if (!e) e = do_host(s, function, data);
  unlock();
  return done(e);
}

EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t callback, void *data, unsigned flags) {
  if (!callback || flags) return done(cudaErrorInvalidValue);
  lock();
  int e = connected();
  if (!e) e = wait_for(s, false);
  unlock();
  callback(s, e, data);
  return done(e);
}

EXPORT cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, void *p, size_t n, unsigned flags) { (void)s; (void)p; (void)n; (void)flags; return 0; }

EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  if (!event) return done(cudaErrorInvalidValue);
  lock();
  int e = connected();
  struct CUevent_st *v = e ? NULL : calloc(1, sizeof *v);
  if (!e && !v) e = cudaErrorMemoryAllocation;
  if (!e) {
    v->id = new_event_id();
    v->flags = flags;
    *event = v;
  }
  unlock();
  return done(e);
}
EXPORT cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }
EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!event) return done(cudaErrorInvalidResourceHandle);
  free(event);
  return 0;
}

EXPORT cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t s) {
  if (!event) return done(cudaErrorInvalidResourceHandle);
  lock();
  int e = do_record(s, event);
  unlock();
  return done(e);
}
EXPORT cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t s, unsigned flags) { (void)flags; return cudaEventRecord(event, s); }

EXPORT cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (!event) return done(cudaErrorInvalidResourceHandle);
  lock();
  int e = drain();
  unlock();
  return done(e);
}

EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (!event) return done(cudaErrorInvalidResourceHandle);
  lock();
  int e = broken();
  if (!e && event->recorded && !event->capture) {
    struct buffer m = {0};
    put64(&m, 3);
    put64(&m, event->id);
    e = ask(MESSAGE_WAIT, &m, NULL);
  }
  unlock();
  return done(e);
}

EXPORT cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!milliseconds || !start || !end) return done(cudaErrorInvalidValue);
  if (!start->recorded || !end->recorded || (start->flags & cudaEventDisableTiming) || (end->flags & cudaEventDisableTiming))
    return done(cudaErrorInvalidResourceHandle);
  lock();
  struct buffer m = {0}, r = {0};
  put64(&m, start->id);
  put64(&m, end->id);
  int e = ask(MESSAGE_ELAPSED, &m, &r);
  if (!e) *milliseconds = (float)((double)(int64_t)take64(&r) * 1e-6);
  release(&r);
  unlock();
  return done(e);
}
