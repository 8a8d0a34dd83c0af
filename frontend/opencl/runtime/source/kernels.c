// SPDX-License-Identifier: Apache-2.0
// Kernels: their arguments, and launches.
#include "objects.h"

static struct kernel_info *info_named(cl_program p, const char *name) {
  for (unsigned i = 0; i < p->kernels; i++)
    if (!strcmp(p->kernel[i].name, name)) return &p->kernel[i];
  return NULL;
}

static cl_int new_kernel(cl_program p, struct kernel_info *info, cl_kernel *made) {
  struct function *f;
  int e = find_function(p->module, info->name, &f);
  if (e) return status(e);
  if (info->known && info->arguments != f->parameters) return CL_INVALID_KERNEL_DEFINITION;
  while (info->arguments < f->parameters) { // of PTX of others, what it says of pointers
    struct argument_info *list = realloc(info->argument, (info->arguments + 1) * sizeof *list);
    if (!list) return CL_OUT_OF_HOST_MEMORY;
    info->argument = list;
    list[info->arguments] = (struct argument_info){.space = (int)f->spaces[info->arguments]};
    info->arguments++;
  }
  cl_kernel k = make(KERNEL, sizeof *k);
  if (!k || !(k->arguments = calloc(info->arguments ? info->arguments : 1, sizeof *k->arguments))) return CL_OUT_OF_HOST_MEMORY;
  k->program = p;
  retain(p);
  p->attached++;
  k->info = info;
  k->function = f;
  *made = k;
  return CL_SUCCESS;
}

EXPORT cl_kernel clCreateKernel(cl_program p, const char *name, cl_int *error) {
  if (!IS(p, PROGRAM)) FAIL(CL_INVALID_PROGRAM);
  if (!name) FAIL(CL_INVALID_VALUE);
  LOCKED;
  if (!p->has_module) FAIL(CL_INVALID_PROGRAM_EXECUTABLE);
  struct kernel_info *info = info_named(p, name);
  if (!info) FAIL(CL_INVALID_KERNEL_NAME);
  cl_kernel k;
  cl_int e = new_kernel(p, info, &k);
  if (error) *error = e;
  return e ? NULL : k;
}
EXPORT cl_int clCreateKernelsInProgram(cl_program p, cl_uint count, cl_kernel *kernels, cl_uint *made) {
  if (!IS(p, PROGRAM)) return CL_INVALID_PROGRAM;
  LOCKED;
  if (!p->has_module) return CL_INVALID_PROGRAM_EXECUTABLE;
  if (made) *made = p->kernels;
  if (!kernels) return CL_SUCCESS;
  if (count < p->kernels) return CL_INVALID_VALUE;
  for (unsigned i = 0; i < p->kernels; i++) {
    cl_int e = new_kernel(p, &p->kernel[i], &kernels[i]);
    if (e) return e;
  }
  return CL_SUCCESS;
}
EXPORT cl_int clRetainKernel(cl_kernel k) {
  if (!IS(k, KERNEL)) return CL_INVALID_KERNEL;
  LOCKED;
  retain(k);
  return CL_SUCCESS;
}
EXPORT cl_int clReleaseKernel(cl_kernel k) {
  if (!IS(k, KERNEL)) return CL_INVALID_KERNEL;
  LOCKED;
  release_any(k);
  return CL_SUCCESS;
}

static bool starts(const char *text, const char *with) { return text && !strncmp(text, with, strlen(with)); }

// What an argument is for. Names of types may be the program's own; images alone can be read or written.
static bool of_image(const struct argument_info *a) { return starts(a->access, "read_") || starts(a->access, "write_"); }
static bool of_sampler(const struct argument_info *a) { return a->base && !strcmp(a->base, "sampler_t"); }

// keep_value makes bytes an argument's value.
static cl_int keep_value(struct argument *a, const void *value, size_t bytes) {
  unsigned char *copy = realloc(a->value, bytes ? bytes : 1);
  if (!copy) return CL_OUT_OF_HOST_MEMORY;
  memcpy(copy, value, bytes);
  a->value = copy;
  a->bytes = 0;
  a->set = true;
  return CL_SUCCESS;
}

static cl_int set_memory(struct argument *a, bool image, size_t size, const void *value) {
  if (size != sizeof(cl_mem)) return CL_INVALID_ARG_SIZE;
  cl_mem m = value ? *(const cl_mem *)value : NULL;
  if (!m && image) return CL_INVALID_MEM_OBJECT;
  if (m && (!is_memory(m) || is_image(m) != image)) return CL_INVALID_MEM_OBJECT;
  uint64_t v = !m ? 0 : image ? m->texture : m->address;
  a->memory = m;
  return keep_value(a, &v, sizeof v);
}

