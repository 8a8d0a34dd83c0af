// SPDX-License-Identifier: Apache-2.0
// Reductions over the lanes of a warp (CUDA C++ Programming Guide, "Warp Reduce Functions").
// Clang 19's own have the mask and the value the other way round, so that crt/sm_70_rt.hpp
// gives them other names.
#ifndef __WARPTAPE_WARP_REDUCTIONS_H__
#define __WARPTAPE_WARP_REDUCTIONS_H__
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define __WARPTAPE_REDUX__(name, type, operation)                                                     \
  static __inline__ __attribute__((device, always_inline)) type name(unsigned int mask, type v) {     \
    type r;                                                                                           \
    asm volatile("redux.sync." operation " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask) : "memory");    \
    return r;                                                                                         \
  }
__WARPTAPE_REDUX__(__reduce_add_sync, unsigned int, "add.u32")
__WARPTAPE_REDUX__(__reduce_add_sync, int, "add.s32")
__WARPTAPE_REDUX__(__reduce_min_sync, unsigned int, "min.u32")
__WARPTAPE_REDUX__(__reduce_min_sync, int, "min.s32")
__WARPTAPE_REDUX__(__reduce_max_sync, unsigned int, "max.u32")
__WARPTAPE_REDUX__(__reduce_max_sync, int, "max.s32")
__WARPTAPE_REDUX__(__reduce_and_sync, unsigned int, "and.b32")
__WARPTAPE_REDUX__(__reduce_or_sync, unsigned int, "or.b32")
__WARPTAPE_REDUX__(__reduce_xor_sync, unsigned int, "xor.b32")
#undef __WARPTAPE_REDUX__
#endif
#endif
