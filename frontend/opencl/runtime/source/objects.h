// SPDX-License-Identifier: Apache-2.0
// The objects of the library, and what its parts share.
#pragma once
#include "connection.h"
#include "opencl.h"

// Every object begins with the loader's table of functions (cl_khr_icd) and says what it
// is, so that a handle of another kind is told from the right one.
enum { PLATFORM = 0x77740001, DEVICE, CONTEXT, QUEUE, MEMORY, PROGRAM, KERNEL, EVENT, SAMPLER };
struct object {
  void *const *dispatch;
  int kind;
  int references;
};
extern void *const dispatch[];
#define IS(handle, what) ((handle) && ((struct object *)(handle))->kind == (what))
// make gives a zeroed object with one reference, NULL without memory.
void *make(int kind, size_t bytes);
void retain(void *object);
// drop takes a reference away, and says whether it was the last: the object is no longer one.
bool drop(void *object);

// The lock is held until the end of the block.
static inline void end_of_block(int *held) { (void)held; unlock(); }
#define LOCKED __attribute__((cleanup(end_of_block), unused)) int locked_ = (lock(), 0)

// Answers of the functions named clGet...Info.
struct answer { size_t size; void *to; size_t *needed; };
cl_int give(struct answer a, const void *value, size_t bytes);
cl_int give_text(struct answer a, const char *text);
#define ANSWER (struct answer){size, to, needed}
#define GIVE(type, value) return give(ANSWER, &(type){value}, sizeof(type))

// status is OpenCL's error for one of the connection.
cl_int status(int error);
// ready begins the session, once.
cl_int ready(void);
#define FAIL(code) do { if (error) *error = (code); return NULL; } while (0)
#define MISSING(instead) name_missing(__func__, instead, __builtin_return_address(0))

struct platform { struct object object; };
struct device_object { struct object object; };
extern struct platform the_platform;
extern struct device_object the_device;
bool is_the_device(cl_device_id d);
uint64_t property(int p);

struct context {
  struct object object;
  cl_property *properties;
  size_t property_count;
};

// A command that waits for user events, or is carried out at once.
struct command;
// A lane is a stream of the trace. Queues in order have one; those out of order put commands
// that need not wait for each other on different ones.
enum { LANES = 32 };
struct lane {
  uint64_t stream;
  uint64_t last;    // the mark of its last command, 0 without
  uint64_t barrier; // the last barrier that it has waited for
  bool used;        // since the host has waited for all
};
struct queue {
  struct object object;
  cl_context context;
  cl_bitfield properties;
  struct lane lanes[LANES];
  unsigned next;
  uint64_t barrier, barrier_mark; // the number of the last barrier, and its mark
};

struct callback {
  struct callback *next;
  void (*function)(cl_event, cl_int, void *);
  cl_event event;
  cl_int at, status;
  void *data;
};
struct event {
  struct object object;
  cl_context context;
  cl_command_queue queue; // NULL for user events
  cl_uint type;
  cl_int state;           // CL_QUEUED, CL_COMPLETE once it was carried out, or an error
  uint64_t mark;          // 0: nothing in the trace stands for it
  bool timed;
  uint64_t times[3];      // asked, began, ended
  struct callback *callbacks;
};
bool event_done(cl_event e);

struct destructor {
  struct destructor *next;
  void (*function)(cl_mem, void *);
  void *data;
};
struct mapping {
  struct mapping *next;
  unsigned char *at;
  struct region *region;
  cl_bitfield flags;
};
// A part of a memory object: bytes of rows of slices.
struct region {
  uint64_t offset, width, height, depth, row, slice; // pitches are those of the memory
};
struct memory {
  struct object object;
  cl_context context;
  cl_uint type;
  cl_bitfield flags;
  uint64_t address, offset, bytes; // of device memory; offset is its place in the window
  void *host;                      // CL_MEM_USE_HOST_PTR: the program's own
  cl_mem parent;                   // sub-buffers, and images of buffers
  uint64_t origin;
  unsigned maps;
  struct mapping *mappings;
  struct destructor *destructors;
  // Images.
  cl_image_format format;
  cl_image_desc desc;
  uint64_t texel, row, slice, texture;
  uint64_t host_row, host_slice; // CL_MEM_USE_HOST_PTR: pitches of the program's memory
  cl_mem next, *link;            // all that live
};
bool is_memory(const void *p);
unsigned char *bytes_of(cl_mem m);
bool is_image(cl_mem m);

struct sampler {
  struct object object;
  cl_context context;
  cl_uint normalized, addressing, filter;
};

// Arguments of kernels, as the compiler describes them.
struct argument_info {
  int space; // 0 private, 1 global, 2 constant, 3 local
  char *access, *qualifiers, *type, *name, *base; // base is what a typedef stands for
};
struct kernel_info {
  char *name;
  size_t required[3], hint[3];
  unsigned arguments;
  struct argument_info *argument;
  bool known; // the description is the compiler's
};
struct program {
  struct object object;
  cl_context context;
  char *source, *options, *log;
  unsigned char *binary; // PTX that the program brought, or an object
  size_t binary_bytes;
  cl_uint binary_type;
  cl_int build;
  uint64_t module;
  bool has_module, compiled; // compiled: by us, not brought
  unsigned kernels;
  struct kernel_info *kernel;
  unsigned attached; // kernel objects that live
};
struct argument {
  bool set;
  size_t bytes;  // of local memory, 0 for others
  cl_mem memory; // not retained: is_memory says whether it still is
  unsigned char *value;
};
struct kernel {
  struct object object;
  cl_program program;
  struct kernel_info *info;
  struct function *function;
  struct argument *arguments;
};
void release_program(cl_program p);

struct launch {
  struct function *function;
  unsigned grid[3], block[3], offset[3], dimensions;
  uint64_t shared;
  unsigned char *arguments;
  unsigned char *constants;
  size_t constant_count;
};
// A copy between a memory object and memory of the program, or of two objects.
struct transfer {
  cl_mem memory, other;
  struct region region, other_region;
  unsigned char *host;
  uint64_t host_row, host_slice;
};
struct command {
  cl_uint type;
  cl_command_queue queue;
  // run carries it out on a stream; it is called once. barrier: later commands wait.
  cl_int (*run)(struct command *c, uint64_t stream);
  bool blocking, barrier;
  unsigned wait_count;
  cl_event *waits;
  cl_event event;
  cl_event *reply; // where the program wants the event
  struct transfer transfer;
  struct launch launch;
  struct mapping *mapping;
  unsigned char pattern[128];
  size_t pattern_bytes;
  unsigned held_count;
  void **held; // objects that must live until it was carried out
  struct command *next;
};
struct command *new_command(cl_uint type, cl_command_queue q, bool blocking, cl_int (*run)(struct command *, uint64_t));
void hold(struct command *c, void *object);
// enqueue checks what the command waits for, carries it out or keeps it for later, and
// gives OpenCL's error. It consumes the command.
cl_int enqueue(struct command *c, cl_uint count, const cl_event *waits, cl_event *reply);
void release_any(void *object);
void release_memory(cl_mem m);
void release_context(cl_context c);
cl_int finish(cl_command_queue q);
void discard_command(struct command *c);