// set_sampler makes a sampler the number that OpenCL C's constants give (opencl-c-base.h
// of clang: CLK_...).
static cl_int set_sampler(struct argument *a, size_t size, const void *value) {
  if (size != sizeof(cl_sampler)) return CL_INVALID_ARG_SIZE;
  cl_sampler s = value ? *(const cl_sampler *)value : NULL;
  if (!IS(s, SAMPLER)) return CL_INVALID_SAMPLER;
  uint64_t v = s->normalized | (s->addressing - CL_ADDRESS_NONE) << 1 | (s->filter == CL_FILTER_LINEAR ? 0x20u : 0x10u);
  return keep_value(a, &v, sizeof v);
}

EXPORT cl_int clSetKernelArg(cl_kernel k, cl_uint index, size_t size, const void *value) {
  if (!IS(k, KERNEL)) return CL_INVALID_KERNEL;
  if (index >= k->info->arguments) return CL_INVALID_ARG_INDEX;
  LOCKED;
  struct argument_info *info = &k->info->argument[index];
  struct argument *a = &k->arguments[index];
  uint64_t bytes = k->function->sizes[index];
  if (info->space == 3 || (!k->info->known && !value && info->space == 0)) {
    if (value) return CL_INVALID_ARG_VALUE;
    if (size == 0) return CL_INVALID_ARG_SIZE;
    *a = (struct argument){.set = true, .bytes = size, .value = a->value};
    return CL_SUCCESS;
  }
  a->memory = NULL;
  if (of_image(info)) return set_memory(a, true, size, value);
  if (of_sampler(info)) return set_sampler(a, size, value);
  if (info->space == 1 || info->space == 2) return set_memory(a, false, size, value);
  if (!value) return CL_INVALID_ARG_VALUE;
  // PTX of others does not always say what is a pointer.
  if (!k->info->known && size == sizeof(cl_mem) && bytes == 8 && is_memory(*(void *const *)value)) return set_memory(a, is_image(*(const cl_mem *)value), size, value);
  return size == bytes ? keep_value(a, value, size) : CL_INVALID_ARG_SIZE;
}

static cl_int attributes(cl_kernel k, struct answer a) {
  char text[160] = "";
  int n = 0;
  if (k->info->required[0])
    n = snprintf(text, sizeof text, "reqd_work_group_size(%zu,%zu,%zu)", k->info->required[0], k->info->required[1], k->info->required[2]);
  if (k->info->hint[0])
    snprintf(text + n, sizeof text - (size_t)n, "%swork_group_size_hint(%zu,%zu,%zu)", n ? " " : "", k->info->hint[0], k->info->hint[1], k->info->hint[2]);
  return give_text(a, text);
}
EXPORT cl_int clGetKernelInfo(cl_kernel k, cl_uint what, size_t size, void *to, size_t *needed) {
  if (!IS(k, KERNEL)) return CL_INVALID_KERNEL;
  LOCKED;
  switch (what) {
  case CL_KERNEL_FUNCTION_NAME: return give_text(ANSWER, k->info->name);
  case CL_KERNEL_NUM_ARGS: GIVE(cl_uint, k->info->arguments);
  case CL_KERNEL_REFERENCE_COUNT: GIVE(cl_uint, (cl_uint)k->object.references);
  case CL_KERNEL_CONTEXT: GIVE(cl_context, k->program->context);
  case CL_KERNEL_PROGRAM: GIVE(cl_program, k->program);
  case CL_KERNEL_ATTRIBUTES: return attributes(k, ANSWER);
  }
  return CL_INVALID_VALUE;
}
EXPORT cl_int clGetKernelArgInfo(cl_kernel k, cl_uint index, cl_uint what, size_t size, void *to, size_t *needed) {
  if (!IS(k, KERNEL)) return CL_INVALID_KERNEL;
  if (index >= k->info->arguments) return CL_INVALID_ARG_INDEX;
  if (!k->info->known) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
  struct argument_info *a = &k->info->argument[index];
  static const cl_uint spaces[] = {CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_LOCAL};
  switch (what) {
  case CL_KERNEL_ARG_ADDRESS_QUALIFIER: GIVE(cl_uint, spaces[a->space & 3]);
  case CL_KERNEL_ARG_ACCESS_QUALIFIER:
    GIVE(cl_uint, starts(a->access, "read_only") ? CL_KERNEL_ARG_ACCESS_READ_ONLY : starts(a->access, "write_only") ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY
                  : starts(a->access, "read_write") ? CL_KERNEL_ARG_ACCESS_READ_WRITE : CL_KERNEL_ARG_ACCESS_NONE);
  case CL_KERNEL_ARG_TYPE_NAME: return give_text(ANSWER, a->type);
  case CL_KERNEL_ARG_TYPE_QUALIFIER:
    GIVE(cl_bitfield, (strstr(a->qualifiers, "const") ? CL_KERNEL_ARG_TYPE_CONST : 0) | (strstr(a->qualifiers, "restrict") ? CL_KERNEL_ARG_TYPE_RESTRICT : 0) |
                          (strstr(a->qualifiers, "volatile") ? CL_KERNEL_ARG_TYPE_VOLATILE : 0));
  case CL_KERNEL_ARG_NAME: return give_text(ANSWER, a->name);
  }
  return CL_INVALID_VALUE;
}

