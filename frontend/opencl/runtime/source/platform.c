// SPDX-License-Identifier: Apache-2.0
// The platform and its one device: the machine that the recorder was given.
#include "objects.h"
#include <dlfcn.h>

const uint64_t api = 1;
struct platform the_platform = {{dispatch, PLATFORM, 1}};
struct device_object the_device = {{dispatch, DEVICE, 1}};

void *make(int kind, size_t bytes) {
  struct object *o = calloc(1, bytes);
  if (o) *o = (struct object){dispatch, kind, 1};
  return o;
}
void retain(void *object) { ((struct object *)object)->references++; }
bool drop(void *object) {
  struct object *o = object;
  if (--o->references > 0) return false;
  o->kind = 0;
  return true;
}

cl_int give(struct answer a, const void *value, size_t bytes) {
  if (a.needed) *a.needed = bytes;
  if (!a.to) return CL_SUCCESS;
  if (a.size < bytes) return CL_INVALID_VALUE;
  if (bytes) memcpy(a.to, value, bytes);
  return CL_SUCCESS;
}
cl_int give_text(struct answer a, const char *text) { return give(a, text ? text : "", (text ? strlen(text) : 0) + 1); }

cl_int status(int error) {
  switch (error) {
  case 0: return CL_SUCCESS;
  case 1: return CL_INVALID_VALUE;
  case 2: return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  case 18: return CL_IMAGE_FORMAT_NOT_SUPPORTED;
  case 221: return CL_COMPILER_NOT_AVAILABLE;
  case 500: return CL_INVALID_KERNEL_NAME;
  case 209: case 218: return CL_INVALID_BINARY;
  case ERROR_NO_DEVICE: case ERROR_UNAVAILABLE: case ERROR_INITIALIZATION: return CL_DEVICE_NOT_AVAILABLE;
  }
  return CL_OUT_OF_RESOURCES; // of kernels' faults, too
}
cl_int ready(void) { return status(connected()); }

uint64_t property(int p) { return device()->property[p]; }
bool is_the_device(cl_device_id d) { return d == &the_device; }

EXPORT cl_int clGetPlatformIDs(cl_uint count, cl_platform_id *platforms, cl_uint *available) {
  if ((count == 0 && platforms) || (!platforms && !available)) return CL_INVALID_VALUE;
  if (platforms) platforms[0] = &the_platform;
  if (available) *available = 1;
  return CL_SUCCESS;
}
EXPORT cl_int clIcdGetPlatformIDsKHR(cl_uint count, cl_platform_id *platforms, cl_uint *available) {
  return clGetPlatformIDs(count, platforms, available);
}

static const char extensions[] = "cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics "
                                 "cl_khr_local_int32_extended_atomics cl_khr_byte_addressable_store cl_khr_fp64 cl_khr_icd cl_nv_device_attribute_query";

EXPORT cl_int clGetPlatformInfo(cl_platform_id p, cl_uint what, size_t size, void *to, size_t *needed) {
  if (p && p != &the_platform) return CL_INVALID_PLATFORM;
  switch (what) {
  case CL_PLATFORM_PROFILE: return give_text(ANSWER, "FULL_PROFILE");
  case CL_PLATFORM_VERSION: return give_text(ANSWER, "OpenCL 1.2 Warptape");
  case CL_PLATFORM_NAME: return give_text(ANSWER, "Warptape");
  case CL_PLATFORM_VENDOR: return give_text(ANSWER, "Warptape");
  case CL_PLATFORM_EXTENSIONS: return give_text(ANSWER, "cl_khr_icd");
  case CL_PLATFORM_ICD_SUFFIX_KHR: return give_text(ANSWER, "WARPTAPE");
  }
  return CL_INVALID_VALUE;
}

