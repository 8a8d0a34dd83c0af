// SPDX-License-Identifier: Apache-2.0
// Memory objects: buffers, parts of them, and images.
#include "objects.h"

unsigned char *bytes_of(cl_mem m) { return window(m->offset); }
bool is_image(cl_mem m) { return m->type != CL_MEM_OBJECT_BUFFER; }

static const cl_bitfield access_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
static const cl_bitfield pointer_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
static const cl_bitfield host_flags = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

static bool several(cl_bitfield f) { return (f & (f - 1)) != 0; }

static cl_int check_flags(cl_bitfield flags, void *host) {
  if (flags & ~(access_flags | pointer_flags | host_flags) || several(flags & access_flags) || several(flags & host_flags)) return CL_INVALID_VALUE;
  if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))) return CL_INVALID_VALUE;
  bool wanted = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  return wanted == (host != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

static cl_mem first;

bool is_memory(const void *p) {
  for (cl_mem m = first; m; m = m->next)
    if (m == p) return true;
  return false;
}

static cl_mem new_memory(cl_context c, cl_uint type, cl_bitfield flags) {
  cl_mem m = make(MEMORY, sizeof *m);
  if (!m) return NULL;
  m->context = c;
  m->type = type;
  m->flags = flags & access_flags ? flags : flags | CL_MEM_READ_WRITE;
  retain(c);
  m->next = first;
  m->link = &first;
  if (first) first->link = &m->next;
  first = m;
  return m;
}

static void free_memory(cl_mem m) {
  *m->link = m->next;
  if (m->next) m->next->link = m->link;
  release_context(m->context);
  free(m);
}

// take_in copies the program's bytes into a new object. The host waits for it.
static int take_in(cl_mem m, const void *host, uint64_t rows, uint64_t width, uint64_t pitch, uint64_t slices, uint64_t host_slice) {
  for (uint64_t z = 0; z < slices; z++)
    for (uint64_t y = 0; y < rows; y++)
      memcpy(bytes_of(m) + z * m->slice + y * m->row, (const char *)host + z * host_slice + y * pitch, width);
  return post_copied(true, m->address, (uint64_t)host, width * rows * slices, 0, true);
}

EXPORT cl_mem clCreateBuffer(cl_context c, cl_bitfield flags, size_t bytes, void *host, cl_int *error) {
  if (!IS(c, CONTEXT)) FAIL(CL_INVALID_CONTEXT);
  cl_int bad = check_flags(flags, host);
  if (bad) FAIL(bad);
  LOCKED;
  if ((bad = status(broken()))) FAIL(bad);
  if (bytes == 0 || bytes > property(DEVICE_MEMORY_BYTES)) FAIL(CL_INVALID_BUFFER_SIZE);
  cl_mem m = new_memory(c, CL_MEM_OBJECT_BUFFER, flags);
  if (!m) FAIL(CL_OUT_OF_HOST_MEMORY);
  int e = request(MEMORY_DEVICE, bytes, &m->address, &m->offset);
  m->bytes = m->row = m->slice = bytes;
  if (flags & CL_MEM_USE_HOST_PTR) m->host = host;
  if (!e && host) e = take_in(m, host, 1, bytes, bytes, 1, bytes);
  if (e) {
    free_memory(m);
    FAIL(status(e));
  }
  if (error) *error = CL_SUCCESS;
  return m;
}
EXPORT cl_mem clCreateBufferWithProperties(cl_context c, const cl_ulong *properties, cl_bitfield flags, size_t bytes, void *host, cl_int *error) {
  if (properties && *properties) FAIL(CL_INVALID_PROPERTY);
  return clCreateBuffer(c, flags, bytes, host, error);
}

EXPORT cl_mem clCreateSubBuffer(cl_mem parent, cl_bitfield flags, cl_uint type, const void *what, cl_int *error) {
  if (!IS(parent, MEMORY) || is_image(parent) || parent->parent) FAIL(CL_INVALID_MEM_OBJECT);
  const cl_buffer_region *r = what;
  if (type != CL_BUFFER_CREATE_TYPE_REGION || !r || (flags & pointer_flags)) FAIL(CL_INVALID_VALUE);
  if (r->size == 0) FAIL(CL_INVALID_BUFFER_SIZE);
  if (r->origin > parent->bytes || r->size > parent->bytes - r->origin) FAIL(CL_INVALID_VALUE);
  if (r->origin % 256) FAIL(CL_MISALIGNED_SUB_BUFFER_OFFSET);
  cl_bitfield from = parent->flags & access_flags, own = flags & access_flags;
  if ((from == CL_MEM_WRITE_ONLY && (own & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))) || (from == CL_MEM_READ_ONLY && (own & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))) || several(own))
    FAIL(CL_INVALID_VALUE);
  LOCKED;
  cl_mem m = new_memory(parent->context, CL_MEM_OBJECT_BUFFER, (own ? own : from) | (parent->flags & pointer_flags) | (flags & host_flags ? flags & host_flags : parent->flags & host_flags));
  if (!m) FAIL(CL_OUT_OF_HOST_MEMORY);
  m->parent = parent;
  retain(parent);
  m->origin = r->origin;
  m->bytes = m->row = m->slice = r->size;
  m->address = parent->address + r->origin;
  m->offset = parent->offset + r->origin;
  if (parent->host) m->host = (char *)parent->host + r->origin;
  if (error) *error = CL_SUCCESS;
  return m;
}

