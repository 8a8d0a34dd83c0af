// SPDX-License-Identifier: Apache-2.0
// Tiles of several warps (CUDA C++ Programming Guide, "Thread Block Tile"): they meet at barriers
// of their own, and exchange values in shared memory that the program gives.
#ifndef __WARPTAPE_GROUP_WIDE_H__
#define __WARPTAPE_GROUP_WIDE_H__
#define __WARPTAPE_GROUP__ __attribute__((device, always_inline)) inline
namespace cooperative_groups {

// The shared memory: 8 bytes for each warp, and what a sixteenth tile meets at.
template <unsigned int __wt_Max = 1024> struct block_tile_memory {
  unsigned long long slots[(__wt_Max + 31) / 32];
  unsigned int come, phase;
};

namespace __warptape {
struct tile_room { unsigned long long *slots; volatile unsigned int *meeting; };

template <unsigned int __wt_N> class wide_tile {
  tile_room room;
public:
  __WARPTAPE_GROUP__ explicit wide_tile(tile_room r) : room(r) {}
  __WARPTAPE_GROUP__ static constexpr unsigned int size() { return __wt_N; }
  __WARPTAPE_GROUP__ static constexpr unsigned int num_threads() { return __wt_N; }
  __WARPTAPE_GROUP__ static unsigned int thread_rank() { return rank() & (__wt_N - 1u); }
  __WARPTAPE_GROUP__ static unsigned int meta_group_rank() { return rank() / __wt_N; }
  __WARPTAPE_GROUP__ static unsigned int meta_group_size() { return (blockDim.x * blockDim.y * blockDim.z + __wt_N - 1) / __wt_N; }
  // A thread block has 16 barriers, of which __syncthreads has the first. Only tiles of 64 may be sixteen.
  __WARPTAPE_GROUP__ void sync() const {
    unsigned int tile = meta_group_rank();
    if (__wt_N > 64 || tile < 15) asm volatile("barrier.sync %0, %1;" : : "r"(tile + 1), "r"(__wt_N) : "memory");
    else meet();
  }
  __WARPTAPE_GROUP__ int any(int p) const { return gather(__any_sync(0xffffffffu, p), [](int a, int b) { return a | b; }); }
  __WARPTAPE_GROUP__ int all(int p) const { return gather(__all_sync(0xffffffffu, p), [](int a, int b) { return a & b; }); }
  // gather combines a value of each warp, in their order.
  template <class T, class Op> __WARPTAPE_GROUP__ T gather(T v, Op op) const {
    const unsigned int warps = __wt_N / 32, first = meta_group_rank() * warps, own = rank() / 32;
    T from[warps];
    for (unsigned int at = 0; at < sizeof(T); at += 8) {
      const unsigned int n = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
      sync();
      if (lane() == 0) __builtin_memcpy(&room.slots[own], (const char *)&v + at, n);
      sync();
      for (unsigned int w = 0; w < warps; w++) __builtin_memcpy((char *)&from[w] + at, &room.slots[first + w], n);
    }
    sync();
    T r = from[0];
    for (unsigned int w = 1; w < warps; w++) r = op(r, from[w]);
    return r;
  }
private:
  __WARPTAPE_GROUP__ void meet() const {
    __syncwarp();
    if (lane() == 0) {
      unsigned int now = room.meeting[1];
      __threadfence_block();
      if (atomicAdd((unsigned int *)&room.meeting[0], 1u) == __wt_N / 32 - 1) {
        room.meeting[0] = 0;
        __threadfence_block();
        room.meeting[1] = now + 1;
      } else {
        while (room.meeting[1] == now) {}
      }
      __threadfence_block();
    }
    __syncwarp();
  }
};

// maker makes a tile of a parent, which gives one of several warps its shared memory.
template <class Tile, bool Wide> struct maker {
  template <class Parent> __WARPTAPE_GROUP__ static Tile of(const Parent &) { return Tile(); }
};
template <class Tile> struct maker<Tile, true> {
  template <class Parent> __WARPTAPE_GROUP__ static Tile of(const Parent &p) { return Tile(p._room()); }
};
} // namespace __warptape

#define __WARPTAPE_WIDE_TILE__(n)                                                                     \
  template <class Parent> class thread_block_tile<n, Parent> : public __warptape::wide_tile<n> {      \
  public:                                                                                             \
    __WARPTAPE_GROUP__ explicit thread_block_tile(__warptape::tile_room r) : __warptape::wide_tile<n>(r) {} \
    template <class Other> __WARPTAPE_GROUP__ thread_block_tile(const thread_block_tile<n, Other> &t) : __warptape::wide_tile<n>(t) {} \
  };
__WARPTAPE_WIDE_TILE__(64)
__WARPTAPE_WIDE_TILE__(128)
__WARPTAPE_WIDE_TILE__(256)
__WARPTAPE_WIDE_TILE__(512)
__WARPTAPE_WIDE_TILE__(1024)
#undef __WARPTAPE_WIDE_TILE__
} // namespace cooperative_groups
#undef __WARPTAPE_GROUP__
#endif
