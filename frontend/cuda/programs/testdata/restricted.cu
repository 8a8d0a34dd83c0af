// Threads of a block hand values on through memory that restricted pointers name, with barriers between them.
#include <vector>
#include "check.h"

// follow goes along a list: the thread with the number of the next place stores it, and thread 0 moves on.
__global__ void follow(int steps, const int *__restrict__ next, int *__restrict__ place, int *__restrict__ found, int *__restrict__ end) {
  const int b = blockIdx.x;
  for (int i = 0; i < steps; i++) {
    if (next[place[b]] == int(threadIdx.x)) found[b] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) place[b] = found[b];
    __syncthreads();
  }
  end[b * blockDim.x + threadIdx.x] = place[b];
}

// turns has each thread store once, and all others read it behind a barrier of a warp, a vote or a fence.
__global__ void turns(int kind, int *__restrict__ shared, int *__restrict__ sum) {
  int s = 0;
  for (int i = 0; i < 32; i++) {
    if (int(threadIdx.x) == i) shared[0] += i;
    if (kind == 0) __syncwarp();
    else if (kind == 1) __syncthreads_or(1);
    else __threadfence(), __syncthreads();
    s += shared[0];
    __syncthreads();
  }
  sum[threadIdx.x] = s;
}

int main() {
  const int blocks = 5, threads = 64, steps = 7;
  std::vector<int> next(threads), place(blocks), got(blocks * threads);
  for (int i = 0; i < threads; i++) next[i] = (i * 5 + 3) % threads;
  for (int b = 0; b < blocks; b++) place[b] = b;
  int *n, *p, *f, *e;
  OK(cudaMalloc(&n, threads * 4));
  OK(cudaMalloc(&p, blocks * 4));
  OK(cudaMalloc(&f, blocks * 4));
  OK(cudaMalloc(&e, blocks * threads * 4));
  OK(cudaMemcpy(n, next.data(), threads * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(p, place.data(), blocks * 4, cudaMemcpyHostToDevice));
  follow<<<blocks, threads>>>(steps, n, p, f, e);
  OK(cudaMemcpy(got.data(), e, blocks * threads * 4, cudaMemcpyDeviceToHost));
  for (int b = 0; b < blocks; b++) {
    int at = b;
    for (int i = 0; i < steps; i++) at = next[at];
    for (int t = 0; t < threads; t++) CHECK(got[b * threads + t] == at);
  }
  for (int kind = 0; kind < 3; kind++) {
    OK(cudaMemset(p, 0, 4));
    turns<<<1, 32>>>(kind, p, e);
    OK(cudaMemcpy(got.data(), e, 32 * 4, cudaMemcpyDeviceToHost));
    int sum = 0, all = 0;
    for (int i = 0; i < 32; i++) sum += i, all += sum;
    for (int t = 0; t < 32; t++) CHECK(got[t] == all);
  }
  puts("ok");
}
