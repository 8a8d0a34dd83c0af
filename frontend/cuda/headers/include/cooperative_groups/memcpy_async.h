// SPDX-License-Identifier: Apache-2.0
// Copies from global to shared memory that the threads of a group make together (CUDA C++
// Programming Guide, "memcpy_async"). Each call is a group of copies.
#ifndef _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#include "../cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"
#if defined(__cplusplus) && defined(__CUDA__)
#define __WARPTAPE_GROUP__ __attribute__((device, always_inline)) inline
namespace cooperative_groups {
namespace __warptape {
// copied copies all whole pieces of some bytes and gives how many bytes these are.
template <unsigned int Piece, class Group> __WARPTAPE_GROUP__ unsigned long copied(const Group &g, char *to, const char *from, unsigned long bytes) {
  for (unsigned long i = g.thread_rank(); i < bytes / Piece; i += g.size()) __pipeline_memcpy_async(to + i * Piece, from + i * Piece, Piece);
  return bytes / Piece * Piece;
}
} // namespace __warptape
template <class Group> __WARPTAPE_GROUP__ void memcpy_async(const Group &g, void *target, const void *source, unsigned long bytes) {
  char *to = (char *)target;
  const char *from = (const char *)source;
  unsigned long alike = (unsigned long)to | (unsigned long)from, done = 0;
  if (__isShared(to) && __isGlobal(from)) {
    if (alike % 16 == 0) done = __warptape::copied<16>(g, to, from, bytes);
    else if (alike % 8 == 0) done = __warptape::copied<8>(g, to, from, bytes);
    if (alike % 4 == 0) done += __warptape::copied<4>(g, to + done, from + done, bytes - done);
  }
  for (unsigned long i = done + g.thread_rank(); i < bytes; i += g.size()) to[i] = from[i];
  __pipeline_commit();
}
// With numbers of elements: as many are copied as both sides have.
template <class Group, class T> __WARPTAPE_GROUP__ void memcpy_async(const Group &g, T *to, unsigned long room, const T *from, unsigned long count) {
  memcpy_async(g, (void *)to, (const void *)from, (room < count ? room : count) * sizeof(T));
}
template <class Group> __WARPTAPE_GROUP__ void wait(const Group &g) {
  __pipeline_wait_prior(0);
  g.sync();
}
template <unsigned int __wt_N, class Group> __WARPTAPE_GROUP__ void wait_prior(const Group &g) {
  __pipeline_wait_prior(__wt_N);
  g.sync();
}
} // namespace cooperative_groups
#undef __WARPTAPE_GROUP__
#endif
#endif