void release_memory(cl_mem m) {
  if (!drop(m)) return;
  for (struct destructor *d = m->destructors, *next; d; d = next) { // the last one first
    next = d->next;
    unlock();
    d->function(m, d->data);
    lock();
    free(d);
  }
  for (struct mapping *p = m->mappings, *next; p; p = next) {
    next = p->next;
    free(p->region);
    free(p);
  }
  if (m->parent) release_memory(m->parent); else give_up(m->address);
  free_memory(m);
}
EXPORT cl_int clRetainMemObject(cl_mem m) {
  if (!IS(m, MEMORY)) return CL_INVALID_MEM_OBJECT;
  LOCKED;
  retain(m);
  return CL_SUCCESS;
}
EXPORT cl_int clReleaseMemObject(cl_mem m) {
  if (!IS(m, MEMORY)) return CL_INVALID_MEM_OBJECT;
  LOCKED;
  release_memory(m);
  return CL_SUCCESS;
}
EXPORT cl_int clSetMemObjectDestructorCallback(cl_mem m, void (*function)(cl_mem, void *), void *data) {
  if (!IS(m, MEMORY)) return CL_INVALID_MEM_OBJECT;
  if (!function) return CL_INVALID_VALUE;
  LOCKED;
  struct destructor *d = malloc(sizeof *d);
  if (!d) return CL_OUT_OF_HOST_MEMORY;
  *d = (struct destructor){m->destructors, function, data};
  m->destructors = d;
  return CL_SUCCESS;
}
EXPORT cl_int clGetMemObjectInfo(cl_mem m, cl_uint what, size_t size, void *to, size_t *needed) {
  if (!IS(m, MEMORY)) return CL_INVALID_MEM_OBJECT;
  switch (what) {
  case CL_MEM_TYPE: GIVE(cl_uint, m->type);
  case CL_MEM_FLAGS: GIVE(cl_bitfield, m->flags);
  case CL_MEM_SIZE: GIVE(size_t, m->bytes);
  case CL_MEM_HOST_PTR: GIVE(void *, m->host);
  case CL_MEM_MAP_COUNT: GIVE(cl_uint, m->maps);
  case CL_MEM_REFERENCE_COUNT: GIVE(cl_uint, (cl_uint)m->object.references);
  case CL_MEM_CONTEXT: GIVE(cl_context, m->context);
  case CL_MEM_ASSOCIATED_MEMOBJECT: GIVE(cl_mem, m->parent);
  case CL_MEM_OFFSET: GIVE(size_t, m->origin);
  }
  return CL_INVALID_VALUE;
}

// Formats of images.
static const struct { cl_uint order, channels; } orders[] = {{CL_R, 1}, {CL_RG, 2}, {CL_RGBA, 4}, {CL_BGRA, 4}};
static const struct { cl_uint type, bits, kind; } types[] = { // kinds: 0 signed, 1 unsigned, 2 floating point
  {CL_SNORM_INT8, 8, 0}, {CL_SNORM_INT16, 16, 0}, {CL_UNORM_INT8, 8, 1}, {CL_UNORM_INT16, 16, 1}, {CL_SIGNED_INT8, 8, 0}, {CL_SIGNED_INT16, 16, 0},
  {CL_SIGNED_INT32, 32, 0}, {CL_UNSIGNED_INT8, 8, 1}, {CL_UNSIGNED_INT16, 16, 1}, {CL_UNSIGNED_INT32, 32, 1}, {CL_HALF_FLOAT, 16, 2}, {CL_FLOAT, 32, 2},
};
enum { ORDERS = sizeof orders / sizeof *orders, TYPES = sizeof types / sizeof *types };

// has reports whether an order goes with a type: BGRA has 8 bits a channel (table 5.6).
static bool has(unsigned order, unsigned type) { return orders[order].order != CL_BGRA || types[type].bits == 8; }

