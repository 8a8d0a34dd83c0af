// SPDX-License-Identifier: Apache-2.0
// Matrices that a warp holds together: nvcuda::wmma, by the compiler's built-in functions, each
// of which is one PTX instruction (PTX ISA, 9.7.14.4).
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__
#include "cuda_fp16.h"
#include "cuda_bf16.h"
#if defined(__cplusplus) && defined(__CUDA__)
#define __WT_MMA__ static __inline__ __attribute__((device))
namespace nvcuda {
namespace wmma {

enum layout_t { mem_row_major, mem_col_major };
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
namespace precision {
struct tf32;
}

// A lane's part of a matrix: as many elements as num_elements says, in an order that no program may rely on.
template <class T, int n> struct __attribute__((aligned(8))) __wt_fragment {
  enum { num_elements = n };
  typedef T element_type;
  typedef T storage_element_type;
  T x[n];
};
template <class Use, int m, int n, int k, class T, class Layout = void> class fragment; // others are not there

template <class T, int n, class __wt_V> __WT_MMA__ void __wt_fill(__wt_fragment<T, n> &f, const __wt_V &v) {
#pragma unroll
  for (int i = 0; i < n; i++) f.x[i] = T(v);
}
template <class Use, int m, int n, int k, class T, class Layout, class __wt_V>
__WT_MMA__ void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const __wt_V &v) { __wt_fill(f, v); }

__WT_MMA__ float __float_to_tf32(float f) {
  float rounded;
  asm("{ .reg .b32 r; cvt.rna.tf32.f32 r, %1; mov.b32 %0, r; }" : "=f"(rounded) : "f"(f));
  return rounded;
}

// The matrices of one type and shape; S is the type of the built-in functions' pointers.
#define __WT_MMA_MATRIX__(use, M, N, K, T, E, count, S, load)                                                                     \
  template <class Layout> class fragment<use, M, N, K, T, Layout> : public __wt_fragment<E, count> {};                            \
  __WT_MMA__ void load_matrix_sync(fragment<use, M, N, K, T, row_major> &f, const E *p, unsigned int ldm) { load((S *)f.x, (const S *)p, ldm, 0); } \
  __WT_MMA__ void load_matrix_sync(fragment<use, M, N, K, T, col_major> &f, const E *p, unsigned int ldm) { load((S *)f.x, (const S *)p, ldm, 1); }
#define __WT_MMA_ACCUMULATOR__(M, N, K, T, count, S, load, store)                                                                 \
  template <> class fragment<accumulator, M, N, K, T> : public __wt_fragment<T, count> {};                                        \
  __WT_MMA__ void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p, unsigned int ldm, layout_t layout) {         \
    if (layout == mem_row_major) load((S *)f.x, (const S *)p, ldm, 0); else load((S *)f.x, (const S *)p, ldm, 1);                 \
  }                                                                                                                               \
  __WT_MMA__ void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, unsigned int ldm, layout_t layout) {        \
    if (layout == mem_row_major) store((S *)p, (const S *)f.x, ldm, 0); else store((S *)p, (const S *)f.x, ldm, 1);               \
  }
#define __WT_MMA_OPERANDS__(M, N, K, T, D, C, LA, LB)                                                                             \
  fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, LA> &a, const fragment<matrix_b, M, N, K, T, LB> &b, \
    const fragment<accumulator, M, N, K, C> &c
#define __WT_MMA_CALL__(multiply, SD, S, SC, layout, satf) multiply((SD *)d.x, (const S *)a.x, (const S *)b.x, (const SC *)c.x, layout, satf)
// Products without satf, those of half with it, and those of bytes.
#define __WT_MMA_EXACT__(M, N, K, T, D, C, LA, LB, layout, SD, S, SC, multiply)                                                   \
  __WT_MMA__ void mma_sync(__WT_MMA_OPERANDS__(M, N, K, T, D, C, LA, LB)) { __WT_MMA_CALL__(multiply, SD, S, SC, layout, 0); }
