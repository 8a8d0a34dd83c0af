// Thread blocks that wait for each other in a launch that is not cooperative: a GPU has room
// for all of them.
#include "check.h"
__global__ void meet(volatile unsigned *arrived, unsigned *sum) {
  __shared__ unsigned before;
  if (threadIdx.x == 0) {
    atomicAdd((unsigned *)arrived, 1u);
    while (*arrived < gridDim.x) {}
    before = *arrived;
  }
  __syncthreads();
  atomicAdd(sum, before + threadIdx.x);
}
int main() {
  unsigned *memory, sum;
  OK(cudaMalloc(&memory, 2 * sizeof *memory));
  OK(cudaMemset(memory, 0, 2 * sizeof *memory));
  meet<<<6, 64>>>(memory, memory + 1);
  OK(cudaMemcpy(&sum, memory + 1, sizeof sum, cudaMemcpyDeviceToHost));
  CHECK(sum == 6 * (64 * 6 + 63 * 64 / 2));
  printf("ok\n");
}
