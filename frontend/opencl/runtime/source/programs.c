// SPDX-License-Identifier: Apache-2.0
// Programs: sources that the recorder compiles, and PTX.
#include "objects.h"
#include <unistd.h>

static char *copy_text(const char *text) {
  char *copy = strdup(text ? text : "");
  if (!copy) abort();
  return copy;
}

static void forget_kernels(cl_program p) {
  for (unsigned i = 0; i < p->kernels; i++) {
    for (unsigned a = 0; a < p->kernel[i].arguments; a++) {
      struct argument_info *info = &p->kernel[i].argument[a];
      free(info->access);
      free(info->qualifiers);
      free(info->type);
      free(info->name);
      free(info->base);
    }
    free(p->kernel[i].name);
    free(p->kernel[i].argument);
  }
  free(p->kernel);
  p->kernel = NULL;
  p->kernels = 0;
}

static struct kernel_info *add_kernel(cl_program p, const char *name) {
  struct kernel_info *list = realloc(p->kernel, (p->kernels + 1) * sizeof *list);
  if (!list) abort();
  p->kernel = list;
  struct kernel_info *k = &list[p->kernels++];
  memset(k, 0, sizeof *k);
  k->name = copy_text(name);
  return k;
}

// next_field gives what stands up to the next tab, and ends it.
static char *next_field(char **line) {
  static char none[1];
  if (!*line) return none;
  char *field = *line, *tab = strchr(field, '\t');
  if (tab) *tab++ = 0;
  *line = tab;
  return field;
}

static void add_argument(struct kernel_info *k, char *line) {
  struct argument_info *list = realloc(k->argument, (k->arguments + 1) * sizeof *list);
  if (!list) abort();
  k->argument = list;
  struct argument_info *a = &list[k->arguments++];
  a->space = atoi(next_field(&line));
  a->access = copy_text(next_field(&line));
  a->qualifiers = copy_text(next_field(&line));
  a->type = copy_text(next_field(&line));
  a->name = copy_text(next_field(&line));
  a->base = copy_text(next_field(&line));
}

// read_kernels finds the kernels of PTX: by the compiler's comments, or their entries.
static void read_kernels(cl_program p, const char *ptx, size_t bytes) {
  static const char kernel[] = "//#kernel\t", argument[] = "//#argument\t", entry[] = ".entry";
  forget_kernels(p);
  char *text = malloc(bytes + 1), *rest = text, *line;
  if (!text) abort();
  memcpy(text, ptx, bytes);
  text[bytes] = 0;
  struct kernel_info *k = NULL;
  while ((line = strsep(&rest, "\n"))) {
    if (!strncmp(line, kernel, sizeof kernel - 1)) {
      line += sizeof kernel - 1;
      k = add_kernel(p, next_field(&line));
      k->known = true;
      for (int i = 0; i < 3; i++) k->required[i] = strtoul(next_field(&line), NULL, 10);
      for (int i = 0; i < 3; i++) k->hint[i] = strtoul(next_field(&line), NULL, 10);
    } else if (k && !strncmp(line, argument, sizeof argument - 1)) {
      add_argument(k, line + sizeof argument - 1);
    } else if (!k && !p->compiled) {
      char *at = strstr(line, entry), *comment = strstr(line, "//");
      if (!at || (comment && comment < at)) continue;
      at += sizeof entry - 1;
      at += strspn(at, " \t");
      at[strcspn(at, "( \t\r")] = 0;
      if (*at) add_kernel(p, at);
    }
  }
  free(text);
}

static cl_program new_program(cl_context c) {
  cl_program p = make(PROGRAM, sizeof *p);
  if (!p) return NULL;
  p->context = c;
  p->build = CL_BUILD_NONE;
  p->options = copy_text("");
  p->log = copy_text("");
  retain(c);
  return p;
}

EXPORT cl_program clCreateProgramWithSource(cl_context c, cl_uint count, const char **texts, const size_t *lengths, cl_int *error) {
  if (!IS(c, CONTEXT)) FAIL(CL_INVALID_CONTEXT);
  if (!count || !texts) FAIL(CL_INVALID_VALUE);
  size_t all = 0;
  for (cl_uint i = 0; i < count; i++) {
    if (!texts[i]) FAIL(CL_INVALID_VALUE);
    all += lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
  }
  LOCKED;
  cl_program p = new_program(c);
  if (!p || !(p->source = malloc(all + 1))) FAIL(CL_OUT_OF_HOST_MEMORY);
  size_t at = 0;
  for (cl_uint i = 0; i < count; i++) {
    size_t n = lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
    memcpy(p->source + at, texts[i], n);
    at += n;
  }
  p->source[all] = 0;
  if (error) *error = CL_SUCCESS;
  return p;
}

