// Warps that divide the work by kind: in every thread block half of them only
// bring data from global into shared memory, tile by tile, and the other half
// only compute on them. Two tiles are in shared memory, so that one is filled
// while the other is used. Named barriers hand tiles over: who waits uses
// bar.sync, who only reports uses bar.arrive and goes on.
//
// The computation is a finite impulse response filter of integers,
// out[i] = sum of taps[k] * in[i+k].
#define HALF 128             // threads of either kind
#define TAPS 9
#define TILE HALF            // results a tile
#define SPAN (TILE + TAPS - 1) // elements that they need

// Barriers 1 and 2: tile 0 or 1 is full. Barriers 3 and 4: it is empty.
#define FULL 1
#define EMPTY 3

__device__ __forceinline__ void barrier_wait(unsigned barrier) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(2 * HALF) : "memory");
}
__device__ __forceinline__ void barrier_report(unsigned barrier) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "n"(2 * HALF) : "memory");
}

// A block makes `tiles` tiles of the n results; in has n + TAPS - 1 elements.
extern "C" __global__ void __launch_bounds__(2 * HALF)
    filter(const int *__restrict__ in, const int *__restrict__ taps, int *__restrict__ out, unsigned tiles, unsigned n) {
  __shared__ int tile[2][SPAN];
  unsigned first = blockIdx.x * tiles * TILE;
  unsigned t = threadIdx.x % HALF;
  if (threadIdx.x < HALF) {
#pragma unroll 1
    for (unsigned k = 0; k < tiles; k++) {
      unsigned slot = k % 2;
      if (k >= 2)
        barrier_wait(EMPTY + slot);
#pragma unroll 1
      for (unsigned i = t; i < SPAN; i += HALF) {
        unsigned from = first + k * TILE + i;
        tile[slot][i] = from < n + TAPS - 1 ? in[from] : 0;
      }
      barrier_report(FULL + slot);
    }
  } else {
    int weights[TAPS];
#pragma unroll
    for (unsigned i = 0; i < TAPS; i++)
      weights[i] = taps[i];
#pragma unroll 1
    for (unsigned k = 0; k < tiles; k++) {
      unsigned slot = k % 2;
      barrier_wait(FULL + slot);
      int sum = 0;
#pragma unroll
      for (unsigned i = 0; i < TAPS; i++)
        sum += weights[i] * tile[slot][t + i];
      if (k + 2 < tiles)
        barrier_report(EMPTY + slot);
      unsigned to = first + k * TILE + t;
      if (to < n)
        out[to] = sum;
    }
  }
}
