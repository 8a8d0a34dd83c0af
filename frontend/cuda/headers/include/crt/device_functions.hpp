// SPDX-License-Identifier: Apache-2.0
// Conversions between generic addresses and those of a space. clang's wrapper defines what they call.
#ifndef __DEVICE_FUNCTIONS_HPP__
#define __DEVICE_FUNCTIONS_HPP__
#define __WARPTAPE_ADDRESS__ static __inline__ __attribute__((device, always_inline))
__WARPTAPE_ADDRESS__ size_t __cvta_generic_to_global(const void *p) {
  size_t a;
  asm("cvta.to.global.u64 %0, %1;" : "=l"(a) : "l"(p));
  return a;
}
__WARPTAPE_ADDRESS__ size_t __cvta_generic_to_shared(const void *p) {
  size_t a;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(a) : "l"(p));
  return a;
}
__WARPTAPE_ADDRESS__ size_t __cvta_generic_to_constant(const void *p) {
  size_t a;
  asm("cvta.to.const.u64 %0, %1;" : "=l"(a) : "l"(p));
  return a;
}
__WARPTAPE_ADDRESS__ size_t __cvta_generic_to_local(const void *p) {
  size_t a;
  asm("cvta.to.local.u64 %0, %1;" : "=l"(a) : "l"(p));
  return a;
}
__WARPTAPE_ADDRESS__ void *__cvta_shared_to_generic(size_t a) {
  void *p;
  asm("cvta.shared.u64 %0, %1;" : "=l"(p) : "l"(a));
  return p;
}
__WARPTAPE_ADDRESS__ void *__cvta_global_to_generic(size_t a) {
  void *p;
  asm("cvta.global.u64 %0, %1;" : "=l"(p) : "l"(a));
  return p;
}
#undef __WARPTAPE_ADDRESS__
#endif
