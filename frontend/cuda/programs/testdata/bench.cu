// Many small launches, many bytes of copies, or neither.
#include "check.h"
#include <cstring>

__global__ void tiny(int *p) { p[threadIdx.x] += 1; }

int main(int argc, char **argv) {
  int *d, value;
  if (argc > 1 && !strcmp(argv[1], "launches")) {
    OK(cudaMalloc(&d, 128));
    for (int i = 0; i < 10000; i++) tiny<<<1, 32>>>(d);
    OK(cudaMemcpy(&value, d, 4, cudaMemcpyDeviceToHost));
    CHECK(value == 10000);
    return 0;
  }
  if (argc > 1 && !strcmp(argv[1], "none")) {
    OK(cudaMalloc(&d, 128));
    return 0;
  }
  const size_t n = 64 << 20; // sixteen times makes a gibibyte
  char *h = (char *)malloc(n);
  memset(h, 1, n);
  OK(cudaMalloc(&d, n));
  for (int i = 0; i < 8; i++) {
    OK(cudaMemcpy(d, h, n, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(h, d, n, cudaMemcpyDeviceToHost));
  }
}
