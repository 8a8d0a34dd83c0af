// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces. An array is linear memory of the device with its shape:
// the recorder's textures have their rows behind each other.
#include "warptape.h"
#include "cuda_runtime_api.h"

struct cudaArray {
  uint64_t address, width, height, depth; // height and depth 0 as CUDA has them
  uint64_t texel;                         // bytes
  struct cudaChannelFormatDesc desc;
  unsigned flags;
};

static int channels(const struct cudaChannelFormatDesc *d) { return (d->x > 0) + (d->y > 0) + (d->z > 0) + (d->w > 0); }
static uint64_t texel_bytes(const struct cudaChannelFormatDesc *d) { return (uint64_t)(d->x + d->y + d->z + d->w) / 8; }

EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
  return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

EXPORT cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent e, unsigned flags) {
  if (!array || !desc || !e.width || !texel_bytes(desc)) return done(cudaErrorInvalidValue);
  if (flags & cudaArrayCubemap) return UNSUPPORTED("cube maps are not there");
  lock();
  struct cudaArray *a = calloc(1, sizeof *a);
  int error = a ? connected() : cudaErrorMemoryAllocation;
  if (!error) {
    *a = (struct cudaArray){.width = e.width, .height = e.height, .depth = e.depth, .texel = texel_bytes(desc), .desc = *desc, .flags = flags};
    error = allocate(MEMORY_DEVICE, e.width * (e.height ? e.height : 1) * (e.depth ? e.depth : 1) * a->texel, 0, &a->address);
  }
  if (error) free(a); else *array = a;
  unlock();
  return done(error);
}
EXPORT cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t w, size_t h, unsigned flags) {
  return cudaMalloc3DArray(array, desc, (struct cudaExtent){w, h, 0}, flags);
}
EXPORT cudaError_t cudaFreeArray(cudaArray_t a) {
  if (!a) return 0;
  lock();
  int e = release_memory(a->address, false);
  free(a);
  unlock();
  return done(e);
}
EXPORT cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *a, const struct cudaChannelFormatDesc *d, struct cudaExtent e, unsigned levels, unsigned f) {
  (void)a; (void)d; (void)e; (void)levels; (void)f;
  return UNSUPPORTED("mipmaps are not there");
}
EXPORT cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *l, cudaMipmappedArray_const_t a, unsigned i) { (void)l; (void)a; (void)i; return UNSUPPORTED("mipmaps are not there"); }
EXPORT cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t a) { (void)a; return UNSUPPORTED("mipmaps are not there"); }
EXPORT cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *d, struct cudaExtent *e, unsigned *flags, cudaArray_t a) {
  if (!a) return done(cudaErrorInvalidResourceHandle);
  if (d) *d = a->desc;
  if (e) *e = (struct cudaExtent){a->width, a->height, a->depth};
  if (flags) *flags = a->flags;
  return 0;
}
EXPORT cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *d, cudaArray_const_t a) {
  if (!a) return done(cudaErrorInvalidResourceHandle);
  *d = a->desc;
  return 0;
}

static cudaError_t copy(void *stream, struct copy c) {
  lock();
  int e = connected();
  if (!e) e = do_copy(stream, &c);
  unlock();
  return done(e);
}
static uint64_t row(const struct cudaArray *a) { return a->width * a->texel; }
static uint64_t place(const struct cudaArray *a, size_t x, size_t y) { return a->address + y * row(a) + x; }
static bool outside(const struct cudaArray *a, size_t x, size_t y, size_t w, size_t h) {
  uint64_t rows = a->height ? a->height : 1;
  return x > row(a) || w > row(a) - x || y > rows || h > rows - y;
}

