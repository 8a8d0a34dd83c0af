// SPDX-License-Identifier: Apache-2.0
// Matrices of elements of four bits and of one (nvcuda::wmma::experimental): A of rows, B of columns (PTX ISA, 9.7.14.4.1).
// mma.h includes this file and has the macros. A lane has one register of each of A and B.
#ifndef __WARPTAPE_SUB_BYTE_MATRICES_H__
#define __WARPTAPE_SUB_BYTE_MATRICES_H__

namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

// A register of packed elements; the first type says which, the second is what holds them.
template <class T, class __wt_S, int n, int registers> struct __attribute__((aligned(4))) __wt_packed_fragment {
  enum { num_elements = n, num_storage_elements = registers };
  typedef T element_type;
  typedef __wt_S storage_element_type;
  __wt_S x[registers];
};

// Pointers are to packed elements of any type; ldm counts elements.
#define __WT_MMA_PACKED__(use, layout, M, N, K, T, S, n, load, column)                                                              \
  template <> class fragment<use, M, N, K, experimental::precision::T, layout> : public __wt_packed_fragment<experimental::precision::T, S, n, 1> {}; \
  __WT_MMA__ void load_matrix_sync(fragment<use, M, N, K, experimental::precision::T, layout> &f, const void *p, unsigned int ldm) { \
    load((int *)f.x, (const int *)p, ldm, column);                                                                                  \
  }                                                                                                                                 \
  template <class __wt_V>                                                                                                           \
  __WT_MMA__ void fill_fragment(fragment<use, M, N, K, experimental::precision::T, layout> &f, const __wt_V &v) { f.x[0] = (S)v; }
#define __WT_MMA_NIBBLES__(T, S)                                                                              \
  __WT_MMA_PACKED__(matrix_a, row_major, 8, 8, 32, T, S, 8, __imma_m8n8k32_ld_a_##T, 0)                       \
  __WT_MMA_PACKED__(matrix_b, col_major, 8, 8, 32, T, S, 8, __imma_m8n8k32_ld_b_##T, 1)                       \
  __WT_MMA_SATURATED__(8, 8, 32, experimental::precision::T, int, int, row_major, col_major, 1, int, int, int, __imma_m8n8k32_mma_##T)

__WT_MMA_ACCUMULATOR__(8, 8, 32, int, 2, int, __imma_m8n8k32_ld_c, __imma_m8n8k32_st_c_i32)
__WT_MMA_NIBBLES__(s4, int)
__WT_MMA_NIBBLES__(u4, unsigned int)

__WT_MMA_PACKED__(matrix_a, row_major, 8, 8, 128, b1, unsigned int, 32, __bmma_m8n8k128_ld_a_b1, 0)
__WT_MMA_PACKED__(matrix_b, col_major, 8, 8, 128, b1, unsigned int, 32, __bmma_m8n8k128_ld_b_b1, 1)
__WT_MMA_ACCUMULATOR__(8, 8, 128, int, 2, int, __bmma_m8n8k128_ld_c, __bmma_m8n8k128_st_c_i32)

// Two forms, since the operation is a part of the instruction: conjunction needs compute capability 8.0, exclusive disjunction 7.5.
#define __WT_MMA_BITS__(multiply) multiply((int *)d.x, (const int *)a.x, (const int *)b.x, (const int *)c.x, 1)
__WT_MMA__ void bmma_sync(__WT_MMA_OPERANDS__(8, 8, 128, experimental::precision::b1, int, int, row_major, col_major),
                          experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
                          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  if (operation == experimental::bmmaBitOpXOR) {
    __WT_MMA_BITS__(__bmma_m8n8k128_mma_xor_popc_b1);
    return;
  }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  __WT_MMA_BITS__(__bmma_m8n8k128_mma_and_popc_b1);
#else
  asm volatile("trap;"); // no such instruction
#endif
}
#endif
