// Numbers of 8 bits: each of the 256 of both formats by its closed form, and roundings by
// the nearest one, which is looked for among all.
#include <cmath>
#include <initializer_list>
#include "check.h"
#include <cuda_fp8.h>
enum { kCount = 8192 };
// valueOf is the number of a code, infinity or NaN.
static double valueOf(int code, bool e4m3) {
  int places = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15, exponent = (code & 0x7f) >> places, fraction = code & ((1 << places) - 1);
  double v = exponent ? ldexp((1 << places) + fraction, exponent - bias - places) : ldexp(fraction, 1 - bias - places);
  if (e4m3 ? (code & 0x7f) == 0x7f : exponent == 31) v = e4m3 || fraction ? NAN : INFINITY;
  return code & 0x80 ? -v : v;
}
// nearest looks for the code of a number. Those beyond the largest are nearest to what
// would follow it, were there another one.
static int nearest(double x, bool e4m3, bool saturate) {
  if (x != x) return 0x7f;
  int largest = e4m3 ? 0x7e : 0x7b, best = 0, sign = signbit(x) ? 0x80 : 0;
  double next = e4m3 ? 480 : 65536, least = INFINITY;
  x = fabs(x);
  for (int code = 0; code <= largest + 1; code++) {
    double off = fabs(x - (code > largest ? next : valueOf(code, e4m3)));
    if (off < least || (off == least && code % 2 == 0)) least = off, best = code;
  }
  if (x > next) best = largest + 1;
  if (best > largest) best = saturate ? largest : e4m3 ? 0x7f : 0x7c;
  return sign | best;
}
struct Codes { unsigned char code[2][2], single[2], small[2], brain[2]; unsigned short pair[2]; unsigned int four[2]; };
__host__ __device__ static Codes round(double x, double y) {
  Codes c;
  for (int f = 0; f < 2; f++)
    for (int s = 0; s < 2; s++) c.code[f][s] = __nv_cvt_double_to_fp8(x, s ? __NV_SATFINITE : __NV_NOSAT, f ? __NV_E5M2 : __NV_E4M3);
  float a = (float)x, b = (float)y;
  c.single[0] = __nv_fp8_e4m3(a).__x, c.single[1] = __nv_fp8_e5m2(a).__x;
  c.small[0] = __nv_fp8_e4m3(__float2half(a)).__x, c.small[1] = __nv_fp8_e5m2(__float2half(a)).__x;
  c.brain[0] = __nv_fp8_e4m3(__float2bfloat16(a)).__x, c.brain[1] = __nv_fp8_e5m2(__float2bfloat16(a)).__x;
  c.pair[0] = __nv_fp8x2_e4m3(make_float2(a, b)).__x, c.pair[1] = __nv_fp8x2_e5m2(make_double2(x, y)).__x;
  c.four[0] = __nv_fp8x4_e4m3(make_float4(a, b, b, a)).__x, c.four[1] = __nv_fp8x4_e5m2(__floats2half2_rn(a, b), __floats2half2_rn(b, a)).__x;
  return c;
}
struct Values { float value[2], half[2], first[2], second[2]; int whole[2]; };
__host__ __device__ static Values values(int code) {
  Values v;
  __nv_fp8_e4m3 a;
  __nv_fp8_e5m2 b;
  __nv_fp8x2_e4m3 p;
  __nv_fp8x2_e5m2 q;
  a.__x = b.__x = (unsigned char)code;
  p.__x = q.__x = (unsigned short)(code | (255 - code) << 8);
  v.value[0] = float(a), v.value[1] = float(b);
  v.half[0] = __half2float(__half(a)), v.half[1] = __half2float(__half(b));
  v.whole[0] = int(a), v.whole[1] = int(b);
  v.first[0] = float2(p).x, v.first[1] = __low2float(__half2(q));
  v.second[0] = float2(p).y, v.second[1] = __high2float(__half2(q));
  return v;
}
__global__ void roundAll(const double *x, Codes *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = round(x[i], x[kCount - 1 - i]);
}
__global__ void valueAll(Values *v) { v[threadIdx.x] = values(threadIdx.x); }
static bool same(double want, float got) { return (want != want && got != got) || (want == got && signbit(want) == signbit(got)); }
static void checkValues(const Values &v, int code) {
  for (int f = 0; f < 2; f++) {
    double want = valueOf(code, f == 0), other = valueOf(255 - code, f == 0);
    CHECK(same(want, v.value[f]));
    CHECK(same(want, v.half[f]));
    CHECK(same(want, v.first[f]));
    CHECK(same(other, v.second[f]));
    if (want == want && fabs(want) < INFINITY) CHECK(v.whole[f] == (int)want);
  }
}
static void checkCodes(const Codes &c, double x, double y) {
  for (int f = 0; f < 2; f++) {
    bool e4m3 = f == 0;
    for (int s = 0; s < 2; s++) CHECK(c.code[f][s] == nearest(x, e4m3, s));
    float a = (float)x, b = (float)y, h = __half2float(__float2half(a)), g = __half2float(__float2half(b));
    int one = nearest(e4m3 ? (double)a : x, e4m3, true), two = nearest(e4m3 ? (double)b : y, e4m3, true);
    CHECK(c.single[f] == nearest(a, e4m3, true));
    CHECK(c.small[f] == nearest(h, e4m3, true));
    CHECK(c.brain[f] == nearest(__bfloat162float(__float2bfloat16(a)), e4m3, true));
    CHECK(c.pair[f] == (one | two << 8));
    if (!e4m3) one = nearest(h, false, true), two = nearest(g, false, true);
    CHECK(c.four[f] == (one | (unsigned int)two << 8 | (unsigned int)two << 16 | (unsigned int)one << 24));
  }
}
int main() {
  double *x;
  Codes *c;
  Values *v;
  OK(cudaMallocManaged(&x, kCount * sizeof *x));
  OK(cudaMallocManaged(&c, kCount * sizeof *c));
  OK(cudaMallocManaged(&v, 256 * sizeof *v));
  valueAll<<<1, 256>>>(v);
  int n = 0;
  for (int f = 0; f < 2; f++) // all numbers, the middles between them, and both sides of these
    for (int code = 0; code < 255; code++) {
      double a = valueOf(code, f == 0), b = valueOf(code + 1, f == 0), middle = fabs(b) < INFINITY ? (a + b) / 2 : a * 1.125;
      double around[] = {a, middle, nextafter(middle, -INFINITY), nextafter(middle, INFINITY), (double)nextafterf((float)middle, 0), (double)nextafterf((float)middle, 1e9f)};
      for (double w : around) x[n++] = w;
    }
  for (double w : {0.0, -0.0, (double)INFINITY, -(double)INFINITY, (double)NAN, 448.0, 464.0, 464.1, 480.0, 1e300, 57344.0, 61440.0, 61439.9, 65504.0, 1e-300, 5e-324, -0x1p-10, 0x1p-17}) x[n++] = w;
  for (unsigned int state = 7; n < kCount; n++) {
    state = state * 1664525u + 1013904223u;
    x[n] = ldexp((double)(int)state, (int)(state >> 5 & 63) - 62);
  }
  roundAll<<<kCount / 128, 128>>>(x, c);
  OK(cudaDeviceSynchronize());
  for (int code = 0; code < 256; code++) {
    checkValues(v[code], code);
    checkValues(values(code), code);
  }
  for (int i = 0; i < kCount; i++) {
    checkCodes(c[i], x[i], x[kCount - 1 - i]);
    checkCodes(round(x[i], x[kCount - 1 - i]), x[i], x[kCount - 1 - i]);
  }
  CHECK(bool(__nv_fp8_e4m3(-1)) && !bool(__nv_fp8_e4m3(-0.0f)));
  CHECK(__nv_fp8_e4m3(1000000).__x == 0x7e && __nv_fp8_e5m2(-1000000ll).__x == 0xfb);
  CHECK((unsigned char)__nv_fp8_e5m2(-3.5f) == 0 && (signed char)__nv_fp8_e4m3(448.0f) == 127);
  printf("ok\n");
}
