// Kernels over OpenCL C's operations with exact results: what a kernel computes
// is the same on every device. Work-item i reads 16 words at in + 16*i and
// writes 16 words at out + 16*i; groups have 64 items.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define ITEM                                                                                        \
  size_t item = get_global_id(0);                                                                   \
  in += 16 * item;                                                                                  \
  out += 16 * item

// NaNs may have any bits.
static inline uint bits(float a) { return isnan(a) ? 0x7fc00000u : as_uint(a); }
static inline ulong bits64(double a) { return isnan(a) ? 0x7ff8000000000000ul : as_ulong(a); }

#define PUT64(i, v)                \
  do {                             \
    ulong put = (v);               \
    out[i] = (uint)put;            \
    out[(i) + 1] = (uint)(put >> 32); \
  } while (0)

__kernel void integers(__global const uint *in, __global uint *out) {
  ITEM;
  int a = (int)in[0], b = (int)in[1], c = (int)in[2];
  uint u = in[3], v = in[4], w = in[5];
  out[0] = (uint)mul_hi(a, b);
  out[1] = mul_hi(u, v);
  out[2] = (uint)add_sat(a, b);
  out[3] = sub_sat(u, v);
  out[4] = (uint)mad_sat(a, b, c);
  out[5] = mad_sat(u, v, w);
  out[6] = (uint)hadd(a, b) ^ (uint)rhadd(b, c);
  out[7] = hadd(u, v) + 3 * rhadd(v, w);
  out[8] = abs_diff(a, b) ^ abs_diff(u, v);
  out[9] = rotate(u, v);
  out[10] = clz(u >> (v & 31)) + 64 * popcount(w);
  out[11] = (uint)mad24((a << 8) >> 8, (b << 8) >> 8, c);
  out[12] = mul24(u & 0xffffff, v & 0xffffff);
  out[13] = (uint)clamp(a, min(b, c), max(b, c));
  out[14] = bitselect(u, v, w);
  out[15] = (uint)mul_hi(a, c) + (uint)b;
}

__kernel void narrow(__global const uint *in, __global uint *out) {
  ITEM;
  char4 a = as_char4(in[0]), b = as_char4(in[1]);
  uchar4 u = as_uchar4(in[2]), v = as_uchar4(in[3]);
  short2 s = as_short2(in[4]), t = as_short2(in[5]);
  ushort2 p = as_ushort2(in[6]), q = as_ushort2(in[7]);
  out[0] = as_uint(add_sat(a, b));
  out[1] = as_uint(sub_sat(u, v));
  out[2] = as_uint(mul_hi(a, b));
  out[3] = as_uint(rhadd(u, v));
  out[4] = as_uint(add_sat(s, t));
  out[5] = as_uint(sub_sat(p, q));
  out[6] = as_uint(mul_hi(s, t));
  out[7] = as_uint(rotate(p, q));
  out[8] = as_uint(a < b);
  out[9] = as_uint(select(u, v, a < b));
  out[10] = as_uint(u.wzyx ^ v.yxwz);
  out[11] = as_uint(clz(p)) + as_uint(popcount(q));
  out[12] = as_uint(abs_diff(s, t));
  out[13] = as_uint(convert_short2(upsample(a.xy, u.xy)));
  out[14] = as_uint(a * b + as_char4(u));
  out[15] = as_uint(s * t - as_short2(p));
}

__kernel void longs(__global const uint *in, __global uint *out) {
  ITEM;
  long a = (long)upsample((int)in[0], in[1]), b = (long)upsample((int)in[2], in[3]);
  ulong u = upsample(in[4], in[5]), v = upsample(in[6], in[7]);
  PUT64(0, (ulong)mul_hi(a, b));
  PUT64(2, mul_hi(u, v));
  PUT64(4, (ulong)add_sat(a, b) ^ (ulong)sub_sat(b, a));
  PUT64(6, rotate(u, v));
  PUT64(8, clz(u >> (in[8] & 63)) + 100 * popcount(v));
  PUT64(10, (ulong)hadd(a, b) ^ rhadd(u, v));
  PUT64(12, abs_diff(a, b) ^ (ulong)clamp(a, min(b, 0L), max(b, 0L)));
  PUT64(14, (ulong)(a / (b | 1)) ^ (u % (v | 1)));
}

