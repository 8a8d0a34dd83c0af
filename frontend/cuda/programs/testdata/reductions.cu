// Reductions over lanes of a warp by their masks, compared with what the host finds.
#include <vector>
#include "check.h"

enum { kLanes = 32, kResults = 9 };
__global__ void reductions(const unsigned *in, const unsigned *masks, unsigned *out) {
#if __CUDA_ARCH__ >= 800
  unsigned lane = threadIdx.x, v = in[lane], mask = masks[lane], *to = out + kResults * lane;
  if (mask >> lane & 1) { // lanes of other masks are elsewhere
    to[0] = __reduce_add_sync(mask, v);
    to[1] = __reduce_add_sync(mask, (int)v);
    to[2] = __reduce_min_sync(mask, v);
    to[3] = __reduce_min_sync(mask, (int)v);
    to[4] = __reduce_max_sync(mask, v);
    to[5] = __reduce_max_sync(mask, (int)v);
    to[6] = __reduce_and_sync(mask, v);
    to[7] = __reduce_or_sync(mask, v);
    to[8] = __reduce_xor_sync(mask, v);
  }
#endif
}

static void run(unsigned chosen) {
  unsigned *in, *masks, *out;
  OK(cudaMallocManaged(&in, kLanes * sizeof *in));
  OK(cudaMallocManaged(&masks, kLanes * sizeof *masks));
  OK(cudaMallocManaged(&out, kLanes * kResults * sizeof *out));
  for (unsigned i = 0; i < kLanes; i++) {
    in[i] = i * 2654435761u | 5u;
    masks[i] = chosen >> i & 1 ? chosen : ~chosen;
  }
  reductions<<<1, kLanes>>>(in, masks, out);
  OK(cudaDeviceSynchronize());
  for (unsigned lane = 0; lane < kLanes; lane++) {
    unsigned want[kResults] = {0, 0, ~0u, 0x7fffffffu, 0, 0x80000000u, ~0u, 0, 0};
    for (unsigned i = 0; i < kLanes; i++) {
      if (!(masks[lane] >> i & 1)) continue;
      want[0] += in[i];
      want[1] += in[i];
      if (in[i] < want[2]) want[2] = in[i];
      if ((int)in[i] < (int)want[3]) want[3] = in[i];
      if (in[i] > want[4]) want[4] = in[i];
      if ((int)in[i] > (int)want[5]) want[5] = in[i];
      want[6] &= in[i];
      want[7] |= in[i];
      want[8] ^= in[i];
    }
    for (int k = 0; k < kResults; k++) CHECK(out[kResults * lane + k] == want[k]);
  }
}

int main() {
  run(~0u);
  run(0x0000ffffu);
  run(0x92492491u);
  printf("ok\n");
}
