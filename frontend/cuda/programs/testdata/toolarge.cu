// Launches that no device takes: each gives its error, and says why once.
#include "check.h"
__global__ void anyKernel(int *p) { if (p) *p = 1; }
__global__ void __launch_bounds__(128) boundedKernel(int *p) { if (p) *p = 1; }
__global__ void deepKernel(int *p) { if (p) *p = 1; }
__global__ void sharedKernel(int *p) { extern __shared__ int s[]; s[threadIdx.x] = 1; if (p) *p = s[0]; }
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
  printf("ok\n");
}
