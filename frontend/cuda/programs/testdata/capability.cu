// Says the compute capability of its device, and uses it.
#include "check.h"
__global__ void nothing() {}
int main() {
  cudaDeviceProp p;
  OK(cudaGetDeviceProperties(&p, 0));
  nothing<<<1, 1>>>();
  OK(cudaDeviceSynchronize());
  printf("%d.%d\n", p.major, p.minor);
}