__kernel void conversions(__global const uint *in, __global uint *out) {
  ITEM;
  float f = as_float(in[0]), g = as_float(in[1]);
  double d = as_double(upsample(in[2], in[3]));
  f = isnan(f) ? 1.5f : f; // the conversion of NaN is not defined
  g = isnan(g) ? -2.5f : g;
  d = isnan(d) ? 0.5 : d;
  out[0] = (uint)convert_int_sat_rte(f);
  out[1] = (uint)convert_int_sat_rtp(f) ^ (uint)convert_int_sat_rtn(g);
  out[2] = convert_uint_sat_rtz(f);
  out[3] = (uint)(int)convert_char_sat_rte(f) ^ convert_uchar_sat_rtp(g) << 8;
  out[4] = (uint)(int)convert_short_sat_rtn(f) ^ convert_ushort_sat_rte(g) << 16;
  PUT64(5, (ulong)convert_long_sat_rte(f));
  PUT64(7, convert_ulong_sat_rtn(d));
  out[9] = (uint)convert_int_sat_rtz(d);
  out[10] = bits(convert_float_rtz((int)in[4])) ^ bits(convert_float_rtp(in[5]));
  out[11] = bits(convert_float_rtn(d));
  out[12] = bits(convert_float_rtp(upsample(in[6], in[7]))) ^ bits(convert_float_rte((long)upsample((int)in[8], in[9])));
  PUT64(13, bits64(convert_double_rtz(upsample(in[10], in[11]))));
  out[15] = convert_uchar_sat((int)in[12]) + (convert_ushort_sat((int)in[13]) << 8) + ((uint)convert_char_sat(in[14]) << 24);
}

__kernel void floats(__global const uint *in, __global uint *out) {
  ITEM;
  float a = as_float(in[0]), b = as_float(in[1]), c = as_float(in[2]);
  out[0] = bits(a + b);
  out[1] = bits(a - b);
  out[2] = bits(a * b);
  out[3] = bits(fma(a, b, c));
  out[4] = bits(floor(a)) ^ bits(ceil(b));
  out[5] = bits(trunc(a)) ^ bits(rint(b));
  out[6] = bits(fabs(a)) ^ bits(copysign(b, c));
  out[7] = (uint)isless(a, b) + 2u * (uint)isgreaterequal(b, c) + 4u * (uint)isunordered(a, c) + 8u * (uint)isnotequal(a, b) + 16u * (uint)signbit(c);
  out[8] = bits(a * b + c);
  out[9] = bits((a > b ? a : b) - (b < c ? b : c));
  out[10] = (uint)isfinite(a) + 2u * (uint)isnormal(b) + 4u * (uint)isinf(c) + 8u * (uint)isordered(a, b);
  float4 v = (float4)(a, b, c, a) * (float4)(b, c, a, a) + (float4)(c, a, b, 1.0f);
  out[11] = bits(v.x);
  out[12] = bits(v.y) ^ bits(v.z);
  out[13] = bits(v.w);
  out[14] = bits(vload_half(0, (__global const half *)&in[3]));
  out[15] = bits(vload_half(1, (__global const half *)&in[3]));
}

__kernel void doubles(__global const uint *in, __global uint *out) {
  ITEM;
  double a = as_double(upsample(in[0], in[1])), b = as_double(upsample(in[2], in[3])), c = as_double(upsample(in[4], in[5]));
  PUT64(0, bits64(a + b));
  PUT64(2, bits64(a * b));
  PUT64(4, bits64(a / b));
  PUT64(6, bits64(fma(a, b, c)));
  PUT64(8, bits64(sqrt(fabs(a))));
  PUT64(10, bits64(floor(a)) ^ bits64(ceil(b)) ^ bits64(rint(c)));
  PUT64(12, bits64(a - b * c));
  PUT64(14, bits64((double)(float)a));
}

// Integer sums of a group in local memory, with barriers in uniform flow.
__kernel void groups(__global const uint *in, __global uint *out) {
  __local uint sums[64];
  __local uint largest, together;
  uint l = (uint)get_local_id(0);
  ITEM;
  sums[l] = in[0];
  if (l == 0)
    largest = 0, together = 0xffffffffu;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_max(&largest, in[1]);
  atomic_and(&together, in[2] | 0xff);
  for (uint distance = 1; distance < 64; distance *= 2) {
    uint other = l >= distance ? sums[l - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[l] += other;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[0] = sums[l];
  out[1] = sums[63 - l];
  out[2] = largest;
  out[3] = together;
  uint h = in[3];
  for (uint i = 0; i < (in[4] & 15); i++) {
    if (h & 1)
      h = h * 3 + sums[h & 63];
    else
      h = (h >> 1) ^ in[i];
    if (h % 7 == 0)
      continue;
    out[4] = i;
    switch (h % 5) {
    case 0: h += 11; break;
    case 1: h ^= 0x55;
    case 2: h = rotate(h, 3u); break;
    case 3: if (h > 1u << 30) { i++; break; }
    default: h -= i;
    }
  }
  out[5] = h;
  for (uint i = 6; i < 16; i++)
    out[i] = (uint)(get_group_id(0) * 1000 + get_local_size(0) * i + get_num_groups(0)) ^ h >> i;
}
