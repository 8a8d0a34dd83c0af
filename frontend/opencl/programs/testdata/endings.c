// Programs that end in other ways than they should.
#include "check.h"
#include <CL/cl_gl.h>
#include <unistd.h>

static const char source[] = "__kernel void store(__global int *p, int n) {\n"
                             "  p[get_global_id(0) + n] = 1;\n"
                             "}\n";

int main(int argc, char **argv) {
  begin();
  cl_command_queue q = queue_with(0);
  cl_program p = build(source, "");
  cl_kernel k = kernel(p, "store");
  cl_mem m = buffer(CL_MEM_READ_WRITE, 512, NULL);
  int n = 0;
  OK(clSetKernelArg(k, 0, sizeof m, &m));
  OK(clSetKernelArg(k, 1, sizeof n, &n));
  run1(q, k, 128, 32);
  OK(clFinish(q));
  const char *how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "fault")) {
    n = 64; // half of the work-groups store behind the buffer
    OK(clSetKernelArg(k, 1, sizeof n, &n));
    run1(q, k, 128, 32);
    GIVES(clFinish(q), CL_OUT_OF_RESOURCES);
    GIVES(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &n, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
  }
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "exit")) _exit(3);
  if (!strcmp(how, "missing")) {
    void *(*svm)(cl_context, cl_bitfield, size_t, cl_uint) = NULL;
    *(void **)&svm = clGetExtensionFunctionAddressForPlatform(platform, "clSVMAlloc");
    CHECK(!svm);
    GIVES(clEnqueueNativeKernel(q, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
    clCreateFromGLBuffer(context, 0, 1, &err);
    GIVES(err, CL_INVALID_OPERATION);
    clCreateFromGLBuffer(context, 0, 1, &err);
  }
  printf("ok\n");
}
