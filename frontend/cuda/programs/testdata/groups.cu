// Cooperative groups: ranks, votes, shuffles, partitions, reductions, scans and copies, compared
// with what the host finds by their definitions.
#include <vector>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>
#include "check.h"
namespace cg = cooperative_groups;

enum { kThreads = 96, kResults = 64 };
struct Wide { float key; int at; short odd[3]; }; // 16 bytes, of which a shuffle moves all
struct __attribute__((packed)) Odd { unsigned char b[5]; };
struct Begun { int n; __device__ Begun() { n = 12345; } }; // no constructor runs in shared memory
template <int N> static __device__ int begun(int v) {
  __shared__ Begun
      all[N];
  if (threadIdx.x < N) all[threadIdx.x].n = v;
  __syncthreads();
  return all[1].n + (int)sizeof(all);
}
static __device__ Wide later(Wide a, Wide b) { return b.key > a.key ? b : a; }

// sums adds by any group's own threads, as programs with thread_group do.
static __device__ int sums(cg::thread_group g, int *room, int v) {
  int r = g.thread_rank();
  room[r] = v;
  g.sync();
  int s = 0;
  for (unsigned i = 0; i < g.size(); i++) s += room[i];
  g.sync();
  return s;
}

// describe tells what a group of lanes of a warp is and does, by a value of each thread.
template <class Group> __device__ int *describe(const Group &g, int v, int *out) {
  *out++ = g.size();
  *out++ = g.thread_rank();
  *out++ = g.meta_group_size();
  *out++ = g.meta_group_rank();
  *out++ = g.ballot(v & 1);
  *out++ = g.any(v > 50) + 2 * g.all(v > 3);
  *out++ = g.shfl(v, g.size() - 1);
  *out++ = g.shfl_up(v, 1);
  *out++ = g.shfl_down(v, 2 % g.size());
  *out++ = cg::reduce(g, v, cg::plus<int>());
  *out++ = cg::reduce(g, v, cg::less<int>());
  *out++ = cg::inclusive_scan(g, v);
  *out++ = cg::exclusive_scan(g, v);
  *out++ = cg::inclusive_scan(g, v, cg::greater<int>());
  *out++ = g.match_any(v % 3);
  return out;
}

__global__ void groups(const int *in, int *results) {
  __shared__ int room[kThreads];
  cg::thread_block block = cg::this_thread_block();
  int t = block.thread_rank(), v = in[t], *out = results + t * kResults;
  auto tile = cg::tiled_partition<16>(block);
  out = describe(tile, v, out);
  out = describe(cg::binary_partition(tile, v % 5 < 2), v, out);
  out = describe(cg::labeled_partition(cg::tiled_partition<32>(block), v % 4), v, out);
  if (v % 3) out = describe(cg::coalesced_threads(), v, out);
}

__global__ void others(const int *in, int *results) {
  __shared__ int room[kThreads];
  __shared__ __align__(16) char bytes[kThreads * 4 + 16];
  cg::thread_block block = cg::this_thread_block();
  int t = cg::thread_block::thread_rank(), v = in[t], *out = results + t * kResults;
  *out++ = sums(block, room, v);
  *out++ = sums(cg::tiled_partition(block, 8), room + t / 8 * 8, v);
  *out++ = sums(cg::tiled_partition<4>(cg::tiled_partition<32>(block)), room + t / 4 * 4, v);
  *out++ = cg::tiled_partition<4>(cg::tiled_partition<32>(block)).meta_group_rank();
  Wide w = {(float)v, t, {1, 2, (short)t}};
  w = cg::reduce(cg::tiled_partition<32>(block), w, later);
  *out++ = w.at + 1000 * (w.odd[2] == w.at && w.odd[1] == 2);
  Odd o = {{1, 2, 3, 4, (unsigned char)t}};
  o = cg::tiled_partition<32>(block).shfl(o, 3);
  *out++ = o.b[4] * 8 + o.b[0];
  // Copies of all numbers of bytes, to places that are aligned to 1, 4, 8 and 16.
  int wrong = 0;
  for (int place : {0, 1, 4, 8})
    for (int n : {0, 1, 3, 4, 15, 16, 20, 200, kThreads * 4 - 16}) {
      for (int i = t; i < (int)sizeof bytes; i += kThreads) bytes[i] = 99;
      block.sync();
      cg::memcpy_async(block, bytes + place, (const char *)in + place, n);
      cg::wait(block);
      for (int i = t; i < (int)sizeof bytes; i += kThreads) wrong += bytes[i] != (i >= place && i < place + n ? ((const char *)in)[i] : 99);
      block.sync();
    }
  *out++ = wrong;
  // Two groups of copies, of which the first has arrived: the rest of 16 bytes is zero.
  room[t] = -1;
  block.sync();
  if (t < kThreads / 4) __pipeline_memcpy_async(&room[t * 4], &in[t * 4], 16, t == 1 ? 6 : 0);
  __pipeline_commit();
  __pipeline_commit();
  __pipeline_wait_prior(1);
  block.sync();
  *out++ = room[t];
  *out++ = begun<3>(v);
}