static bool is_object(const unsigned char *data, size_t n) { return n >= 4 && data[0] == 'B' && data[1] == 'C' && data[2] == 0xc0 && data[3] == 0xde; }

static void keep_binary(cl_program p, const void *data, size_t bytes) {
  free(p->binary);
  p->binary = malloc(bytes ? bytes : 1);
  if (!p->binary) abort();
  memcpy(p->binary, data, bytes);
  p->binary_bytes = bytes;
}

EXPORT cl_program clCreateProgramWithBinary(cl_context c, cl_uint count, const cl_device_id *devices, const size_t *lengths, const unsigned char **binaries, cl_int *states, cl_int *error) {
  if (!IS(c, CONTEXT)) FAIL(CL_INVALID_CONTEXT);
  if (count != 1 || !devices || !lengths || !binaries) FAIL(CL_INVALID_VALUE);
  if (!is_the_device(devices[0])) FAIL(CL_INVALID_DEVICE);
  if (!lengths[0] || !binaries[0]) {
    if (states) states[0] = CL_INVALID_VALUE;
    FAIL(CL_INVALID_VALUE);
  }
  bool object = is_object(binaries[0], lengths[0]);
  if (!object && !memmem(binaries[0], lengths[0], ".version", 8)) {
    if (states) states[0] = CL_INVALID_BINARY;
    FAIL(CL_INVALID_BINARY);
  }
  LOCKED;
  cl_program p = new_program(c);
  if (!p) FAIL(CL_OUT_OF_HOST_MEMORY);
  keep_binary(p, binaries[0], lengths[0]);
  p->binary_type = object ? CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  if (object) p->build = CL_BUILD_SUCCESS;
  if (states) states[0] = CL_SUCCESS;
  if (error) *error = CL_SUCCESS;
  return p;
}
EXPORT cl_program clCreateProgramWithBuiltInKernels(cl_context c, cl_uint count, const cl_device_id *devices, const char *names, cl_int *error) {
  (void)count; (void)devices; (void)names;
  FAIL(IS(c, CONTEXT) ? CL_INVALID_VALUE : CL_INVALID_CONTEXT); // the device has none
}

void release_program(cl_program p) {
  if (!drop(p)) return;
  forget_kernels(p);
  free(p->source);
  free(p->options);
  free(p->log);
  free(p->binary);
  release_context(p->context);
  free(p);
}
EXPORT cl_int clRetainProgram(cl_program p) {
  if (!IS(p, PROGRAM)) return CL_INVALID_PROGRAM;
  LOCKED;
  retain(p);
  return CL_SUCCESS;
}
EXPORT cl_int clReleaseProgram(cl_program p) {
  if (!IS(p, PROGRAM)) return CL_INVALID_PROGRAM;
  LOCKED;
  release_program(p);
  return CL_SUCCESS;
}

// Stages of the compiler, in step with package wire.
enum { STAGE_BUILD, STAGE_COMPILE, STAGE_LINK, STAGE_LIBRARY };
struct input { const void *data; size_t bytes; };
struct named { const char *name; cl_program program; };

// compile has the recorder compile, and takes over what it made.
static cl_int compile(cl_program p, int stage, const char *options, const struct input *inputs, unsigned count, const struct named *headers, unsigned header_count) {
  struct buffer m = {0}, r = {0};
  char *folder = getcwd(NULL, 0);
  put64(&m, (uint64_t)stage);
  put_bytes(&m, options, strlen(options));
  put_bytes(&m, folder ? folder : "", folder ? strlen(folder) : 0);
  free(folder);
  put64(&m, count);
  for (unsigned i = 0; i < count; i++) put_bytes(&m, inputs[i].data, inputs[i].bytes);
  put64(&m, header_count);
  for (unsigned i = 0; i < header_count; i++) {
    put_bytes(&m, headers[i].name, strlen(headers[i].name));
    put_bytes(&m, headers[i].program->source, strlen(headers[i].program->source));
  }
  int e = ask(MESSAGE_COMPILE, &m, &r);
  free(p->options);
  p->options = copy_text(options);
  p->build = CL_BUILD_ERROR;
  p->has_module = false;
  if (e) {
    release(&r);
    return status(e);
  }
  uint64_t how = take64(&r);
  p->module = take64(&r);
  size_t bytes, log_bytes;
  const void *output = take_bytes(&r, &bytes);
  const char *log = take_bytes(&r, &log_bytes);
  bool bad = r.broken;
  if (!bad) {
    free(p->log);
    p->log = strndup(log_bytes ? log : "", log_bytes);
    if (how == 1) {
      p->build = CL_BUILD_SUCCESS;
      p->compiled = true;
      p->has_module = stage == STAGE_BUILD || stage == STAGE_LINK;
      keep_binary(p, output, bytes);
      if (p->has_module) read_kernels(p, output, bytes);
    }
  }
  release(&r);
  if (bad) return CL_OUT_OF_RESOURCES;
  return how == 1 ? CL_SUCCESS : how == 2 ? CL_INVALID_BUILD_OPTIONS : CL_BUILD_PROGRAM_FAILURE;
}