// linear copies bytes that go on from row to row.
EXPORT cudaError_t cudaMemcpyToArray(cudaArray_t a, size_t x, size_t y, const void *from, size_t n, enum cudaMemcpyKind kind) {
  if (!a) return done(cudaErrorInvalidResourceHandle);
  return copy(NULL, (struct copy){.to = place(a, x, y), .from = (uint64_t)from, .width = n, .height = 1, .depth = 1, .kind = (int)kind, .blocking = true});
}
EXPORT cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t a, size_t x, size_t y, size_t n, enum cudaMemcpyKind kind) {
  if (!a) return done(cudaErrorInvalidResourceHandle);
  return copy(NULL, (struct copy){.to = (uint64_t)to, .from = place(a, x, y), .width = n, .height = 1, .depth = 1, .kind = (int)kind, .blocking = true});
}
static cudaError_t to_array(void *stream, cudaArray_t a, size_t x, size_t y, const void *from, size_t pitch, size_t w, size_t h, int kind, bool blocking) {
  if (!a || outside(a, x, y, w, h)) return done(cudaErrorInvalidValue);
  return copy(stream, (struct copy){.to = place(a, x, y), .from = (uint64_t)from, .to_pitch = row(a), .from_pitch = pitch, .width = w, .height = h, .depth = 1, .kind = kind, .blocking = blocking});
}
EXPORT cudaError_t cudaMemcpy2DToArray(cudaArray_t a, size_t x, size_t y, const void *from, size_t pitch, size_t w, size_t h, enum cudaMemcpyKind kind) {
  return to_array(NULL, a, x, y, from, pitch, w, h, (int)kind, true);
}
EXPORT cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t a, size_t x, size_t y, const void *from, size_t pitch, size_t w, size_t h, enum cudaMemcpyKind kind, cudaStream_t s) {
  return to_array(s, a, x, y, from, pitch, w, h, (int)kind, false);
}
EXPORT cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t a, size_t x, size_t y, size_t w, size_t h, enum cudaMemcpyKind kind) {
  if (!a || outside(a, x, y, w, h)) return done(cudaErrorInvalidValue);
  return copy(NULL, (struct copy){.to = (uint64_t)to, .from = place(a, x, y), .to_pitch = pitch, .from_pitch = row(a), .width = w, .height = h, .depth = 1, .kind = (int)kind, .blocking = true});
}
EXPORT cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t a, size_t x, size_t y, cudaArray_const_t b, size_t bx, size_t by, size_t w, size_t h, enum cudaMemcpyKind kind) {
  if (!a || !b || outside(a, x, y, w, h) || outside(b, bx, by, w, h)) return done(cudaErrorInvalidValue);
  return copy(NULL, (struct copy){.to = place(a, x, y), .from = place(b, bx, by), .to_pitch = row(a), .from_pitch = row(b), .width = w, .height = h, .depth = 1, .kind = (int)kind, .blocking = true});
}

// end3d is one end of a copy in three dimensions; an array counts texels, memory bytes.
static void end3d(struct cudaArray *a, struct cudaPos p, struct cudaPitchedPtr m, uint64_t *at, uint64_t *pitch, uint64_t *slice) {
  if (a) {
    *pitch = row(a);
    *slice = *pitch * (a->height ? a->height : 1);
    *at = a->address + p.z * *slice + p.y * *pitch + p.x * a->texel;
    return;
  }
  *pitch = m.pitch;
  *slice = m.pitch * m.ysize;
  *at = (uint64_t)m.ptr + p.z * *slice + p.y * *pitch + p.x;
}
EXPORT cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t s) {
  if (!p) return done(cudaErrorInvalidValue);
  struct copy c = {.width = p->extent.width, .height = p->extent.height, .depth = p->extent.depth, .kind = (int)p->kind};
  struct cudaArray *a = p->dstArray ? p->dstArray : p->srcArray;
  if (a) c.width *= a->texel;
  end3d(p->dstArray, p->dstPos, p->dstPtr, &c.to, &c.to_pitch, &c.to_slice);
  end3d(p->srcArray, p->srcPos, p->srcPtr, &c.from, &c.from_pitch, &c.from_slice);
  return copy(s, c);
}
EXPORT cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
  cudaError_t e = cudaMemcpy3DAsync(p, NULL);
  return e ? e : cudaStreamSynchronize(NULL);
}

// A texture of memory, as the recorder has it; pitch 0 where rows have no gaps.
struct shape { uint64_t address, width, height, depth, layers, pitch; struct cudaChannelFormatDesc desc; };

static int dimensions(const struct shape *s) { return s->depth ? 3 : s->height ? 2 : 1; }

// create makes a texture; floats says that integers are read as numbers of 0 to 1.
static int create(const char *name, const struct shape *s, const enum cudaTextureAddressMode mode[3], bool linear, bool normalized, bool floats, uint64_t *handle) {
  struct buffer m = {0}, r = {0};
  put_bytes(&m, name, strlen(name));
  put64(&m, s->address);
  put64(&m, s->width);
  put64(&m, s->height);
  put64(&m, s->depth);
  put64(&m, s->layers);
  put64(&m, (uint64_t)channels(&s->desc));
  put64(&m, (uint64_t)s->desc.x);
  put64(&m, (uint64_t)s->desc.f);
  put64(&m, s->pitch);
  for (int i = 0; i < 3; i++) put64(&m, i < dimensions(s) ? (uint64_t)mode[i] : cudaAddressModeClamp);
  put64(&m, linear);
  put64(&m, normalized);
  put64(&m, floats);
  put64(&m, false); // channels lie in the order RGBA
  int e = ask(MESSAGE_TEXTURE, &m, &r);
  if (!e) *handle = take64(&r);
  if (!e && r.broken) e = cudaErrorUnknown;
  release(&r);
  return e;
}

