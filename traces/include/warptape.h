// The part of CUDA C that the workloads of this catalogue use, defined over
// clang's NVVM builtins, so that a kernel compiles with clang alone: no CUDA
// toolkit, no CUDA headers. Spelling and meaning follow the CUDA C++
// Programming Guide. traces/Makefile includes it ahead of every source file.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __restrict__ __restrict

// Vector types. Those whose size is a power of two are aligned to it, so that
// one access moves the whole value (ld.global.v2, ld.global.v4).
struct uint3 { unsigned x, y, z; };
struct __attribute__((aligned(8))) int2 { int x, y; };
struct __attribute__((aligned(16))) int4 { int x, y, z, w; };
struct __attribute__((aligned(8))) uint2 { unsigned x, y; };
struct __attribute__((aligned(16))) uint4 { unsigned x, y, z, w; };
struct __attribute__((aligned(8))) float2 { float x, y; };
struct __attribute__((aligned(16))) float4 { float x, y, z, w; };

// Special registers. Each function reads all three components; the optimiser
// drops those that a kernel does not use.
__device__ __forceinline__ uint3 warptape_thread_idx() {
  return {unsigned(__nvvm_read_ptx_sreg_tid_x()), unsigned(__nvvm_read_ptx_sreg_tid_y()),
          unsigned(__nvvm_read_ptx_sreg_tid_z())};
}
__device__ __forceinline__ uint3 warptape_block_idx() {
  return {unsigned(__nvvm_read_ptx_sreg_ctaid_x()), unsigned(__nvvm_read_ptx_sreg_ctaid_y()),
          unsigned(__nvvm_read_ptx_sreg_ctaid_z())};
}
__device__ __forceinline__ uint3 warptape_block_dim() {
  return {unsigned(__nvvm_read_ptx_sreg_ntid_x()), unsigned(__nvvm_read_ptx_sreg_ntid_y()),
          unsigned(__nvvm_read_ptx_sreg_ntid_z())};
}
__device__ __forceinline__ uint3 warptape_grid_dim() {
  return {unsigned(__nvvm_read_ptx_sreg_nctaid_x()), unsigned(__nvvm_read_ptx_sreg_nctaid_y()),
          unsigned(__nvvm_read_ptx_sreg_nctaid_z())};
}
#define threadIdx (warptape_thread_idx())
#define blockIdx (warptape_block_idx())
#define blockDim (warptape_block_dim())
#define gridDim (warptape_grid_dim())
#define warpSize 32

// Barriers and fences; __syncthreads() itself is a builtin of the compiler.
__device__ __forceinline__ int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
__device__ __forceinline__ int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
__device__ __forceinline__ int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
__device__ __forceinline__ void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
__device__ __forceinline__ void __threadfence_block() { __nvvm_membar_cta(); }
__device__ __forceinline__ void __threadfence() { __nvvm_membar_gl(); }

// Atomics; the old value is returned.
__device__ __forceinline__ int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
__device__ __forceinline__ unsigned atomicAdd(unsigned *p, unsigned v) {
  return unsigned(__nvvm_atom_add_gen_i(reinterpret_cast<int *>(p), int(v)));
}
__device__ __forceinline__ float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
__device__ __forceinline__ int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
__device__ __forceinline__ int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
__device__ __forceinline__ int atomicOr(int *p, int v) { return __nvvm_atom_or_gen_i(p, v); }
__device__ __forceinline__ int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
__device__ __forceinline__ int atomicCAS(int *p, int compare, int v) {
  return __nvvm_atom_cas_gen_i(p, compare, v);
}

// Warp shuffles. The clamp operand is 31 except for "up", which compares with
// the segment's first lane (PTX ISA, shfl.sync); width is always the warp's.
__device__ __forceinline__ int __shfl_sync(unsigned mask, int v, int lane) {
  return __nvvm_shfl_sync_idx_i32(mask, v, lane, 31);
}
__device__ __forceinline__ int __shfl_up_sync(unsigned mask, int v, unsigned delta) {
  return __nvvm_shfl_sync_up_i32(mask, v, int(delta), 0);
}
__device__ __forceinline__ int __shfl_down_sync(unsigned mask, int v, unsigned delta) {
  return __nvvm_shfl_sync_down_i32(mask, v, int(delta), 31);
}
__device__ __forceinline__ int __shfl_xor_sync(unsigned mask, int v, int lanes) {
  return __nvvm_shfl_sync_bfly_i32(mask, v, lanes, 31);
}
__device__ __forceinline__ float __shfl_sync(unsigned mask, float v, int lane) {
  return __nvvm_shfl_sync_idx_f32(mask, v, lane, 31);
}
__device__ __forceinline__ float __shfl_up_sync(unsigned mask, float v, unsigned delta) {
  return __nvvm_shfl_sync_up_f32(mask, v, int(delta), 0);
}
__device__ __forceinline__ float __shfl_down_sync(unsigned mask, float v, unsigned delta) {
  return __nvvm_shfl_sync_down_f32(mask, v, int(delta), 31);
}
__device__ __forceinline__ float __shfl_xor_sync(unsigned mask, float v, int lanes) {
  return __nvvm_shfl_sync_bfly_f32(mask, v, lanes, 31);
}

// Votes.
__device__ __forceinline__ unsigned __ballot_sync(unsigned mask, int p) {
  return __nvvm_vote_ballot_sync(mask, p);
}
__device__ __forceinline__ int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
__device__ __forceinline__ int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }

