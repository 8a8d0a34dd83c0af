// SPDX-License-Identifier: Apache-2.0
// Commands on memory: reads, writes, copies, fills and maps.
#include "objects.h"

static uint64_t span(const struct region *r) { return (r->depth - 1) * r->slice + (r->height - 1) * r->row + r->width; }
static uint64_t all_bytes(const struct region *r) { return r->width * r->height * r->depth; }

static void copy_rows(unsigned char *to, uint64_t to_row, uint64_t to_slice, const unsigned char *from, uint64_t from_row, uint64_t from_slice, const struct region *r) {
  for (uint64_t z = 0; z < r->depth; z++)
    for (uint64_t y = 0; y < r->height; y++) memmove(to + z * to_slice + y * to_row, from + z * from_slice + y * from_row, r->width);
}

// to_host and to_device copy when the device has done what came before, and tell the
// recorder.
static cl_int to_host(const struct transfer *t, uint64_t stream, bool blocking) {
  int e = drain();
  if (e) return status(e);
  const struct region *r = &t->region;
  unsigned char *from = bytes_of(t->memory) + r->offset;
  if (from != t->host) copy_rows(t->host, t->host_row, t->host_slice, from, r->row, r->slice, r);
  return status(post_copied(false, t->memory->address + r->offset, (uint64_t)t->host, all_bytes(r), stream, blocking));
}
static cl_int to_device(const struct transfer *t, uint64_t stream, bool blocking) {
  int e = drain();
  if (e) return status(e);
  const struct region *r = &t->region;
  unsigned char *to = bytes_of(t->memory) + r->offset;
  if (to != t->host) copy_rows(to, r->row, r->slice, t->host, t->host_row, t->host_slice, r);
  return status(post_copied(true, t->memory->address + r->offset, (uint64_t)t->host, all_bytes(r), stream, blocking));
}
static cl_int run_read(struct command *c, uint64_t stream) { return to_host(&c->transfer, stream, c->blocking); }
static cl_int run_write(struct command *c, uint64_t stream) { return to_device(&c->transfer, stream, c->blocking); }

static cl_int run_copy(struct command *c, uint64_t stream) {
  const struct transfer *t = &c->transfer;
  const struct region *from = &t->region, *to = &t->other_region;
  for (uint64_t z = 0; z < from->depth; z++) {
    struct rows r = {t->other->address + to->offset + z * to->slice, t->memory->address + from->offset + z * from->slice, from->width, from->height, to->row, from->row};
    int e = post_move(&r, stream);
    if (e) return status(e);
  }
  return CL_SUCCESS;
}

static cl_int run_fill(struct command *c, uint64_t stream) {
  const struct region *r = &c->transfer.region;
  cl_mem m = c->transfer.memory;
  uint64_t value = 0;
  bool small = c->pattern_bytes == 1 || c->pattern_bytes == 2 || c->pattern_bytes == 4;
  memcpy(&value, c->pattern, small ? c->pattern_bytes : 0);
  int e = small ? 0 : drain();
  for (uint64_t z = 0; z < r->depth && !e; z++) {
    uint64_t at = r->offset + z * r->slice;
    for (uint64_t y = 0; y < r->height && !small; y++) // what the recorder's fills cannot hold is filled here
      for (uint64_t x = 0; x < r->width; x += c->pattern_bytes) memcpy(bytes_of(m) + at + y * r->row + x, c->pattern, c->pattern_bytes);
    e = post_fill(m->address + at, value, small ? c->pattern_bytes : 0, small ? r->width / c->pattern_bytes : r->width, r->height, r->row, stream);
  }
  return status(e);
}