#define __WT_MMA_FINITE__(M, N, K, T, D, C, LA, LB, layout, SD, S, SC, multiply)                                                  \
  __WT_MMA__ void mma_sync(__WT_MMA_OPERANDS__(M, N, K, T, D, C, LA, LB), bool satf = false) {                                    \
    __WT_MMA_CALL__(multiply, SD, S, SC, layout, 0);                                                                              \
    if (satf) __wt_finite(d);                                                                                                     \
  }
#define __WT_MMA_SATURATED__(M, N, K, T, D, C, LA, LB, layout, SD, S, SC, multiply)                                               \
  __WT_MMA__ void mma_sync(__WT_MMA_OPERANDS__(M, N, K, T, D, C, LA, LB), bool satf = false) {                                    \
    if (satf) __WT_MMA_CALL__(multiply, SD, S, SC, layout, 1); else __WT_MMA_CALL__(multiply, SD, S, SC, layout, 0);              \
  }
#define __WT_MMA_PRODUCT__(kind, M, N, K, T, D, C, SD, S, SC, multiply)                                                           \
  kind(M, N, K, T, D, C, row_major, row_major, 0, SD, S, SC, multiply)                                                            \
  kind(M, N, K, T, D, C, row_major, col_major, 1, SD, S, SC, multiply)                                                            \
  kind(M, N, K, T, D, C, col_major, row_major, 2, SD, S, SC, multiply)                                                            \
  kind(M, N, K, T, D, C, col_major, col_major, 3, SD, S, SC, multiply)

// The largest finite number in place of an infinity, and zero in place of NaN: what satf means for sums
// of floating point. PTX had it as .satfinite until 6.4; these are instructions for each element.
__WT_MMA__ float __wt_finite(float f) { return f != f ? 0.0f : fminf(fmaxf(f, -0x1.fffffep127f), 0x1.fffffep127f); }
__WT_MMA__ __half __wt_finite(__half h) {
  float f = __half2float(h);
  return __float2half(f != f ? 0.0f : fminf(fmaxf(f, -65504.0f), 65504.0f));
}
template <class T, int n> __WT_MMA__ void __wt_finite(__wt_fragment<T, n> &d) {
#pragma unroll
  for (int i = 0; i < n; i++) d.x[i] = __wt_finite(d.x[i]);
}


// Half, with sums of half and of single precision.