// Arithmetic.
__device__ __forceinline__ int min(int a, int b) { return a < b ? a : b; }
__device__ __forceinline__ int max(int a, int b) { return a > b ? a : b; }
__device__ __forceinline__ unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
__device__ __forceinline__ unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
__device__ __forceinline__ float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
__device__ __forceinline__ float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
__device__ __forceinline__ float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
__device__ __forceinline__ float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
__device__ __forceinline__ int __popc(unsigned v) { return __builtin_popcount(v); }
__device__ __forceinline__ int __ffs(int v) { return __builtin_ffs(v); } // the lowest set bit, counted from 1; 0: none

// Elementary functions, over PTX's approximations (PTX ISA, 9.7.3), whose
// errors the comments build on. The names with two underscores are the plain
// instruction; the others reduce their argument first.
__device__ __forceinline__ float fabsf(float a) { return __builtin_fabsf(a); }
__device__ __forceinline__ float floorf(float a) { return __builtin_floorf(a); }
__device__ __forceinline__ float rintf(float a) { return __builtin_rintf(a); }
__device__ __forceinline__ float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); } // relative 2^-22.4
__device__ __forceinline__ float exp2f(float a) { return __nvvm_ex2_approx_f(a); }    // relative 2^-22
__device__ __forceinline__ float log2f(float a) { return __nvvm_lg2_approx_f(a); }    // 2^-22, absolute in 0.5 ... 2, else relative
__device__ __forceinline__ float __expf(float a) { return exp2f(a * 1.44269504f); }   // relative 2^-21 * max(1, |a|)
__device__ __forceinline__ float __logf(float a) { return log2f(a) * 0.69314718f; }   // 2^-21, absolute in 0.5 ... 2, else relative
__device__ __forceinline__ float __sinf(float a) { return __nvvm_sin_approx_f(a); }   // absolute 2^-20 for |a| <= pi
__device__ __forceinline__ float __cosf(float a) { return __nvvm_cos_approx_f(a); }   // absolute 2^-20 for |a| <= pi

// Relative error 2^-20. The exponent's integer part is split off exactly, with
// ln 2 in two parts. NaN gives 0.
__device__ __forceinline__ float expf(float a) {
  a = fminf(fmaxf(a, -110.0f), 89.0f);
  float k = rintf(a * 1.44269504f);
  float rest = fmaf(k, -1.42860677e-6f, fmaf(k, -0.693145752f, a));
  return exp2f(k) * exp2f(rest * 1.44269504f);
}
__device__ __forceinline__ float logf(float a) { return __logf(a); }
// Within 2 units in the last place where |b| is in 2^-126 ... 2^126 (PTX ISA, 9.7.3.8).
__device__ __forceinline__ float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }

// a less the nearest multiple of 2 pi, with 2 pi in two parts: within 2^-21 for
// |a| <= 4096.
__device__ __forceinline__ float warptape_reduce_angle(float a) {
  float k = rintf(a * 0.159154943f);
  return fmaf(k, -1.93530718e-3f, fmaf(k, -6.28125f, a));
}
__device__ __forceinline__ float sinf(float a) { return __sinf(warptape_reduce_angle(a)); } // absolute 2^-19 for |a| <= 4096
__device__ __forceinline__ float cosf(float a) { return __cosf(warptape_reduce_angle(a)); } // absolute 2^-19 for |a| <= 4096

// Matrix fragments of a warp (CUDA C++ Programming Guide, "Warp Matrix
// Functions"), 16 x 16 x 16 of half precision with single-precision sums. Halves
// are their bits. The leading dimension is in elements.
typedef unsigned short half_bits;
struct wmma_factor { int x[8]; };
struct wmma_accumulator { float x[8]; };

__device__ __forceinline__ void wmma_fill(wmma_accumulator &c, float v) {
  for (int i = 0; i < 8; i++)
    c.x[i] = v;
}
__device__ __forceinline__ void wmma_load_a(wmma_factor &a, const half_bits *p, unsigned leading) {
  __hmma_m16n16k16_ld_a(a.x, reinterpret_cast<const int *>(p), leading, 0);
}
__device__ __forceinline__ void wmma_load_b(wmma_factor &b, const half_bits *p, unsigned leading) {
  __hmma_m16n16k16_ld_b(b.x, reinterpret_cast<const int *>(p), leading, 0);
}
// c = a*b + c, all row-major.
__device__ __forceinline__ void wmma_multiply(wmma_accumulator &c, const wmma_factor &a, const wmma_factor &b) {
  __hmma_m16n16k16_mma_f32f32(c.x, a.x, b.x, c.x, 0, 0);
}
__device__ __forceinline__ void wmma_store(float *p, const wmma_accumulator &c, unsigned leading) {
  __hmma_m16n16k16_st_c_f32(p, c.x, leading, 0);
}

// Textures of one channel. The compiler has no builtins for them, so these are
// the instruction (PTX ISA, 9.7.10.3). tex1Dfetch counts texels.
typedef unsigned long long cudaTextureObject_t;
__device__ __forceinline__ float tex2D(cudaTextureObject_t texture, float x, float y) {
  float r, g, b, a;
  asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
      : "=f"(r), "=f"(g), "=f"(b), "=f"(a) : "l"(texture), "f"(x), "f"(y));
  return r;
}
__device__ __forceinline__ float tex1Dfetch(cudaTextureObject_t texture, int i) {
  float r, g, b, a;
  asm("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
      : "=f"(r), "=f"(g), "=f"(b), "=f"(a) : "l"(texture), "r"(i));
  return r;
}