// Checks that commands have in common.
static cl_int check_memory(cl_command_queue q, cl_mem m, bool image) {
  if (!IS(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  if (!IS(m, MEMORY) || is_image(m) != image) return CL_INVALID_MEM_OBJECT;
  return m->context == q->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}
static cl_int check_host(cl_mem m, bool reads) {
  return m->flags & (CL_MEM_HOST_NO_ACCESS | (reads ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY)) ? CL_INVALID_OPERATION : CL_SUCCESS;
}
static struct region line(uint64_t offset, uint64_t bytes) { return (struct region){offset, bytes, 1, 1, bytes, bytes}; }
static bool within(const struct region *r, uint64_t bytes) {
  if (r->width > bytes || r->row > bytes || r->height > bytes + 1 || r->depth > bytes + 1 || r->offset > bytes) return false;
  unsigned __int128 end = (unsigned __int128)(r->depth - 1) * r->slice + (unsigned __int128)(r->height - 1) * r->row + r->width + r->offset;
  return end <= bytes;
}

// start makes a command of a transfer, and holds its objects.
static struct command *start(cl_uint type, cl_command_queue q, bool blocking, const struct transfer *t, cl_int (*run)(struct command *, uint64_t)) {
  struct command *c = new_command(type, q, blocking, run);
  if (!c) return NULL;
  c->transfer = *t;
  hold(c, t->memory);
  if (t->other) hold(c, t->other);
  return c;
}

static cl_int move_line(cl_uint type, cl_command_queue q, cl_mem m, bool blocking, size_t offset, size_t bytes, void *host, cl_uint n, const cl_event *waits, cl_event *reply) {
  bool reads = type == CL_COMMAND_READ_BUFFER;
  cl_int e = check_memory(q, m, false);
  if (e || (e = check_host(m, reads))) return e;
  struct transfer t = {.memory = m, .region = line(offset, bytes), .host = host, .host_row = bytes, .host_slice = bytes};
  if (!host || bytes == 0 || !within(&t.region, m->bytes)) return CL_INVALID_VALUE;
  LOCKED;
  return enqueue(start(type, q, blocking, &t, reads ? run_read : run_write), n, waits, reply);
}
EXPORT cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_uint blocking, size_t offset, size_t bytes, void *host, cl_uint n, const cl_event *waits, cl_event *reply) {
  return move_line(CL_COMMAND_READ_BUFFER, q, m, blocking, offset, bytes, host, n, waits, reply);
}
EXPORT cl_int clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_uint blocking, size_t offset, size_t bytes, const void *host, cl_uint n, const cl_event *waits, cl_event *reply) {
  return move_line(CL_COMMAND_WRITE_BUFFER, q, m, blocking, offset, bytes, (void *)host, n, waits, reply);
}

// box makes a region of a rectangle in a buffer; pitches of zero mean no gaps.
static bool box(struct region *r, const size_t *origin, const size_t *size, size_t row, size_t slice) {
  if (!origin || !size || !size[0] || !size[1] || !size[2]) return false;
  if (row == 0) row = size[0];
  if (slice == 0 && __builtin_mul_overflow(size[1], row, &slice)) return false;
  uint64_t least;
  if (row < size[0] || __builtin_mul_overflow(size[1], (uint64_t)row, &least) || slice < least || slice % row) return false;
  uint64_t z, y;
  if (__builtin_mul_overflow((uint64_t)origin[2], (uint64_t)slice, &z) || __builtin_mul_overflow((uint64_t)origin[1], (uint64_t)row, &y)) return false;
  *r = (struct region){0, size[0], size[1], size[2], row, slice};
  return !__builtin_add_overflow(z, y, &r->offset) && !__builtin_add_overflow(r->offset, (uint64_t)origin[0], &r->offset);
}

