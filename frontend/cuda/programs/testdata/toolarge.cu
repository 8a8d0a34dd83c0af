// Launches that no device takes: each gives its error, and says why once. One that some would not take.
#include "check.h"
__global__ void anyKernel(int *p) { if (p) *p = 1; }
__global__ void __launch_bounds__(128) boundedKernel(int *p) { if (p) *p = 1; }
__global__ void deepKernel(int *p) { if (p) *p = 1; }
__global__ void sharedKernel(int *p) { extern __shared__ int s[]; s[threadIdx.x] = 1; if (p) *p = s[0]; }
// wideKernel has all of its 96 numbers at the barrier.
__global__ void wideKernel(float *p) {
  float a[96], s = 0;
#pragma unroll
  for (int i = 0; i < 96; i++) a[i] = p[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 96; i++) s = s * a[i] + a[95 - i];
  p[threadIdx.x] = s;
}
static cudaError_t last() { return cudaGetLastError(); }
int main() {
  for (int i = 0; i < 3; i++) {
    anyKernel<<<1, dim3(64, 32)>>>(NULL);
    CHECK(last() == cudaErrorInvalidConfiguration);
    deepKernel<<<dim3(1, 70000), 32>>>(NULL);
    CHECK(last() == cudaErrorInvalidConfiguration);
    boundedKernel<<<1, 256>>>(NULL);
    CHECK(last() == cudaErrorInvalidValue);
    sharedKernel<<<1, 32, 1 << 20>>>(NULL);
    CHECK(last() == cudaErrorInvalidValue);
  }
  int *p, one = 0;
  OK(cudaMalloc(&p, sizeof *p));
  boundedKernel<<<1, 128>>>(p);
  OK(cudaMemcpy(&one, p, sizeof one, cudaMemcpyDeviceToHost));
  CHECK(one == 1);
  // Registers are counted in PTX, which has more than a card needs: a launch goes on.
  float *many;
  int blocks = 0;
  cudaFuncAttributes of;
  OK(cudaMalloc(&many, 96 * 1024 * sizeof *many));
  for (int i = 0; i < 2; i++) wideKernel<<<1, 1024>>>(many);
  OK(cudaDeviceSynchronize());
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, wideKernel, 1024, 0));
  CHECK(blocks == 1);
  OK(cudaFuncGetAttributes(&of, wideKernel));
  CHECK(of.numRegs > 64 && of.maxThreadsPerBlock == 1024);
  printf("ok\n");
}
