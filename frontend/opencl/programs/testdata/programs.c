// Programs: options, messages, separate compilation, binaries, and what kernels say of
// themselves; functions of OpenCL C.
#include "check.h"
#include <math.h>

static const char functions[] =
    "float4 wide(float4 v) { return native_exp2(v) + half_sqrt(v) * native_recip(v); }\n"
    "__kernel void math(__global float *f, __global double *d) {\n"
    "  float x = f[0]; double y = d[0];\n"
    "  f[1] = sin(x); f[2] = exp(x); f[3] = log(x); f[4] = pow(x, 2.5f); f[5] = sqrt(x); f[6] = native_sin(x); f[7] = native_log(x);\n"
    "  f[8] = wide((float4)(x)).z; f[9] = native_powr(x, 2.0f); f[10] = fma(x, x, 1.0f); f[11] = erf(x); f[12] = atan2(x, 2.0f); f[13] = native_divide(x, 3.0f);\n"
    "  f[14] = half_cos(x); f[15] = dot((float4)(x, 1, 2, 3), (float4)(2, x, 1, 1));\n"
    "  d[1] = sin(y); d[2] = exp(y); d[3] = log(y); d[4] = pow(y, 2.5); d[5] = sqrt(y); d[6] = cbrt(y); d[7] = tgamma(y);\n"
    "}\n"
    "inline int helper(int v) { return v + VALUE; }\n"
    "__kernel void group(__global const int *in, __global int *out, __local int *l) {\n"
    "  event_t e = async_work_group_copy(l, in, 32, 0);\n"
    "  wait_group_events(1, &e);\n"
    "  int v = l[31 - get_local_id(0)];\n"
    "  atomic_add(&out[32], helper(v));\n"
    "  atomic_max(&out[33], v);\n"
    "  out[get_local_id(0)] = v;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
    "  mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
    "}\n";

static void near(double got, double want, double most) {
  if (fabs(got - want) > most * fabs(want)) {
    printf("%.9g, not %.9g\n", got, want);
    exit(1);
  }
}

