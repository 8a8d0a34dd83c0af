// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: thread blocks, tiles of a warp, coalesced threads and the grid.
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_
#include "cuda_runtime.h"
#if defined(__cplusplus) && defined(__CUDA__)
#define __WARPTAPE_GROUP__ __attribute__((device, always_inline)) inline

// What grid.sync() counts at: the number of thread blocks that have come, and a phase.
static __device__ unsigned int __warptape_grid_barrier[2];

namespace cooperative_groups {
namespace __warptape {
__WARPTAPE_GROUP__ unsigned int rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__WARPTAPE_GROUP__ unsigned int lane() { return rank() & 31u; }
} // namespace __warptape

class thread_block {
public:
  static constexpr unsigned int _dynamic = 0;
  __WARPTAPE_GROUP__ void sync() const { __syncthreads(); }
  __WARPTAPE_GROUP__ unsigned int thread_rank() const { return __warptape::rank(); }
  __WARPTAPE_GROUP__ unsigned int size() const { return blockDim.x * blockDim.y * blockDim.z; }
  __WARPTAPE_GROUP__ unsigned int num_threads() const { return size(); }
  __WARPTAPE_GROUP__ dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __WARPTAPE_GROUP__ dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __WARPTAPE_GROUP__ dim3 group_dim() const { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __WARPTAPE_GROUP__ dim3 dim_threads() const { return group_dim(); }
};
typedef thread_block thread_group_block;
__WARPTAPE_GROUP__ thread_block this_thread_block() { return thread_block(); }

class grid_group {
public:
  __WARPTAPE_GROUP__ bool is_valid() const { return true; }
  __WARPTAPE_GROUP__ unsigned long long size() const { return (unsigned long long)num_blocks() * blockDim.x * blockDim.y * blockDim.z; }
  __WARPTAPE_GROUP__ unsigned long long num_threads() const { return size(); }
  __WARPTAPE_GROUP__ unsigned int num_blocks() const { return gridDim.x * gridDim.y * gridDim.z; }
  __WARPTAPE_GROUP__ unsigned int block_rank() const { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
  __WARPTAPE_GROUP__ unsigned long long thread_rank() const { return (unsigned long long)block_rank() * (blockDim.x * blockDim.y * blockDim.z) + __warptape::rank(); }
  __WARPTAPE_GROUP__ dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __WARPTAPE_GROUP__ dim3 dim_blocks() const { return group_dim(); }
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

// A group of lanes of a warp, by their mask.
class coalesced_group {
protected:
  unsigned int mask;
public:
  __WARPTAPE_GROUP__ explicit coalesced_group(unsigned int m) : mask(m) {}
  __WARPTAPE_GROUP__ unsigned int _mask() const { return mask; }
  __WARPTAPE_GROUP__ unsigned int size() const { return __popc(mask); }
  __WARPTAPE_GROUP__ unsigned int num_threads() const { return size(); }
  __WARPTAPE_GROUP__ unsigned int thread_rank() const { return __popc(mask & ((1u << __warptape::lane()) - 1u)); }
  __WARPTAPE_GROUP__ void sync() const { __syncwarp(mask); }
  __WARPTAPE_GROUP__ int any(int p) const { return __any_sync(mask, p); }
  __WARPTAPE_GROUP__ int all(int p) const { return __all_sync(mask, p); }
  __WARPTAPE_GROUP__ unsigned int ballot(int p) const { return packed(__ballot_sync(mask, p)); }
  template <class T> __WARPTAPE_GROUP__ T shfl(T v, unsigned int from) const { return __shfl_sync(mask, v, lane_of(from)); }
  template <class T> __WARPTAPE_GROUP__ T shfl_down(T v, unsigned int d) const {
    unsigned int at = thread_rank() + d;
    T w = __shfl_sync(mask, v, lane_of(at < size() ? at : thread_rank()));
    return w;
  }
  template <class T> __WARPTAPE_GROUP__ T shfl_up(T v, unsigned int d) const {
    unsigned int r = thread_rank();
    return __shfl_sync(mask, v, lane_of(r >= d ? r - d : r));
  }
protected:
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
template <unsigned int N, class Parent = void> class thread_block_tile {
  static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
  __WARPTAPE_GROUP__ static unsigned int first() { return __warptape::lane() & ~(N - 1u); }
  __WARPTAPE_GROUP__ static unsigned int mask() { return (N == 32 ? 0xffffffffu : (1u << (N & 31)) - 1u) << first(); }
public:
  __WARPTAPE_GROUP__ thread_block_tile() {}
  template <class Other> __WARPTAPE_GROUP__ thread_block_tile(const thread_block_tile<N, Other> &) {} // tiles of any parent are the same
  __WARPTAPE_GROUP__ unsigned int _mask() const { return mask(); }
  __WARPTAPE_GROUP__ void sync() const { __syncwarp(mask()); }
  __WARPTAPE_GROUP__ static constexpr unsigned int size() { return N; }
  __WARPTAPE_GROUP__ static constexpr unsigned int num_threads() { return N; }
  __WARPTAPE_GROUP__ unsigned int thread_rank() const { return __warptape::lane() & (N - 1u); }
  __WARPTAPE_GROUP__ unsigned int meta_group_rank() const { return __warptape::rank() / N; }
  __WARPTAPE_GROUP__ unsigned int meta_group_size() const { return (blockDim.x * blockDim.y * blockDim.z + N - 1) / N; }
  template <class T> __WARPTAPE_GROUP__ T shfl(T v, int from) const { return __shfl_sync(mask(), v, from, N); }
  template <class T> __WARPTAPE_GROUP__ T shfl_down(T v, unsigned int d) const { return __shfl_down_sync(mask(), v, d, N); }
  template <class T> __WARPTAPE_GROUP__ T shfl_up(T v, unsigned int d) const { return __shfl_up_sync(mask(), v, d, N); }
  template <class T> __WARPTAPE_GROUP__ T shfl_xor(T v, unsigned int d) const { return __shfl_xor_sync(mask(), v, d, N); }
  __WARPTAPE_GROUP__ int any(int p) const { return __any_sync(mask(), p); }
  __WARPTAPE_GROUP__ int all(int p) const { return __all_sync(mask(), p); }
  __WARPTAPE_GROUP__ unsigned int ballot(int p) const { return (__ballot_sync(mask(), p) & mask()) >> first(); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  template <class T> __WARPTAPE_GROUP__ unsigned int match_any(T v) const { return __match_any_sync(mask(), v) >> first(); }
#endif
};
template <unsigned int N, class Parent> __WARPTAPE_GROUP__ thread_block_tile<N, Parent> tiled_partition(const Parent &) { return thread_block_tile<N, Parent>(); }

typedef coalesced_group thread_group;
template <class Group> __WARPTAPE_GROUP__ void sync(const Group &g) { g.sync(); }
template <class Group> __WARPTAPE_GROUP__ unsigned int thread_rank(const Group &g) { return g.thread_rank(); }
template <class Group> __WARPTAPE_GROUP__ unsigned int group_size(const Group &g) { return g.size(); }
} // namespace cooperative_groups
#undef __WARPTAPE_GROUP__
#endif
#endif
