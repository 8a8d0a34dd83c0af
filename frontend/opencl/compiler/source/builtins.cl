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
