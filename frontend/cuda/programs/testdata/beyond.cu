// A kernel that stores behind its buffer, where the next buffer begins.
#include "check.h"
__global__ void beyond(int *x) { x[256] = 1; }
int main() {
  int *x, *next;
  OK(cudaMalloc(&x, 256 * sizeof *x));
  OK(cudaMalloc(&next, 256 * sizeof *next));
  beyond<<<1, 1>>>(x);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
