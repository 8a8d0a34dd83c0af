// SPDX-License-Identifier: Apache-2.0
// Modules: what a compiler registers, and what a program loads.
#include "warptape.h"
#include <stdint.h>
#include "cuda_runtime_api.h"

// What a compiler puts around a fat binary, and the fat binary's own head.
struct wrapper { uint32_t magic, version; const void *image; void *more; };
struct fat_head { uint32_t magic; uint16_t version, header_bytes; uint64_t bytes; };
static const uint32_t wrapper_magic = 0x466243b1, fat_magic = 0xba55ed50;

struct image {
  const void *data;
  size_t bytes;
  bool loaded;
  uint64_t module;
};
static struct image *images;
static size_t image_count;

enum { ENTRY_FUNCTION, ENTRY_VARIABLE, ENTRY_TEXTURE };
struct entry {
  const void *host;
  const char *name;
  size_t image;
  int kind;
  bool floats; // a texture that reads integers as numbers of 0 to 1
  struct function *function;
};
static struct entry *entries; // a hash table by host address
static size_t entry_count, entry_places;

static size_t place_of(const void *host) {
  uint64_t h = (uint64_t)host * 0x9e3779b97f4a7c15ull;
  size_t i = (size_t)(h >> 20) & (entry_places - 1);
  while (entries[i].host && entries[i].host != host) i = (i + 1) & (entry_places - 1);
  return i;
}

static void enter(struct entry e) {
  if (2 * (entry_count + 1) > entry_places) {
    size_t before = entry_places;
    struct entry *old = entries;
    entry_places = before ? 2 * before : 256;
    entries = calloc(entry_places, sizeof *entries);
    if (!entries) abort();
    for (size_t i = 0; i < before; i++)
      if (old[i].host) entries[place_of(old[i].host)] = old[i];
    free(old);
  }
  size_t i = place_of(e.host);
  if (!entries[i].host) entry_count++;
  entries[i] = e;
}

static struct entry *entry_of(const void *host) {
  if (!entry_places || !host) return NULL;
  struct entry *e = &entries[place_of(host)];
  return e->host ? e : NULL;
}

size_t image_bytes(const void *data) {
  struct fat_head head;
  memcpy(&head, data, sizeof head);
  if (head.magic == fat_magic) return head.header_bytes + head.bytes;
  return strlen(data);
}

// unlinked tells whether the first entry of an image is part of a text that is linked when the
// program starts: a flag of this project's own (package fatbin).
static bool unlinked(const void *data) {
  struct fat_head head;
  uint64_t flags;
  memcpy(&head, data, sizeof head);
  if (head.magic != fat_magic || head.bytes < 48) return false;
  memcpy(&flags, (const char *)data + head.header_bytes + 40, sizeof flags);
  return flags >> 40 & 1;
}

static const void *unwrapped(const void *data) {
  struct wrapper w;
  memcpy(&w, data, sizeof(uint32_t));
  if (w.magic != wrapper_magic) return data;
  memcpy(&w, data, sizeof w);
  return w.image;
}

EXPORT void **__cudaRegisterFatBinary(void *wrapped) {
  lock();
  const void *data = unwrapped(wrapped);
  images = realloc(images, (image_count + 1) * sizeof *images);
  if (!images) abort();
  images[image_count] = (struct image){.data = data, .bytes = image_bytes(data)};
  size_t handle = ++image_count;
  unlock();
  return (void **)handle;
}
EXPORT void __cudaRegisterFatBinaryEnd(void **handle) {
  lock();
  const void *data = images[(size_t)handle - 1].data;
  share_managed(data, unlinked(data));
  unlock();
}
EXPORT void __cudaUnregisterFatBinary(void **handle) { (void)handle; }
EXPORT char __cudaInitModule(void **handle) { (void)handle; return 1; }

static void enter_for(void **handle, const void *host, const char *name, int kind, bool floats) {
  lock();
  enter((struct entry){.host = host, .name = name, .image = (size_t)handle - 1, .kind = kind, .floats = floats});
  unlock();
}

EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device_name, const char *name, int limit, void *tid, void *bid, void *bdim, void *gdim, int *size) {
  (void)name; (void)limit; (void)tid; (void)bid; (void)bdim; (void)gdim; (void)size;
  enter_for(handle, host, device_name, ENTRY_FUNCTION, false);
}
EXPORT void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int external, size_t size, int constant, int global) {
  (void)address; (void)external; (void)constant; (void)global;
  enter_for(handle, host, name, ENTRY_VARIABLE, false);
  lock();
  const void *data = images[(size_t)handle - 1].data;
  note_managed(host, size, data, unlinked(data));
  unlock();
}
EXPORT void __cudaRegisterTexture(void **handle, const void *host, const void **address, const char *name, int dim, int normalized, int external) {
  (void)address; (void)dim; (void)external;
  enter_for(handle, host, name, ENTRY_TEXTURE, normalized != 0);
}
EXPORT void __cudaRegisterSurface(void **handle, const void *host, const void **address, const char *name, int dim, int external) {
  (void)address; (void)dim; (void)external;
  enter_for(handle, host, name, ENTRY_TEXTURE, false);
}

int load_image(const void *image, char *log, size_t n, uint64_t *module) {
  const void *data = unwrapped(image);
  int e = send_image(data, image_bytes(data), false, module);
  if (e) return e;
  struct buffer m = {0}, r = {0};
  put64(&m, *module);
  if (!(e = ask(MESSAGE_LOAD, &m, &r))) {
    size_t length;
    int wrong = (int)take64(&r);
    const void *text = take_bytes(&r, &length);
    e = r.broken ? cudaErrorUnknown : wrong;
    if (!r.broken && n > 0) {
      if (length >= n) length = n - 1;
      memcpy(log, text, length);
      log[length] = 0;
    }
  }
  release(&r);
  return e;
}

// unload lets a module go: what has its handles or addresses learns that they are none.
int unload(uint64_t module) {
  struct buffer m = {0}, r = {0};
  put64(&m, module);
  int e = drain();
  if (!e && !(e = ask(MESSAGE_UNLOAD, &m, &r))) {
    for (uint64_t n = take64(&r); n > 0 && !r.broken; n--) forget_variable(take64(&r));
    e = r.broken ? cudaErrorUnknown : 0;
  }
  release(&r);
  return e;
}

// module_of sends the registered images with the first use of one, in their order: one may
// call functions of another.
static int module_of(size_t image, uint64_t *module) {
  if (image >= image_count) return cudaErrorInvalidDeviceFunction;
  for (size_t i = 0; i < image_count; i++) {
    if (images[i].loaded) continue;
    int e = send_image(images[i].data, images[i].bytes, true, &images[i].module);
    if (e) return e;
    images[i].loaded = true;
  }
  *module = images[image].module;
  return 0;
}

int function_of(const void *host, struct function **function) {
  struct entry *e = entry_of(host);
  if (!e || e->kind != ENTRY_FUNCTION) return cudaErrorInvalidDeviceFunction;
  if (!e->function) {
    uint64_t module;
    int error = module_of(e->image, &module);
    if (!error) error = find_function(module, e->name, &e->function);
    if (error) return error;
  }
  *function = e->function;
  return 0;
}

int find_symbol(uint64_t module, const char *name, uint64_t *address, uint64_t *bytes) {
  struct buffer m = {0}, r = {0};
  put64(&m, module);
  put_bytes(&m, name, strlen(name));
  int e = ask(MESSAGE_SYMBOL, &m, &r);
  if (!e) {
    *address = take64(&r);
    *bytes = take64(&r);
    uint64_t offset = take64(&r);
    e = r.broken ? cudaErrorUnknown : note_variable(*address, *bytes, offset);
  }
  release(&r);
  return e;
}

int symbol_of(const void *host, uint64_t *address, uint64_t *bytes) {
  struct entry *e = entry_of(host);
  if (!e || e->kind != ENTRY_VARIABLE) return cudaErrorInvalidSymbol;
  uint64_t module;
  int error = module_of(e->image, &module);
  return error ? error : find_symbol(module, e->name, address, bytes);
}

int texture_symbol_of(const void *host, uint64_t *module, const char **name, bool *floats) {
  struct entry *e = entry_of(host);
  if (!e || e->kind != ENTRY_TEXTURE) return cudaErrorInvalidTexture;
  *name = e->name;
  *floats = e->floats;
  return module_of(e->image, module);
}

int pack_arguments(struct function *f, void **arguments, unsigned char **packed) {
  *packed = calloc(f->parameter_bytes ? f->parameter_bytes : 1, 1);
  if (!*packed) return cudaErrorMemoryAllocation;
  for (uint64_t i = 0; i < f->parameters; i++) memcpy(*packed + f->offsets[i], arguments[i], f->sizes[i]);
  return 0;
}