// load brings PTX of the program's own to the recorder.
static cl_int load(cl_program p) {
  if (p->has_module) return CL_SUCCESS;
  int e = send_image(p->binary, p->binary_bytes, false, &p->module);
  p->build = e ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
  if (e) return status(e);
  p->has_module = true;
  read_kernels(p, (const char *)p->binary, p->binary_bytes);
  for (unsigned i = 0; i < p->kernels; i++) { // what the emulator refuses is told now
    struct function *f;
    if (find_function(p->module, p->kernel[i].name, &f)) {
      p->build = CL_BUILD_ERROR;
      p->has_module = false;
      free(p->log);
      p->log = copy_text("the PTX cannot be loaded; the recorder has said why\n");
      return CL_BUILD_PROGRAM_FAILURE;
    }
  }
  return CL_SUCCESS;
}

typedef void (*notify_program)(cl_program, void *);

static cl_int check_program(cl_program p, cl_uint count, const cl_device_id *devices, notify_program notify, void *data) {
  if (!IS(p, PROGRAM)) return CL_INVALID_PROGRAM;
  if ((count == 0) != (devices == NULL) || (!notify && data)) return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++)
    if (!is_the_device(devices[i])) return CL_INVALID_DEVICE;
  return CL_SUCCESS;
}

EXPORT cl_int clBuildProgram(cl_program p, cl_uint count, const cl_device_id *devices, const char *options, notify_program notify, void *data) {
  cl_int e = check_program(p, count, devices, notify, data);
  if (e) return e;
  lock();
  if (p->attached) e = CL_INVALID_OPERATION;
  else if (p->source) e = compile(p, STAGE_BUILD, options ? options : "", &(struct input){p->source, strlen(p->source)}, 1, NULL, 0);
  else if (is_object(p->binary, p->binary_bytes)) {
    struct input own = {p->binary, p->binary_bytes};
    e = compile(p, STAGE_LINK, options ? options : "", &own, 1, NULL, 0);
  } else e = load(p);
  if (!e) p->binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  unlock();
  if (notify) notify(p, data);
  return e;
}

EXPORT cl_int clCompileProgram(cl_program p, cl_uint count, const cl_device_id *devices, const char *options, cl_uint header_count, const cl_program *headers, const char **names, notify_program notify, void *data) {
  cl_int e = check_program(p, count, devices, notify, data);
  if (e) return e;
  if (!p->source) return CL_INVALID_OPERATION;
  if ((header_count == 0) != (headers == NULL) || (header_count == 0) != (names == NULL)) return CL_INVALID_VALUE;
  struct named *list = calloc(header_count ? header_count : 1, sizeof *list);
  if (!list) return CL_OUT_OF_HOST_MEMORY;
  for (cl_uint i = 0; i < header_count; i++) {
    if (!IS(headers[i], PROGRAM) || !headers[i]->source || !names[i]) { free(list); return CL_INVALID_PROGRAM; }
    list[i] = (struct named){names[i], headers[i]};
  }
  lock();
  e = p->attached ? CL_INVALID_OPERATION : compile(p, STAGE_COMPILE, options ? options : "", &(struct input){p->source, strlen(p->source)}, 1, list, header_count);
  if (!e) p->binary_type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
  unlock();
  free(list);
  if (notify) notify(p, data);
  return e == CL_BUILD_PROGRAM_FAILURE ? CL_COMPILE_PROGRAM_FAILURE : e == CL_INVALID_BUILD_OPTIONS ? CL_INVALID_COMPILER_OPTIONS : e;
}