static uint64_t up(uint64_t n, uint64_t unit) { return unit ? (n + unit - 1) / unit * unit : n; }

// THREAD_REGISTERS is the most that a thread has (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability"). The vendor's compiler spills those beyond it.
enum { THREAD_REGISTERS = 255 };

// most_items is how many work-items a group of the kernel can have: warps share the
// registers of one multiprocessor.
static size_t most_items(cl_kernel k) {
  uint64_t most = property(DEVICE_THREADS) < 1024 ? property(DEVICE_THREADS) : 1024;
  uint64_t registers = k->function->registers < THREAD_REGISTERS ? k->function->registers : THREAD_REGISTERS;
  uint64_t per_warp = up(registers * 32, property(DEVICE_REGISTER_UNIT));
  if (per_warp && property(DEVICE_REGISTERS) / per_warp * 32 < most) most = property(DEVICE_REGISTERS) / per_warp * 32;
  if (k->function->most_threads && k->function->most_threads < most) most = k->function->most_threads;
  size_t required = k->info->required[0] * k->info->required[1] * k->info->required[2];
  return required && required < most ? required : most;
}

enum { LOCAL_ALIGN = 16 }; // the widest access of PTX

// local_bytes is the local memory of a group: what the kernel has itself and its arguments.
static uint64_t local_bytes(cl_kernel k) {
  uint64_t n = k->function->shared;
  for (unsigned i = 0; i < k->info->arguments; i++)
    if (k->arguments[i].bytes) n = up(n, LOCAL_ALIGN) + k->arguments[i].bytes;
  return n;
}

EXPORT cl_int clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d, cl_uint what, size_t size, void *to, size_t *needed) {
  if (!IS(k, KERNEL)) return CL_INVALID_KERNEL;
  if (d && !is_the_device(d)) return CL_INVALID_DEVICE;
  LOCKED;
  switch (what) {
  case CL_KERNEL_WORK_GROUP_SIZE: GIVE(size_t, most_items(k));
  case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: return give(ANSWER, k->info->required, sizeof k->info->required);
  case CL_KERNEL_LOCAL_MEM_SIZE: GIVE(cl_ulong, local_bytes(k));
  case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: GIVE(size_t, 32);
  case CL_KERNEL_PRIVATE_MEM_SIZE: GIVE(cl_ulong, k->function->local);
  }
  return CL_INVALID_VALUE; // CL_KERNEL_GLOBAL_WORK_SIZE is of custom devices
}

// choose gives a group's size in one dimension: the largest divisor of the range that is no
// more than most, of those that are multiples of a warp if there is one.
static size_t choose(size_t range, size_t most) {
  for (size_t n = most / 32 * 32; n > 0; n -= 32)
    if (range % n == 0) return n;
  for (size_t n = most; n > 1; n--)
    if (range % n == 0) return n;
  return 1;
}

static const size_t largest[3] = {1024, 1024, 64};

