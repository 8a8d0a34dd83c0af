// SPDX-License-Identifier: Apache-2.0
// What follows clang's wrapper in every compilation of CUDA C++: warp functions of old
// releases, in which the active lanes take part.
#ifndef __WARPTAPE_AFTER_H__
#define __WARPTAPE_AFTER_H__
#ifndef __WARPTAPE_MATHEMATICS_CALLS__
#include "warptape_math.h"
#endif
// nvcc gives programs placement new without a header.
#include <new>
#include "warptape_device_math.h"
#include "warptape_cache_hints.h"
#include "warptape_warp_reductions.h"
#include "warptape_vector_atomics.h"
#include "warptape_dynamic_programming.h"
// Clang's wrapper leaves the macro without a value; nvcc's is 1, and programs have "#if __CUDACC__".
#undef __CUDACC__
#define __CUDACC__ 1
// The wrapper defines __CUDA_ARCH__ on both sides while it includes others, so that this is here.
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device))
#else // the host's side begins at a page, for the runtime to share
#define __managed__ __attribute__((device, section("warptape_managed"), aligned(4096)))
// Tells the runtime where the program's __managed__ variables are, if it has any.
extern "C" char __start_warptape_managed[] __attribute__((weak, visibility("hidden"))), __stop_warptape_managed[] __attribute__((weak, visibility("hidden")));
extern "C" void __warptapeManaged(const void *first, const void *end);
// Tells the runtime how many files there are whose device code is linked: each has a byte.
extern "C" char __start_warptape_linked[] __attribute__((weak, visibility("hidden"))), __stop_warptape_linked[] __attribute__((weak, visibility("hidden")));
extern "C" void __warptapeLinked(const void *first, const void *end);
static __attribute__((constructor(101))) void __warptape_sections() {
  if (__start_warptape_managed) __warptapeManaged(__start_warptape_managed, __stop_warptape_managed);
  if (__start_warptape_linked) __warptapeLinked(__start_warptape_linked, __stop_warptape_linked);
}
#endif
// Shared memory of a class with a constructor, which does not run (toolchain, rooms).
template <class T> struct __warptape_shared_room {
  alignas(T) unsigned char bytes[sizeof(T)];
  __attribute__((device, always_inline)) T &value() { return *reinterpret_cast<T *>(bytes); }
};
// Whether a generic address is that of a parameter (__grid_constant__).
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900 || (defined(__WARPTAPE_CUDA_VERSION__) && __CUDA_ARCH__ >= 700)
static __inline__ __attribute__((device, always_inline)) unsigned int __isGridConstant(const void *p) {
  unsigned int is;
  asm("{\n\t.reg .pred p;\n\tisspacep.param p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(is) : "l"(p));
  return is;
}
#endif
#undef __shfl
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor
// Programs for newer GPUs define these names by themselves, for types of their own or all types. The
// lane's conversion makes their functions the better match.
struct __wt_any_lane {
  int lane;
  template <class __wt_L> __attribute__((device, always_inline)) __wt_any_lane(__wt_L l) : lane((int)l) {}
};
#define __WT_OLD_SHUFFLE__(name) \
  template <class T> static __inline__ __attribute__((device, always_inline)) auto name(T v, __wt_any_lane l, int width = 32) \
      ->decltype(name##_sync(0u, v, l.lane, width)) { return name##_sync(__activemask(), v, l.lane, width); }
__WT_OLD_SHUFFLE__(__shfl)
__WT_OLD_SHUFFLE__(__shfl_up)
__WT_OLD_SHUFFLE__(__shfl_down)
__WT_OLD_SHUFFLE__(__shfl_xor)
#undef __WT_OLD_SHUFFLE__
#endif
