// Functions of OpenCL C where libclc has none, or another result, and what a kernel of
// very many registers may have.
#include "check.h"
#include <limits.h>
#include <math.h>
#include <stdint.h>

static const char source[] =
    "__kernel void saturated(__global const int *i, __global const long *l, __global int *p, __global long *q, __global long *r) {\n"
    "  int n = get_global_id(0);\n"
    "  p[n] = sub_sat(i[2 * n], i[2 * n + 1]);\n"
    "  q[n] = sub_sat(l[3 * n], l[3 * n + 1]);\n"
    "  r[n] = mad_sat(l[3 * n], l[3 * n + 1], l[3 * n + 2]);\n"
    "}\n"
    "__kernel void wide(__global const long *l, __global long3 *q, __global long8 *r) {\n"
    "  int n = get_global_id(0);\n"
    "  long8 x = vload8(3 * n, l), y = vload8(3 * n + 1, l), z = vload8(3 * n + 2, l);\n"
    "  q[n] = sub_sat(x.s012, y.s012);\n"
    "  r[n] = mad_sat(x, y, z);\n"
    "}\n"
    "#define HIGH(type) high_##type[n] = mad_hi((type)(x >> 64 - 8 * sizeof(type)), (type)(y >> 64 - 8 * sizeof(type)), (type)z);\\\n"
    "  wide_##type[n] = mad_hi((type##4)(x >> 64 - 8 * sizeof(type)), (type##4)(y >> 64 - 8 * sizeof(type)), (type##4)z).s3;\n"
    "__kernel void high(__global const long *l, __global char *high_char, __global uchar *high_uchar, __global short *high_short, __global ushort *high_ushort, __global int *high_int,\n"
    "                   __global uint *high_uint, __global long *high_long, __global ulong *high_ulong, __global char *wide_char, __global uchar *wide_uchar, __global short *wide_short,\n"
    "                   __global ushort *wide_ushort, __global int *wide_int, __global uint *wide_uint, __global long *wide_long, __global ulong *wide_ulong) {\n"
    "  int n = get_global_id(0); long x = l[3 * n], y = l[3 * n + 1], z = l[3 * n + 2];\n"
    "  HIGH(char) HIGH(uchar) HIGH(short) HIGH(ushort) HIGH(int) HIGH(uint) HIGH(long) HIGH(ulong)\n"
    "}\n"
    "__kernel void doubles(__global const double *x, __global double *c, __global double *s, __global double *t) {\n"
    "  int n = get_global_id(0); c[n] = cos(x[n]); s[n] = sin(x[n]);\n"
    "  t[n] = smoothstep(-1.0, 3.0, (double2)(0.0, n * 0.25)).y;\n"
    "}\n"
    "__kernel void payloads(__global const ulong *bits, __global double *x) { int n = get_global_id(0); x[n] = nan(bits[n]); x[n + 4] = nan((ulong2)(1, bits[n])).y; }\n"
    "__kernel void many(__global float16 *p) {\n"
    "  float16 x[24];\n"
    "  __attribute__((opencl_unroll_hint)) for (int i = 0; i < 24; i++) x[i] = p[i];\n"
    "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "  __attribute__((opencl_unroll_hint)) for (int i = 0; i < 24; i++) p[23 - i] = x[i] * x[23 - i] + x[(i * 7) % 24];\n"
    "}\n";

enum { EDGES = 9, N = EDGES * EDGES * EDGES };
static const int64_t edges[EDGES] = {0, 1, -1, 2, INT64_MIN, INT64_MAX, INT64_MIN + 1, (int64_t)1 << 32, -7539341189650841849};

static int64_t within(__int128 x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : (int64_t)x; }

static cl_kernel with(cl_program p, const char *name, unsigned count, const cl_mem *buffers) {
  cl_kernel k = kernel(p, name);
  for (unsigned i = 0; i < count; i++) OK(clSetKernelArg(k, i, sizeof buffers[i], &buffers[i]));
  return k;
}

static void read(cl_command_queue q, cl_mem m, size_t bytes, void *to) { OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, bytes, to, 0, NULL, NULL)); }

static int64_t l[3 * N + 24 * N];

static void saturation(cl_command_queue q, cl_program p) {
  static int32_t i[2 * N], sub[N];
  static int64_t subs[N], mads[N];
  for (int n = 0; n < N; n++) {
    for (int k = 0; k < 2; k++) i[2 * n + k] = (int32_t)within(l[3 * n + k], INT32_MIN, INT32_MAX);
  }
  cl_mem buffers[] = {buffer(CL_MEM_COPY_HOST_PTR, sizeof i, i), buffer(CL_MEM_COPY_HOST_PTR, sizeof l, l), buffer(0, sizeof sub, NULL), buffer(0, sizeof subs, NULL), buffer(0, sizeof mads, NULL)};
  run1(q, with(p, "saturated", 5, buffers), N, 0);
  read(q, buffers[2], sizeof sub, sub);
  read(q, buffers[3], sizeof subs, subs);
  read(q, buffers[4], sizeof mads, mads);
  for (int n = 0; n < N; n++) {
    CHECK(sub[n] == within((__int128)i[2 * n] - i[2 * n + 1], INT32_MIN, INT32_MAX));
    CHECK(subs[n] == within((__int128)l[3 * n] - l[3 * n + 1], INT64_MIN, INT64_MAX));
    CHECK(mads[n] == within((__int128)l[3 * n] * l[3 * n + 1] + l[3 * n + 2], INT64_MIN, INT64_MAX));
  }
  static int64_t three[4 * N], eight[8 * N];
  cl_mem wide[] = {buffers[1], buffer(0, sizeof three, NULL), buffer(0, sizeof eight, NULL)};
  run1(q, with(p, "wide", 3, wide), N, 0);
  read(q, wide[1], sizeof three, three);
  read(q, wide[2], sizeof eight, eight);
  for (int n = 0; n < N; n++) {
    for (int j = 0; j < 8; j++) {
      int64_t x = l[24 * n + j], y = l[24 * n + 8 + j], z = l[24 * n + 16 + j];
      CHECK(j > 2 || three[4 * n + j] == within((__int128)x - y, INT64_MIN, INT64_MAX));
      CHECK(eight[8 * n + j] == within((__int128)x * y + z, INT64_MIN, INT64_MAX));
    }
  }
}

