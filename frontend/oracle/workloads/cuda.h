// SPDX-License-Identifier: Apache-2.0
// CUDA C for the host's processor: what traces/include/warptape.h defines over
// clang's NVVM builtins is defined here over plain C++, so that the workloads'
// sources compile for the host as they stand. Spelling and meaning follow the
// CUDA C++ Programming Guide; threads are those of threads.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "threads.h"

#define __global__
#define __device__
#define __host__
#define __shared__ static // one thread block runs at a time
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __restrict__ __restrict

struct __attribute__((aligned(8))) int2 { int x, y; };
struct __attribute__((aligned(16))) int4 { int x, y, z, w; };
struct __attribute__((aligned(8))) uint2 { unsigned x, y; };
struct __attribute__((aligned(16))) uint4 { unsigned x, y, z, w; };
struct __attribute__((aligned(8))) float2 { float x, y; };
struct __attribute__((aligned(16))) float4 { float x, y, z, w; };

#define threadIdx (warptape::current->index)
#define blockIdx (warptape::block.index)
#define blockDim (warptape::block.size)
#define gridDim (warptape::block.grid)
#define warpSize 32

inline void __syncthreads() { warptape::block_barrier(0, 0, 0); }
inline int __syncthreads_count(int p) { return int(warptape::block_barrier(0, 0, p != 0)); }
inline int __syncthreads_or(int p) { return __syncthreads_count(p) != 0; }
inline int __syncthreads_and(int p) { return __syncthreads_count(!p) == 0; }
inline void __threadfence_block() {}
inline void __threadfence() {}
[[noreturn]] inline void __nvvm_exit() { warptape::end_thread(); }

// Threads run one at a time, so that an atomic operation is a plain one.
template <typename T, typename F> inline T warptape_replace(T *p, F f) {
  T old = *p;
  *p = f(old);
  return old;
}
inline int atomicAdd(int *p, int v) { return warptape_replace(p, [v](int a) { return int(unsigned(a) + unsigned(v)); }); }
inline unsigned atomicAdd(unsigned *p, unsigned v) { return warptape_replace(p, [v](unsigned a) { return a + v; }); }
inline float atomicAdd(float *p, float v) { return warptape_replace(p, [v](float a) { return a + v; }); }
inline int atomicMin(int *p, int v) { return warptape_replace(p, [v](int a) { return a < v ? a : v; }); }
inline int atomicMax(int *p, int v) { return warptape_replace(p, [v](int a) { return a > v ? a : v; }); }
inline int atomicOr(int *p, int v) { return warptape_replace(p, [v](int a) { return a | v; }); }
inline int atomicExch(int *p, int v) { return warptape_replace(p, [v](int) { return v; }); }
inline int atomicCAS(int *p, int compare, int v) { return warptape_replace(p, [=](int a) { return a == compare ? v : a; }); }

// Warp operations: all lanes of the mask bring a word and see those of the
// others. A lane from outside gives a lane its own word back.
template <typename T> inline T warptape_shuffled(unsigned mask, T v, int from) {
  uint32_t word;
  memcpy(&word, &v, 4);
  const uint32_t *words = warptape::exchange(mask, word);
  if (from >= 0 && from < 32)
    word = words[from];
  memcpy(&v, &word, 4);
  return v;
}
template <typename T> inline T __shfl_sync(unsigned mask, T v, int lane) { return warptape_shuffled(mask, v, lane & 31); }
template <typename T> inline T __shfl_up_sync(unsigned mask, T v, unsigned delta) { return warptape_shuffled(mask, v, int(warptape::current->lane) - int(delta)); }
template <typename T> inline T __shfl_down_sync(unsigned mask, T v, unsigned delta) { return warptape_shuffled(mask, v, int(warptape::current->lane) + int(delta)); }
template <typename T> inline T __shfl_xor_sync(unsigned mask, T v, int lanes) { return warptape_shuffled(mask, v, int(warptape::current->lane) ^ lanes); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { warptape::exchange(mask, 0); }
inline unsigned __ballot_sync(unsigned mask, int p) {
  const uint32_t *words = warptape::exchange(mask, p != 0);
  unsigned r = 0;
  for (int i = 0; i < 32; i++)
    if (mask >> i & 1 && words[i])
      r |= 1u << i;
  return r;
}
inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, !p) == 0; }

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __ffs(int v) { return __builtin_ffs(v); }

// Elementary functions, correct to the last bit or nearly so where CUDA's are
// approximate: from double precision.
inline float rsqrtf(float a) { return float(1.0 / std::sqrt(double(a))); }
inline float __expf(float a) { return float(std::exp(double(a))); }
inline float __logf(float a) { return float(std::log(double(a))); }
inline float __sinf(float a) { return float(std::sin(double(a))); }
inline float __cosf(float a) { return float(std::cos(double(a))); }
inline float __fdividef(float a, float b) { return a / b; }

// Matrix fragments. Here every lane has all of each matrix, so that no lane
// needs another's part, and computes all of the product; sums are in single
// precision, in ascending order (deviation D12).
typedef unsigned short half_bits;
struct wmma_factor { float x[16][16]; };
struct wmma_accumulator { float x[16][16]; };

inline float warptape_half(half_bits h) {
  _Float16 v;
  memcpy(&v, &h, 2);
  return float(v);
}
inline void wmma_fill(wmma_accumulator &c, float v) {
  for (auto &row : c.x)
    for (float &e : row)
      e = v;
}
inline void wmma_load_a(wmma_factor &a, const half_bits *p, unsigned leading) {
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++)
      a.x[i][j] = warptape_half(p[i * leading + j]);
}
inline void wmma_load_b(wmma_factor &b, const half_bits *p, unsigned leading) { wmma_load_a(b, p, leading); }
inline void wmma_multiply(wmma_accumulator &c, const wmma_factor &a, const wmma_factor &b) {
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++)
      for (int k = 0; k < 16; k++)
        c.x[i][j] = std::fma(a.x[i][k], b.x[k][j], c.x[i][j]);
}
inline void wmma_store(float *p, const wmma_accumulator &c, unsigned leading) {
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++)
      p[i * leading + j] = c.x[i][j];
}

// Textures of one channel of float, with normalised coordinates that repeat and
// linear filtering: what texture-rotate makes (CUDA C++ Programming Guide,
// "Linear Filtering": weights have 8 bits of fraction).
typedef unsigned long long cudaTextureObject_t;
inline float tex2D(cudaTextureObject_t handle, float s, float t) {
  const warptape::Texture &texture = warptape::textures[handle - 1];
  auto place = [](float c, int n, int &low, int &high) {
    double x = (double(c) - std::floor(double(c))) * n - 0.5, below = std::floor(x);
    low = (int(below) + n) % n, high = (low + 1) % n;
    return std::round((x - below) * 256) / 256;
  };
  int x0, x1, y0, y1;
  double a = place(s, texture.width, x0, x1), b = place(t, texture.height, y0, y1);
  const float *p = reinterpret_cast<const float *>(texture.address);
  auto texel = [&](int x, int y) { return double(p[y * texture.width + x]); };
  return float((1 - a) * (1 - b) * texel(x0, y0) + a * (1 - b) * texel(x1, y0) + (1 - a) * b * texel(x0, y1) + a * b * texel(x1, y1));
}
