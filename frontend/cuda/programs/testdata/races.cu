// Kernels of which two race: one in shared memory, where a barrier lacks, and one in global memory.
#include "check.h"
__global__ void ordered(int *p) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  p[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void without(int *p) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;   // races with
  p[threadIdx.x] = s[63 - threadIdx.x]; // this one
}
__global__ void global(int *p) { p[threadIdx.x & 31] = threadIdx.x >> 5; } // with itself
__global__ void differing(int *p) { *p = threadIdx.x; } // no race, but which one stays?
int main(int, char **argv) {
  int *p;
  OK(cudaMalloc(&p, 64 * sizeof *p));
  ordered<<<1, 64>>>(p);
  if (argv[1][0] == 's') without<<<1, 64>>>(p);
  if (argv[1][0] == 'g') global<<<1, 64>>>(p);
  if (argv[1][0] == 'd') differing<<<1, 32>>>(p);
  OK(cudaDeviceSynchronize());
  printf("ok\n");
}