static cl_int move_box(cl_uint type, cl_command_queue q, cl_mem m, bool blocking, const size_t *origin, const size_t *host_origin, const size_t *size, size_t row, size_t slice,
                       size_t host_row, size_t host_slice, void *host, cl_uint n, const cl_event *waits, cl_event *reply) {
  bool reads = type == CL_COMMAND_READ_BUFFER_RECT;
  cl_int e = check_memory(q, m, false);
  if (e || (e = check_host(m, reads))) return e;
  struct transfer t = {.memory = m};
  struct region h;
  if (!host || !box(&t.region, origin, size, row, slice) || !box(&h, host_origin, size, host_row, host_slice) || !within(&t.region, m->bytes)) return CL_INVALID_VALUE;
  t.host = (unsigned char *)host + h.offset;
  t.host_row = h.row;
  t.host_slice = h.slice;
  LOCKED;
  return enqueue(start(type, q, blocking, &t, reads ? run_read : run_write), n, waits, reply);
}
EXPORT cl_int clEnqueueReadBufferRect(cl_command_queue q, cl_mem m, cl_uint blocking, const size_t *origin, const size_t *host_origin, const size_t *size, size_t row, size_t slice,
                                      size_t host_row, size_t host_slice, void *host, cl_uint n, const cl_event *waits, cl_event *reply) {
  return move_box(CL_COMMAND_READ_BUFFER_RECT, q, m, blocking, origin, host_origin, size, row, slice, host_row, host_slice, host, n, waits, reply);
}
EXPORT cl_int clEnqueueWriteBufferRect(cl_command_queue q, cl_mem m, cl_uint blocking, const size_t *origin, const size_t *host_origin, const size_t *size, size_t row, size_t slice,
                                       size_t host_row, size_t host_slice, const void *host, cl_uint n, const cl_event *waits, cl_event *reply) {
  return move_box(CL_COMMAND_WRITE_BUFFER_RECT, q, m, blocking, origin, host_origin, size, row, slice, host_row, host_slice, (void *)host, n, waits, reply);
}

// meet says whether the bytes of two regions of one object overlap, row by row.
static bool meet(const struct region *a, const struct region *b) {
  if (a->offset + span(a) <= b->offset || b->offset + span(b) <= a->offset) return false;
  if (a->row != b->row || a->slice != b->slice || a->row == 0 || a->slice == 0) return true;
  uint64_t ax = a->offset % a->row, bx = b->offset % b->row, ay = a->offset % a->slice / a->row, by = b->offset % b->slice / b->row;
  uint64_t az = a->offset / a->slice, bz = b->offset / b->slice;
  bool folded = ax + a->width > a->row || bx + b->width > b->row;
  return folded || (ax < bx + b->width && bx < ax + a->width && ay < by + b->height && by < ay + a->height && az < bz + b->depth && bz < az + a->depth);
}

// base is the object whose memory it is, and where in it.
static bool share(cl_mem a, struct region ra, cl_mem b, struct region rb) {
  cl_mem x = a->parent ? a->parent : a, y = b->parent ? b->parent : b;
  if (x != y) return false;
  ra.offset += a->address - x->address;
  rb.offset += b->address - x->address;
  return meet(&ra, &rb);
}

static cl_int copy(cl_uint type, cl_command_queue q, const struct transfer *t, cl_uint n, const cl_event *waits, cl_event *reply) {
  if (!within(&t->region, t->memory->bytes) || !within(&t->other_region, t->other->bytes)) return CL_INVALID_VALUE;
  if (share(t->memory, t->region, t->other, t->other_region)) return CL_MEM_COPY_OVERLAP;
  LOCKED;
  return enqueue(start(type, q, false, t, run_copy), n, waits, reply);
}
EXPORT cl_int clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t bytes, cl_uint n, const cl_event *waits, cl_event *reply) {
  cl_int e = check_memory(q, from, false);
  if (e || (e = check_memory(q, to, false))) return e;
  if (bytes == 0) return CL_INVALID_VALUE;
  struct transfer t = {.memory = from, .other = to, .region = line(from_offset, bytes), .other_region = line(to_offset, bytes)};
  return copy(CL_COMMAND_COPY_BUFFER, q, &t, n, waits, reply);
}
EXPORT cl_int clEnqueueCopyBufferRect(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin, const size_t *size, size_t from_row, size_t from_slice,
                                      size_t to_row, size_t to_slice, cl_uint n, const cl_event *waits, cl_event *reply) {
  cl_int e = check_memory(q, from, false);
  if (e || (e = check_memory(q, to, false))) return e;
  struct transfer t = {.memory = from, .other = to};
  if (!box(&t.region, from_origin, size, from_row, from_slice) || !box(&t.other_region, to_origin, size, to_row, to_slice)) return CL_INVALID_VALUE;
  return copy(CL_COMMAND_COPY_BUFFER_RECT, q, &t, n, waits, reply);
}

