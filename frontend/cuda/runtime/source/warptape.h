// What the parts of the runtime library share.
//
// The library has no device of its own. It sends what a program asks of the device as
// messages over a socket to the recorder (package wire has the format), and reaches
// device memory through a mapping that both processes have. Messages are carried out in
// their order; only those that give something back are waited for.
#pragma once
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

// Kinds of messages, in step with package wire.
enum {
  MESSAGE_HELLO = 1, MESSAGE_MODULE, MESSAGE_FUNCTION, MESSAGE_SYMBOL, MESSAGE_ALLOCATE, MESSAGE_FREE, MESSAGE_LAUNCH,
  MESSAGE_COPIED, MESSAGE_MOVE, MESSAGE_FILL, MESSAGE_WRITE, MESSAGE_READ, MESSAGE_WAIT, MESSAGE_STREAM, MESSAGE_RECORD,
  MESSAGE_STREAM_WAIT, MESSAGE_ELAPSED, MESSAGE_TEXTURE, MESSAGE_BIND, MESSAGE_GOODBYE, MESSAGE_MEMORY
};
enum { WIRE_VERSION = 1 };

// Properties of the device, in the order in which the recorder sends them.
enum {
  DEVICE_MAJOR, DEVICE_MINOR, DEVICE_MULTIPROCESSORS, DEVICE_CLOCK_KHZ, DEVICE_MEMORY_CLOCK_KHZ, DEVICE_BUS_BITS, DEVICE_L2_BYTES,
  DEVICE_MEMORY_BYTES, DEVICE_SHARED_PER_BLOCK, DEVICE_SHARED_PER_MULTIPROCESSOR, DEVICE_REGISTERS, DEVICE_THREADS,
  DEVICE_BLOCKS, DEVICE_CONSTANT_BYTES, DEVICE_REGISTER_UNIT, DEVICE_SHARED_OPTIN, DEVICE_PROPERTIES
};
struct device {
  uint64_t property[DEVICE_PROPERTIES];
  char name[256];
};

// A message or a reply on its way through memory.
struct buffer {
  unsigned char *data;
  size_t length, capacity, at;
  bool broken; // read past its end, or out of memory
};
void put64(struct buffer *b, uint64_t v);
void put_bytes(struct buffer *b, const void *data, size_t n);
uint64_t take64(struct buffer *b);
const void *take_bytes(struct buffer *b, size_t *n);
void release(struct buffer *b);

// lock keeps other threads of the program out; every function below wants it held.
void lock(void);
void unlock(void);
// connected begins the session with the recorder, once, and gives 0 or an error of the runtime.
int connected(void);
// connected_already tells without beginning one.
bool connected_already(void);
const struct device *device(void);
// post sends a message that has no reply, ask one whose reply it gives. Both consume the message.
int post(int kind, struct buffer *message);
int ask(int kind, struct buffer *message, struct buffer *reply);
// drain waits until the device has done what was posted.
int drain(void);
// window is the place of an offset of device memory in this process.
unsigned char *window(uint64_t offset);
uint64_t window_bytes(void);
int window_descriptor(void);
// broken is the error that a kernel's fault left for all later calls, 0 without.
int broken(void);
void forget(void);

// done makes an error of the runtime the calling thread's last one, and gives it back.
int done(int error);
int last_error(bool clear);
// unsupported names a call once on stderr, with its place, and gives cudaErrorNotSupported.
int unsupported(const char *call, const char *instead, void *place);
#define UNSUPPORTED(instead) unsupported(__func__, instead, __builtin_return_address(0))

// Memory that the program has from the device.
enum { MEMORY_DEVICE, MEMORY_MANAGED, MEMORY_PINNED, MEMORY_REGISTERED, MEMORY_VARIABLE, MEMORY_CONSTANT };
struct allocation {
  uint64_t address, bytes, offset;
  int kind;
  unsigned flags;
  void *host; // MEMORY_REGISTERED: where the program has it
  size_t host_bytes;
};
struct allocation *allocation_at(uint64_t address, uint64_t bytes);
struct allocation *allocation_at_host(const void *p);
int allocate(int kind, uint64_t bytes, unsigned flags, uint64_t *address);
int release_memory(uint64_t address, bool host);
int note_variable(uint64_t address, uint64_t bytes, uint64_t offset);
int register_memory(void *p, size_t n, unsigned flags);
int unregister_memory(void *p);

// Streams and events.
struct graph;
struct CUstream_st {
  uint64_t id;
  unsigned flags;
  int priority;
  struct graph *capture;
};
struct CUevent_st {
  uint64_t id;
  unsigned flags;
  bool recorded;
  struct graph *capture;
};
struct CUstream_st *stream_of(void *handle);
uint64_t new_event_id(void);

// Kernels and variables.
struct function {
  uint64_t id, module;
  char *name;
  uint64_t parameter_bytes, parameters;
  uint64_t *offsets, *sizes;
  uint64_t registers, shared, local, constant, most_threads, version, target;
  uint64_t most_dynamic; // what the program asked for
  // State of the old launch functions of the driver.
  unsigned block[3], old_shared;
  unsigned char *old_arguments;
  size_t old_bytes;
};
int load_image(const void *image, uint64_t *module);
int find_function(uint64_t module, const char *name, struct function **function);
int function_of(const void *host, struct function **function);
int symbol_of(const void *host, uint64_t *address, uint64_t *bytes);
int find_symbol(uint64_t module, const char *name, uint64_t *address, uint64_t *bytes);
int texture_symbol_of(const void *host, uint64_t *module, const char **name, bool *floats);
int occupancy(struct function *f, int threads, uint64_t shared, int *blocks);

// Operations of streams: carried out, or put into the graph that the stream captures.
struct extent { unsigned x, y, z; };
int do_launch(void *stream, struct function *f, struct extent grid, struct extent block, uint64_t shared, unsigned flags, const unsigned char *arguments);
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
