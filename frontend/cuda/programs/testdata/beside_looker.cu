// SPDX-License-Identifier: Apache-2.0
// It starts a process that looks at the device and stays (its argument), and uses the device.
#include <stdio.h>

__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }

int main(int argc, char **argv) {
  int n = 0, sum = 0, *p;
  FILE *other = argc > 1 ? popen(argv[1], "r") : NULL;
  if (!other || fscanf(other, "%d", &n) != 1) return 1;
  if (cudaMallocManaged(&p, 32 * sizeof *p)) return 2;
  fill<<<1, 32>>>(p);
  if (cudaDeviceSynchronize()) return 3;
  for (int i = 0; i < 32; i++) sum += p[i];
  printf("%d devices, sum %d\n", n, sum);
  fflush(stdout);
  return 0; // the other process is still there
}