EXPORT cl_int clGetSupportedImageFormats(cl_context c, cl_bitfield flags, cl_uint type, cl_uint count, cl_image_format *formats, cl_uint *available) {
  (void)flags;
  if (!IS(c, CONTEXT)) return CL_INVALID_CONTEXT;
  if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER || (formats && !count)) return CL_INVALID_VALUE;
  cl_uint n = 0;
  for (unsigned o = 0; o < ORDERS; o++)
    for (unsigned t = 0; t < TYPES; t++) {
      if (!has(o, t)) continue;
      if (formats && n < count) formats[n] = (cl_image_format){orders[o].order, types[t].type};
      n++;
    }
  if (available) *available = n;
  return CL_SUCCESS;
}

static cl_int format_of(const cl_image_format *f, unsigned *channels, unsigned *type) {
  if (!f) return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
  for (unsigned o = 0; o < ORDERS; o++)
    for (*type = 0; *type < TYPES; ++*type)
      if (orders[o].order == f->image_channel_order && types[*type].type == f->image_channel_data_type && has(o, *type)) {
        *channels = orders[o].channels;
        return CL_SUCCESS;
      }
  return f->image_channel_order < CL_R || f->image_channel_data_type < CL_SNORM_INT8 ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR : CL_IMAGE_FORMAT_NOT_SUPPORTED;
}

// shape gives an image's sides as the recorder has them; those that it lacks are 0.
struct shape { uint64_t width, height, depth, layers; };
static cl_int shape_of(const cl_image_desc *d, struct shape *s) {
  *s = (struct shape){.width = d->image_width};
  switch (d->image_type) {
  case CL_MEM_OBJECT_IMAGE1D: case CL_MEM_OBJECT_IMAGE1D_BUFFER: break;
  case CL_MEM_OBJECT_IMAGE1D_ARRAY: s->layers = d->image_array_size; break;
  case CL_MEM_OBJECT_IMAGE2D: s->height = d->image_height; break;
  case CL_MEM_OBJECT_IMAGE2D_ARRAY: s->height = d->image_height; s->layers = d->image_array_size; break;
  case CL_MEM_OBJECT_IMAGE3D: s->height = d->image_height; s->depth = d->image_depth; break;
  default: return CL_INVALID_IMAGE_DESCRIPTOR;
  }
  bool flat = d->image_type == CL_MEM_OBJECT_IMAGE1D || d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  bool array = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY || d->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
  uint64_t side = d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? 1 << 27 : d->image_type == CL_MEM_OBJECT_IMAGE3D ? 4096 : 16384;
  if (s->width == 0 || s->width > side || s->height > 16384 || s->depth > 4096 || s->layers > 2048) return CL_INVALID_IMAGE_SIZE;
  if ((!flat && d->image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER && !s->height) || (array && !s->layers) || (d->image_type == CL_MEM_OBJECT_IMAGE3D && !s->depth)) return CL_INVALID_IMAGE_SIZE;
  return CL_SUCCESS;
}

static uint64_t or_one(uint64_t n) { return n ? n : 1; }

static int make_texture(cl_mem m, const struct shape *s, unsigned channels, unsigned type) {
  struct buffer q = {0}, r = {0};
  put_bytes(&q, "image", 5);
  put64(&q, m->address);
  put64(&q, s->width); put64(&q, s->height); put64(&q, s->depth); put64(&q, s->layers);
  put64(&q, channels); put64(&q, types[type].bits); put64(&q, types[type].kind);
  put64(&q, 0); // rows have no gaps
  for (int i = 0; i < 3; i++) put64(&q, 1); // samplers say how to read; without one there is nothing outside
  put64(&q, 0); put64(&q, 0); put64(&q, types[type].type <= CL_UNORM_INT16); // integers that are read as numbers
  put64(&q, m->format.image_channel_order == CL_BGRA);
  int e = ask(MESSAGE_TEXTURE, &q, &r);
  if (!e) m->texture = take64(&r);
  if (!e && r.broken) e = ERROR_UNKNOWN;
  release(&r);
  return e;
}

