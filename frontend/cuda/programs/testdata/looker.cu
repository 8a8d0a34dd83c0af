// SPDX-License-Identifier: Apache-2.0
// It looks at the device, as libraries that list devices do, says so, and stays: as long as
// there is the file that it is given, or a minute.
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int n = 0;
  size_t free, total;
  cudaGetDeviceCount(&n);
  cudaMemGetInfo(&free, &total);
  printf("%d\n", n);
  fclose(stdout); // who waits for what it says need not wait for its end
  fclose(stderr);
  if (argc < 2) sleep(60);
  while (argc > 1 && !access(argv[1], F_OK)) usleep(20000);
}