// group is a group of lanes on the host: the threads that are in it, in the order of ranks.
typedef std::vector<int> group;
static int *compare(const int *in, const group &g, int me, int parts, int part, int *got) {
  int n = g.size(), rank = 0, sum = 0, least = in[g[0]], before = 0, largest = in[g[0]];
  while (g[rank] != me) rank++;
  unsigned odd = 0, alike = 0;
  bool any = false, all = true;
  for (int i = 0; i < n; i++) {
    int v = in[g[i]];
    odd |= (v & 1u) << i;
    alike |= (unsigned)(v % 3 == in[me] % 3) << i;
    any |= v > 50, all &= v > 3;
    sum += v;
    if (v < least) least = v;
    if (i < rank) before += v;
    if (i <= rank && v > largest) largest = v;
  }
  int want[] = {n, rank, parts, part, (int)odd, any + 2 * all, in[g[n - 1]], in[g[rank ? rank - 1 : rank]],
                in[g[rank + 2 % n < n ? rank + 2 % n : rank]], sum, least, before + in[me], before, largest, (int)alike};
  for (int w : want) {
    if (*got != w) printf("thread %d of a group of %d: a result is %d and not %d\n", me, n, *got, w), exit(1);
    got++;
  }
  return got;
}

int main() {
  int in[kThreads], *from, *to;
  std::vector<int> results(kThreads * kResults);
  for (int i = 0; i < kThreads; i++) in[i] = (i * 37 + 11) % 64;
  OK(cudaMalloc(&from, sizeof in));
  OK(cudaMalloc(&to, results.size() * sizeof(int)));
  OK(cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice));
  groups<<<1, kThreads>>>(from, to);
  OK(cudaMemcpy(results.data(), to, results.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < kThreads; t++) {
    int *got = &results[t * kResults];
    group tile, half, label, apart;
    int labels = 0, mine = 0;
    bool both[2] = {};
    for (int i = t / 16 * 16; i < t / 16 * 16 + 16; i++) {
      tile.push_back(i);
      both[in[i] % 5 < 2] = true;
      if ((in[i] % 5 < 2) == (in[t] % 5 < 2)) half.push_back(i);
    }
    for (int i = t / 32 * 32, seen = 0; i < t / 32 * 32 + 32; i++) {
      if (in[i] % 3) apart.push_back(i);
      if (in[i] % 4 == in[t] % 4) {
        if (label.empty()) mine = labels;
        label.push_back(i);
      }
      if (!(seen >> in[i] % 4 & 1)) labels++;
      seen |= 1 << in[i] % 4;
    }
    got = compare(in, tile, t, kThreads / 16, t / 16, got);
    got = compare(in, half, t, both[0] && both[1] ? 2 : 1, both[0] && both[1] ? in[t] % 5 < 2 : 0, got);
    got = compare(in, label, t, labels, mine, got);
    if (in[t] % 3) compare(in, apart, t, 1, 0, got);
  }
  others<<<1, kThreads>>>(from, to);
  OK(cudaMemcpy(results.data(), to, results.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < kThreads; t++) {
    int *got = &results[t * kResults], all = 0, eight = 0, four = 0, best = t / 32 * 32;
    for (int i = 0; i < kThreads; i++) {
      all += in[i];
      if (i / 8 == t / 8) eight += in[i];
      if (i / 4 == t / 4) four += in[i];
    }
    CHECK(got[0] == all && got[1] == eight && got[2] == four);
    CHECK(got[3] == t % 32 / 4);
    for (int i = best; i < t / 32 * 32 + 32; i++)
      if (in[i] > in[best]) best = i;
    CHECK(in[got[4] - 1000] == in[best]);
    CHECK(got[5] == (t / 32 * 32 + 3) * 8 + 1);
    CHECK(got[6] == 0);
    CHECK(got[8] == in[1] + 12);
    // Of the second sixteen bytes the last six are zero: a half of one number and a whole one.
    CHECK(got[7] == (t == 6 ? in[t] & 0xffff : t == 7 ? 0 : in[t]));
  }
  puts("ok");
}
