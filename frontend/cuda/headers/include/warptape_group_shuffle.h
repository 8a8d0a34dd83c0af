// SPDX-License-Identifier: Apache-2.0
// What cooperative groups need of a thread's place, and shuffles of all types that can be copied
// as bytes: classes go word by word.
#ifndef __WARPTAPE_GROUP_SHUFFLE_H__
#define __WARPTAPE_GROUP_SHUFFLE_H__
#define __WARPTAPE_GROUP__ __attribute__((device, always_inline)) inline
namespace cooperative_groups {
template <unsigned int __wt_N, class Parent> class thread_block_tile;
namespace __warptape {
__WARPTAPE_GROUP__ unsigned int rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__WARPTAPE_GROUP__ unsigned int lane() { return rank() & 31u; }
// rank_in is how many lanes of a mask are below this one.
__WARPTAPE_GROUP__ unsigned int rank_in(unsigned int mask) { return __popc(mask & ((1u << lane()) - 1u)); }

// parent is what a tile's number counts in: the thread block, or the tile that it is a part of.
template <class __wt_P> struct parent {
  __WARPTAPE_GROUP__ static unsigned int rank() { return __warptape::rank(); }
  __WARPTAPE_GROUP__ static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
};
template <unsigned int __wt_N, class __wt_P> struct parent<thread_block_tile<__wt_N, __wt_P>> {
  __WARPTAPE_GROUP__ static unsigned int rank() { return __warptape::rank() & (__wt_N - 1u); }
  __WARPTAPE_GROUP__ static unsigned int size() { return __wt_N; }
};

template <bool Class> struct shuffler;
template <> struct shuffler<false> {
  template <class T> __WARPTAPE_GROUP__ static T to(unsigned int mask, T v, int from, int width) { return __shfl_sync(mask, v, from, width); }
  template <class T> __WARPTAPE_GROUP__ static T down(unsigned int mask, T v, unsigned int d, int width) { return __shfl_down_sync(mask, v, d, width); }
  template <class T> __WARPTAPE_GROUP__ static T up(unsigned int mask, T v, unsigned int d, int width) { return __shfl_up_sync(mask, v, d, width); }
  template <class T> __WARPTAPE_GROUP__ static T exchange(unsigned int mask, T v, int d, int width) { return __shfl_xor_sync(mask, v, d, width); }
};
template <> struct shuffler<true> {
#define __WARPTAPE_BY_WORDS__(name, from, f)                                                     \
  template <class T> __WARPTAPE_GROUP__ static T name(unsigned int mask, T v, from, int width) { \
    static_assert(sizeof(T) <= 32, "shuffles move at most 32 bytes");                            \
    unsigned int words[(sizeof(T) + 3) / 4] = {};                                                \
    __builtin_memcpy(words, &v, sizeof(T));                                                      \
    for (unsigned int &w : words) w = f(mask, w, d, width);                                      \
    __builtin_memcpy(&v, words, sizeof(T));                                                      \
    return v;                                                                                    \
  }
  __WARPTAPE_BY_WORDS__(to, int d, __shfl_sync)
  __WARPTAPE_BY_WORDS__(down, unsigned int d, __shfl_down_sync)
  __WARPTAPE_BY_WORDS__(up, unsigned int d, __shfl_up_sync)
  __WARPTAPE_BY_WORDS__(exchange, int d, __shfl_xor_sync)
#undef __WARPTAPE_BY_WORDS__
};
template <class T> __WARPTAPE_GROUP__ T shuffle(unsigned int mask, T v, int from, int width) { return shuffler<__is_class(T)>::to(mask, v, from, width); }
template <class T> __WARPTAPE_GROUP__ T shuffle_down(unsigned int mask, T v, unsigned int d, int width) { return shuffler<__is_class(T)>::down(mask, v, d, width); }
template <class T> __WARPTAPE_GROUP__ T shuffle_up(unsigned int mask, T v, unsigned int d, int width) { return shuffler<__is_class(T)>::up(mask, v, d, width); }
template <class T> __WARPTAPE_GROUP__ T shuffle_xor(unsigned int mask, T v, unsigned int d, int width) { return shuffler<__is_class(T)>::exchange(mask, v, (int)d, width); }
} // namespace __warptape
} // namespace cooperative_groups
#undef __WARPTAPE_GROUP__
#endif
