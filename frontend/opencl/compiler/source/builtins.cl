// Functions of OpenCL C that libclc lacks, or has in a form for which there are no
// instructions of PTX. They are linked before it.
//
// The native functions are one instruction of the special function unit, or two with a
// multiplication (PTX ISA, "ex2", "lg2", "sin", "cos", "rcp", "sqrt", "rsqrt", "div.approx").
#define OVERLOADED __attribute__((overloadable))
#define WIDE(name) \
  float2 OVERLOADED name(float2 x) { return (float2)(name(x.x), name(x.y)); } \
  float3 OVERLOADED name(float3 x) { return (float3)(name(x.x), name(x.y), name(x.z)); } \
  float4 OVERLOADED name(float4 x) { return (float4)(name(x.lo), name(x.hi)); } \
  float8 OVERLOADED name(float8 x) { return (float8)(name(x.lo), name(x.hi)); } \
  float16 OVERLOADED name(float16 x) { return (float16)(name(x.lo), name(x.hi)); }
#define UNARY(name, body) \
  float OVERLOADED name(float x) { return body; } \
  WIDE(name)
#define BINARY(name, body) \
  float OVERLOADED name(float x, float y) { return body; } \
  float2 OVERLOADED name(float2 x, float2 y) { return (float2)(name(x.x, y.x), name(x.y, y.y)); } \
  float3 OVERLOADED name(float3 x, float3 y) { return (float3)(name(x.x, y.x), name(x.y, y.y), name(x.z, y.z)); } \
  float4 OVERLOADED name(float4 x, float4 y) { return (float4)(name(x.lo, y.lo), name(x.hi, y.hi)); } \
  float8 OVERLOADED name(float8 x, float8 y) { return (float8)(name(x.lo, y.lo), name(x.hi, y.hi)); } \
  float16 OVERLOADED name(float16 x, float16 y) { return (float16)(name(x.lo, y.lo), name(x.hi, y.hi)); }

#define LOG2_10 3.321928094887362348f
#define LOG10_2 0.301029995663981195f

UNARY(native_sin, __nvvm_sin_approx_f(x))
UNARY(native_cos, __nvvm_cos_approx_f(x))
UNARY(native_tan, __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)))
UNARY(native_exp2, __nvvm_ex2_approx_f(x))
UNARY(native_exp, __nvvm_ex2_approx_f(x * M_LOG2E_F))
UNARY(native_exp10, __nvvm_ex2_approx_f(x * LOG2_10))
UNARY(native_log2, __nvvm_lg2_approx_f(x))
UNARY(native_log, __nvvm_lg2_approx_f(x) * M_LN2_F)
UNARY(native_log10, __nvvm_lg2_approx_f(x) * LOG10_2)
UNARY(native_recip, __nvvm_div_approx_f(1.0f, x))
UNARY(native_sqrt, __nvvm_sqrt_approx_f(x))
UNARY(native_rsqrt, __nvvm_rsqrt_approx_f(x))
BINARY(native_divide, __nvvm_div_approx_f(x, y))
BINARY(native_powr, __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)))
UNARY(half_sin, sin(x))
UNARY(half_cos, cos(x))
UNARY(half_tan, tan(x))
UNARY(half_exp, native_exp(x))
UNARY(half_exp2, native_exp2(x))
UNARY(half_exp10, native_exp10(x))
UNARY(half_log, native_log(x))
UNARY(half_log2, native_log2(x))
UNARY(half_log10, native_log10(x))
UNARY(half_recip, native_recip(x))
UNARY(half_sqrt, native_sqrt(x))
UNARY(half_rsqrt, native_rsqrt(x))
BINARY(half_divide, native_divide(x, y))
BINARY(half_powr, native_powr(x, y))

// mad_hi is a macro of libclc's own header and no function (OpenCL 1.2, 6.12.3).
#define MAD_HI(type) \
  type OVERLOADED mad_hi(type a, type b, type c) { return mul_hi(a, b) + c; }