EXPORT cl_int clEnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *pattern, size_t pattern_bytes, size_t offset, size_t bytes, cl_uint n, const cl_event *waits, cl_event *reply) {
  cl_int e = check_memory(q, m, false);
  if (e) return e;
  struct transfer t = {.memory = m, .region = line(offset, bytes)};
  if (!pattern || pattern_bytes == 0 || pattern_bytes > 128 || (pattern_bytes & (pattern_bytes - 1)) || offset % pattern_bytes || bytes % pattern_bytes || bytes == 0 || !within(&t.region, m->bytes))
    return CL_INVALID_VALUE;
  LOCKED;
  struct command *c = start(CL_COMMAND_FILL_BUFFER, q, false, &t, run_fill);
  if (c) {
    memcpy(c->pattern, pattern, pattern_bytes);
    c->pattern_bytes = pattern_bytes;
  }
  return enqueue(c, n, waits, reply);
}

// Images. Rows of one-dimensional arrays are their layers.
static bool image_box(cl_mem m, const size_t *origin, const size_t *size, struct region *r) {
  if (!origin || !size || !size[0] || !size[1] || !size[2]) return false;
  const cl_image_desc *d = &m->desc;
  size_t height = 1, depth = 1;
  switch (m->type) {
  case CL_MEM_OBJECT_IMAGE1D_ARRAY: height = d->image_array_size; break;
  case CL_MEM_OBJECT_IMAGE2D: height = d->image_height; break;
  case CL_MEM_OBJECT_IMAGE2D_ARRAY: height = d->image_height; depth = d->image_array_size; break;
  case CL_MEM_OBJECT_IMAGE3D: height = d->image_height; depth = d->image_depth; break;
  }
  size_t sides[3] = {d->image_width, height, depth};
  for (int i = 0; i < 3; i++)
    if (origin[i] > sides[i] || size[i] > sides[i] - origin[i]) return false;
  *r = (struct region){origin[2] * m->slice + origin[1] * m->row + origin[0] * m->texel, size[0] * m->texel, size[1], size[2], m->row, m->slice};
  return true;
}

