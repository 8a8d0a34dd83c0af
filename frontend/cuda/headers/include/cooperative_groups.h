// SPDX-License-Identifier: Apache-2.0
// Cooperative groups (CUDA C++ Programming Guide, "Cooperative Groups"): thread blocks, tiles of
// a warp, coalesced threads, their partitions, and the grid.
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_
#include "cuda_runtime.h"
#if defined(__cplusplus) && defined(__CUDA__)
#include "warptape_group_shuffle.h"
#include "warptape_group_wide.h"
#define __WARPTAPE_GROUP__ __attribute__((device, always_inline)) inline

// What grid.sync() counts at: the number of thread blocks that have come, and a phase.
static __device__ unsigned int __warptape_grid_barrier[2];

namespace cooperative_groups {

// Any group: a thread block, or lanes of a warp by their mask.
class thread_group {
protected:
  unsigned int mask; // 0 for a thread block
public:
  __WARPTAPE_GROUP__ explicit thread_group(unsigned int m = 0) : mask(m) {}
  __WARPTAPE_GROUP__ unsigned int _mask() const { return mask; }
  __WARPTAPE_GROUP__ bool is_valid() const { return true; }
  __WARPTAPE_GROUP__ unsigned int size() const { return mask ? __popc(mask) : blockDim.x * blockDim.y * blockDim.z; }
  __WARPTAPE_GROUP__ unsigned int num_threads() const { return size(); }
  __WARPTAPE_GROUP__ unsigned int thread_rank() const { return mask ? __warptape::rank_in(mask) : __warptape::rank(); }
  __WARPTAPE_GROUP__ void sync() const {
    if (mask) __syncwarp(mask);
    else __syncthreads();
  }
};

class thread_block : public thread_group {
  __warptape::tile_room room; // for tiles of several warps
public:
  __WARPTAPE_GROUP__ thread_block() : room() {}
  __WARPTAPE_GROUP__ explicit thread_block(__warptape::tile_room r) : room(r) {}
  __WARPTAPE_GROUP__ __warptape::tile_room _room() const { return room; }
  __WARPTAPE_GROUP__ static void sync() { __syncthreads(); }
  __WARPTAPE_GROUP__ static unsigned int thread_rank() { return __warptape::rank(); }
  __WARPTAPE_GROUP__ static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
  __WARPTAPE_GROUP__ static unsigned int num_threads() { return size(); }
  __WARPTAPE_GROUP__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __WARPTAPE_GROUP__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __WARPTAPE_GROUP__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __WARPTAPE_GROUP__ static dim3 dim_threads() { return group_dim(); }
};
__WARPTAPE_GROUP__ thread_block this_thread_block() { return thread_block(); }
template <unsigned int __wt_Max> __WARPTAPE_GROUP__ thread_block this_thread_block(block_tile_memory<__wt_Max> &memory) {
  if (__warptape::rank() == 0) memory.come = memory.phase = 0;
  __syncthreads();
  return thread_block({memory.slots, &memory.come});
}

class grid_group {
public:
  __WARPTAPE_GROUP__ static bool is_valid() { return true; }
  __WARPTAPE_GROUP__ static unsigned long long size() { return (unsigned long long)num_blocks() * blockDim.x * blockDim.y * blockDim.z; }
  __WARPTAPE_GROUP__ static unsigned long long num_threads() { return size(); }
  __WARPTAPE_GROUP__ static unsigned long long num_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
  __WARPTAPE_GROUP__ static unsigned long long block_rank() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
  __WARPTAPE_GROUP__ static unsigned long long thread_rank() { return block_rank() * (blockDim.x * blockDim.y * blockDim.z) + __warptape::rank(); }
  __WARPTAPE_GROUP__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __WARPTAPE_GROUP__ static dim3 dim_blocks() { return group_dim(); }
  __WARPTAPE_GROUP__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  // All thread blocks meet: the last one that comes opens the next phase.
  __WARPTAPE_GROUP__ void sync() const {
    __syncthreads();
    if (__warptape::rank() == 0) {
      volatile unsigned int *phase = &__warptape_grid_barrier[1];
      unsigned int now = *phase;
      __threadfence();
      if (atomicAdd(&__warptape_grid_barrier[0], 1u) == num_blocks() - 1) {
        __warptape_grid_barrier[0] = 0;
        __threadfence();
        atomicAdd(&__warptape_grid_barrier[1], 1u);
      } else {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
        while (*phase == now) asm volatile("nanosleep.u32 100;");
#else
        while (*phase == now) {}
#endif
      }
      __threadfence();
    }
    __syncthreads();
  }
};
__WARPTAPE_GROUP__ grid_group this_grid() { return grid_group(); }

#if (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900) && __clang_major__ >= 17 // which has the functions
// The thread blocks of a cluster, which reach each other's shared memory.
class cluster_group {
public:
  class arrival_token {};
  __WARPTAPE_GROUP__ static bool is_valid() { return true; }
  __WARPTAPE_GROUP__ static void sync() { __cluster_barrier_arrive(); __cluster_barrier_wait(); }
  __WARPTAPE_GROUP__ static arrival_token barrier_arrive() { __cluster_barrier_arrive(); return arrival_token(); }
  __WARPTAPE_GROUP__ static void barrier_wait() { __cluster_barrier_wait(); }
  __WARPTAPE_GROUP__ static void barrier_wait(arrival_token &&) { __cluster_barrier_wait(); }
  __WARPTAPE_GROUP__ static unsigned int num_blocks() { return __clusterSizeInBlocks(); }
  __WARPTAPE_GROUP__ static unsigned int block_rank() { return __clusterRelativeBlockRank(); }
  __WARPTAPE_GROUP__ static dim3 dim_blocks() { return __clusterDim(); }
  __WARPTAPE_GROUP__ static dim3 block_index() { return __clusterRelativeBlockIdx(); }
  __WARPTAPE_GROUP__ static dim3 dim_threads() {
    dim3 n = __clusterDim();
    return dim3(n.x * blockDim.x, n.y * blockDim.y, n.z * blockDim.z);
  }
  __WARPTAPE_GROUP__ static dim3 thread_index() {
    dim3 at = __clusterRelativeBlockIdx();
    return dim3(at.x * blockDim.x + threadIdx.x, at.y * blockDim.y + threadIdx.y, at.z * blockDim.z + threadIdx.z);
  }
  __WARPTAPE_GROUP__ static unsigned int num_threads() { return num_blocks() * blockDim.x * blockDim.y * blockDim.z; }
  __WARPTAPE_GROUP__ static unsigned int size() { return num_threads(); }
  __WARPTAPE_GROUP__ static unsigned int thread_rank() { return block_rank() * blockDim.x * blockDim.y * blockDim.z + __warptape::rank(); }
  __WARPTAPE_GROUP__ static unsigned int query_shared_rank(const void *p) { return __cluster_query_shared_rank(p); }
  template <class T> __WARPTAPE_GROUP__ static T *map_shared_rank(T *p, int rank) { return (T *)__cluster_map_shared_rank((const void *)p, (unsigned int)rank); }
};
__WARPTAPE_GROUP__ cluster_group this_cluster() { return cluster_group(); }
#endif

// A group of lanes of a warp, by their mask, which is one of several parts of its parent.
class coalesced_group : public thread_group {
  unsigned int part, parts;
public:
  __WARPTAPE_GROUP__ explicit coalesced_group(unsigned int m, unsigned int at = 0, unsigned int of = 1) : thread_group(m), part(at), parts(of) {}
  __WARPTAPE_GROUP__ unsigned int size() const { return __popc(mask); }
  __WARPTAPE_GROUP__ unsigned int num_threads() const { return size(); }
  __WARPTAPE_GROUP__ unsigned int thread_rank() const { return __warptape::rank_in(mask); }
  __WARPTAPE_GROUP__ unsigned int meta_group_rank() const { return part; }
  __WARPTAPE_GROUP__ unsigned int meta_group_size() const { return parts; }
  __WARPTAPE_GROUP__ void sync() const { __syncwarp(mask); }
  __WARPTAPE_GROUP__ int any(int p) const { return __any_sync(mask, p); }
  __WARPTAPE_GROUP__ int all(int p) const { return __all_sync(mask, p); }
  __WARPTAPE_GROUP__ unsigned int ballot(int p) const { return packed(__ballot_sync(mask, p)); }
  template <class T> __WARPTAPE_GROUP__ T shfl(T v, unsigned int from) const { return __warptape::shuffle(mask, v, lane_of(from), 32); }
  template <class T> __WARPTAPE_GROUP__ T shfl_down(T v, unsigned int d) const {
    unsigned int at = thread_rank() + d;
    return __warptape::shuffle(mask, v, lane_of(at < size() ? at : thread_rank()), 32);
  }
  template <class T> __WARPTAPE_GROUP__ T shfl_up(T v, unsigned int d) const {
    unsigned int r = thread_rank();
    return __warptape::shuffle(mask, v, lane_of(r >= d ? r - d : r), 32);
  }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  template <class T> __WARPTAPE_GROUP__ unsigned int match_any(T v) const { return packed(__match_any_sync(mask, v)); }
  template <class T> __WARPTAPE_GROUP__ unsigned int match_all(T v, int &alike) const { return packed(__match_all_sync(mask, v, &alike)); }
#endif
private:
  // lane_of is the warp's lane of a rank, packed the lanes of a mask by their ranks.
  __WARPTAPE_GROUP__ int lane_of(unsigned int rank) const {
    unsigned int m = mask;
    for (; rank > 0; rank--) m &= m - 1;
    return __ffs(m) - 1;
  }
  __WARPTAPE_GROUP__ unsigned int packed(unsigned int votes) const {
    unsigned int out = 0, n = 0;
    for (unsigned int m = mask; m; m &= m - 1, n++) out |= (votes >> (__ffs(m) - 1) & 1u) << n;
    return out;
  }
};
__WARPTAPE_GROUP__ coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// A tile of N lanes that follow each other.
template <unsigned int __wt_N, class Parent = void> class thread_block_tile {
  static_assert(__wt_N >= 1 && __wt_N <= 32 && (__wt_N & (__wt_N - 1)) == 0, "a tile has 1 to 1024 threads, a power of two");
  __WARPTAPE_GROUP__ static unsigned int first() { return __warptape::lane() & ~(__wt_N - 1u); }
  __WARPTAPE_GROUP__ static unsigned int mask() { return (__wt_N == 32 ? 0xffffffffu : (1u << (__wt_N & 31)) - 1u) << first(); }
public:
  __WARPTAPE_GROUP__ thread_block_tile() {}
  template <class Other> __WARPTAPE_GROUP__ thread_block_tile(const thread_block_tile<__wt_N, Other> &) {} // tiles of any parent are the same
  __WARPTAPE_GROUP__ operator thread_group() const { return thread_group(mask()); }
  __WARPTAPE_GROUP__ operator coalesced_group() const { return coalesced_group(mask(), meta_group_rank(), meta_group_size()); }
  __WARPTAPE_GROUP__ unsigned int _mask() const { return mask(); }
  __WARPTAPE_GROUP__ void sync() const { __syncwarp(mask()); }
  __WARPTAPE_GROUP__ static constexpr unsigned int size() { return __wt_N; }
  __WARPTAPE_GROUP__ static constexpr unsigned int num_threads() { return __wt_N; }
  __WARPTAPE_GROUP__ static unsigned int thread_rank() { return __warptape::lane() & (__wt_N - 1u); }
  __WARPTAPE_GROUP__ static unsigned int meta_group_rank() { return __warptape::parent<Parent>::rank() / __wt_N; }
  __WARPTAPE_GROUP__ static unsigned int meta_group_size() { return (__warptape::parent<Parent>::size() + __wt_N - 1) / __wt_N; }
  template <class T> __WARPTAPE_GROUP__ T shfl(T v, int from) const { return __warptape::shuffle(mask(), v, from, __wt_N); }
  template <class T> __WARPTAPE_GROUP__ T shfl_down(T v, unsigned int d) const { return __warptape::shuffle_down(mask(), v, d, __wt_N); }
  template <class T> __WARPTAPE_GROUP__ T shfl_up(T v, unsigned int d) const { return __warptape::shuffle_up(mask(), v, d, __wt_N); }
  template <class T> __WARPTAPE_GROUP__ T shfl_xor(T v, unsigned int d) const { return __warptape::shuffle_xor(mask(), v, d, __wt_N); }
  __WARPTAPE_GROUP__ int any(int p) const { return __any_sync(mask(), p); }
  __WARPTAPE_GROUP__ int all(int p) const { return __all_sync(mask(), p); }
  __WARPTAPE_GROUP__ unsigned int ballot(int p) const { return (__ballot_sync(mask(), p) & mask()) >> first(); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  template <class T> __WARPTAPE_GROUP__ unsigned int match_any(T v) const { return __match_any_sync(mask(), v) >> first(); }
  template <class T> __WARPTAPE_GROUP__ unsigned int match_all(T v, int &alike) const { return __match_all_sync(mask(), v, &alike) >> first(); }
#endif
};

// Partitions: tiles of a number that is constant, or not; lanes whose predicate or label is alike.
template <unsigned int __wt_N, class Parent> __WARPTAPE_GROUP__ thread_block_tile<__wt_N, Parent> tiled_partition(const Parent &p) {
  return __warptape::maker<thread_block_tile<__wt_N, Parent>, (__wt_N > 32)>::of(p);
}
__WARPTAPE_GROUP__ coalesced_group tiled_partition(const coalesced_group &g, unsigned int n) {
  unsigned int rank = g.thread_rank(), m = g._mask(), mine = 0;
  for (unsigned int i = 0; m; m &= m - 1, i++)
    if (i / n == rank / n) mine |= m & -m;
  return coalesced_group(mine, rank / n, (g.size() + n - 1) / n);
}
template <unsigned int __wt_N, class __wt_P> __WARPTAPE_GROUP__ coalesced_group tiled_partition(const thread_block_tile<__wt_N, __wt_P> &g, unsigned int n) {
  return tiled_partition(coalesced_group(g), n);
}
__WARPTAPE_GROUP__ thread_group tiled_partition(const thread_group &g, unsigned int n) {
  if (g._mask()) return tiled_partition(coalesced_group(g._mask()), n);
  return thread_group((n >= 32 ? 0xffffffffu : (1u << n) - 1u) << (__warptape::lane() & ~(n - 1u)));
}
__WARPTAPE_GROUP__ coalesced_group binary_partition(const coalesced_group &g, bool p) {
  unsigned int all = g._mask(), with = __ballot_sync(all, p);
  if (with == all || with == 0) return coalesced_group(all);
  return coalesced_group(p ? with : all & ~with, p, 2);
}
template <unsigned int __wt_N, class __wt_P> __WARPTAPE_GROUP__ coalesced_group binary_partition(const thread_block_tile<__wt_N, __wt_P> &g, bool p) {
  return binary_partition(coalesced_group(g), p);
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
template <class Label> __WARPTAPE_GROUP__ coalesced_group labeled_partition(const coalesced_group &g, Label label) {
  unsigned int mine = __match_any_sync(g._mask(), label);
  unsigned int leaders = __ballot_sync(g._mask(), __warptape::rank_in(mine) == 0);
  return coalesced_group(mine, __popc(leaders & ((mine & -mine) - 1u)), __popc(leaders));
}
template <unsigned int __wt_N, class __wt_P, class Label> __WARPTAPE_GROUP__ coalesced_group labeled_partition(const thread_block_tile<__wt_N, __wt_P> &g, Label label) {
  return labeled_partition(coalesced_group(g), label);
}
#endif

template <class Group> __WARPTAPE_GROUP__ void sync(const Group &g) { g.sync(); }
template <class Group> __WARPTAPE_GROUP__ unsigned int thread_rank(const Group &g) { return g.thread_rank(); }
template <class Group> __WARPTAPE_GROUP__ unsigned int group_size(const Group &g) { return g.size(); }
} // namespace cooperative_groups
#undef __WARPTAPE_GROUP__
#endif
#endif