#define MAD_HI_WIDE(type) \
  MAD_HI(type) MAD_HI(type##2) MAD_HI(type##3) MAD_HI(type##4) MAD_HI(type##8) MAD_HI(type##16)
MAD_HI_WIDE(char) MAD_HI_WIDE(uchar) MAD_HI_WIDE(short) MAD_HI_WIDE(ushort)
MAD_HI_WIDE(int) MAD_HI_WIDE(uint) MAD_HI_WIDE(long) MAD_HI_WIDE(ulong)

// libclc's forms of int and long give the least for 0 less the least, which is past the
// greatest (6.12.3).
#define SUB_SAT(type) \
  type OVERLOADED sub_sat(type a, type b) { return __builtin_elementwise_sub_sat(a, b); }
#define SUB_SAT_WIDE(type) \
  SUB_SAT(type) SUB_SAT(type##2) SUB_SAT(type##3) SUB_SAT(type##4) SUB_SAT(type##8) SUB_SAT(type##16)
SUB_SAT_WIDE(int) SUB_SAT_WIDE(long)

// libclc's form for long saturates products with zero and with -1 that fit (6.12.3).
long OVERLOADED mad_sat(long a, long b, long c) {
  ulong low = (ulong)a * (ulong)b, sum = low + (ulong)c;
  long high = mul_hi(a, b) + (c >> 63) + (sum < low);
  return high == (long)sum >> 63 ? (long)sum : high < 0 ? LONG_MIN : LONG_MAX;
}
long2 OVERLOADED mad_sat(long2 a, long2 b, long2 c) { return (long2)(mad_sat(a.x, b.x, c.x), mad_sat(a.y, b.y, c.y)); }
long3 OVERLOADED mad_sat(long3 a, long3 b, long3 c) { return (long3)(mad_sat(a.xy, b.xy, c.xy), mad_sat(a.z, b.z, c.z)); }
long4 OVERLOADED mad_sat(long4 a, long4 b, long4 c) { return (long4)(mad_sat(a.lo, b.lo, c.lo), mad_sat(a.hi, b.hi, c.hi)); }
long8 OVERLOADED mad_sat(long8 a, long8 b, long8 c) { return (long8)(mad_sat(a.lo, b.lo, c.lo), mad_sat(a.hi, b.hi, c.hi)); }
long16 OVERLOADED mad_sat(long16 a, long16 b, long16 c) { return (long16)(mad_sat(a.lo, b.lo, c.lo), mad_sat(a.hi, b.hi, c.hi)); }

// libclc gives an infinity for the payload 0 (6.12.2: a quiet NaN).
#define NAN_OF(type, bits) \
  type OVERLOADED nan(bits payload) { return as_##type(payload | (bits)0x7ff8000000000000); }
NAN_OF(double, ulong) NAN_OF(double2, ulong2) NAN_OF(double3, ulong3) NAN_OF(double4, ulong4) NAN_OF(double8, ulong8) NAN_OF(double16, ulong16)

// libclc has no vectors of doubles between edges that are none (6.12.4).
#define SMOOTHSTEP(type) \
  type OVERLOADED smoothstep(double low, double high, type x) { \
    type t = clamp((x - low) / (high - low), 0.0, 1.0); \
    return t * t * (3.0 - 2.0 * t); \
  }
SMOOTHSTEP(double2) SMOOTHSTEP(double3) SMOOTHSTEP(double4) SMOOTHSTEP(double8) SMOOTHSTEP(double16)

// The driver's registers have the number of dimensions, and in code that heeds offsets the
// offsets of global numbers.
uint OVERLOADED get_work_dim(void) {
  uint n;
  __asm__("mov.u32 %0, %%envreg31;" : "=r"(n));
  return n;
}

#ifdef OFFSETS
size_t OVERLOADED get_global_offset(uint d) {
  uint n = 0;
  if (d == 0) __asm__("mov.u32 %0, %%envreg3;" : "=r"(n));
  if (d == 1) __asm__("mov.u32 %0, %%envreg4;" : "=r"(n));
  if (d == 2) __asm__("mov.u32 %0, %%envreg5;" : "=r"(n));
  return n;
}
size_t OVERLOADED get_global_id(uint d) { return get_global_offset(d) + get_group_id(d) * get_local_size(d) + get_local_id(d); }
#else
size_t OVERLOADED get_global_offset(uint d) { return 0; }
#endif

// Sixteen bytes at any address are two vectors of eight: LLVM's back end before release 20 takes sixteen for aligned ones.
#define SIXTEEN(space, type) \
  type##16 OVERLOADED vload16(size_t i, const space type *p) { return (type##16)(vload8(2 * i, p), vload8(2 * i + 1, p)); }
SIXTEEN(__global, char)
SIXTEEN(__global, uchar)
SIXTEEN(__constant, char)
SIXTEEN(__constant, uchar)
SIXTEEN(__local, char)
SIXTEEN(__local, uchar)
SIXTEEN(__private, char)
SIXTEEN(__private, uchar)
