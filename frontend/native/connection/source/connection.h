// SPDX-License-Identifier: Apache-2.0
// The connection of a program to the recorder, which all runtime libraries share.
//
// A library has no device of its own. It sends what a program asks of the device as
// messages over a socket to the recorder (package wire has the format), and reaches
// device memory through a mapping that both processes have. Messages are carried out in
// their order; only those that give something back are waited for.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
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
  MESSAGE_STREAM_WAIT, MESSAGE_ELAPSED, MESSAGE_TEXTURE, MESSAGE_BIND, MESSAGE_GOODBYE, MESSAGE_MEMORY,
  MESSAGE_COMPILE, MESSAGE_BINARY, MESSAGE_RANGE, MESSAGE_JOIN, MESSAGE_PROFILE, MESSAGE_LOAD, MESSAGE_UNLOAD, MESSAGE_TENSOR_MAP
};
enum { WIRE_VERSION = 5, MAX_MESSAGE_BYTES = 256 << 20 };
// api is what a library is to its programs, which it defines: 0 for CUDA, 1 for OpenCL.
extern const uint64_t api;

// Errors of the connection, and what the recorder answers, are numbers of the CUDA runtime.
enum {
  ERROR_MEMORY = 2, ERROR_INITIALIZATION = 3, ERROR_UNLOADING = 4, ERROR_UNAVAILABLE = 46, ERROR_NO_DEVICE = 100, ERROR_UNKNOWN = 999
};

// Properties of the device, in the order in which the recorder sends them.
enum {
  DEVICE_MAJOR, DEVICE_MINOR, DEVICE_MULTIPROCESSORS, DEVICE_CLOCK_KHZ, DEVICE_MEMORY_CLOCK_KHZ, DEVICE_BUS_BITS, DEVICE_L2_BYTES,
  DEVICE_MEMORY_BYTES, DEVICE_SHARED_PER_BLOCK, DEVICE_SHARED_PER_MULTIPROCESSOR, DEVICE_REGISTERS, DEVICE_THREADS,
  DEVICE_BLOCKS, DEVICE_CONSTANT_BYTES, DEVICE_REGISTER_UNIT, DEVICE_SHARED_OPTIN, DEVICE_GPCS, DEVICE_PROPERTIES
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
// sleep_until waits for a pthread_cond_t without the lock.
void sleep_until(void *condition);
// connected begins the session with the recorder, once, and gives 0 or an error.
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
// end_session ends the session and gives device memory back, for a library that is unloaded.
void end_session(void);
// name_missing names a call that is not supported once on stderr, with its place.
void name_missing(const char *call, const char *instead, void *place);

// Kernels.
struct function {
  uint64_t id, module;
  char *name;
  uint64_t parameter_bytes, parameters;
  uint64_t *offsets, *sizes, *spaces; // spaces: 1 for pointers to global, 2 to constant, 3 to shared memory
  uint64_t registers, shared, local, constant, most_threads, version, target;
  uint64_t cluster[3], most_cluster; // that the kernel requires, and the most thread blocks of one; 0 says nothing
  uint64_t most_dynamic; // what the program asked for
  bool larger_clusters;  // more than eight thread blocks, which the program asked for
  // State of the old launch functions of the driver.
  unsigned block[3], old_shared;
  unsigned char *old_arguments;
  size_t old_bytes;
  bool told; // why launches of it are refused
};
int send_image(const void *data, size_t bytes, bool registered, uint64_t *module);
int find_function(uint64_t module, const char *name, struct function **function);

// Memory: request asks for it, and gives its address and its offset in the window.
enum { MEMORY_DEVICE, MEMORY_MANAGED, MEMORY_PINNED, MEMORY_REGISTERED, MEMORY_VARIABLE, MEMORY_CONSTANT };
int request(int kind, uint64_t bytes, uint64_t *address, uint64_t *offset);
void give_up(uint64_t address);
// Steps of a stream.
int post_copied(bool to_device, uint64_t address, uint64_t host, uint64_t bytes, uint64_t stream, bool blocking);
struct rows { uint64_t to, from, width, height, to_pitch, from_pitch; };
int post_move(const struct rows *r, uint64_t stream);
int post_fill(uint64_t address, uint64_t value, uint64_t element, uint64_t width, uint64_t height, uint64_t pitch, uint64_t stream);
int post_record(uint64_t event, uint64_t stream);
int post_stream_wait(uint64_t stream, uint64_t event);

