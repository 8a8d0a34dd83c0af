// What the test programs share: a device, and checks that say where they failed.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define CHECK(c) do { if (!(c)) { printf("%s:%d: %s\n", __FILE__, __LINE__, #c); exit(1); } } while (0)
#define GIVES(call, code) do { cl_int error_ = (call); if (error_ != (code)) { printf("%s:%d: %s gives %d, not %s\n", __FILE__, __LINE__, #call, error_, #code); exit(1); } } while (0)
#define OK(call) GIVES(call, CL_SUCCESS)

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_int err;
static int is_ours; // else another OpenCL's device, which need not give our errors

static void begin(void) {
  char name[64];
  OK(clGetPlatformIDs(1, &platform, NULL));
  OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  OK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL));
  is_ours = !strcmp(name, "Warptape");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  OK(err);
}

static cl_command_queue queue_with(cl_command_queue_properties properties) {
  cl_command_queue q = clCreateCommandQueue(context, device, properties, &err);
  OK(err);
  return q;
}

static cl_program build(const char *source, const char *options) {
  cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &err);
  OK(err);
  if (clBuildProgram(p, 1, &device, options, NULL, NULL)) {
    static char log[1 << 16];
    clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    printf("%s\n", log);
    exit(1);
  }
  return p;
}

static cl_kernel kernel(cl_program p, const char *name) {
  cl_kernel k = clCreateKernel(p, name, &err);
  OK(err);
  return k;
}

static cl_mem buffer(cl_mem_flags flags, size_t bytes, void *host) {
  cl_mem m = clCreateBuffer(context, flags, bytes, host, &err);
  OK(err);
  return m;
}

// run1 runs a kernel over one dimension.
__attribute__((unused)) static void run1(cl_command_queue q, cl_kernel k, size_t range, size_t group) {
  OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &range, group ? &group : NULL, 0, NULL, NULL));
}
