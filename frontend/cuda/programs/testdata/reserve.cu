// What the system takes of each thread block's shared memory, 1 KiB from compute capability 8.0 on
// (CUDA C programming guide): a thread block may ask for all that is left, and occupancy counts it.
#include "check.h"
__global__ void most(int *p) { extern __shared__ int s[]; s[threadIdx.x] = 1; __syncthreads(); *p = s[31]; }
int main() {
  cudaDeviceProp d;
  OK(cudaGetDeviceProperties(&d, 0));
  size_t reserved = d.major >= 8 ? 1024 : 0;
  CHECK(d.reservedSharedMemPerBlock == reserved);
  CHECK(d.sharedMemPerBlockOptin + reserved == d.sharedMemPerMultiprocessor);
  int value = -1, blocks = -1, *p;
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrReservedSharedMemoryPerBlock, 0));
  CHECK(value == (int)reserved);
  for (size_t bytes = 5 << 10; bytes <= 40 << 10; bytes += 7 << 10) {
    size_t by_shared = d.sharedMemPerMultiprocessor / (bytes + reserved), by_threads = d.maxThreadsPerMultiProcessor / 32;
    size_t want = by_shared < by_threads ? by_shared : by_threads;
    if (want > (size_t)d.maxBlocksPerMultiProcessor) want = d.maxBlocksPerMultiProcessor;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, most, 32, bytes));
    CHECK(blocks == (int)want);
  }
  OK(cudaFuncSetAttribute(most, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)d.sharedMemPerBlockOptin));
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, most, 32, d.sharedMemPerBlockOptin));
  CHECK(blocks == 1);
  OK(cudaMalloc(&p, sizeof *p));
  most<<<1, 32, d.sharedMemPerBlockOptin>>>(p);
  int one = 0;
  OK(cudaMemcpy(&one, p, sizeof one, cudaMemcpyDeviceToHost));
  CHECK(one == 1);
  printf("ok\n");
}