EXPORT cl_int clGetDeviceIDs(cl_platform_id p, cl_bitfield type, cl_uint count, cl_device_id *devices, cl_uint *available) {
  if (p && p != &the_platform) return CL_INVALID_PLATFORM;
  if ((count == 0 && devices) || (!devices && !available)) return CL_INVALID_VALUE;
  if (type != CL_DEVICE_TYPE_ALL && (type == 0 || (type & ~(cl_bitfield)31))) return CL_INVALID_DEVICE_TYPE;
  if (!(type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT))) {
    if (available) *available = 0;
    return CL_DEVICE_NOT_FOUND;
  }
  LOCKED;
  if (ready()) return CL_DEVICE_NOT_FOUND;
  if (devices) devices[0] = &the_device;
  if (available) *available = 1;
  return CL_SUCCESS;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static cl_int device_text(cl_uint what, struct answer a) {
  char text[64];
  switch (what) {
  case CL_DEVICE_NAME: return give_text(a, device()->name);
  case CL_DEVICE_VENDOR: return give_text(a, "Warptape");
  case CL_DRIVER_VERSION:
    snprintf(text, sizeof text, "%d.0", WIRE_VERSION);
    return give_text(a, text);
  case CL_DEVICE_PROFILE: return give_text(a, "FULL_PROFILE");
  case CL_DEVICE_VERSION: return give_text(a, "OpenCL 1.2 Warptape");
  case CL_DEVICE_OPENCL_C_VERSION: return give_text(a, "OpenCL C 1.2 Warptape");
  case CL_DEVICE_EXTENSIONS: return give_text(a, extensions);
  case CL_DEVICE_BUILT_IN_KERNELS: return give_text(a, "");
  }
  return CL_INVALID_VALUE;
}

// device_number gives properties of 32 bits.
static bool device_number(cl_uint what, cl_uint *v) {
  switch (what) {
  case CL_DEVICE_VENDOR_ID: *v = 0x5754; break;
  case CL_DEVICE_MAX_COMPUTE_UNITS: *v = (cl_uint)property(DEVICE_MULTIPROCESSORS); break;
  case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: *v = 3; break;
  case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR: case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT: case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
  case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG: case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT: case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR: case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT: case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
  case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG: case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT: case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE: *v = 1; break;
  case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF: case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF: *v = 0; break;
  case CL_DEVICE_MAX_CLOCK_FREQUENCY: *v = (cl_uint)(property(DEVICE_CLOCK_KHZ) / 1000); break;
  case CL_DEVICE_ADDRESS_BITS: *v = 64; break;
  case CL_DEVICE_MAX_READ_IMAGE_ARGS: *v = 128; break;
  case CL_DEVICE_MAX_WRITE_IMAGE_ARGS: *v = 16; break;
  case CL_DEVICE_MAX_SAMPLERS: *v = 16; break;
  case CL_DEVICE_MEM_BASE_ADDR_ALIGN: *v = 2048; break;
  case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE: *v = 128; break;
  case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE: *v = property(DEVICE_L2_BYTES) ? CL_READ_WRITE_CACHE : CL_NONE; break;
  case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: *v = 128; break;
  case CL_DEVICE_MAX_CONSTANT_ARGS: *v = 9; break;
  case CL_DEVICE_LOCAL_MEM_TYPE: *v = CL_LOCAL; break;
  case CL_DEVICE_ERROR_CORRECTION_SUPPORT: case CL_DEVICE_HOST_UNIFIED_MEMORY: case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
  case CL_DEVICE_GPU_OVERLAP_NV: case CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV: case CL_DEVICE_INTEGRATED_MEMORY_NV: *v = 0; break;
  case CL_DEVICE_ENDIAN_LITTLE: case CL_DEVICE_AVAILABLE: case CL_DEVICE_COMPILER_AVAILABLE: case CL_DEVICE_LINKER_AVAILABLE:
  case CL_DEVICE_IMAGE_SUPPORT: case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC: case CL_DEVICE_REFERENCE_COUNT: *v = 1; break;
  case CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV: *v = (cl_uint)property(DEVICE_MAJOR); break;
  case CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV: *v = (cl_uint)property(DEVICE_MINOR); break;
  case CL_DEVICE_REGISTERS_PER_BLOCK_NV: *v = (cl_uint)property(DEVICE_REGISTERS); break;
  case CL_DEVICE_WARP_SIZE_NV: *v = 32; break;
  default: return false;
  }
  return true;
}

