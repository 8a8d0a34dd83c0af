// SPDX-License-Identifier: Apache-2.0
// Atomic sums of float2 and float4 in global memory (CUDA C++ Programming Guide, "atomicAdd()"): each
// element is added by itself. Clang's own vanish where nothing uses the old value, so that
// crt/sm_70_rt.hpp gives them other names.
#ifndef __WARPTAPE_VECTOR_ATOMICS_H__
#define __WARPTAPE_VECTOR_ATOMICS_H__
#undef atomicAdd
#undef atomicAdd_block
#undef atomicAdd_system
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define __WARPTAPE_VECTOR_SUM__(name, scope)                                                             \
  static __inline__ __attribute__((device, always_inline)) float2 name(float2 *p, float2 v) {            \
    float2 old;                                                                                          \
    asm volatile("atom." scope ".global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"                             \
                 : "=f"(old.x), "=f"(old.y)                                                              \
                 : "l"(__cvta_generic_to_global(p)), "f"(v.x), "f"(v.y)                                  \
                 : "memory");                                                                            \
    return old;                                                                                          \
  }                                                                                                      \
  static __inline__ __attribute__((device, always_inline)) float4 name(float4 *p, float4 v) {            \
    float4 old;                                                                                          \
    asm volatile("atom." scope ".global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"             \
                 : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)                                    \
                 : "l"(__cvta_generic_to_global(p)), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)              \
                 : "memory");                                                                            \
    return old;                                                                                          \
  }
__WARPTAPE_VECTOR_SUM__(atomicAdd, "gpu")
__WARPTAPE_VECTOR_SUM__(atomicAdd_block, "cta")
__WARPTAPE_VECTOR_SUM__(atomicAdd_system, "sys")
#undef __WARPTAPE_VECTOR_SUM__
#endif
#endif
