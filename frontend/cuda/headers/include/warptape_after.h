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
#define __shfl(...) __shfl_sync(__activemask(), __VA_ARGS__)
#define __shfl_up(...) __shfl_up_sync(__activemask(), __VA_ARGS__)
#define __shfl_down(...) __shfl_down_sync(__activemask(), __VA_ARGS__)
#define __shfl_xor(...) __shfl_xor_sync(__activemask(), __VA_ARGS__)
#endif
