// SPDX-License-Identifier: Apache-2.0
// Runs kernels of an OpenCL C file on the first device: run FILE GROUPS ITEMS
// WORDS KERNEL... reads WORDS words for each of GROUPS*ITEMS work-items from
// standard input, and writes as many for each kernel, in order.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static void need(int ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "run: %s failed\n", what);
    exit(1);
  }
}

static char *contents(const char *path) {
  FILE *f = fopen(path, "rb");
  need(f != NULL, path);
  char *text = calloc(1, 1 << 20);
  need(text != NULL && fread(text, 1, (1 << 20) - 1, f) > 0, path);
  fclose(f);
  return text;
}

int main(int argc, char **argv) {
  need(argc > 5, "reading the arguments");
  size_t items = strtoul(argv[3], NULL, 10), all = strtoul(argv[2], NULL, 10) * items;
  size_t bytes = all * strtoul(argv[4], NULL, 10) * 4;
  cl_platform_id platform;
  cl_device_id device;
  cl_int error;
  need(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS, "finding a platform");
  need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS, "finding a device");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  need(error == CL_SUCCESS, "making a context");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  need(error == CL_SUCCESS, "making a queue");
  const char *text = contents(argv[1]);
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
  need(error == CL_SUCCESS, "making the program");
  if (clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL) != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fprintf(stderr, "%s\n", log);
    need(0, "building the program");
  }
  unsigned char *input = calloc(1, bytes), *output = calloc(1, bytes);
  need(fread(input, 1, bytes, stdin) == bytes, "reading the input");
  cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, input, &error);
  need(error == CL_SUCCESS, "making a buffer");
  for (int i = 5; i < argc; i++) {
    for (size_t b = 0; b < bytes; b++)
      output[b] = 0;
    cl_mem out = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, output, &error);
    need(error == CL_SUCCESS, "making a buffer");
    cl_kernel kernel = clCreateKernel(program, argv[i], &error);
    need(error == CL_SUCCESS, argv[i]);
    need(clSetKernelArg(kernel, 0, sizeof in, &in) == CL_SUCCESS && clSetKernelArg(kernel, 1, sizeof out, &out) == CL_SUCCESS, "setting arguments");
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &items, 0, NULL, NULL) == CL_SUCCESS, argv[i]);
    need(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, bytes, output, 0, NULL, NULL) == CL_SUCCESS, "reading the output");
    need(fwrite(output, 1, bytes, stdout) == bytes, "writing the output");
    clReleaseMemObject(out);
  }
  return 0;
}
