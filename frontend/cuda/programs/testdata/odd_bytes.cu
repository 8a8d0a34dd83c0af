// Each thread has nineteen bytes that lie one behind the other in shared memory, at an address that is odd for most threads.
// A compiler that loads sixteen of them by one instruction makes that a fault.
#include "check.h"

constexpr int each = 19, threads = 64, all = each * threads;

static __global__ void turned(const signed char *in, signed char *out, int passes) {
  __shared__ __align__(16) signed char room[all];
  signed char mine[each];
  int t = threadIdx.x;
#pragma unroll
  for (int i = 0; i < each; i++) mine[i] = in[t + threads * i];
  while (true) {
    bool last = --passes == 0;
    if (last) {
#pragma unroll
      for (int i = 0; i < each; i++) room[(t + threads * i) * 3 % all] = mine[i];
      __syncthreads();
#pragma unroll
      for (int i = 0; i < each; i++) mine[i] = room[t + threads * i];
    } else {
#pragma unroll
      for (int i = 0; i < each; i++) room[(t + threads * i) * 3 % all] = mine[i];
      __syncthreads();
#pragma unroll
      for (int i = 0; i < each; i++) mine[i] = room[t * each + i];
      __syncthreads();
    }
    if (last) break;
  }
#pragma unroll
  for (int i = 0; i < each; i++) out[t + threads * i] = mine[i];
}

int main() {
  const int passes = 3;
  signed char *in, *out, want[all], next[all];
  OK(cudaMallocManaged(&in, all));
  OK(cudaMallocManaged(&out, all));
  for (int i = 0; i < all; i++) want[i] = in[i] = i * 7 % 251;
  turned<<<1, threads>>>(in, out, passes);
  OK(cudaDeviceSynchronize());
  for (int p = 1; p <= passes; p++) {
    for (int i = 0; i < all; i++) next[i * 3 % all] = want[i];
    for (int i = 0; i < all; i++) want[p < passes ? i / each + i % each * threads : i] = next[i];
  }
  for (int i = 0; i < all; i++) CHECK(out[i] == want[i]);
  printf("ok\n");
}
