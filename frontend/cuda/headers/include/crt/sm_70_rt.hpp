// SPDX-License-Identifier: Apache-2.0
// Match functions of compute capability 7.0.
#ifndef __SM_70_RT_HPP__
#define __SM_70_RT_HPP__
#define __WARPTAPE_MATCH__ static __inline__ __attribute__((device, always_inline))
#define __WARPTAPE_MATCHES__(T, bits, U, C) \
  __WARPTAPE_MATCH__ unsigned int __match_any_sync(unsigned int mask, T v) { return __match##bits##_any_sync(mask, (U)C(v)); } \
  __WARPTAPE_MATCH__ unsigned int __match_all_sync(unsigned int mask, T v, int *pred) { return __match##bits##_all_sync(mask, (U)C(v), pred); }
__WARPTAPE_MATCHES__(int, 32, unsigned int, )
__WARPTAPE_MATCHES__(unsigned int, 32, unsigned int, )
__WARPTAPE_MATCHES__(float, 32, unsigned int, __float_as_uint)
__WARPTAPE_MATCHES__(long, 64, unsigned long long, )
__WARPTAPE_MATCHES__(unsigned long, 64, unsigned long long, )
__WARPTAPE_MATCHES__(long long, 64, unsigned long long, )
__WARPTAPE_MATCHES__(unsigned long long, 64, unsigned long long, )
__WARPTAPE_MATCHES__(double, 64, unsigned long long, __double_as_longlong)
#undef __WARPTAPE_MATCHES__
#undef __WARPTAPE_MATCH__
// Clang's reductions over a warp follow; warptape_warp_reductions.h has those of programs.
#define __reduce_add_sync __clang_reduce_add_sync
#define __reduce_min_sync __clang_reduce_min_sync
#define __reduce_max_sync __clang_reduce_max_sync
#define __reduce_and_sync __clang_reduce_and_sync
#define __reduce_or_sync __clang_reduce_or_sync
#define __reduce_xor_sync __clang_reduce_xor_sync
// So do its sums of vectors, which warptape_vector_atomics.h has.
#define atomicAdd __clang_vector_atomicAdd
#define atomicAdd_block __clang_vector_atomicAdd_block
#define atomicAdd_system __clang_vector_atomicAdd_system
#endif
