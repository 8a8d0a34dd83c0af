// Programs that end badly, each after one launch that is good.
#include "check.h"
#include <cassert>
#include <cstring>

__global__ void good(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void bad(int *p, int kind) {
  if (kind == 1 && blockIdx.x == 2) p[1 << 20] = 1;
  if (kind == 2) assert(blockIdx.x < 2);
  p[threadIdx.x] = 1;
}

int main(int argc, char **argv) {
  int *d, value = 0;
  OK(cudaMalloc(&d, 128));
  good<<<1, 32>>>(d);
  if (argc > 1 && !strcmp(argv[1], "abort")) { OK(cudaDeviceSynchronize()); abort(); }
  if (argc > 1 && !strcmp(argv[1], "exit")) exit(3); // nothing waits for the launch
  int kind = argc > 1 && !strcmp(argv[1], "assert") ? 2 : 1;
  bad<<<4, 32>>>(d, kind);
  cudaError_t e = cudaDeviceSynchronize();
  CHECK(e == (kind == 1 ? cudaErrorIllegalAddress : cudaErrorAssert));
  CHECK(cudaGetLastError() == e && cudaGetLastError() == e); // the context is lost
  CHECK(cudaMemcpy(&value, d, 4, cudaMemcpyDeviceToHost) == e && cudaMalloc(&d, 4) == e);
  puts("ok");
}
