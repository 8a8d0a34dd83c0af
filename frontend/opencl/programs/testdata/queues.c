// Queues of both orders, events, callbacks, profiling, launches of all shapes, and printf.
#include "check.h"
#include <pthread.h>

static const char source[] =
    "__kernel void add(__global int *p, int v) { p[get_global_id(0)] += v; }\n"
    "__kernel void sum(__global const int *in, __global int *out, __local int *part, __constant int *weights) {\n"
    "  int l = get_local_id(0), n = get_local_size(0);\n"
    "  part[l] = in[get_global_id(0)] * weights[get_group_id(0)];\n"
    "  for (int d = n / 2; d > 0; d /= 2) {\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (l < d) part[l] += part[l + d];\n"
    "  }\n"
    "  if (l == 0) out[get_group_id(0)] = part[0];\n"
    "}\n"
    "__kernel void where(__global int *out) {\n"
    "  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1), z = get_global_id(2) - get_global_offset(2);\n"
    "  size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
    "  out[i] = (int)(get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2)) + 1000000 * (int)get_work_dim();\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void exact(__global int *out) { if (get_global_id(0) == 0) out[get_group_id(1)] = get_local_size(0) * get_local_size(1); }\n"
    "typedef struct { char c; int i; double d; } mixed;\n"
    "__kernel void values(__global float *out, char c, short2 s, float3 f, mixed m, double d, ulong u) {\n"
    "  out[0] = c + s.x + s.y; out[1] = f.x + f.y * f.z; out[2] = m.c + m.i + (float)m.d; out[3] = (float)d; out[4] = (float)u;\n"
    "}\n"
    "__kernel void say(int n) { printf(\"%d %s %.2f %v4hld %c%%\\n\", n, \"words\", n / 4.0f, (int4)(n, 2, 3, 4), 'x'); }\n";

static cl_program program;

static int add(cl_command_queue q, cl_mem m, int v, cl_uint n, const cl_event *waits, cl_event *e) {
  static cl_kernel k;
  if (!k) k = kernel(program, "add");
  size_t range = 64;
  OK(clSetKernelArg(k, 0, sizeof m, &m));
  OK(clSetKernelArg(k, 1, sizeof v, &v));
  return clEnqueueNDRangeKernel(q, k, 1, NULL, &range, NULL, n, waits, e);
}

static int first_of(cl_command_queue q, cl_mem m) {
  int v;
  OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof v, &v, 0, NULL, NULL));
  return v;
}

