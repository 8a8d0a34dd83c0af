// __managed__ variables: the same bytes on both sides, initial values, addresses in arguments,
// copies and fills.
#include "check.h"
__managed__ int counter = 41;
__device__ __managed__ double numbers[1000];
int beside = 7; // an ordinary variable, perhaps in the same page
__managed__ struct { char c; long n; } pair = {'x', -5};

__global__ void work() {
  numbers[threadIdx.x] = numbers[threadIdx.x] * 2 + counter;
  if (threadIdx.x == 0) pair.n += pair.c;
}
__global__ void through(double *p, int *n) { p[threadIdx.x] += *n; }
struct Argument { int before; double *p; };
__global__ void inside(Argument a) { a.p[0] = a.before; }

int main() {
  CHECK(counter == 41 && pair.c == 'x' && pair.n == -5);
  for (int i = 0; i < 1000; i++) numbers[i] = i;
  counter++;
  work<<<1, 64>>>();
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 1000; i++) CHECK(numbers[i] == (i < 64 ? 2.0 * i + 42 : i));
  CHECK(pair.n == -5 + 'x' && beside == 7);
  counter = 8;
  through<<<1, 32>>>(numbers + 500, &counter);
  inside<<<1, 1>>>(Argument{9, numbers + 999});
  OK(cudaDeviceSynchronize());
  CHECK(numbers[499] == 499 && numbers[500] == 508 && numbers[531] == 539 && numbers[532] == 532 && numbers[999] == 9);
  double host[4] = {1, 2, 3, 4}, back[2];
  OK(cudaMemcpy(numbers + 10, host, sizeof host, cudaMemcpyHostToDevice));
  CHECK(numbers[10] == 1 && numbers[13] == 4);
  OK(cudaMemcpy(back, &numbers[12], sizeof back, cudaMemcpyDefault));
  CHECK(back[0] == 3 && back[1] == 4);
  OK(cudaMemset(numbers, 0, 8 * sizeof *numbers));
  OK(cudaDeviceSynchronize());
  CHECK(numbers[7] == 0 && numbers[8] != 0);
  OK(cudaMemcpyFromSymbol(back, numbers, sizeof *back, 500 * sizeof *back));
  CHECK(back[0] == 508);
  cudaPointerAttributes at;
  OK(cudaPointerGetAttributes(&at, &counter));
  CHECK(at.type == cudaMemoryTypeManaged);
  OK(cudaMemPrefetchAsync(numbers, sizeof numbers, 0));
  cudaMemLocation place;
  place.type = cudaMemLocationTypeDevice, place.id = 0;
  OK(cudaMemPrefetchAsync(numbers, sizeof numbers, place, 0));
  OK(cudaMemAdvise(numbers, sizeof numbers, cudaMemAdviseSetReadMostly, place));
  CHECK(cudaMemPrefetchAsync(numbers, sizeof numbers, place, 1) == cudaErrorInvalidValue); // flags are reserved
  cudaMemPool_t pool;
  unsigned long long threshold = 0;
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  printf("ok\n");
}