static cl_int move_image(cl_uint type, cl_command_queue q, cl_mem m, bool blocking, const size_t *origin, const size_t *size, size_t row, size_t slice, void *host, cl_uint n,
                         const cl_event *waits, cl_event *reply) {
  bool reads = type == CL_COMMAND_READ_IMAGE;
  cl_int e = check_memory(q, m, true);
  if (e || (e = check_host(m, reads))) return e;
  struct transfer t = {.memory = m, .host = host};
  if (!host || !image_box(m, origin, size, &t.region)) return CL_INVALID_VALUE;
  t.host_row = row ? row : t.region.width;
  t.host_slice = slice ? slice : t.host_row * t.region.height;
  if (t.host_row < t.region.width || t.host_slice < t.host_row * t.region.height) return CL_INVALID_VALUE;
  LOCKED;
  return enqueue(start(type, q, blocking, &t, reads ? run_read : run_write), n, waits, reply);
}
EXPORT cl_int clEnqueueReadImage(cl_command_queue q, cl_mem m, cl_uint blocking, const size_t *origin, const size_t *size, size_t row, size_t slice, void *host, cl_uint n,
                                 const cl_event *waits, cl_event *reply) {
  return move_image(CL_COMMAND_READ_IMAGE, q, m, blocking, origin, size, row, slice, host, n, waits, reply);
}
EXPORT cl_int clEnqueueWriteImage(cl_command_queue q, cl_mem m, cl_uint blocking, const size_t *origin, const size_t *size, size_t row, size_t slice, const void *host, cl_uint n,
                                  const cl_event *waits, cl_event *reply) {
  return move_image(CL_COMMAND_WRITE_IMAGE, q, m, blocking, origin, size, row, slice, (void *)host, n, waits, reply);
}
EXPORT cl_int clEnqueueCopyImage(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin, const size_t *size, cl_uint n, const cl_event *waits, cl_event *reply) {
  cl_int e = check_memory(q, from, true);
  if (e || (e = check_memory(q, to, true))) return e;
  if (memcmp(&from->format, &to->format, sizeof from->format)) return CL_IMAGE_FORMAT_MISMATCH;
  struct transfer t = {.memory = from, .other = to};
  if (!image_box(from, from_origin, size, &t.region) || !image_box(to, to_origin, size, &t.other_region)) return CL_INVALID_VALUE;
  return copy(CL_COMMAND_COPY_IMAGE, q, &t, n, waits, reply);
}
static struct region packed(uint64_t offset, const struct region *r) { return (struct region){offset, r->width, r->height, r->depth, r->width, r->width * r->height}; }
EXPORT cl_int clEnqueueCopyImageToBuffer(cl_command_queue q, cl_mem from, cl_mem to, const size_t *origin, const size_t *size, size_t offset, cl_uint n, const cl_event *waits, cl_event *reply) {
  cl_int e = check_memory(q, from, true);
  if (e || (e = check_memory(q, to, false))) return e;
  struct transfer t = {.memory = from, .other = to};
  if (!image_box(from, origin, size, &t.region)) return CL_INVALID_VALUE;
  t.other_region = packed(offset, &t.region);
  return copy(CL_COMMAND_COPY_IMAGE_TO_BUFFER, q, &t, n, waits, reply);
}
EXPORT cl_int clEnqueueCopyBufferToImage(cl_command_queue q, cl_mem from, cl_mem to, size_t offset, const size_t *origin, const size_t *size, cl_uint n, const cl_event *waits, cl_event *reply) {
  cl_int e = check_memory(q, from, false);
  if (e || (e = check_memory(q, to, true))) return e;
  struct transfer t = {.memory = from, .other = to};
  if (!image_box(to, origin, size, &t.other_region)) return CL_INVALID_VALUE;
  t.region = packed(offset, &t.other_region);
  return copy(CL_COMMAND_COPY_BUFFER_TO_IMAGE, q, &t, n, waits, reply);
}

static int64_t bounded(double v, double low, double high) { return (int64_t)__builtin_rint(v != v ? 0 : v < low ? low : v > high ? high : v); }

// half_of rounds to the nearest half-precision number, ties to even.
static uint16_t half_of(float f) {
  uint32_t bits, sign;
  memcpy(&bits, &f, 4);
  sign = bits >> 16 & 0x8000;
  float size = __builtin_fabsf(f);
  if (f != f) return (uint16_t)(sign | 0x7e00);
  if (size >= 65520) return (uint16_t)(sign | 0x7c00);
  if (size < 0x1p-14f) return (uint16_t)(sign | (uint32_t)__builtin_rint(size * 0x1p24)); // the place of a subnormal
  bits &= 0x7fffffff;
  return (uint16_t)(sign | (bits - (112u << 23) + 0xfff + (bits >> 13 & 1)) >> 13);
}