static const enum cudaTextureAddressMode clamped[3] = {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp};

static struct shape of_array(const struct cudaArray *a) {
  struct shape s = {.address = a->address, .width = a->width, .height = a->height, .depth = a->depth, .desc = a->desc};
  if (a->flags & cudaArrayLayered) { s.layers = a->depth; s.depth = 0; }
  return s;
}

// A texture has a border of zeros, and its numbers are as they are stored. lacks names what a
// program asks for beyond that; NULL where it asks for nothing.
static const char *lacks(const struct shape *s, const enum cudaTextureAddressMode mode[3], int sRGB, const float border[4]) {
  bool bordered = false;
  for (int i = 0; i < dimensions(s); i++) bordered = bordered || mode[i] == cudaAddressModeBorder;
  if (sRGB) return "textures give numbers as they are stored: convert sRGB in the kernel";
  for (int i = 0; border && bordered && i < 4; i++)
    if (border[i] != 0) return "borders are zeros: compare the coordinates in the kernel";
  return NULL;
}

static int bind(const void *reference, const struct shape *s) {
  const struct textureReference *t = reference;
  uint64_t module, handle = 0;
  const char *name;
  bool floats = false;
  int e = connected();
  if (!e) e = texture_symbol_of(reference, &module, &name, &floats);
  if (!e) e = create(name, s, t->addressMode, t->filterMode == cudaFilterModeLinear, t->normalized != 0, floats, &handle);
  if (e) return e;
  struct buffer m = {0};
  put64(&m, module);
  put_bytes(&m, name, strlen(name));
  put64(&m, handle);
  return ask(MESSAGE_BIND, &m, NULL);
}
#define bound(reference, ...) bound_by(__func__, __builtin_return_address(0), reference, __VA_ARGS__)
static cudaError_t bound_by(const char *call, void *place, const void *reference, struct shape s) {
  const struct textureReference *t = reference;
  const char *what = lacks(&s, t->addressMode, t->sRGB, NULL);
  if (what) return unsupported(call, what, place);
  lock();
  int e = bind(reference, &s);
  unlock();
  return done(e);
}

EXPORT cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *t, const void *p, const struct cudaChannelFormatDesc *desc, size_t n) {
  if (!t || !desc || !texel_bytes(desc)) return done(cudaErrorInvalidValue);
  lock();
  struct allocation *a = allocation_at((uint64_t)p, 0);
  uint64_t left = a ? a->bytes - ((uint64_t)p - a->address) : 0;
  unlock();
  if (!a) return done(cudaErrorInvalidValue);
  if (n > left) n = left;
  if (offset) *offset = 0;
  return bound(t, (struct shape){.address = (uint64_t)p, .width = n / texel_bytes(desc), .desc = *desc});
}
// wrong_pitch reports whether rows are shorter than their texels or begin where no row of a texture
// can (cudaResourceDesc, cudaDeviceProp::texturePitchAlignment).
static bool wrong_pitch(size_t pitch, size_t width, const struct cudaChannelFormatDesc *d) {
  return pitch < width * texel_bytes(d) || pitch % TEXTURE_PITCH_ALIGNMENT || pitch > INT32_MAX;
}
EXPORT cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *t, const void *p, const struct cudaChannelFormatDesc *desc, size_t w, size_t h, size_t pitch) {
  if (!t || !desc || !texel_bytes(desc)) return done(cudaErrorInvalidValue);
  if (wrong_pitch(pitch, w, desc)) return done(cudaErrorInvalidValue);
  if (offset) *offset = 0;
  return bound(t, (struct shape){.address = (uint64_t)p, .width = w, .height = h, .pitch = pitch, .desc = *desc});
}
EXPORT cudaError_t cudaBindTextureToArray(const struct textureReference *t, cudaArray_const_t a, const struct cudaChannelFormatDesc *desc) {
  if (!t || !a) return done(cudaErrorInvalidValue);
  (void)desc;
  return bound(t, of_array(a));
}
EXPORT cudaError_t cudaUnbindTexture(const struct textureReference *t) { (void)t; return 0; }
EXPORT cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *t) { (void)t; *offset = 0; return 0; }
EXPORT cudaError_t cudaGetTextureReference(const struct textureReference **t, const void *symbol) { *t = symbol; return 0; }
EXPORT cudaError_t cudaGetSurfaceReference(const struct surfaceReference **s, const void *symbol) { *s = symbol; return 0; }
EXPORT cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *s, cudaArray_const_t a, const struct cudaChannelFormatDesc *desc) {
  (void)desc;
  if (!s || !a) return done(cudaErrorInvalidValue);
  struct shape shape = of_array(a);
  uint64_t module, handle = 0;
  const char *name;
  bool floats;
  lock();
  int e = connected();
  if (!e) e = texture_symbol_of(s, &module, &name, &floats);
  if (!e) e = create(name, &shape, clamped, false, false, false, &handle);
  if (!e) {
    struct buffer m = {0};
    put64(&m, module);
    put_bytes(&m, name, strlen(name));
    put64(&m, handle);
    e = ask(MESSAGE_BIND, &m, NULL);
  }
  unlock();
  return done(e);
}

