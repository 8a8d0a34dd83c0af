// SPDX-License-Identifier: Apache-2.0
// It looks at the device, as libraries that list devices do, says so, and stays.
#include <stdio.h>
#include <unistd.h>

int main() {
  int n = 0;
  size_t free, total;
  cudaGetDeviceCount(&n);
  cudaMemGetInfo(&free, &total);
  printf("%d\n", n);
  fclose(stdout); // who waits for what it says need not wait for its end
  fclose(stderr);
  sleep(60);
}
