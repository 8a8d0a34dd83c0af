// SPDX-License-Identifier: Apache-2.0
// Copies from global to shared memory that a thread does not wait for (CUDA C++ Programming
// Guide, "Pipeline Primitives Interface"). Before sm_80 the thread copies by itself.
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_
#include "cuda_runtime.h"
#if defined(__cplusplus) && defined(__CUDA__)
#define __WARPTAPE_PIPELINE__ static __attribute__((device, always_inline)) inline

// Copies 4, 8 or 16 bytes, all but the last zfill from global memory and zeros for these.
__WARPTAPE_PIPELINE__ void __pipeline_memcpy_async(void *__restrict__ to, const void *__restrict__ from, unsigned long bytes, unsigned long zfill = 0) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned int at = (unsigned int)__cvta_generic_to_shared(to), given = (unsigned int)(bytes - zfill);
  unsigned long of = __cvta_generic_to_global(from);
  if (bytes == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(of), "r"(given) : "memory");
  else if (bytes == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(of), "r"(given) : "memory");
  else if (bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(of), "r"(given) : "memory");
  else __trap();
#else
  if (zfill == 0 && bytes == 16) *(uint4 *)to = *(const uint4 *)from;
  else if (zfill == 0 && bytes == 8) *(uint2 *)to = *(const uint2 *)from;
  else if (zfill == 0 && bytes == 4) *(unsigned int *)to = *(const unsigned int *)from;
  else
    for (unsigned long i = 0; i < bytes; i++) ((char *)to)[i] = i < bytes - zfill ? ((const char *)from)[i] : 0;
#endif
}
__WARPTAPE_PIPELINE__ void __pipeline_commit() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Waits for all groups but the last n; what is more than 8 waits as for 8, which is never too late.
__WARPTAPE_PIPELINE__ void __pipeline_wait_prior(unsigned long n) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  switch (n) {
  case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
  case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
  case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
  case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
  case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
  case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); break;
  case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); break;
  case 7: asm volatile("cp.async.wait_group 7;" ::: "memory"); break;
  default: asm volatile("cp.async.wait_group 8;" ::: "memory");
  }
#endif
}
#undef __WARPTAPE_PIPELINE__
#endif
#endif