// Objects: what they were made of, for those who ask.
struct object { uint64_t handle; struct cudaResourceDesc resource; struct cudaTextureDesc description; struct object *next; };
static struct object *objects;

static int shape_of(const struct cudaResourceDesc *r, struct shape *s) {
  switch (r->resType) {
  case cudaResourceTypeArray:
    if (!r->res.array.array) return cudaErrorInvalidValue;
    *s = of_array(r->res.array.array);
    return 0;
  case cudaResourceTypeLinear: {
    uint64_t texel = texel_bytes(&r->res.linear.desc);
    if (!texel) return cudaErrorInvalidChannelDescriptor;
    *s = (struct shape){.address = (uint64_t)r->res.linear.devPtr, .width = r->res.linear.sizeInBytes / texel, .desc = r->res.linear.desc};
    return 0;
  }
  case cudaResourceTypePitch2D:
    if (!texel_bytes(&r->res.pitch2D.desc)) return cudaErrorInvalidChannelDescriptor;
    if (wrong_pitch(r->res.pitch2D.pitchInBytes, r->res.pitch2D.width, &r->res.pitch2D.desc)) return cudaErrorInvalidValue;
    *s = (struct shape){.address = (uint64_t)r->res.pitch2D.devPtr, .width = r->res.pitch2D.width, .height = r->res.pitch2D.height, .pitch = r->res.pitch2D.pitchInBytes, .desc = r->res.pitch2D.desc};
    return 0;
  default: return cudaErrorNotSupported;
  }
}

EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *description, const struct cudaResourceViewDesc *view) {
  if (!texture || !resource || !description) return done(cudaErrorInvalidValue);
  if (view) return UNSUPPORTED("views of resources are not there");
  struct shape s;
  int e = shape_of(resource, &s);
  if (e == cudaErrorNotSupported) return UNSUPPORTED("textures are of arrays or of memory, without mipmaps");
  const char *what = e ? NULL : lacks(&s, description->addressMode, description->sRGB, description->borderColor);
  if (what) return UNSUPPORTED(what);
  lock();
  struct object *o = calloc(1, sizeof *o);
  if (!e) e = o ? connected() : cudaErrorMemoryAllocation;
  if (!e) e = create("texture", &s, description->addressMode, description->filterMode == cudaFilterModeLinear, description->normalizedCoords != 0, description->readMode == cudaReadModeNormalizedFloat, &o->handle);
  if (!e) {
    o->resource = *resource;
    o->description = *description;
    o->next = objects;
    objects = o;
    *texture = o->handle;
  } else {
    free(o);
  }
  unlock();
  return done(e);
}
static struct object *object(uint64_t handle) {
  for (struct object *o = objects; o; o = o->next)
    if (o->handle == handle) return o;
  return NULL;
}
EXPORT cudaError_t cudaDestroyTextureObject(cudaTextureObject_t t) { (void)t; return 0; } // the handle is not given out again
EXPORT cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *r, cudaTextureObject_t t) {
  struct object *o = object(t);
  if (!o) return done(cudaErrorInvalidValue);
  *r = o->resource;
  return 0;
}
EXPORT cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *d, cudaTextureObject_t t) {
  struct object *o = object(t);
  if (!o) return done(cudaErrorInvalidValue);
  *d = o->description;
  return 0;
}
EXPORT cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc *resource) {
  if (!surface || !resource || resource->resType != cudaResourceTypeArray) return done(cudaErrorInvalidValue);
  const struct cudaArray *a = resource->res.array.array;
  if (!a || !(a->flags & cudaArraySurfaceLoadStore)) return done(cudaErrorInvalidValue); // others are for textures alone
  struct shape s = of_array(resource->res.array.array);
  uint64_t handle = 0;
  lock();
  int e = connected();
  if (!e) e = create("surface", &s, clamped, false, false, false, &handle);
  if (!e) *surface = handle;
  unlock();
  return done(e);
}
EXPORT cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t s) { (void)s; return 0; }