static void events(void) {
  cl_command_queue a = queue_with(CL_QUEUE_PROFILING_ENABLE), b = queue_with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
  int zero = 0;
  cl_mem m = buffer(CL_MEM_READ_WRITE, 256, NULL), n = buffer(CL_MEM_READ_WRITE, 256, NULL);
  OK(clEnqueueFillBuffer(a, m, &zero, 4, 0, 256, 0, NULL, NULL));
  OK(clEnqueueFillBuffer(a, n, &zero, 4, 0, 256, 0, NULL, NULL));
  OK(clFinish(a));
  // Two chains that meet.
  cl_event e[6];
  OK(add(b, m, 1, 0, NULL, &e[0]));
  OK(add(b, n, 10, 0, NULL, &e[1]));
  OK(add(b, m, 2, 1, &e[0], &e[2]));
  OK(add(b, n, 20, 1, &e[1], &e[3]));
  OK(add(a, m, 100, 2, &e[2], &e[4]));
  OK(clEnqueueCopyBuffer(b, n, m, 0, 128, 4, 2, &e[3], &e[5]));
  OK(clWaitForEvents(1, &e[5]));
  CHECK(first_of(a, m) == 103 && first_of(a, n) == 30);
  cl_int state;
  cl_command_type type;
  OK(clGetEventInfo(e[4], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
  OK(clGetEventInfo(e[5], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  CHECK(state == CL_COMPLETE && type == CL_COMMAND_COPY_BUFFER);
  cl_ulong t[4], before = 0;
  for (int i = 0; i < 4; i++) {
    OK(clGetEventProfilingInfo(e[4], CL_PROFILING_COMMAND_QUEUED + i, sizeof t[i], &t[i], NULL));
    CHECK(t[i] >= before);
    before = t[i];
  }
  CHECK(t[3] > t[2]);
  // Barriers and markers.
  OK(add(b, m, 1, 0, NULL, NULL));
  OK(clEnqueueBarrierWithWaitList(b, 0, NULL, NULL));
  OK(add(b, m, 1, 0, NULL, NULL));
  cl_event marked;
  OK(clEnqueueMarkerWithWaitList(b, 0, NULL, &marked));
  OK(add(a, m, 1, 1, &marked, NULL));
  CHECK(first_of(a, m) == 106);
  if (is_ours) { // others have left these out
    OK(clEnqueueWaitForEvents(b, 1, &marked));
    OK(clEnqueueBarrier(b));
  }
  cl_event migrated;
  OK(clEnqueueMigrateMemObjects(b, 1, &m, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, &migrated));
  OK(clReleaseEvent(migrated));
  OK(clFinish(b));
  for (int i = 0; i < 6; i++) OK(clReleaseEvent(e[i]));
  OK(clReleaseEvent(marked));
  if (is_ours) GIVES(add(a, m, 1, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
  OK(clReleaseCommandQueue(a));
  OK(clReleaseCommandQueue(b));
}

static void *set(void *event) {
  OK(clSetUserEventStatus(event, CL_COMPLETE));
  return NULL;
}

static int called;
static void CL_CALLBACK call(cl_event e, cl_int state, void *data) {
  (void)e;
  __atomic_fetch_add(&called, state == CL_COMPLETE ? *(int *)data : 1000000, __ATOMIC_SEQ_CST);
}

static void user_events(void) {
  cl_command_queue q = queue_with(0);
  int zero = 0, add1 = 1, add10 = 10;
  cl_mem m = buffer(CL_MEM_READ_WRITE, 256, NULL);
  OK(clEnqueueFillBuffer(q, m, &zero, 4, 0, 256, 0, NULL, NULL));
  cl_event user = clCreateUserEvent(context, &err), done;
  OK(err);
  OK(add(q, m, 5, 1, &user, &done));
  OK(add(q, m, 6, 0, NULL, NULL)); // behind it, in order
  cl_int state;
  OK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
  CHECK(state > CL_COMPLETE);
  OK(clSetEventCallback(done, CL_COMPLETE, call, &add1));
  pthread_t thread;
  pthread_create(&thread, NULL, set, user);
  CHECK(first_of(q, m) == 11);
  pthread_join(thread, NULL);
  OK(clWaitForEvents(1, &done));
  OK(clSetEventCallback(done, CL_COMPLETE, call, &add10));
  OK(clFinish(q));
  while (__atomic_load_n(&called, __ATOMIC_SEQ_CST) != 11) {
  }
  GIVES(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
  OK(clReleaseEvent(user));
  OK(clReleaseEvent(done));
  // A user event that failed ends what waits for it.
  if (is_ours) {
    user = clCreateUserEvent(context, &err);
    OK(add(q, m, 5, 1, &user, &done));
    OK(clSetUserEventStatus(user, -7));
    OK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    CHECK(state < 0);
    GIVES(clWaitForEvents(1, &done), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(first_of(q, m) == 11);
    OK(clReleaseEvent(user));
    OK(clReleaseEvent(done));
  }
  OK(clReleaseCommandQueue(q));
}

static void launches(void) {
  cl_command_queue q = queue_with(0);
  enum { GROUPS = 4, ITEMS = 32 };
  int in[GROUPS * ITEMS], out[512], weights[GROUPS] = {1, 10, 100, 1000};
  for (int i = 0; i < GROUPS * ITEMS; i++) in[i] = i;
  cl_mem source = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof in, in), target = buffer(CL_MEM_READ_WRITE, sizeof out, NULL);
  cl_mem constants = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof weights, weights);
  cl_kernel sum = kernel(program, "sum"), place = kernel(program, "where"), exact = kernel(program, "exact"), values = kernel(program, "values"), say = kernel(program, "say");
  OK(clSetKernelArg(sum, 0, sizeof source, &source));
  OK(clSetKernelArg(sum, 1, sizeof target, &target));
  size_t range[3] = {GROUPS * ITEMS, 1, 1}, group[3] = {ITEMS, 1, 1};
  GIVES(clEnqueueNDRangeKernel(q, sum, 1, NULL, range, group, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
  OK(clSetKernelArg(sum, 2, ITEMS * 4, NULL));
  OK(clSetKernelArg(sum, 3, sizeof constants, &constants));
  OK(clEnqueueNDRangeKernel(q, sum, 1, NULL, range, group, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, target, CL_TRUE, 0, 4 * GROUPS, out, 0, NULL, NULL));
  for (int g = 0; g < GROUPS; g++) CHECK(out[g] == weights[g] * (ITEMS * (2 * g * ITEMS + ITEMS - 1) / 2));
  group[0] = 24;
  GIVES(clEnqueueNDRangeKernel(q, sum, 1, NULL, range, group, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
  GIVES(clEnqueueNDRangeKernel(q, sum, 4, NULL, range, group, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
  GIVES(clSetKernelArg(sum, 9, 4, &err), CL_INVALID_ARG_INDEX);
  if (is_ours) GIVES(clSetKernelArg(sum, 2, 4, &err), CL_INVALID_ARG_VALUE);

  // Ranges of all dimensions, with offsets and without.
  for (cl_uint d = 1; d <= 3; d++) {
    for (int with = 0; with < 2; with++) {
      size_t sizes[3] = {10, 6, 4}, offsets[3] = {7, 3, 2};
      OK(clSetKernelArg(place, 0, sizeof target, &target));
      OK(clEnqueueNDRangeKernel(q, place, d, with ? offsets : NULL, sizes, NULL, 0, NULL, NULL));
      OK(clEnqueueReadBuffer(q, target, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
      for (size_t z = 0; z < (d > 2 ? sizes[2] : 1); z++)
        for (size_t y = 0; y < (d > 1 ? sizes[1] : 1); y++)
          for (size_t x = 0; x < sizes[0]; x++) {
            size_t want = x + 100 * y + 10000 * z + 1000000 * d;
            if (with) want += offsets[0] + (d > 1 ? 100 * offsets[1] : 0) + (d > 2 ? 10000 * offsets[2] : 0);
            CHECK(out[(z * (d > 1 ? sizes[1] : 1) + y) * sizes[0] + x] == (int)want);
          }
    }
  }
  size_t flat[2] = {8, 8}, shape[2] = {8, 4};
  OK(clSetKernelArg(exact, 0, sizeof target, &target));
  OK(clEnqueueNDRangeKernel(q, exact, 2, NULL, flat, shape, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, target, CL_TRUE, 0, 8, out, 0, NULL, NULL));
  CHECK(out[0] == 32 && out[1] == 32);
  shape[1] = 2;
  GIVES(clEnqueueNDRangeKernel(q, exact, 2, NULL, flat, shape, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
  size_t required[3], most, multiple;
  OK(clGetKernelWorkGroupInfo(exact, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL));
  OK(clGetKernelWorkGroupInfo(sum, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
  OK(clGetKernelWorkGroupInfo(sum, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple, &multiple, NULL));
  CHECK(required[0] == 8 && required[1] == 4 && required[2] == 1 && most >= 256 && multiple >= 1);

  struct { cl_char c; cl_int i; cl_double d; } mixed = {1, 2, 0.5};
  cl_char c = -3;
  cl_short2 s = {{100, 200}};
  cl_float3 f = {{1.5f, 2, 4}};
  cl_double d = 2.25;
  cl_ulong u = 1ull << 40;
  float got[5];
  OK(clSetKernelArg(values, 0, sizeof target, &target));
  OK(clSetKernelArg(values, 1, sizeof c, &c));
  OK(clSetKernelArg(values, 2, sizeof s, &s));
  OK(clSetKernelArg(values, 3, sizeof f, &f));
  OK(clSetKernelArg(values, 4, sizeof mixed, &mixed));
  OK(clSetKernelArg(values, 5, sizeof d, &d));
  OK(clSetKernelArg(values, 6, sizeof u, &u));
  GIVES(clSetKernelArg(values, 6, 4, &u), CL_INVALID_ARG_SIZE);
  OK(clEnqueueTask(q, values, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, target, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
  CHECK(got[0] == 297 && got[1] == 9.5f && got[2] == 3.5f && got[3] == 2.25f && got[4] == 1099511627776.0f);
  int seven = 7;
  OK(clSetKernelArg(say, 0, sizeof seven, &seven));
  OK(clEnqueueTask(q, say, 0, NULL, NULL));
  OK(clFinish(q));
  OK(clReleaseCommandQueue(q));
}

int main(void) {
  begin();
  program = build(source, "");
  events();
  user_events();
  launches();
  printf("ok\n");
}
