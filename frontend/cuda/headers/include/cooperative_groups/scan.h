// SPDX-License-Identifier: Apache-2.0
// Scans over a tile or coalesced threads, in the order of ranks.
#ifndef _COOPERATIVE_GROUPS_SCAN_H
#define _COOPERATIVE_GROUPS_SCAN_H
#include "reduce.h"
#if defined(__cplusplus) && defined(__CUDA__)
#define __WARPTAPE_GROUP__ __attribute__((device, always_inline)) inline
namespace cooperative_groups {
template <class Group, class T, class Op> __WARPTAPE_GROUP__ T inclusive_scan(const Group &g, T v, Op op) {
  for (unsigned int d = 1; d < g.size(); d *= 2) {
    T before = g.shfl_up(v, d);
    if (g.thread_rank() >= d) v = op(before, v);
  }
  return v;
}
template <class Group, class T> __WARPTAPE_GROUP__ T inclusive_scan(const Group &g, T v) { return inclusive_scan(g, v, plus<T>()); }

// The first thread, before which there is none, gets a T without arguments.
template <class Group, class T, class Op> __WARPTAPE_GROUP__ T exclusive_scan(const Group &g, T v, Op op) {
  T before = g.shfl_up(inclusive_scan(g, v, op), 1);
  return g.thread_rank() == 0 ? T() : before;
}
template <class Group, class T> __WARPTAPE_GROUP__ T exclusive_scan(const Group &g, T v) { return exclusive_scan(g, v, plus<T>()); }
} // namespace cooperative_groups
#undef __WARPTAPE_GROUP__
#endif
#endif
