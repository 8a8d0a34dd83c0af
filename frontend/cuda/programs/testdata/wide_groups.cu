// Cooperative groups of several warps, compared with what the host finds by their definitions.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "check.h"
namespace cg = cooperative_groups;
struct Pair { long long sum; int most, count; }; // 16 bytes, which go in two parts

// describe tells what a tile of several warps is and does.
template <int N> __global__ void describe(const int *in, int *out) {
  __shared__ cg::block_tile_memory<1024> memory;
  __shared__ int order[1024];
  cg::thread_block block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<N>(block);
  auto part = cg::tiled_partition<32>(tile);
  int t = block.thread_rank(), v = in[t], *to = out + 10 * t;
  for (int turn = 0; turn < 3; turn++) { // tiles come at different times
    order[t] = v + turn;
    tile.sync();
    v = order[t ^ (N - 1)] - turn;
    tile.sync();
  }
  to[0] = tile.size() + 10000 * tile.thread_rank();
  to[1] = tile.meta_group_size() + 10000 * tile.meta_group_rank();
  to[2] = part.meta_group_size() + 10000 * part.meta_group_rank();
  to[3] = cg::reduce(tile, v, cg::plus<int>());
  to[4] = cg::reduce(tile, v, cg::greater<int>());
  to[5] = tile.any(v == 77) + 2 * tile.all(v != 78);
  Pair p = cg::reduce(tile, Pair{(long long)v << 33, v, 1}, [](Pair a, Pair b) { return Pair{a.sum + b.sum, a.most > b.most ? a.most : b.most, a.count + b.count}; });
  to[6] = (int)(p.sum >> 33);
  to[7] = p.most;
  to[8] = p.count;
  to[9] = v;
}

template <int N> static void run(int threads) {
  int *in, *out;
  OK(cudaMallocManaged(&in, threads * sizeof *in));
  OK(cudaMallocManaged(&out, 10 * threads * sizeof *out));
  for (int t = 0; t < threads; t++) in[t] = t * 37 % 1009;
  describe<N><<<1, threads>>>(in, out);
  OK(cudaDeviceSynchronize());
  for (int t = 0; t < threads; t++) {
    int first = t / N * N, sum = 0, most = 0, any = 0, all = 1;
    for (int i = first; i < first + N; i++) {
      sum += in[i];
      most = in[i] > most ? in[i] : most;
      any |= in[i] == 77;
      all &= in[i] != 78;
    }
    const int *got = out + 10 * t, want[10] = {N + 10000 * (t % N), threads / N + 10000 * (t / N), N / 32 + 10000 * (t % N / 32), sum, most, any + 2 * all, sum, most, N, in[t ^ (N - 1)]};
    for (int i = 0; i < 10; i++)
      if (got[i] != want[i]) {
        printf("tiles of %d, thread %d: result %d is %d, want %d\n", N, t, i, got[i], want[i]);
        exit(1);
      }
  }
  OK(cudaFree(in));
  OK(cudaFree(out));
}

int main() {
  run<64>(1024); // sixteen tiles
  run<64>(128);
  run<128>(512);
  run<256>(256);
  run<512>(1024);
  run<1024>(1024);
  printf("ok\n");
}
