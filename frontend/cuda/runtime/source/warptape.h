// SPDX-License-Identifier: Apache-2.0
// What the parts of the runtime library share.
#pragma once
#include "connection.h"

// done makes an error of the runtime the calling thread's last one, and gives it back.
int done(int error);
int last_error(bool clear);
// kept_error is the calling thread's last error, and restore_error makes it that again.
int kept_error(void);
void restore_error(int error);
void forget(void);
// unsupported names a call once on stderr, with its place, and gives cudaErrorNotSupported.
int unsupported(const char *call, const char *instead, void *place);
#define UNSUPPORTED(instead) unsupported(__func__, instead, __builtin_return_address(0))

// Memory that the program has from the device.
struct allocation {
  uint64_t address, bytes, offset;
  int kind;
  unsigned flags;
  void *host; // MEMORY_REGISTERED: where the program has it
  size_t host_bytes;
  struct CUmemPoolHandle_st *pool; // NULL for what is of none
};
void pool_gave(struct CUmemPoolHandle_st *p, uint64_t bytes);
struct allocation *allocation_at(uint64_t address, uint64_t bytes);
struct allocation *allocation_at_host(const void *p);
int allocate(int kind, uint64_t bytes, unsigned flags, uint64_t *address);
int release_memory(uint64_t address, bool host);
int note_variable(uint64_t address, uint64_t bytes, uint64_t offset);
void forget_variable(uint64_t address);
int register_memory(void *p, size_t n, unsigned flags);
int unregister_memory(void *p);

// __managed__ variables.
void note_managed(const void *host, uint64_t bytes, const void *image, bool linked);
void share_managed(const void *image, bool linked);
uint64_t on_device(uint64_t address);
const unsigned char *arguments_on_device(const unsigned char *arguments, uint64_t bytes, unsigned char **copied);

// Streams and events.
struct graph;
struct CUstream_st {
  uint64_t id;
  unsigned flags;
  int priority;
  struct graph *capture;
  // Attributes, which have no effect here; sync is 0 where the program has set none.
  struct { void *base; uint64_t bytes; float ratio; int hit, miss; } window;
  int sync;
};
struct CUevent_st {
  uint64_t id;
  unsigned flags;
  bool recorded;
  uint64_t capture; // that it was recorded in last, 0 for none
};
struct CUstream_st *stream_of(void *handle);
uint64_t new_event_id(void);

// Kernels and variables.
// image_bytes is the size of an image that has no other sign of its end.
size_t image_bytes(const void *data);
// load_image loads a module, and puts what is wrong with it into a log of n bytes.
int load_image(const void *image, char *log, size_t n, uint64_t *module);
int unload(uint64_t module);
int function_of(const void *host, struct function **function);
int symbol_of(const void *host, uint64_t *address, uint64_t *bytes);
int find_symbol(uint64_t module, const char *name, uint64_t *address, uint64_t *bytes);
int texture_symbol_of(const void *host, uint64_t *module, const char **name, bool *floats);
int occupancy(struct function *f, int threads, uint64_t shared, int *blocks);
uint64_t warp_registers(struct function *f, uint64_t warps);

// TEXTURE_PITCH_ALIGNMENT is what a pitch of rows of a texture is a multiple of.
enum { TEXTURE_PITCH_ALIGNMENT = 32 };

// NEWEST_VERSION is the newest release that programs are built for. Those for older ones find a newer library.
enum { NEWEST_VERSION = 12040 };

// Operations of streams: carried out, or put into the graph that the stream captures.
struct extent { unsigned x, y, z; };
// A launch's shape. A cluster of zeros is what the kernel requires, or a thread block by itself.
struct launch {
  struct extent grid, block, cluster;
  uint64_t shared;
  bool cooperative;
};
int do_launch(void *stream, struct function *f, const struct launch *s, const unsigned char *arguments);
// launch_symbol launches the kernel that the host knows by an address.
int launch_symbol(const void *host, const struct launch *s, void **arguments, void *stream);
// CLUSTER_CAPABILITY is the first major compute capability with clusters.
enum { CLUSTER_CAPABILITY = 9 };
int active_clusters(int *clusters, struct function *f, const struct launch *s);
int potential_cluster(int *size, struct function *f, const struct launch *s);
int check_cluster(const struct function *f, const struct launch *s);
enum { COPY_HOST_TO_HOST, COPY_TO_DEVICE, COPY_TO_HOST, COPY_ON_DEVICE, COPY_ANY };
struct copy {
  uint64_t to, from, to_pitch, from_pitch, to_slice, from_slice; // addresses, bytes of a row and of a slice
  uint64_t width, height, depth;
  int kind;
  bool blocking;
};
int do_copy(void *stream, const struct copy *c);
int do_fill(void *stream, uint64_t address, uint64_t value, unsigned element, uint64_t width, uint64_t height, uint64_t pitch, bool blocking);
int do_host(void *stream, void (*function)(void *), void *data);
int do_record(void *stream, struct CUevent_st *e);
int do_stream_wait(void *stream, struct CUevent_st *e);
int wait_for(void *stream, bool all);

int pack_arguments(struct function *f, void **arguments, unsigned char **packed);