#define __WT_MMA_HALF__(M, N, K, s)                                                            \
  __WT_MMA_MATRIX__(matrix_a, M, N, K, __half, __half, 16, int, __hmma_##s##_ld_a)               \
  __WT_MMA_MATRIX__(matrix_b, M, N, K, __half, __half, 16, int, __hmma_##s##_ld_b)               \
  __WT_MMA_ACCUMULATOR__(M, N, K, __half, 8, int, __hmma_##s##_ld_c_f16, __hmma_##s##_st_c_f16)  \
  __WT_MMA_ACCUMULATOR__(M, N, K, float, 8, float, __hmma_##s##_ld_c_f32, __hmma_##s##_st_c_f32) \
  __WT_MMA_ACCUMULATOR__(M, N, K, int, 8, int, __imma_##s##_ld_c, __imma_##s##_st_c_i32)         \
  __WT_MMA_PRODUCT__(__WT_MMA_FINITE__, M, N, K, __half, float, float, float, int, float, __hmma_##s##_mma_f32f32)  \
  __WT_MMA_PRODUCT__(__WT_MMA_FINITE__, M, N, K, __half, __half, __half, int, int, int, __hmma_##s##_mma_f16f16)    \
  __WT_MMA_PRODUCT__(__WT_MMA_FINITE__, M, N, K, __half, float, __half, float, int, int, __hmma_##s##_mma_f32f16)   \
  __WT_MMA_PRODUCT__(__WT_MMA_FINITE__, M, N, K, __half, __half, float, int, int, float, __hmma_##s##_mma_f16f32)

__WT_MMA_HALF__(16, 16, 16, m16n16k16)
__WT_MMA_HALF__(8, 32, 16, m8n32k16)
__WT_MMA_HALF__(32, 8, 16, m32n8k16)

// bfloat16, with sums of single precision.

#define __WT_MMA_BFLOAT16__(M, N, K, s, na, nb)                                                       \
  __WT_MMA_MATRIX__(matrix_a, M, N, K, __nv_bfloat16, __nv_bfloat16, na, int, __mma_bf16_##s##_ld_a)    \
  __WT_MMA_MATRIX__(matrix_b, M, N, K, __nv_bfloat16, __nv_bfloat16, nb, int, __mma_bf16_##s##_ld_b)    \
  __WT_MMA_PRODUCT__(__WT_MMA_EXACT__, M, N, K, __nv_bfloat16, float, float, float, int, float, __mma_bf16_##s##_mma_f32)

__WT_MMA_BFLOAT16__(16, 16, 16, m16n16k16, 8, 8)
__WT_MMA_BFLOAT16__(8, 32, 16, m8n32k16, 4, 16)
__WT_MMA_BFLOAT16__(32, 8, 16, m32n8k16, 16, 4)

// Bytes, with sums of 32 bits.

#define __WT_MMA_BYTES__(M, N, K, s, na, nb)                                                      \
  __WT_MMA_MATRIX__(matrix_a, M, N, K, signed char, signed char, na, int, __imma_##s##_ld_a_s8)     \
  __WT_MMA_MATRIX__(matrix_b, M, N, K, signed char, signed char, nb, int, __imma_##s##_ld_b_s8)     \
  __WT_MMA_MATRIX__(matrix_a, M, N, K, unsigned char, unsigned char, na, int, __imma_##s##_ld_a_u8) \
  __WT_MMA_MATRIX__(matrix_b, M, N, K, unsigned char, unsigned char, nb, int, __imma_##s##_ld_b_u8) \
  __WT_MMA_PRODUCT__(__WT_MMA_SATURATED__, M, N, K, signed char, int, int, int, int, int, __imma_##s##_mma_s8)            \
  __WT_MMA_PRODUCT__(__WT_MMA_SATURATED__, M, N, K, unsigned char, int, int, int, int, int, __imma_##s##_mma_u8)

__WT_MMA_BYTES__(16, 16, 16, m16n16k16, 8, 8)
__WT_MMA_BYTES__(8, 32, 16, m8n32k16, 4, 16)
__WT_MMA_BYTES__(32, 8, 16, m32n8k16, 16, 4)

// TF32, whose numbers are floats that __float_to_tf32 has rounded.
__WT_MMA_MATRIX__(matrix_a, 16, 16, 8, precision::tf32, float, 4, int, __mma_tf32_m16n16k8_ld_a)
__WT_MMA_MATRIX__(matrix_b, 16, 16, 8, precision::tf32, float, 4, int, __mma_tf32_m16n16k8_ld_b)
__WT_MMA_ACCUMULATOR__(16, 16, 8, float, 8, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
__WT_MMA_PRODUCT__(__WT_MMA_EXACT__, 16, 16, 8, precision::tf32, float, float, float, int, float, __mma_tf32_m16n16k8_mma_f32)

// Double precision.
__WT_MMA_MATRIX__(matrix_a, 8, 8, 4, double, double, 1, double, __dmma_m8n8k4_ld_a)
__WT_MMA_MATRIX__(matrix_b, 8, 8, 4, double, double, 1, double, __dmma_m8n8k4_ld_b)
__WT_MMA_ACCUMULATOR__(8, 8, 4, double, 2, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
__WT_MMA_PRODUCT__(__WT_MMA_EXACT__, 8, 8, 4, double, double, double, double, double, double, __dmma_m8n8k4_mma_f64)

#include "warptape_sub_byte_matrices.h"
} // namespace wmma
} // namespace nvcuda
#endif
#endif
