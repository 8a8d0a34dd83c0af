// SPDX-License-Identifier: Apache-2.0
// Loads and stores with cache hints, for all types that CUDA C++ has them for (CUDA C++
// Programming Guide, "Load Functions Using Cache Hints" and "Store Functions Using Cache Hints").
#ifndef __WARPTAPE_CACHE_HINTS_H__
#define __WARPTAPE_CACHE_HINTS_H__
#define __WT_HINT__ static __inline__ __attribute__((device, always_inline))

// One element: T is the type, B what inline PTX takes in a register of constraint C, P its PTX type.
#define __WT_LOAD1__(name, hint, T, B, C, P)                                                                          \
  __WT_HINT__ T name(const T *p) {                                                                                    \
    B v;                                                                                                              \
    asm volatile("ld.global." hint "." P " %0, [%1];" : "=" C(v) : "l"(__cvta_generic_to_global(p)) : "memory");      \
    return (T)v;                                                                                                      \
  }
#define __WT_LOAD2__(name, hint, T, B, C, P)                                                                          \
  __WT_HINT__ T name(const T *p) {                                                                                    \
    B x, y;                                                                                                           \
    asm volatile("ld.global." hint ".v2." P " {%0, %1}, [%2];" : "=" C(x), "=" C(y) : "l"(__cvta_generic_to_global(p)) : "memory"); \
    T r;                                                                                                              \
    r.x = (decltype(r.x))x, r.y = (decltype(r.y))y;                                                                   \
    return r;                                                                                                         \
  }
#define __WT_LOAD4__(name, hint, T, B, C, P)                                                                          \
  __WT_HINT__ T name(const T *p) {                                                                                    \
    B x, y, z, w;                                                                                                     \
    asm volatile("ld.global." hint ".v4." P " {%0, %1, %2, %3}, [%4];"                                                \
                 : "=" C(x), "=" C(y), "=" C(z), "=" C(w)                                                             \
                 : "l"(__cvta_generic_to_global(p))                                                                   \
                 : "memory");                                                                                         \
    T r;                                                                                                              \
    r.x = (decltype(r.x))x, r.y = (decltype(r.y))y, r.z = (decltype(r.z))z, r.w = (decltype(r.w))w;                   \
    return r;                                                                                                         \
  }
#define __WT_STORE1__(name, hint, T, B, C, P)                                                                         \
  __WT_HINT__ void name(T *p, T v) {                                                                                  \
    asm volatile("st.global." hint "." P " [%0], %1;" ::"l"(__cvta_generic_to_global(p)), C((B)v) : "memory");        \
  }
#define __WT_STORE2__(name, hint, T, B, C, P)                                                                         \
  __WT_HINT__ void name(T *p, T v) {                                                                                  \
    asm volatile("st.global." hint ".v2." P " [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(p)), C((B)v.x), C((B)v.y) : "memory"); \
  }
#define __WT_STORE4__(name, hint, T, B, C, P)                                                                         \
  __WT_HINT__ void name(T *p, T v) {                                                                                  \
    asm volatile("st.global." hint ".v4." P " [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)),            \
                 C((B)v.x), C((B)v.y), C((B)v.z), C((B)v.w)                                                           \
                 : "memory");                                                                                         \
  }

#define __WT_TYPES__(what, name, hint)                                                                                \
  what##1__(name, hint, char, unsigned int, "r", "u8")                                                                \
  what##1__(name, hint, signed char, unsigned int, "r", "u8")                                                         \
  what##1__(name, hint, unsigned char, unsigned int, "r", "u8")                                                       \
  what##1__(name, hint, short, unsigned short, "h", "u16")                                                            \
  what##1__(name, hint, unsigned short, unsigned short, "h", "u16")                                                   \
  what##1__(name, hint, int, unsigned int, "r", "u32")                                                                \
  what##1__(name, hint, unsigned int, unsigned int, "r", "u32")                                                       \
  what##1__(name, hint, long, unsigned long long, "l", "u64")                                                         \
  what##1__(name, hint, unsigned long, unsigned long long, "l", "u64")                                                \
  what##1__(name, hint, long long, unsigned long long, "l", "u64")                                                    \
  what##1__(name, hint, unsigned long long, unsigned long long, "l", "u64")                                           \
  what##1__(name, hint, float, float, "f", "f32")                                                                     \
  what##1__(name, hint, double, double, "d", "f64")                                                                   \
  what##2__(name, hint, char2, unsigned int, "r", "u8")                                                               \
  what##2__(name, hint, uchar2, unsigned int, "r", "u8")                                                              \
  what##2__(name, hint, short2, unsigned short, "h", "u16")                                                           \
  what##2__(name, hint, ushort2, unsigned short, "h", "u16")                                                          \
  what##2__(name, hint, int2, unsigned int, "r", "u32")                                                               \
  what##2__(name, hint, uint2, unsigned int, "r", "u32")                                                              \
  what##2__(name, hint, longlong2, unsigned long long, "l", "u64")                                                    \
  what##2__(name, hint, ulonglong2, unsigned long long, "l", "u64")                                                   \
  what##2__(name, hint, float2, float, "f", "f32")                                                                    \
  what##2__(name, hint, double2, double, "d", "f64")                                                                  \
  what##4__(name, hint, char4, unsigned int, "r", "u8")                                                               \
  what##4__(name, hint, uchar4, unsigned int, "r", "u8")                                                              \
  what##4__(name, hint, short4, unsigned short, "h", "u16")                                                           \
  what##4__(name, hint, ushort4, unsigned short, "h", "u16")                                                          \
  what##4__(name, hint, int4, unsigned int, "r", "u32")                                                               \
  what##4__(name, hint, uint4, unsigned int, "r", "u32")                                                              \
  what##4__(name, hint, float4, float, "f", "f32")

__WT_TYPES__(__WT_LOAD, __ldca, "ca")
__WT_TYPES__(__WT_LOAD, __ldcg, "cg")
__WT_TYPES__(__WT_LOAD, __ldcs, "cs")
__WT_TYPES__(__WT_LOAD, __ldlu, "lu")
__WT_TYPES__(__WT_LOAD, __ldcv, "cv")
__WT_TYPES__(__WT_STORE, __stwb, "wb")
__WT_TYPES__(__WT_STORE, __stcg, "cg")
__WT_TYPES__(__WT_STORE, __stcs, "cs")
__WT_TYPES__(__WT_STORE, __stwt, "wt")

#undef __WT_TYPES__
#undef __WT_LOAD1__
#undef __WT_LOAD2__
#undef __WT_LOAD4__
#undef __WT_STORE1__
#undef __WT_STORE2__
#undef __WT_STORE4__
#undef __WT_HINT__
#endif
