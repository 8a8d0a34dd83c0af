// Memory of every kind, copies in every direction, symbols and fills.
#include "check.h"
#include <cstring>
#include <vector>

__constant__ int table[64];
__device__ int counter = 5;
__device__ float grid[4][8];

__global__ void lookup(int *out) { out[threadIdx.x] = table[threadIdx.x % 64] + grid[1][2]; atomicAdd(&counter, 1); }
__global__ void twice(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= 2; }
__global__ void column(float *p, size_t pitch, int h) { for (int y = 0; y < h; y++) ((float *)((char *)p + y * pitch))[threadIdx.x] += y; }

static void symbols() {
  int host[64], out[128], *d, value;
  float g[4][8] = {};
  g[1][2] = 1000;
  for (int i = 0; i < 64; i++) host[i] = i * i;
  OK(cudaMemcpyToSymbol(table, host, sizeof host));
  OK(cudaMemcpyToSymbol(grid, g, sizeof g));
  OK(cudaMalloc(&d, sizeof out));
  lookup<<<1, 128>>>(d);
  OK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 128; i++) CHECK(out[i] == (i % 64) * (i % 64) + 1000);
  OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  CHECK(value == 133);
  int back[4];
  OK(cudaMemcpyFromSymbol(back, table, sizeof back, 8));
  CHECK(back[0] == 4 && back[3] == 25);
  size_t n;
  int *address;
  OK(cudaGetSymbolSize(&n, table));
  CHECK(n == 256);
  OK(cudaGetSymbolAddress((void **)&address, counter));
  OK(cudaMemset(address, 0, 4));
  OK(cudaMemcpy(&value, address, 4, cudaMemcpyDefault));
  CHECK(value == 0);
  OK(cudaFree(d));
}

static void shared() { // managed, pinned, mapped and registered memory
  int *m, *p, *device, n = 1000;
  OK(cudaMallocManaged(&m, n * sizeof(int)));
  for (int i = 0; i < n; i++) m[i] = i;
  twice<<<4, 256>>>(m, n);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) CHECK(m[i] == 2 * i);
  OK(cudaHostAlloc(&p, n * sizeof(int), cudaHostAllocMapped));
  OK(cudaHostGetDevicePointer(&device, p, 0));
  for (int i = 0; i < n; i++) p[i] = i;
  twice<<<4, 256>>>(device, n);
  OK(cudaStreamSynchronize(0));
  CHECK(p[999] == 1998);
  OK(cudaMemcpy(m, p, n * sizeof(int), cudaMemcpyDefault));
  std::vector<int> own(n, 7);
  OK(cudaHostRegister(own.data(), n * sizeof(int), cudaHostRegisterMapped));
  OK(cudaHostGetDevicePointer(&device, own.data(), 0));
  twice<<<4, 256>>>(device, n);
  OK(cudaDeviceSynchronize());
  for (int v : own) CHECK(v == 14);
  OK(cudaHostUnregister(own.data()));
  own[0] = 3;
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, m));
  CHECK(a.type == cudaMemoryTypeManaged);
  OK(cudaPointerGetAttributes(&a, own.data()));
  CHECK(a.type == cudaMemoryTypeUnregistered);
  OK(cudaFree(m));
  OK(cudaFreeHost(p));
}

static void pitched() {
  const int w = 20, h = 9;
  float host[h][w], out[h][w], *d;
  size_t pitch;
  for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) host[y][x] = x;
  OK(cudaMallocPitch(&d, &pitch, w * 4, h));
  CHECK(pitch >= w * 4);
  OK(cudaMemset2D(d, pitch, 0, w * 4, h));
  OK(cudaMemcpy2D(d, pitch, host, w * 4, w * 4, h, cudaMemcpyHostToDevice));
  column<<<1, w>>>(d, pitch, h);
  OK(cudaMemcpy2D(out, w * 4, d, pitch, w * 4, h, cudaMemcpyDeviceToHost));
  for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) CHECK(out[y][x] == x + y);
  cudaExtent e = make_cudaExtent(16, 4, 3);
  cudaPitchedPtr box;
  OK(cudaMalloc3D(&box, e));
  unsigned char cube[3][4][16], again[3][4][16];
  for (int i = 0; i < 192; i++) ((unsigned char *)cube)[i] = i;
  cudaMemcpy3DParms c = {};
  c.srcPtr = make_cudaPitchedPtr(cube, 16, 16, 4);
  c.dstPtr = box;
  c.extent = e;
  c.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&c));
  c.srcPtr = box;
  c.dstPtr = make_cudaPitchedPtr(again, 16, 16, 4);
  c.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&c));
  CHECK(memcmp(cube, again, sizeof cube) == 0);
  OK(cudaFree(d));
}

static void refusals() {
  int *d, x;
  OK(cudaMalloc(&d, 16));
  CHECK(cudaMemcpy(d, &x, 32, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
  CHECK(cudaMemset(d + 8, 0, 4) == cudaErrorInvalidValue);
  CHECK(cudaFree(d + 1) == cudaErrorInvalidValue);
  CHECK(cudaMalloc(&d, 1ull << 60) == cudaErrorMemoryAllocation);
  CHECK(cudaGetDevice(&x) == cudaSuccess && x == 0 && cudaSetDevice(1) == cudaErrorInvalidDevice);
  CHECK(cudaDeviceCanAccessPeer(&x, 0, 1) == cudaErrorInvalidDevice && cudaDeviceCanAccessPeer(&x, 0, 0) == cudaSuccess && x == 0);
  CHECK(cudaDeviceCanAccessPeer(nullptr, 0, 0) == cudaErrorInvalidValue && cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice);
  cudaGetLastError();
  twice<<<1, 2048>>>(d, 1);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  size_t f, t;
  OK(cudaMemGetInfo(&f, &t));
  CHECK(f < t);
}

int main() {
  symbols();
  shared();
  pitched();
  refusals();
  puts("ok");
}