EXPORT cl_mem clCreateImage(cl_context c, cl_bitfield flags, const cl_image_format *format, const cl_image_desc *d, void *host, cl_int *error) {
  unsigned channels, type;
  struct shape s;
  if (!IS(c, CONTEXT)) FAIL(CL_INVALID_CONTEXT);
  cl_int bad = format_of(format, &channels, &type);
  if (bad) FAIL(bad);
  if (!d || d->num_mip_levels || d->num_samples) FAIL(CL_INVALID_IMAGE_DESCRIPTOR);
  if ((bad = shape_of(d, &s))) FAIL(bad);
  bool of_buffer = d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  if (of_buffer ? !IS(d->buffer, MEMORY) || is_image(d->buffer) || host : d->buffer != NULL) FAIL(CL_INVALID_IMAGE_DESCRIPTOR);
  if (!of_buffer && (bad = check_flags(flags, host))) FAIL(bad);
  uint64_t texel = channels * types[type].bits / 8, row = s.width * texel, rows = or_one(s.height), slices = or_one(s.depth ? s.depth : s.layers);
  bool flat_array = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  uint64_t host_row = d->image_row_pitch ? d->image_row_pitch : row, host_slice = d->image_slice_pitch ? d->image_slice_pitch : flat_array ? host_row : host_row * rows;
  if (!host && (d->image_row_pitch || d->image_slice_pitch) && !of_buffer) FAIL(CL_INVALID_IMAGE_DESCRIPTOR);
  if (host_row < row || host_row % texel || host_slice < host_row * rows) FAIL(CL_INVALID_IMAGE_DESCRIPTOR);
  LOCKED;
  if ((bad = status(broken()))) FAIL(bad);
  cl_mem m = new_memory(c, d->image_type, flags);
  if (!m) FAIL(CL_OUT_OF_HOST_MEMORY);
  m->format = *format;
  m->desc = *d;
  m->texel = texel;
  m->row = row;
  m->slice = row * rows;
  m->bytes = m->slice * slices;
  int e = 0;
  if (of_buffer) {
    m->address = d->buffer->address;
    m->offset = d->buffer->offset;
    if (m->bytes > d->buffer->bytes) { free_memory(m); FAIL(CL_INVALID_IMAGE_SIZE); }
  } else {
    e = request(MEMORY_DEVICE, m->bytes, &m->address, &m->offset);
  }
  if (!e && (e = make_texture(m, &s, channels, type)) && !of_buffer) give_up(m->address);
  if (flags & CL_MEM_USE_HOST_PTR) { m->host = host; m->host_row = host_row; m->host_slice = host_slice; }
  if (!e && host) e = take_in(m, host, rows, row, host_row, slices, host_slice);
  if (e) {
    free_memory(m);
    FAIL(status(e));
  }
  if (of_buffer) {
    m->parent = d->buffer;
    retain(d->buffer);
  }
  if (error) *error = CL_SUCCESS;
  return m;
}
EXPORT cl_mem clCreateImageWithProperties(cl_context c, const cl_ulong *properties, cl_bitfield flags, const cl_image_format *f, const cl_image_desc *d, void *host, cl_int *error) {
  if (properties && *properties) FAIL(CL_INVALID_PROPERTY);
  return clCreateImage(c, flags, f, d, host, error);
}
EXPORT cl_mem clCreateImage2D(cl_context c, cl_bitfield flags, const cl_image_format *f, size_t width, size_t height, size_t pitch, void *host, cl_int *error) {
  cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height, .image_row_pitch = pitch};
  return clCreateImage(c, flags, f, &d, host, error);
}
EXPORT cl_mem clCreateImage3D(cl_context c, cl_bitfield flags, const cl_image_format *f, size_t width, size_t height, size_t depth, size_t pitch, size_t slice, void *host, cl_int *error) {
  cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = width, .image_height = height, .image_depth = depth, .image_row_pitch = pitch, .image_slice_pitch = slice};
  return clCreateImage(c, flags, f, &d, host, error);
}
EXPORT cl_int clGetImageInfo(cl_mem m, cl_uint what, size_t size, void *to, size_t *needed) {
  if (!IS(m, MEMORY) || !is_image(m)) return CL_INVALID_MEM_OBJECT;
  struct shape s;
  shape_of(&m->desc, &s);
  switch (what) {
  case CL_IMAGE_FORMAT: return give(ANSWER, &m->format, sizeof m->format);
  case CL_IMAGE_ELEMENT_SIZE: GIVE(size_t, m->texel);
  case CL_IMAGE_ROW_PITCH: GIVE(size_t, m->row);
  case CL_IMAGE_SLICE_PITCH: GIVE(size_t, s.depth || s.layers ? m->slice : 0);
  case CL_IMAGE_WIDTH: GIVE(size_t, s.width);
  case CL_IMAGE_HEIGHT: GIVE(size_t, s.height);
  case CL_IMAGE_DEPTH: GIVE(size_t, s.depth);
  case CL_IMAGE_ARRAY_SIZE: GIVE(size_t, s.layers);
  case CL_IMAGE_BUFFER: GIVE(cl_mem, m->parent);
  case CL_IMAGE_NUM_MIP_LEVELS: case CL_IMAGE_NUM_SAMPLES: GIVE(cl_uint, 0);
  }
  return CL_INVALID_VALUE;
}
