// A kernel that reads before its buffer and behind it.
#include "check.h"
__global__ void beside(const int *x, int *sum) { *sum = x[-1] + x[0] + x[1024]; }
int main() {
  int *x, *sum, one = 1, got = 0;
  OK(cudaMalloc(&x, 1024 * sizeof *x));
  OK(cudaMalloc(&sum, sizeof *sum));
  OK(cudaMemcpy(x, &one, sizeof one, cudaMemcpyHostToDevice));
  beside<<<1, 1>>>(x, sum);
  OK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(got == 1);
  OK(cudaFree(x));
  OK(cudaFree(sum));
  printf("ok\n");
}