static void built_in(cl_command_queue q) {
  cl_program p = build(functions, "-DVALUE=3 -D OTHER=\"4\" -cl-mad-enable -w");
  float x = 1.75f, f[16] = {1.75f};
  double d[8] = {2.5};
  cl_mem fm = buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof f, f), dm = buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof d, d);
  cl_kernel k = kernel(p, "math");
  OK(clSetKernelArg(k, 0, sizeof fm, &fm));
  OK(clSetKernelArg(k, 1, sizeof dm, &dm));
  run1(q, k, 1, 1);
  OK(clEnqueueReadBuffer(q, fm, CL_TRUE, 0, sizeof f, f, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, dm, CL_TRUE, 0, sizeof d, d, 0, NULL, NULL));
  // Bounds of OpenCL 1.2, 7.4: 3 to 16 units in the last place; native functions have none.
  const double wants[] = {0, sin(x), exp(x), log(x), pow(x, 2.5), sqrt(x), sin(x), log(x), exp2(x) + sqrt(x) / x, x * x, x * x + 1, erf(x), atan2(x, 2), x / 3, cos(x), 3 * x + 5};
  for (int i = 1; i < 16; i++) near(f[i], wants[i], i == 6 || i == 7 || i == 8 || i == 9 || i == 13 || i == 14 ? 1e-4 : 16 * ldexp(1, -23));
  const double wide[] = {0, sin(2.5), exp(2.5), log(2.5), pow(2.5, 2.5), sqrt(2.5), cbrt(2.5), tgamma(2.5)};
  for (int i = 1; i < 8; i++) near(d[i], wide[i], 16 * ldexp(1, -52));

  int in[32], out[34] = {0}, sum = 0;
  for (int i = 0; i < 32; i++) { in[i] = 5 * i; sum += in[i] + 3; }
  cl_mem im = buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof in, in), om = buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof out, out);
  k = kernel(p, "group");
  OK(clSetKernelArg(k, 0, sizeof im, &im));
  OK(clSetKernelArg(k, 1, sizeof om, &om));
  OK(clSetKernelArg(k, 2, sizeof in, NULL));
  run1(q, k, 32, 32);
  OK(clEnqueueReadBuffer(q, om, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
  for (int i = 0; i < 32; i++) CHECK(out[i] == in[31 - i]);
  CHECK(out[32] == sum && out[33] == 5 * 31);
}

static int notified;
static void CL_CALLBACK built(cl_program p, void *data) { (void)p; notified = *(int *)data; }

static void messages(void) {
  const char *bad = "__kernel void k(__global int *p) {\n  p[0] = missing;\n}\n";
  cl_program p = clCreateProgramWithSource(context, 1, &bad, NULL, &err);
  OK(err);
  GIVES(clBuildProgram(p, 1, &device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
  char log[1 << 14];
  cl_build_status state;
  OK(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  OK(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_STATUS, sizeof state, &state, NULL));
  CHECK(strstr(log, "missing") && state == CL_BUILD_ERROR);
  if (is_ours) CHECK(strstr(log, "program.cl:2:"));
  clCreateKernel(p, "k", &err);
  GIVES(err, CL_INVALID_PROGRAM_EXECUTABLE);
  GIVES(clBuildProgram(p, 1, &device, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
  if (is_ours) GIVES(clBuildProgram(p, 1, &device, "-I/ -fplugin=x.so", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
  OK(clReleaseProgram(p));
  const char *parts[2] = {"__kernel void good(", "__global int *p) { p[0] = 1; }###"};
  size_t lengths[2] = {0, strlen(parts[1]) - 3};
  static int seven = 7;
  p = clCreateProgramWithSource(context, 2, parts, lengths, &err);
  OK(err);
  OK(clBuildProgram(p, 0, NULL, NULL, built, &seven));
  CHECK(notified == 7);
  clCreateKernel(p, "other", &err);
  GIVES(err, CL_INVALID_KERNEL_NAME);
  OK(clReleaseProgram(p));
}

static void run_answer(cl_command_queue q, cl_program p, int want, size_t offset) {
  cl_kernel k = kernel(p, "answer");
  cl_mem m = buffer(CL_MEM_READ_WRITE, 64, NULL);
  OK(clSetKernelArg(k, 0, sizeof m, &m));
  size_t one = 1;
  int got;
  OK(clEnqueueNDRangeKernel(q, k, 1, &offset, &one, NULL, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, m, CL_TRUE, 4 * offset, 4, &got, 0, NULL, NULL));
  CHECK(got == want);
  OK(clReleaseKernel(k));
  OK(clReleaseMemObject(m));
}

static void separate(cl_command_queue q) {
  const char *header = "int part(int v);\n#define BASE 40\n";
  const char *one = "#include \"parts/part.h\"\n__kernel void answer(__global int *p) { p[get_global_id(0)] = BASE + part(1); }\n";
  const char *two = "#include \"parts/part.h\"\nint part(int v) { return v + SECOND; }\n";
  cl_program h = clCreateProgramWithSource(context, 1, &header, NULL, &err), a = clCreateProgramWithSource(context, 1, &one, NULL, &err), b = clCreateProgramWithSource(context, 1, &two, NULL, &err);
  OK(err);
  const char *name = "parts/part.h";
  OK(clCompileProgram(a, 1, &device, "", 1, &h, &name, NULL, NULL));
  OK(clCompileProgram(b, 1, &device, "-DSECOND=1", 1, &h, &name, NULL, NULL));
  cl_program parts[2] = {a, b};
  cl_program linked = clLinkProgram(context, 1, &device, "", 2, parts, NULL, NULL, &err);
  OK(err);
  run_answer(q, linked, 42, 0);
  run_answer(q, linked, 42, 5);
  if (is_ours) {
    cl_program library = clLinkProgram(context, 1, &device, "-create-library", 1, &b, NULL, NULL, &err);
    OK(err);
    parts[1] = library;
    linked = clLinkProgram(context, 1, &device, "", 2, parts, NULL, NULL, &err);
    OK(err);
    run_answer(q, linked, 42, 0);
    linked = clLinkProgram(context, 1, &device, "", 1, &a, NULL, NULL, &err);
    GIVES(err, CL_LINK_PROGRAM_FAILURE);
  }

  // A program comes back from its binary.
  size_t size, offset;
  cl_program whole = build("__kernel void answer(__global int *p) { p[get_global_id(0)] = 7; }\n", "");
  OK(clGetProgramInfo(whole, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  unsigned char *binary = malloc(size);
  OK(clGetProgramInfo(whole, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  cl_int state;
  cl_program back = clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, &state, &err);
  OK(err);
  OK(clBuildProgram(back, 1, &device, "", NULL, NULL));
  for (offset = 0; offset < 4; offset += 3) run_answer(q, back, 7, offset);
  const unsigned char *nonsense = (const unsigned char *)"nonsense";
  size = 8;
  clCreateProgramWithBinary(context, 1, &device, &size, &nonsense, &state, &err);
  GIVES(err, CL_INVALID_BINARY);
  if (is_ours) { // PTX of another compiler, which says where its pointers point
    const unsigned char *ptx = (const unsigned char *)".version 6.0\n.target sm_60\n.address_size 64\n.entry answer(.param .u64 .ptr .global .align 4 p) {\n"
      ".reg .u64 %a, %b; .reg .u32 %r;\nld.param.u64 %a, [p]; mov.u32 %r, %envreg3; mul.wide.u32 %b, %r, 4; add.u64 %a, %a, %b; st.global.u32 [%a], 9; ret;\n}\n";
    size = strlen((const char *)ptx);
    back = clCreateProgramWithBinary(context, 1, &device, &size, &ptx, &state, &err);
    OK(err);
    OK(clBuildProgram(back, 1, &device, "", NULL, NULL));
    for (offset = 0; offset < 4; offset += 3) run_answer(q, back, 9, offset);
  }
}

// run_eight runs a kernel for eight work-items, from one buffer to another.
static void run_eight(cl_command_queue q, cl_program p, const char *name, const float *want) {
  float in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8];
  cl_kernel k = kernel(p, name);
  cl_mem from = buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof in, in), to = buffer(CL_MEM_READ_WRITE, sizeof out, NULL);
  OK(clSetKernelArg(k, 0, sizeof from, &from));
  OK(clSetKernelArg(k, 1, sizeof to, &to));
  run1(q, k, 8, 8);
  OK(clEnqueueReadBuffer(q, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
  for (int i = 0; i < 8; i++) CHECK(out[i] == want[i]);
  OK(clReleaseKernel(k));
  OK(clReleaseMemObject(from));
  OK(clReleaseMemObject(to));
}

// Kernels that call kernels, of the same source and of another object, whose functions of
// OpenCL C are linked as well.
static void kernels_call_kernels(cl_command_queue q) {
  const char *one = "extern __kernel void copy(__global float *from, __global float *to);\n"
                    "__kernel void twice(__global float *from, __global float *to) { copy(from, to); if (get_global_id(0) > 5) copy(to, to); }\n";
  const char *two = "typedef struct { int by; float add; } turn;\n"
                    "__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void rotate_by(__global float *p, turn how, __local float *l) {\n"
                    "  __local float t[8];\n  int i = get_local_id(0);\n  t[i] = p[i];\n  l[i] = how.add;\n"
                    "  barrier(CLK_LOCAL_MEM_FENCE);\n  p[i] = t[(i + how.by) % 8] + l[i];\n}\n"
                    "__kernel void copy(__global float *from, __global float *to) { int i = get_global_id(0); to[i] = from[i]; }\n"
                    "__kernel void turned(__global float *from, __global float *to) {\n"
                    "  __local float l[8];\n  turn how = {3, 0.5f};\n  copy(from, to);\n  barrier(CLK_GLOBAL_MEM_FENCE);\n  rotate_by(to, how, l);\n}\n";
  const float same[8] = {1, 2, 3, 4, 5, 6, 7, 8}, rotated[8] = {4.5f, 5.5f, 6.5f, 7.5f, 8.5f, 1.5f, 2.5f, 3.5f};
  char text[4096];
  snprintf(text, sizeof text, "%s%s", one, two);
  const char *options[] = {"", "-cl-opt-disable"};
  for (int i = 0; i < 2; i++) {
    cl_program whole = build(text, options[i]);
    run_eight(q, whole, "twice", same);
    run_eight(q, whole, "copy", same);
    run_eight(q, whole, "turned", rotated);
    cl_program parts[2] = {clCreateProgramWithSource(context, 1, &one, NULL, &err), clCreateProgramWithSource(context, 1, &two, NULL, &err)};
    OK(clCompileProgram(parts[0], 1, &device, options[i], 0, NULL, NULL, NULL, NULL));
    OK(clCompileProgram(parts[1], 1, &device, options[i], 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(context, 1, &device, "", 2, parts, NULL, NULL, &err);
    OK(err);
    run_eight(q, linked, "twice", same);
    run_eight(q, linked, "turned", rotated);
  }
}

static void described(void) {
  cl_program p = build("__kernel __attribute__((reqd_work_group_size(16, 2, 1))) void k(__global const float * restrict in, __constant int *c, __local double *l, uint n, __read_only image2d_t im) {}\n"
                       "__kernel void other(volatile __global uchar4 *out) {}\n", "-cl-kernel-arg-info");
  size_t kernels;
  char names[64], text[64];
  OK(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
  OK(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
  CHECK(kernels == 2 && strlen(names) == 7);
  cl_kernel both[2], k = kernel(p, "k");
  cl_uint n, made, qualifier;
  OK(clCreateKernelsInProgram(p, 2, both, &made));
  OK(clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL));
  CHECK(made == 2 && n == 5);
  const cl_uint spaces[] = {CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL};
  const char *types[] = {"float*", "int*", "double*", "uint", "image2d_t"}, *arguments[] = {"in", "c", "l", "n", "im"};
  for (cl_uint i = 0; i < 5; i++) {
    OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof qualifier, &qualifier, NULL));
    CHECK(qualifier == spaces[i]);
    OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
    CHECK(!strcmp(text, types[i]));
    OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
    CHECK(!strcmp(text, arguments[i]));
  }
  cl_ulong bits;
  OK(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof bits, &bits, NULL));
  CHECK(bits == (CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT));
  OK(clGetKernelArgInfo(k, 4, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof qualifier, &qualifier, NULL));
  CHECK(qualifier == CL_KERNEL_ARG_ACCESS_READ_ONLY);
  size_t needed;
  OK(clGetKernelInfo(k, CL_KERNEL_FUNCTION_NAME, sizeof text, text, &needed));
  CHECK(!strcmp(text, "k") && needed == 2);
  GIVES(clGetKernelInfo(k, CL_KERNEL_FUNCTION_NAME, 1, text, NULL), CL_INVALID_VALUE);
}

static void the_device(void) {
  char text[256];
  cl_device_type type;
  cl_ulong local;
  cl_uint dimensions, units;
  size_t sizes[3];
  OK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
  OK(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
  OK(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, sizeof dimensions, &dimensions, NULL));
  OK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
  OK(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL));
  CHECK(local >= 16384 && dimensions == 3 && units > 0 && sizes[0] >= 256);
  if (!is_ours) return;
  OK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL));
  CHECK(!strcmp(text, "v100") && units == 80 && type == CL_DEVICE_TYPE_GPU);
  OK(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof text, text, NULL));
  CHECK(!strncmp(text, "OpenCL 1.2 ", 11));
  GIVES(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL), CL_DEVICE_NOT_FOUND);
  CHECK(!clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchFunction"));
  cl_uint many;
  OK(clGetDeviceIDs(NULL, CL_DEVICE_TYPE_DEFAULT, 0, NULL, &many));
  CHECK(many == 1);
  cl_context_properties properties[3] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  cl_context c = clCreateContextFromType(properties, CL_DEVICE_TYPE_GPU, NULL, NULL, &err);
  OK(err);
  size_t n;
  OK(clGetContextInfo(c, CL_CONTEXT_PROPERTIES, 0, NULL, &n));
  CHECK(n == sizeof properties);
  OK(clReleaseContext(c));
}

int main(void) {
  begin();
  the_device();
  cl_command_queue q = queue_with(0);
  built_in(q);
  messages();
  separate(q);
  kernels_call_kernels(q);
  described();
  printf("ok\n");
}
