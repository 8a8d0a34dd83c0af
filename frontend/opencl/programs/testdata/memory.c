// Buffers, their parts, maps, rectangles, fills, and images.
#include "check.h"
#include <math.h>

static const char source[] =
    "__kernel void twice(__global int *p) { p[get_global_id(0)] *= 2; }\n"
    "__constant sampler_t texels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "__kernel void turn(__read_only image2d_t in, __write_only image2d_t out) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagef(out, at.yx, read_imagef(in, texels, at));\n"
    "}\n"
    "#ifdef TYPEDEFS\n"
    "typedef image2d_t picture; typedef sampler_t looks;\n"
    "#else\n"
    "#define picture image2d_t\n#define looks sampler_t\n"
    "#endif\n"
    "typedef struct { float x; } image_value;\n"
    "__kernel void between(__read_only picture in, looks s, __global image_value *out) { out[get_global_id(0)].x = read_imagef(in, s, (float2)(get_global_id(0) + 1.0f, 0.5f)).x; }\n"
    "__kernel void kind(__read_only image2d_t in, __global int *out) { out[0] = get_image_channel_data_type(in); out[1] = get_image_channel_order(in); out[2] = (int)(1000 * read_imagef(in, texels, (int2)(1, 0)).x); }\n"
    "__kernel void shades(__read_only image2d_t in, __write_only image2d_t out, __global float4 *seen) {\n"
    "  int x = get_global_id(0);\n"
    "  seen[x] = read_imagef(in, texels, (int2)(x, 0));\n"
    "  write_imagef(out, (int2)(x, 0), (float4)(seen[x].x, seen[x].y, seen[x].z, x * 0.375f));\n"
    "}\n"
    "__kernel void whole(__read_only image2d_t in, __write_only image2d_t out) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(out, at, read_imageui(in, texels, at) + (uint4)(get_image_width(in), get_image_height(in), 0, 0));\n"
    "}\n";

