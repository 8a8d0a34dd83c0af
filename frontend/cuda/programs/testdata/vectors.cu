// Atomic sums of vectors, whose old values are used or not, and those of single numbers beside them.
#include "check.h"

__global__ void sum(float2 *two, float4 *four, float *one, float *old) {
  float v = (float)(threadIdx.x + 1);
  atomicAdd(two, make_float2(v, 2 * v)); // nobody asks for the old value
  atomicAdd_block(two + 1 + blockIdx.x, make_float2(1, v));
  atomicAdd_system(four, make_float4(1, 2, 3, v));
  float4 before = atomicAdd(four + 1, make_float4(1, 1, 1, 1));
  old[blockIdx.x * blockDim.x + threadIdx.x] = before.x == before.w ? before.x : -1;
  atomicAdd(one, 1.0f);
}

int main() {
  const int blocks = 3, threads = 64, n = blocks * threads, all = blocks * threads * (threads + 1) / 2;
  float2 *two;
  float4 *four;
  float *one, *old;
  OK(cudaMallocManaged(&two, (1 + blocks) * sizeof *two));
  OK(cudaMallocManaged(&four, 2 * sizeof *four));
  OK(cudaMallocManaged(&one, sizeof *one));
  OK(cudaMallocManaged(&old, n * sizeof *old));
  OK(cudaMemset(two, 0, (1 + blocks) * sizeof *two));
  OK(cudaMemset(four, 0, 2 * sizeof *four));
  OK(cudaMemset(one, 0, sizeof *one));
  sum<<<blocks, threads>>>(two, four, one, old);
  OK(cudaDeviceSynchronize());
  CHECK(two[0].x == all && two[0].y == 2 * all && one[0] == n);
  for (int b = 0; b < blocks; b++) CHECK(two[1 + b].x == threads && two[1 + b].y == all / blocks);
  CHECK(four[0].x == n && four[0].y == 2 * n && four[0].z == 3 * n && four[0].w == all);
  CHECK(four[1].x == n && four[1].y == n && four[1].z == n && four[1].w == n);
  bool seen[blocks * threads] = {}; // each old value comes once
  for (int i = 0; i < n; i++) {
    CHECK(old[i] >= 0 && old[i] < n && !seen[(int)old[i]]);
    seen[(int)old[i]] = true;
  }
  printf("ok\n");
}