EXPORT cl_program clLinkProgram(cl_context c, cl_uint count, const cl_device_id *devices, const char *options, cl_uint input_count, const cl_program *inputs, notify_program notify, void *data, cl_int *error) {
  if (!IS(c, CONTEXT)) FAIL(CL_INVALID_CONTEXT);
  if ((count == 0) != (devices == NULL) || !input_count || !inputs || (!notify && data)) FAIL(CL_INVALID_VALUE);
  for (cl_uint i = 0; i < count; i++)
    if (!is_the_device(devices[i])) FAIL(CL_INVALID_DEVICE);
  struct input *list = calloc(input_count, sizeof *list);
  if (!list) FAIL(CL_OUT_OF_HOST_MEMORY);
  for (cl_uint i = 0; i < input_count; i++) {
    if (!IS(inputs[i], PROGRAM)) { free(list); FAIL(CL_INVALID_PROGRAM); }
    if (!is_object(inputs[i]->binary, inputs[i]->binary_bytes)) { free(list); FAIL(CL_INVALID_OPERATION); }
    list[i] = (struct input){inputs[i]->binary, inputs[i]->binary_bytes};
  }
  bool library = options && strstr(options, "-create-library");
  lock();
  cl_program p = new_program(c);
  cl_int e = p ? compile(p, library ? STAGE_LIBRARY : STAGE_LINK, options ? options : "", list, input_count, NULL, 0) : CL_OUT_OF_HOST_MEMORY;
  if (!e) p->binary_type = library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  unlock();
  free(list);
  if (p && notify) notify(p, data);
  if (error) *error = e == CL_BUILD_PROGRAM_FAILURE ? CL_LINK_PROGRAM_FAILURE : e == CL_INVALID_BUILD_OPTIONS ? CL_INVALID_LINKER_OPTIONS : e;
  return p; // one that failed, too: it has the log
}

// executable makes the binary of a program that was built here one for launches of all kinds.
static cl_int executable(cl_program p, struct input *binary) {
  *binary = (struct input){p->binary, p->binary_bytes};
  if (!p->has_module || !p->compiled) return CL_SUCCESS;
  struct buffer m = {0}, r = {0};
  put64(&m, p->module);
  int e = ask(MESSAGE_BINARY, &m, &r);
  size_t n = 0;
  if (!e) {
    const void *data = take_bytes(&r, &n);
    if (r.broken) e = ERROR_UNKNOWN;
    else {
      keep_binary(p, data, n);
      *binary = (struct input){p->binary, p->binary_bytes};
    }
  }
  release(&r);
  return status(e);
}

static cl_int kernel_names(cl_program p, struct answer a) {
  size_t all = 1;
  for (unsigned i = 0; i < p->kernels; i++) all += strlen(p->kernel[i].name) + 1;
  char *text = calloc(all, 1);
  if (!text) return CL_OUT_OF_HOST_MEMORY;
  for (unsigned i = 0; i < p->kernels; i++) {
    if (i) strcat(text, ";");
    strcat(text, p->kernel[i].name);
  }
  cl_int e = give_text(a, text);
  free(text);
  return e;
}

EXPORT cl_int clGetProgramInfo(cl_program p, cl_uint what, size_t size, void *to, size_t *needed) {
  if (!IS(p, PROGRAM)) return CL_INVALID_PROGRAM;
  LOCKED;
  struct input binary;
  cl_int e;
  switch (what) {
  case CL_PROGRAM_REFERENCE_COUNT: GIVE(cl_uint, (cl_uint)p->object.references);
  case CL_PROGRAM_CONTEXT: GIVE(cl_context, p->context);
  case CL_PROGRAM_NUM_DEVICES: GIVE(cl_uint, 1);
  case CL_PROGRAM_DEVICES: GIVE(cl_device_id, &the_device);
  case CL_PROGRAM_SOURCE: return give_text(ANSWER, p->source);
  case CL_PROGRAM_BINARY_SIZES:
    if ((e = executable(p, &binary))) return e;
    GIVE(size_t, binary.bytes);
  case CL_PROGRAM_BINARIES:
    if (needed) *needed = sizeof(unsigned char *);
    if (!to) return CL_SUCCESS;
    if (size < sizeof(unsigned char *)) return CL_INVALID_VALUE;
    if ((e = executable(p, &binary))) return e;
    if (*(unsigned char **)to) memcpy(*(unsigned char **)to, binary.data, binary.bytes);
    return CL_SUCCESS;
  case CL_PROGRAM_NUM_KERNELS:
    if (!p->has_module) return CL_INVALID_PROGRAM_EXECUTABLE;
    GIVE(size_t, p->kernels);
  case CL_PROGRAM_KERNEL_NAMES:
    if (!p->has_module) return CL_INVALID_PROGRAM_EXECUTABLE;
    return kernel_names(p, ANSWER);
  }
  return CL_INVALID_VALUE;
}
EXPORT cl_int clGetProgramBuildInfo(cl_program p, cl_device_id d, cl_uint what, size_t size, void *to, size_t *needed) {
  if (!IS(p, PROGRAM)) return CL_INVALID_PROGRAM;
  if (!is_the_device(d)) return CL_INVALID_DEVICE;
  LOCKED;
  switch (what) {
  case CL_PROGRAM_BUILD_STATUS: GIVE(cl_int, p->build);
  case CL_PROGRAM_BUILD_OPTIONS: return give_text(ANSWER, p->options);
  case CL_PROGRAM_BUILD_LOG: return give_text(ANSWER, p->log);
  case CL_PROGRAM_BINARY_TYPE: GIVE(cl_uint, p->binary_type);
  }
  return CL_INVALID_VALUE;
}