// texel_of makes the bytes of a colour, which has four numbers of the kind that the format
// asks for.
static size_t texel_of(cl_mem m, const void *color, unsigned char *out) {
  const float *f = color;
  const int32_t *i = color;
  const uint32_t *u = color;
  unsigned bytes, n = 0;
  unsigned channels = m->format.image_channel_order == CL_R ? 1 : m->format.image_channel_order == CL_RG ? 2 : 4;
  bytes = (unsigned)(m->texel / channels);
  for (unsigned place = 0; place < channels; place++, n += bytes) {
    int64_t v = 0;
    unsigned c = m->format.image_channel_order == CL_BGRA && place % 2 == 0 ? 2 - place : place;
    switch (m->format.image_channel_data_type) {
    case CL_FLOAT: memcpy(&v, &f[c], 4); break;
    case CL_HALF_FLOAT: v = half_of(f[c]); break;
    case CL_UNORM_INT8: v = bounded(f[c] * 255.0, 0, 255); break;
    case CL_UNORM_INT16: v = bounded(f[c] * 65535.0, 0, 65535); break;
    case CL_SNORM_INT8: v = bounded(f[c] * 127.0, -128, 127); break;
    case CL_SNORM_INT16: v = bounded(f[c] * 32767.0, -32768, 32767); break;
    case CL_SIGNED_INT8: v = bounded(i[c], -128, 127); break;
    case CL_SIGNED_INT16: v = bounded(i[c], -32768, 32767); break;
    case CL_UNSIGNED_INT8: v = u[c] > 255 ? 255 : u[c]; break;
    case CL_UNSIGNED_INT16: v = u[c] > 65535 ? 65535 : u[c]; break;
    default: v = u[c];
    }
    memcpy(out + n, &v, bytes);
  }
  return n;
}
EXPORT cl_int clEnqueueFillImage(cl_command_queue q, cl_mem m, const void *color, const size_t *origin, const size_t *size, cl_uint n, const cl_event *waits, cl_event *reply) {
  cl_int e = check_memory(q, m, true);
  if (e) return e;
  struct transfer t = {.memory = m};
  if (!color || !image_box(m, origin, size, &t.region)) return CL_INVALID_VALUE;
  LOCKED;
  struct command *c = start(CL_COMMAND_FILL_IMAGE, q, false, &t, run_fill);
  if (c) c->pattern_bytes = texel_of(m, color, c->pattern);
  return enqueue(c, n, waits, reply);
}

// Maps. An object that has no memory of the program is mapped where this process has device
// memory: its bytes are the device's. In the trace a map that the program reads is a copy
// to the host, and the end of one that it writes a copy to the device, as with a card.
static cl_int run_map(struct command *c, uint64_t stream) {
  if (c->mapping->flags & CL_MAP_WRITE_INVALIDATE_REGION) return status(drain());
  return to_host(&c->transfer, stream, c->blocking);
}
static cl_int run_unmap(struct command *c, uint64_t stream) {
  bool writes = c->mapping->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
  cl_int e = writes ? to_device(&c->transfer, stream, false) : status(broken());
  free(c->mapping->region);
  free(c->mapping);
  return e;
}

