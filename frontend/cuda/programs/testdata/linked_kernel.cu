// Device code that names what another file defines.
#include "check.h"
extern __device__ int counter;
extern __device__ int twice(int);
extern __device__ int thrice(int);
static __device__ int hidden = 7;
namespace {
__device__ int unnamed = 3;
}
inline __device__ __noinline__ int both(int x) { return x + 1; }
extern void second(int *p);
__global__ void first(int *p) { *p = twice(*p) + counter + hidden + unnamed + both(3) + thrice(1); }
int main() {
  int *p, five = 5;
  OK(cudaMallocManaged(&p, sizeof *p));
  OK(cudaMemcpyToSymbol(hidden, &five, sizeof five));
  *p = 10;
  first<<<1, 1>>>(p);
  OK(cudaDeviceSynchronize());
  CHECK(*p == (2 * 10 + 9 + 11) + 100 + 5 + 3 + 4 + 3);
  second(p);
  OK(cudaDeviceSynchronize());
  CHECK(*p == 109);
  printf("ok\n");
}