EXPORT cl_int clGetDeviceInfo(cl_device_id d, cl_uint what, size_t size, void *to, size_t *needed) {
  if (!is_the_device(d)) return CL_INVALID_DEVICE;
  LOCKED;
  cl_int e = ready();
  if (e) return e;
  cl_uint number;
  if (device_number(what, &number)) return give(ANSWER, &number, sizeof number);
  switch (what) {
  case CL_DEVICE_TYPE: GIVE(cl_bitfield, CL_DEVICE_TYPE_GPU);
  case CL_DEVICE_MAX_WORK_GROUP_SIZE: GIVE(size_t, least(1024, property(DEVICE_THREADS)));
  case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
    size_t n = least(1024, property(DEVICE_THREADS)), sizes[3] = {n, n, 64};
    return give(ANSWER, sizes, sizeof sizes);
  }
  case CL_DEVICE_MAX_MEM_ALLOC_SIZE: GIVE(cl_ulong, property(DEVICE_MEMORY_BYTES) / 4);
  case CL_DEVICE_IMAGE2D_MAX_WIDTH: case CL_DEVICE_IMAGE2D_MAX_HEIGHT: GIVE(size_t, 16384);
  case CL_DEVICE_IMAGE3D_MAX_WIDTH: case CL_DEVICE_IMAGE3D_MAX_HEIGHT: case CL_DEVICE_IMAGE3D_MAX_DEPTH: GIVE(size_t, 4096);
  case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: GIVE(size_t, 1 << 27);
  case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: GIVE(size_t, 2048);
  case CL_DEVICE_MAX_PARAMETER_SIZE: GIVE(size_t, 4352);
  case CL_DEVICE_SINGLE_FP_CONFIG:
    GIVE(cl_bitfield, CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
  case CL_DEVICE_DOUBLE_FP_CONFIG: GIVE(cl_bitfield, CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA);
  case CL_DEVICE_HALF_FP_CONFIG: GIVE(cl_bitfield, 0);
  case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: GIVE(cl_ulong, property(DEVICE_L2_BYTES));
  case CL_DEVICE_GLOBAL_MEM_SIZE: GIVE(cl_ulong, property(DEVICE_MEMORY_BYTES));
  case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: GIVE(cl_ulong, property(DEVICE_CONSTANT_BYTES));
  case CL_DEVICE_LOCAL_MEM_SIZE: GIVE(cl_ulong, property(DEVICE_SHARED_PER_BLOCK));
  case CL_DEVICE_PROFILING_TIMER_RESOLUTION: GIVE(size_t, 1);
  case CL_DEVICE_EXECUTION_CAPABILITIES: GIVE(cl_bitfield, CL_EXEC_KERNEL);
  case CL_DEVICE_QUEUE_PROPERTIES: GIVE(cl_bitfield, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
  case CL_DEVICE_PLATFORM: GIVE(cl_platform_id, &the_platform);
  case CL_DEVICE_PARENT_DEVICE: GIVE(cl_device_id, NULL);
  case CL_DEVICE_PARTITION_PROPERTIES: case CL_DEVICE_PARTITION_TYPE: GIVE(cl_property, 0);
  case CL_DEVICE_PARTITION_AFFINITY_DOMAIN: GIVE(cl_bitfield, 0);
  case CL_DEVICE_PRINTF_BUFFER_SIZE: GIVE(size_t, 64 << 20);
  }
  return device_text(what, ANSWER);
}

EXPORT cl_int clCreateSubDevices(cl_device_id d, const cl_property *properties, cl_uint count, cl_device_id *out, cl_uint *made) {
  (void)count; (void)out; (void)made;
  if (!is_the_device(d)) return CL_INVALID_DEVICE;
  return properties ? CL_INVALID_VALUE : CL_INVALID_VALUE; // the device has no partitions
}
EXPORT cl_int clRetainDevice(cl_device_id d) { return is_the_device(d) ? CL_SUCCESS : CL_INVALID_DEVICE; }
EXPORT cl_int clReleaseDevice(cl_device_id d) { return is_the_device(d) ? CL_SUCCESS : CL_INVALID_DEVICE; }
EXPORT cl_int clUnloadPlatformCompiler(cl_platform_id p) { return p == &the_platform ? CL_SUCCESS : CL_INVALID_PLATFORM; }
EXPORT cl_int clUnloadCompiler(void) { return CL_SUCCESS; }

EXPORT void *clGetExtensionFunctionAddress(const char *name) {
  if (name && !strcmp(name, "clIcdGetPlatformIDsKHR")) return (void *)clIcdGetPlatformIDsKHR;
  return NULL;
}
EXPORT void *clGetExtensionFunctionAddressForPlatform(cl_platform_id p, const char *name) {
  return p == &the_platform ? clGetExtensionFunctionAddress(name) : NULL;
}

// Contexts.
static cl_int check_properties(const cl_property *properties, size_t *count) {
  *count = 0;
  if (!properties) return CL_SUCCESS;
  for (; properties[*count]; *count += 2) {
    switch (properties[*count]) {
    case CL_CONTEXT_PLATFORM:
      if ((cl_platform_id)properties[*count + 1] != &the_platform) return CL_INVALID_PLATFORM;
      break;
    case CL_CONTEXT_INTEROP_USER_SYNC: break;
    default: return CL_INVALID_PROPERTY;
    }
  }
  ++*count;
  return CL_SUCCESS;
}

typedef void (*notify_context)(const char *, const void *, size_t, void *);

EXPORT cl_context clCreateContext(const cl_property *properties, cl_uint count, const cl_device_id *devices, notify_context notify, void *data, cl_int *error) {
  (void)data;
  size_t n;
  if (!devices || count == 0 || (data && !notify)) FAIL(CL_INVALID_VALUE);
  for (cl_uint i = 0; i < count; i++)
    if (!is_the_device(devices[i])) FAIL(CL_INVALID_DEVICE);
  cl_int e = check_properties(properties, &n);
  if (e) FAIL(e);
  LOCKED;
  if ((e = ready())) FAIL(e);
  cl_context c = make(CONTEXT, sizeof *c);
  if (!c) FAIL(CL_OUT_OF_HOST_MEMORY);
  if (n) {
    c->properties = malloc(n * sizeof *properties);
    if (!c->properties) { free(c); FAIL(CL_OUT_OF_HOST_MEMORY); }
    memcpy(c->properties, properties, n * sizeof *properties);
    c->property_count = n;
  }
  if (error) *error = CL_SUCCESS;
  return c;
}
EXPORT cl_context clCreateContextFromType(const cl_property *properties, cl_bitfield type, notify_context notify, void *data, cl_int *error) {
  cl_device_id d;
  cl_int e = clGetDeviceIDs(NULL, type, 1, &d, NULL);
  if (e) FAIL(e);
  return clCreateContext(properties, 1, &d, notify, data, error);
}
void release_context(cl_context c) {
  if (!drop(c)) return;
  free(c->properties);
  free(c);
}
EXPORT cl_int clRetainContext(cl_context c) {
  if (!IS(c, CONTEXT)) return CL_INVALID_CONTEXT;
  LOCKED;
  retain(c);
  return CL_SUCCESS;
}
EXPORT cl_int clReleaseContext(cl_context c) {
  if (!IS(c, CONTEXT)) return CL_INVALID_CONTEXT;
  LOCKED;
  release_context(c);
  return CL_SUCCESS;
}
EXPORT cl_int clGetContextInfo(cl_context c, cl_uint what, size_t size, void *to, size_t *needed) {
  if (!IS(c, CONTEXT)) return CL_INVALID_CONTEXT;
  switch (what) {
  case CL_CONTEXT_REFERENCE_COUNT: GIVE(cl_uint, (cl_uint)c->object.references);
  case CL_CONTEXT_NUM_DEVICES: GIVE(cl_uint, 1);
  case CL_CONTEXT_DEVICES: GIVE(cl_device_id, &the_device);
  case CL_CONTEXT_PROPERTIES: return give(ANSWER, c->properties, c->property_count * sizeof *c->properties);
  }
  return CL_INVALID_VALUE;
}

// Samplers.
EXPORT cl_sampler clCreateSampler(cl_context c, cl_uint normalized, cl_uint addressing, cl_uint filter, cl_int *error) {
  if (!IS(c, CONTEXT)) FAIL(CL_INVALID_CONTEXT);
  if (addressing < CL_ADDRESS_NONE || addressing > CL_ADDRESS_MIRRORED_REPEAT || (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR) || normalized > 1 ||
      (!normalized && addressing >= CL_ADDRESS_REPEAT))
    FAIL(CL_INVALID_VALUE);
  LOCKED;
  cl_sampler s = make(SAMPLER, sizeof *s);
  if (!s) FAIL(CL_OUT_OF_HOST_MEMORY);
  s->context = c;
  retain(c);
  s->normalized = normalized;
  s->addressing = addressing;
  s->filter = filter;
  if (error) *error = CL_SUCCESS;
  return s;
}
EXPORT cl_sampler clCreateSamplerWithProperties(cl_context c, const cl_ulong *properties, cl_int *error) {
  cl_uint normalized = 1, addressing = CL_ADDRESS_CLAMP, filter = CL_FILTER_NEAREST;
  for (; properties && *properties; properties += 2) {
    switch (*properties) {
    case CL_SAMPLER_NORMALIZED_COORDS: normalized = (cl_uint)properties[1]; break;
    case CL_SAMPLER_ADDRESSING_MODE: addressing = (cl_uint)properties[1]; break;
    case CL_SAMPLER_FILTER_MODE: filter = (cl_uint)properties[1]; break;
    default: FAIL(CL_INVALID_VALUE);
    }
  }
  return clCreateSampler(c, normalized, addressing, filter, error);
}
EXPORT cl_int clRetainSampler(cl_sampler s) {
  if (!IS(s, SAMPLER)) return CL_INVALID_SAMPLER;
  LOCKED;
  retain(s);
  return CL_SUCCESS;
}
EXPORT cl_int clReleaseSampler(cl_sampler s) {
  if (!IS(s, SAMPLER)) return CL_INVALID_SAMPLER;
  LOCKED;
  release_any(s);
  return CL_SUCCESS;
}
EXPORT cl_int clGetSamplerInfo(cl_sampler s, cl_uint what, size_t size, void *to, size_t *needed) {
  if (!IS(s, SAMPLER)) return CL_INVALID_SAMPLER;
  switch (what) {
  case CL_SAMPLER_REFERENCE_COUNT: GIVE(cl_uint, (cl_uint)s->object.references);
  case CL_SAMPLER_CONTEXT: GIVE(cl_context, s->context);
  case CL_SAMPLER_NORMALIZED_COORDS: GIVE(cl_uint, s->normalized);
  case CL_SAMPLER_ADDRESSING_MODE: GIVE(cl_uint, s->addressing);
  case CL_SAMPLER_FILTER_MODE: GIVE(cl_uint, s->filter);
  }
  return CL_INVALID_VALUE;
}