static void buffers(cl_command_queue q, cl_program p) {
  enum { N = 256 };
  int host[N], back[N];
  for (int i = 0; i < N; i++) host[i] = i;
  cl_mem m = buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof host, host);
  cl_kernel k = kernel(p, "twice");
  OK(clSetKernelArg(k, 0, sizeof m, &m));
  run1(q, k, N, 64);
  OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
  for (int i = 0; i < N; i++) CHECK(back[i] == 2 * i);

  // A part begins where the device allows it; writes to it are in the whole.
  cl_buffer_region part = {256, 256};
  cl_mem sub = clCreateSubBuffer(m, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, &err);
  OK(err);
  OK(clSetKernelArg(k, 0, sizeof sub, &sub));
  run1(q, k, 64, 0);
  OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
  for (int i = 0; i < N; i++) CHECK(back[i] == (i >= 64 && i < 128 ? 4 : 2) * i);
  cl_mem parent;
  size_t offset;
  OK(clGetMemObjectInfo(sub, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
  OK(clGetMemObjectInfo(sub, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
  CHECK(parent == m && offset == 256);
  part.origin = 1;
  if (is_ours) {
    clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &err);
    GIVES(err, CL_MISALIGNED_SUB_BUFFER_OFFSET);
  }
  part.origin = sizeof host;
  clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &err);
  GIVES(err, CL_INVALID_VALUE);

  // Copies and fills with patterns of all sizes.
  cl_mem other = buffer(CL_MEM_READ_WRITE, sizeof host, NULL);
  OK(clEnqueueCopyBuffer(q, m, other, 4, 8, 100, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, other, CL_TRUE, 8, 100, back, 0, NULL, NULL));
  for (int i = 0; i < 25; i++) CHECK(back[i] == 2 * (i + 1));
  GIVES(clEnqueueCopyBuffer(q, m, m, 0, 4, 100, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
  for (size_t n = 1; n <= 128; n *= 2) {
    unsigned char pattern[128], bytes[256];
    for (size_t i = 0; i < n; i++) pattern[i] = (unsigned char)(7 * i + n);
    OK(clEnqueueFillBuffer(q, other, pattern, n, 256, 256, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, other, CL_TRUE, 256, 256, bytes, 0, NULL, NULL));
    for (size_t i = 0; i < 256; i++) CHECK(bytes[i] == pattern[i % n]);
  }
  GIVES(clEnqueueFillBuffer(q, other, host, 3, 0, 3, 0, NULL, NULL), CL_INVALID_VALUE);
  GIVES(clEnqueueReadBuffer(q, other, CL_TRUE, 4, sizeof host, back, 0, NULL, NULL), CL_INVALID_VALUE);

  // Rectangles: three columns of two rows of two slices.
  size_t origin[3] = {4, 1, 1}, host_origin[3] = {0, 0, 0}, region[3] = {12, 2, 2};
  for (int i = 0; i < N; i++) host[i] = 1000 + i;
  OK(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, sizeof host, host, 0, NULL, NULL));
  OK(clEnqueueReadBufferRect(q, m, CL_TRUE, origin, host_origin, region, 32, 128, 0, 0, back, 0, NULL, NULL));
  for (int z = 0; z < 2; z++)
    for (int y = 0; y < 2; y++)
      for (int x = 0; x < 3; x++) CHECK(back[6 * z + 3 * y + x] == 1000 + 32 * (z + 1) + 8 * (y + 1) + x + 1);
  int zeros[12] = {0};
  OK(clEnqueueWriteBufferRect(q, m, CL_TRUE, origin, host_origin, region, 32, 128, 0, 0, zeros, 0, NULL, NULL));
  size_t from[3] = {4, 1, 1}, to[3] = {0, 0, 0};
  OK(clEnqueueCopyBufferRect(q, m, other, from, to, region, 32, 128, 12, 24, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, other, CL_TRUE, 0, 48, back, 0, NULL, NULL));
  for (int i = 0; i < 12; i++) CHECK(back[i] == 0);
  OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
  CHECK(back[32 + 8] == 1040 && back[32 + 8 + 4] == 1044);

  // Maps.
  int *at = clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 16, 64, 0, NULL, NULL, &err);
  OK(err);
  CHECK(at[0] == 1004);
  for (int i = 0; i < 16; i++) at[i] = -i;
  OK(clEnqueueUnmapMemObject(q, m, at, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
  CHECK(back[3] == 1003 && back[4] == 0 && back[19] == -15 && back[20] == 1020);
  static int own[N] __attribute__((aligned(128)));
  for (int i = 0; i < N; i++) own[i] = i;
  cl_mem used = buffer(CL_MEM_USE_HOST_PTR, sizeof own, own);
  OK(clSetKernelArg(k, 0, sizeof used, &used));
  run1(q, k, N, 0);
  at = clEnqueueMapBuffer(q, used, CL_TRUE, CL_MAP_READ, 0, sizeof own, 0, NULL, NULL, &err);
  OK(err);
  CHECK(at == own);
  for (int i = 0; i < N; i++) CHECK(own[i] == 2 * i);
  OK(clEnqueueUnmapMemObject(q, used, at, 0, NULL, NULL));
  if (is_ours) GIVES(clEnqueueUnmapMemObject(q, used, at, 0, NULL, NULL), CL_INVALID_VALUE);
  OK(clFinish(q));
  OK(clReleaseMemObject(sub));
  OK(clReleaseMemObject(m));
  OK(clReleaseMemObject(other));
  OK(clReleaseMemObject(used));
  OK(clReleaseKernel(k));
}

static double half_value(const void *texels, int i) {
  unsigned short b = ((const unsigned short *)texels)[i];
  double size = b >> 10 & 31 ? ldexp(1024 + (b & 1023), (b >> 10 & 31) - 25) : ldexp(b & 1023, -24);
  return b >> 15 ? -size : size;
}
static double screen_value(const void *texels, int i) { // what is asked for lies as blue, green, red, alpha
  return ((const unsigned char *)texels)[i % 4 == 3 || i % 4 == 1 ? i : i + 2 - 2 * (i % 4)] / 255.0;
}

// pictures reads an image of four texels in numbers, writes them to another but for alpha, and
// fills a third.
static void pictures(cl_command_queue q, cl_program p, cl_channel_order order, cl_channel_type type, const void *texels, double (*value)(const void *, int)) {
  cl_image_format format = {order, type};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 1};
  cl_mem in = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, (void *)texels, &err);
  OK(err);
  cl_mem out = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
  OK(err);
  cl_mem seen = buffer(CL_MEM_READ_WRITE, 64, NULL);
  cl_kernel k = kernel(p, "shades"), asks = kernel(p, "kind");
  OK(clSetKernelArg(k, 0, sizeof in, &in));
  OK(clSetKernelArg(k, 1, sizeof out, &out));
  OK(clSetKernelArg(k, 2, sizeof seen, &seen));
  run1(q, k, 4, 0);
  float got[16];
  unsigned char bytes[64];
  size_t origin[3] = {0, 0, 0}, region[3] = {4, 1, 1};
  OK(clEnqueueReadBuffer(q, seen, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
  for (int i = 0; i < 16; i++) CHECK(fabs(got[i] - value(texels, i)) <= (type == CL_HALF_FLOAT ? 0 : 0x1.8p-24)); // 1.5 units in the last place (8.3.1.1)
  OK(clEnqueueReadImage(q, out, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL));
  for (int i = 0; i < 16; i++) {
    double want = i % 4 == 3 ? i / 4 * 0.375 : value(texels, i);
    CHECK(fabs(value(bytes, i) - (type == CL_HALF_FLOAT || want < 1 ? want : 1)) <= (type == CL_HALF_FLOAT ? 0 : 0.5 / 255));
  }
  float color[4] = {0.2f, 0.4f, 0.6f, 0.8f};
  OK(clEnqueueFillImage(q, out, color, origin, region, 0, NULL, NULL));
  OK(clEnqueueReadImage(q, out, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL));
  for (int i = 0; i < 16; i++) CHECK(fabs(value(bytes, i) - color[i % 4]) <= (type == CL_HALF_FLOAT ? 0.0005 : 0.5 / 255));
  int kind[3];
  OK(clSetKernelArg(asks, 0, sizeof in, &in));
  OK(clSetKernelArg(asks, 1, sizeof seen, &seen));
  OK(clEnqueueTask(q, asks, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, seen, CL_TRUE, 0, sizeof kind, kind, 0, NULL, NULL));
  CHECK(kind[0] == (int)type && kind[1] == (int)order);
  OK(clReleaseMemObject(in));
  OK(clReleaseMemObject(out));
  OK(clReleaseMemObject(seen));
}

static void images(cl_command_queue q, cl_program p) {
  cl_bool images;
  OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
  CHECK(images);
  enum { W = 16, H = 8 };
  cl_image_format format = {CL_R, CL_FLOAT};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H, .image_row_pitch = 4 * (W + 4)};
  float host[H][W + 4], back[W][H];
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) host[y][x] = (float)(10 * y + x);
  cl_mem in = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, host, &err);
  OK(err);
  desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = H, .image_height = W};
  cl_mem out = clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &desc, NULL, &err);
  OK(err);
  cl_kernel k = kernel(p, "turn");
  OK(clSetKernelArg(k, 0, sizeof in, &in));
  OK(clSetKernelArg(k, 1, sizeof out, &out));
  size_t range[2] = {W, H}, group[2] = {8, 4}, origin[3] = {0, 0, 0}, region[3] = {H, W, 1};
  OK(clEnqueueNDRangeKernel(q, k, 2, NULL, range, group, 0, NULL, NULL));
  OK(clEnqueueReadImage(q, out, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL));
  for (int x = 0; x < W; x++)
    for (int y = 0; y < H; y++) CHECK(back[x][y] == host[y][x]);

  // A sampler of the host: linear filtering at the edge of two texels is their mean.
  cl_sampler s = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, &err);
  OK(err);
  cl_mem sums = buffer(CL_MEM_READ_WRITE, 4 * W, NULL);
  cl_kernel b = kernel(p, "between");
  OK(clSetKernelArg(b, 0, sizeof in, &in));
  OK(clSetKernelArg(b, 1, sizeof s, &s));
  OK(clSetKernelArg(b, 2, sizeof sums, &sums));
  run1(q, b, W - 1, 0);
  float line[W];
  OK(clEnqueueReadBuffer(q, sums, CL_TRUE, 0, 4 * (W - 1), line, 0, NULL, NULL));
  for (int x = 0; x < W - 1; x++) CHECK(line[x] == x + 0.5f);

  // Integers, fills, and copies between images and buffers.
  cl_image_format bytes = {CL_RGBA, CL_UNSIGNED_INT8};
  desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
  cl_mem one = clCreateImage(context, CL_MEM_READ_WRITE, &bytes, &desc, NULL, &err), two = clCreateImage(context, CL_MEM_READ_WRITE, &bytes, &desc, NULL, &err);
  OK(err);
  cl_uint color[4] = {1, 2, 3, 200};
  size_t all[3] = {W, H, 1}, some[3] = {4, 2, 1}, place[3] = {2, 3, 0};
  OK(clEnqueueFillImage(q, one, color, origin, all, 0, NULL, NULL));
  cl_kernel w = kernel(p, "whole");
  OK(clSetKernelArg(w, 0, sizeof one, &one));
  OK(clSetKernelArg(w, 1, sizeof two, &two));
  OK(clEnqueueNDRangeKernel(q, w, 2, NULL, range, NULL, 0, NULL, NULL));
  OK(clEnqueueCopyImageToBuffer(q, two, sums, place, some, 0, 0, NULL, NULL));
  unsigned char texels[32], row[4 * W];
  OK(clEnqueueReadBuffer(q, sums, CL_TRUE, 0, 32, texels, 0, NULL, NULL));
  for (int i = 0; i < 8; i++) CHECK(texels[4 * i] == 1 + W && texels[4 * i + 1] == 2 + H && texels[4 * i + 2] == 3 && texels[4 * i + 3] == 200);
  memset(texels, 9, sizeof texels);
  OK(clEnqueueWriteBuffer(q, sums, CL_TRUE, 0, 32, texels, 0, NULL, NULL));
  OK(clEnqueueCopyBufferToImage(q, sums, one, 0, place, some, 0, NULL, NULL));
  OK(clEnqueueCopyImage(q, one, two, place, origin, some, 0, NULL, NULL));
  size_t pitch;
  unsigned char *mapped = clEnqueueMapImage(q, two, CL_TRUE, CL_MAP_READ, origin, all, &pitch, NULL, 0, NULL, NULL, &err);
  OK(err);
  CHECK(pitch >= 4 * W && mapped[0] == 9 && mapped[pitch + 15] == 9 && mapped[16] == 1 + W && mapped[2 * pitch] == 1 + W);
  OK(clEnqueueUnmapMemObject(q, two, mapped, 0, NULL, NULL));
  size_t line_of[3] = {W, 1, 1};
  OK(clEnqueueReadImage(q, one, CL_TRUE, place, some, 0, 0, texels, 0, NULL, NULL));
  for (int i = 0; i < 32; i++) CHECK(texels[i] == 9);
  memset(row, 5, sizeof row);
  OK(clEnqueueWriteImage(q, one, CL_TRUE, origin, line_of, 0, 0, row, 0, NULL, NULL));
  memset(row, 0, sizeof row);
  OK(clEnqueueReadImage(q, one, CL_TRUE, origin, line_of, 0, 0, row, 0, NULL, NULL));
  for (int i = 0; i < 4 * W; i++) CHECK(row[i] == 5);
  // Integers that are read as numbers, and what kernels learn of an image.
  cl_image_format scaled = {CL_RGBA, CL_UNORM_INT8};
  cl_mem three = clCreateImage(context, CL_MEM_READ_WRITE, &scaled, &desc, NULL, &err);
  OK(err);
  float shade[4] = {0.2f, 0, 0, 1};
  int kind[3];
  OK(clEnqueueFillImage(q, three, shade, origin, all, 0, NULL, NULL));
  cl_kernel asks = kernel(p, "kind");
  OK(clSetKernelArg(asks, 0, sizeof three, &three));
  OK(clSetKernelArg(asks, 1, sizeof sums, &sums));
  OK(clEnqueueTask(q, asks, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, sums, CL_TRUE, 0, sizeof kind, kind, 0, NULL, NULL));
  CHECK(kind[0] == CL_UNORM_INT8 && kind[1] == CL_RGBA && (kind[2] == 200 || kind[2] == 199));
  // Half precision, and the order of screens.
  const unsigned short halves[4 * 4] = {0x3c00, 0xc000, 0x0001, 0x7bff, 0x3555, 0, 0x8000, 0x4200, 0x03ff, 0x8400, 0x5640, 0x3800, 0x4248, 0x2e66, 0x3bff, 0x0400};
  const unsigned char screen[4 * 4] = {10, 20, 30, 40, 0, 255, 1, 254, 128, 127, 126, 125, 3, 2, 1, 0};
  pictures(q, p, CL_RGBA, CL_HALF_FLOAT, halves, half_value);
  pictures(q, p, CL_BGRA, CL_UNORM_INT8, screen, screen_value);
  if (is_ours) {
    cl_image_format none[] = {{CL_BGRA, CL_HALF_FLOAT}, {CL_ARGB, CL_UNORM_INT8}};
    for (int i = 0; i < 2; i++) {
      clCreateImage(context, CL_MEM_READ_WRITE, &none[i], &desc, NULL, &err);
      GIVES(err, CL_IMAGE_FORMAT_NOT_SUPPORTED);
    }
  }
  OK(clReleaseMemObject(in));
  OK(clReleaseMemObject(out));
  OK(clReleaseSampler(s));
}

static int destroyed;
static void CL_CALLBACK gone(cl_mem m, void *data) { (void)m; destroyed = destroyed * 10 + *(int *)data; }

int main(void) {
  begin();
  cl_command_queue q = queue_with(0);
  cl_program p = build(source, is_ours ? "-DTYPEDEFS" : NULL); // PoCL 3.1 knows images by the names of types
  buffers(q, p);
  images(q, p);
  cl_mem m = buffer(CL_MEM_READ_WRITE, 16, NULL);
  static int one = 1, two = 2;
  OK(clSetMemObjectDestructorCallback(m, gone, &one));
  OK(clSetMemObjectDestructorCallback(m, gone, &two));
  OK(clReleaseMemObject(m));
  CHECK(destroyed == 21);
  OK(clReleaseProgram(p));
  OK(clReleaseCommandQueue(q));
  OK(clReleaseContext(context));
  printf("ok\n");
}