// group_size is the size of groups that the program asks for, or one chosen for it: of 256
// work-items at most, as many in x as can be.
static cl_int group_size(cl_kernel k, unsigned dimensions, const size_t *range, const size_t *asked, unsigned *block) {
  size_t most = most_items(k), items = 1;
  bool required = k->info->required[0] != 0;
  if (!asked && required) return CL_INVALID_WORK_GROUP_SIZE;
  size_t left = most < 256 ? most : 256;
  for (unsigned i = 0; i < dimensions; i++) {
    size_t n = asked ? asked[i] : choose(range[i], left < largest[i] ? left : largest[i]);
    if (n == 0) return CL_INVALID_WORK_GROUP_SIZE;
    if (n > largest[i]) return CL_INVALID_WORK_ITEM_SIZE;
    if (range[i] % n) return CL_INVALID_WORK_GROUP_SIZE;
    if (required && n != k->info->required[i]) return CL_INVALID_WORK_GROUP_SIZE;
    block[i] = (unsigned)n;
    items *= n;
    left /= n;
  }
  return items > most ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

// pack lays out the arguments. Those in local memory lie behind the kernel's own.
static cl_int pack(cl_kernel k, struct launch *l) {
  struct function *f = k->function;
  l->arguments = calloc(f->parameter_bytes ? f->parameter_bytes : 1, 1);
  l->constants = calloc(k->info->arguments ? k->info->arguments : 1, 1);
  if (!l->arguments || !l->constants) return CL_OUT_OF_HOST_MEMORY;
  uint64_t local = f->shared;
  for (unsigned i = 0; i < k->info->arguments; i++) {
    struct argument *a = &k->arguments[i];
    if (!a->set) return CL_INVALID_KERNEL_ARGS;
    if (a->bytes) {
      local = up(local, LOCAL_ALIGN);
      memcpy(l->arguments + f->offsets[i], &local, f->sizes[i] < 8 ? f->sizes[i] : 8);
      local += a->bytes;
      continue;
    }
    memcpy(l->arguments + f->offsets[i], a->value, f->sizes[i]);
    if (k->info->argument[i].space == 2 && !of_sampler(&k->info->argument[i]) && i < 256) l->constants[l->constant_count++] = (unsigned char)i;
  }
  l->shared = local - f->shared;
  return local > property(DEVICE_SHARED_PER_BLOCK) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static cl_int run_launch(struct command *c, uint64_t stream) {
  struct launch *l = &c->launch;
  struct buffer m = {0};
  put64(&m, l->function->id);
  put64(&m, stream);
  for (int i = 0; i < 3; i++) put64(&m, l->grid[i]);
  for (int i = 0; i < 3; i++) put64(&m, l->block[i]);
  for (int i = 0; i < 3; i++) put64(&m, 0); // no clusters
  put64(&m, l->shared);
  put64(&m, 0);
  put_bytes(&m, l->arguments, l->function->parameter_bytes);
  for (int i = 0; i < 3; i++) put64(&m, l->offset[i]);
  put64(&m, l->dimensions);
  put_bytes(&m, l->constants, l->constant_count);
  return status(post(MESSAGE_RANGE, &m));
}

static cl_int prepare(cl_kernel k, unsigned dimensions, const size_t *offset, const size_t *range, const size_t *local, struct launch *l) {
  if (dimensions < 1 || dimensions > 3) return CL_INVALID_WORK_DIMENSION;
  if (!range) return CL_INVALID_GLOBAL_WORK_SIZE;
  *l = (struct launch){.function = k->function, .dimensions = dimensions, .grid = {1, 1, 1}, .block = {1, 1, 1}};
  for (unsigned i = 0; i < dimensions; i++) {
    if (range[i] == 0 || range[i] > UINT32_MAX) return CL_INVALID_GLOBAL_WORK_SIZE;
    if (offset && offset[i] > UINT32_MAX - range[i]) return CL_INVALID_GLOBAL_OFFSET;
    if (offset) l->offset[i] = (unsigned)offset[i];
  }
  cl_int e = group_size(k, dimensions, range, local, l->block);
  if (e) return e;
  for (unsigned i = 0; i < dimensions; i++) {
    size_t groups = range[i] / l->block[i];
    if (groups > (i ? 65535u : 0x7fffffffu)) {
      fflush(stdout);
      fprintf(stderr, "warptape: kernel %s: %zu work-groups in dimension %u; the device has %u at most: use larger groups, or the first dimension\n", k->info->name, groups, i, i ? 65535u : 0x7fffffffu);
      return CL_OUT_OF_RESOURCES;
    }
    l->grid[i] = (unsigned)groups;
  }
  return pack(k, l);
}

static cl_int launch(cl_uint type, cl_command_queue q, cl_kernel k, cl_uint dimensions, const size_t *offset, const size_t *range, const size_t *local, cl_uint n, const cl_event *waits, cl_event *reply) {
  if (!IS(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  if (!IS(k, KERNEL)) return CL_INVALID_KERNEL;
  if (k->program->context != q->context) return CL_INVALID_CONTEXT;
  LOCKED;
  struct command *c = new_command(type, q, false, run_launch);
  if (!c) return CL_OUT_OF_HOST_MEMORY;
  cl_int e = prepare(k, dimensions, offset, range, local, &c->launch);
  if (e) { discard_command(c); return e; }
  hold(c, k);
  for (unsigned i = 0; i < k->info->arguments; i++)
    if (k->arguments[i].memory && is_memory(k->arguments[i].memory)) hold(c, k->arguments[i].memory);
  return enqueue(c, n, waits, reply);
}
EXPORT cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dimensions, const size_t *offset, const size_t *range, const size_t *local, cl_uint n, const cl_event *waits, cl_event *reply) {
  return launch(CL_COMMAND_NDRANGE_KERNEL, q, k, dimensions, offset, range, local, n, waits, reply);
}
EXPORT cl_int clEnqueueTask(cl_command_queue q, cl_kernel k, cl_uint n, const cl_event *waits, cl_event *reply) {
  const size_t one[1] = {1};
  return launch(CL_COMMAND_TASK, q, k, 1, NULL, one, one, n, waits, reply);
}