#define HIGH(at, type, product) do { \
    static type scalar[N], vector[N]; \
    read(q, buffers[1 + (at)], sizeof scalar, scalar); \
    read(q, buffers[9 + (at)], sizeof vector, vector); \
    for (int n = 0; n < N; n++) { \
      unsigned bits = 8 * sizeof(type); \
      type want = (type)((product)(type)(l[3 * n] >> (64 - bits)) * (product)(type)(l[3 * n + 1] >> (64 - bits)) >> bits) + (type)l[3 * n + 2]; \
      CHECK(scalar[n] == want && vector[n] == want); \
    } \
  } while (0)

static void high(cl_command_queue q, cl_program p) {
  cl_mem buffers[17] = {buffer(CL_MEM_COPY_HOST_PTR, sizeof l, l)};
  for (int i = 1; i < 17; i++) buffers[i] = buffer(0, N * 8, NULL);
  run1(q, with(p, "high", 17, buffers), N, 0);
  HIGH(0, int8_t, int);
  HIGH(1, uint8_t, int);
  HIGH(2, int16_t, int);
  HIGH(3, uint16_t, unsigned);
  HIGH(4, int32_t, int64_t);
  HIGH(5, uint32_t, uint64_t);
  HIGH(6, int64_t, __int128);
  HIGH(7, uint64_t, unsigned __int128);
}

// near is at most 4 units in the last place, as OpenCL wants it (7.4).
static int near(double x, double want) { return fabs(x - want) <= 4 * (nextafter(fabs(want), INFINITY) - fabs(want)); }

static void doubles(cl_command_queue q, cl_program p) {
  double x[16] = {0, 1e5, 1e10, 1e22, 0x1p1000, 0x1p1023, 1.7976931348623157e308, -1.1e300}, c[16], s[16], t[16];
  for (int n = 8; n < 16; n++) x[n] = ldexp(1.0 + n / 17.0, 130 * (n - 8));
  cl_mem buffers[] = {buffer(CL_MEM_COPY_HOST_PTR, sizeof x, x), buffer(0, sizeof c, NULL), buffer(0, sizeof s, NULL), buffer(0, sizeof t, NULL)};
  run1(q, with(p, "doubles", 4, buffers), 16, 0);
  read(q, buffers[1], sizeof c, c);
  read(q, buffers[2], sizeof s, s);
  read(q, buffers[3], sizeof t, t);
  for (int n = 0; n < 16; n++) {
    double u = fmin(fmax((n * 0.25 + 1) / 4, 0), 1);
    CHECK(near(c[n], cos(x[n])) && near(s[n], sin(x[n])) && near(t[n], u * u * (3 - 2 * u)));
  }
}

static void payloads(cl_command_queue q, cl_program p) {
  uint64_t bits[4] = {0, 1, (uint64_t)1 << 63, 0x0007ffffffffffff}, got[8];
  cl_mem buffers[] = {buffer(CL_MEM_COPY_HOST_PTR, sizeof bits, bits), buffer(0, sizeof got, NULL)};
  run1(q, with(p, "payloads", 2, buffers), 4, 0);
  read(q, buffers[1], sizeof got, got);
  for (int n = 0; n < 8; n++) CHECK(is_ours ? got[n] == (bits[n % 4] | 0x7ff8000000000000) : (got[n] & INT64_MAX) > 0x7ff0000000000000);
}

// The vendor's compiler spills what is beyond 255 registers, and 65536 are of a multiprocessor.
static void many(cl_command_queue q, cl_program p) {
  cl_kernel k = kernel(p, "many");
  size_t most;
  OK(clGetKernelWorkGroupInfo(k, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
  CHECK(most >= 256);
  cl_mem m = buffer(0, 24 * 64, NULL);
  OK(clSetKernelArg(k, 0, sizeof m, &m));
  run1(q, k, 256, 256);
  OK(clFinish(q));
}

int main(void) {
  begin();
  for (int n = 0; n < N; n++) {
    l[3 * n] = edges[n % EDGES];
    l[3 * n + 1] = edges[n / EDGES % EDGES];
    l[3 * n + 2] = edges[n / EDGES / EDGES];
  }
  for (int n = 3 * N; n < 27 * N; n++) l[n] = edges[n * 31 % 97 % EDGES];
  cl_command_queue q = queue_with(0);
  cl_program p = build(source, "");
  saturation(q, p);
  high(q, p);
  doubles(q, p);
  payloads(q, p);
  many(q, p);
  printf("ok\n");
  return 0;
}