static void *map(cl_uint type, cl_command_queue q, cl_mem m, bool blocking, cl_bitfield flags, const struct region *r, unsigned char *host, uint64_t host_row, uint64_t host_slice, cl_uint n,
                 const cl_event *waits, cl_event *reply, cl_int *error) {
  if (!(flags & 7) || (flags & ~(cl_bitfield)7) || ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & 3))) FAIL(CL_INVALID_VALUE);
  if (((flags & CL_MAP_READ) && check_host(m, true)) || ((flags & 6) && check_host(m, false))) FAIL(CL_INVALID_OPERATION);
  struct transfer t = {.memory = m, .region = *r, .host = host, .host_row = host_row, .host_slice = host_slice};
  struct mapping *p = calloc(1, sizeof *p);
  struct region *own = malloc(sizeof *own);
  LOCKED;
  struct command *c = p && own ? start(type, q, blocking, &t, run_map) : NULL;
  if (!c) { free(p); free(own); FAIL(CL_OUT_OF_HOST_MEMORY); }
  *own = *r;
  *p = (struct mapping){m->mappings, host, own, flags};
  c->mapping = p;
  m->mappings = p;
  m->maps++;
  cl_int e = enqueue(c, n, waits, reply);
  if (e) {
    struct mapping **at = &m->mappings;
    while (*at && *at != p) at = &(*at)->next;
    if (*at) { *at = p->next; m->maps--; free(own); free(p); }
    FAIL(e);
  }
  if (error) *error = CL_SUCCESS;
  return host;
}
EXPORT void *clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_uint blocking, cl_bitfield flags, size_t offset, size_t bytes, cl_uint n, const cl_event *waits, cl_event *reply, cl_int *error) {
  cl_int e = check_memory(q, m, false);
  if (e) FAIL(e);
  struct region r = line(offset, bytes);
  if (bytes == 0 || !within(&r, m->bytes)) FAIL(CL_INVALID_VALUE);
  unsigned char *host = m->host ? (unsigned char *)m->host + offset : bytes_of(m) + offset;
  return map(CL_COMMAND_MAP_BUFFER, q, m, blocking, flags, &r, host, bytes, bytes, n, waits, reply, error);
}
EXPORT void *clEnqueueMapImage(cl_command_queue q, cl_mem m, cl_uint blocking, cl_bitfield flags, const size_t *origin, const size_t *size, size_t *row, size_t *slice, cl_uint n,
                               const cl_event *waits, cl_event *reply, cl_int *error) {
  cl_int e = check_memory(q, m, true);
  if (e) FAIL(e);
  struct region r;
  bool layers = m->type == CL_MEM_OBJECT_IMAGE3D || m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY || m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  if (!image_box(m, origin, size, &r) || !row || (layers && !slice)) FAIL(CL_INVALID_VALUE);
  uint64_t host_row = m->host ? m->host_row : m->row, host_slice = m->host ? m->host_slice : m->slice;
  uint64_t down = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? host_slice : host_row;
  unsigned char *host = m->host ? (unsigned char *)m->host + origin[2] * host_slice + origin[1] * down + origin[0] * m->texel : bytes_of(m) + r.offset;
  *row = host_row;
  if (slice) *slice = layers ? host_slice : 0;
  return map(CL_COMMAND_MAP_IMAGE, q, m, blocking, flags, &r, host, down, host_slice, n, waits, reply, error);
}
EXPORT cl_int clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *at, cl_uint n, const cl_event *waits, cl_event *reply) {
  if (!IS(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  if (!IS(m, MEMORY)) return CL_INVALID_MEM_OBJECT;
  if (m->context != q->context) return CL_INVALID_CONTEXT;
  LOCKED;
  struct mapping **place = &m->mappings;
  while (*place && (*place)->at != at) place = &(*place)->next;
  struct mapping *p = *place;
  if (!p) return CL_INVALID_VALUE;
  bool down = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  struct transfer t = {.memory = m, .region = *p->region, .host = at};
  t.host_row = !is_image(m) ? p->region->row : m->host ? down ? m->host_slice : m->host_row : m->row;
  t.host_slice = !is_image(m) ? p->region->slice : m->host ? m->host_slice : m->slice;
  struct command *c = start(CL_COMMAND_UNMAP_MEM_OBJECT, q, false, &t, run_unmap);
  if (!c) return CL_OUT_OF_HOST_MEMORY;
  *place = p->next;
  m->maps--;
  c->mapping = p;
  return enqueue(c, n, waits, reply);
}

EXPORT cl_int clEnqueueMigrateMemObjects(cl_command_queue q, cl_uint count, const cl_mem *list, cl_bitfield flags, cl_uint n, const cl_event *waits, cl_event *reply) {
  if (!IS(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  if (!count || !list || (flags & ~(cl_bitfield)3)) return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++)
    if (!IS(list[i], MEMORY)) return CL_INVALID_MEM_OBJECT;
  LOCKED; // there is one device, which has them
  return enqueue(new_command(CL_COMMAND_MIGRATE_MEM_OBJECTS, q, false, NULL), n, waits, reply);
}
EXPORT cl_int clEnqueueNativeKernel(cl_command_queue q, void (*f)(void *), void *args, size_t bytes, cl_uint count, const cl_mem *list, const void **places, cl_uint n, const cl_event *waits, cl_event *reply) {
  (void)f; (void)args; (void)bytes; (void)count; (void)list; (void)places; (void)n; (void)waits; (void)reply;
  return IS(q, QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE; // CL_DEVICE_EXECUTION_CAPABILITIES says so
}
