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
// Managed variables of both files; what a file has of its own has its own bytes.
__managed__ long total = 5;
static __managed__ int own[3] = {1};
extern __managed__ double elsewhere;
extern __constant__ int fixed;
extern __managed__ int early;
extern bool seen(long n);
__global__ void gather() {
  total += (long)elsewhere + fixed;
  elsewhere = own[0];
  own[2] = 6;
  early++;
}
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
  CHECK(total == 5 && elsewhere == 2.5 && early == 77);
  elsewhere = 20;
  int seven = 7, thousand = 1000;
  OK(cudaMemcpyToSymbol(fixed, &seven, sizeof seven));
  gather<<<1, 1>>>();
  OK(cudaDeviceSynchronize());
  CHECK(total == 5 + 20 + 7 && elsewhere == 1 && own[2] == 6 && early == 78 && seen(32));
  OK(cudaMemcpyToSymbol(counter, &thousand, sizeof thousand));
  second(p);
  OK(cudaDeviceSynchronize());
  CHECK(*p == 1009);
  printf("ok\n");
}
