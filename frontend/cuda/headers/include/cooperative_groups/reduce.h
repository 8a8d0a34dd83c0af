// SPDX-License-Identifier: Apache-2.0
// Reductions of a tile or of coalesced threads.
#ifndef _COOPERATIVE_GROUPS_REDUCE_H
#define _COOPERATIVE_GROUPS_REDUCE_H
#include "../cooperative_groups.h"
#if defined(__cplusplus) && defined(__CUDA__)
#define __WARPTAPE_GROUP__ __attribute__((device, always_inline)) inline
namespace cooperative_groups {
template <class T> struct plus { __WARPTAPE_GROUP__ T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __WARPTAPE_GROUP__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __WARPTAPE_GROUP__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { __WARPTAPE_GROUP__ T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __WARPTAPE_GROUP__ T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __WARPTAPE_GROUP__ T operator()(T a, T b) const { return a ^ b; } };
template <unsigned int __wt_N, class __wt_P, class T, class Op>
__WARPTAPE_GROUP__ T reduce(const thread_block_tile<__wt_N, __wt_P> &g, T v, Op op) {
  for (unsigned int d = __wt_N / 2; d > 0; d /= 2) v = op(v, g.shfl_xor(v, d));
  return v;
}
#define __WARPTAPE_WIDE_REDUCE__(n)                                                                \
  template <class __wt_P, class T, class Op> __WARPTAPE_GROUP__ T reduce(const thread_block_tile<n, __wt_P> &g, T v, Op op) { \
    return g.gather(reduce(thread_block_tile<32>(), v, op), op);                                  \
  }
__WARPTAPE_WIDE_REDUCE__(64)
__WARPTAPE_WIDE_REDUCE__(128)
__WARPTAPE_WIDE_REDUCE__(256)
__WARPTAPE_WIDE_REDUCE__(512)
__WARPTAPE_WIDE_REDUCE__(1024)
#undef __WARPTAPE_WIDE_REDUCE__
template <class T, class Op> __WARPTAPE_GROUP__ T reduce(const coalesced_group &g, T v, Op op) {
  T r = g.shfl(v, 0);
  for (unsigned int i = 1; i < g.size(); i++) r = op(r, g.shfl(v, i));
  return r;
}
} // namespace cooperative_groups
#undef __WARPTAPE_GROUP__
#endif
#endif
