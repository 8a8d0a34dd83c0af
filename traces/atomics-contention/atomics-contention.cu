// Atomics on few addresses. `mask` is one less than the number of addresses, a
// power of two: the fewer there are, the more threads, and the more lanes of
// one warp, meet in one.

// Counts in global memory by reductions, which bring no old value back.
__device__ __forceinline__ void count(unsigned *p) { asm volatile("red.add.u32 [%0], 1;" ::"l"(p) : "memory"); }

extern "C" __global__ void count_global(const unsigned *__restrict__ keys, unsigned *counts, unsigned mask, unsigned n) {
  unsigned stride = gridDim.x * blockDim.x;
#pragma unroll 1
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    count(&counts[keys[i] & mask]);
}

// The same counted in shared memory, and added to global memory at the end.
#define MAX_COUNTS 1024
extern "C" __global__ void count_shared(const unsigned *__restrict__ keys, unsigned *counts, unsigned mask, unsigned n) {
  __shared__ unsigned own[MAX_COUNTS];
#pragma unroll 1
  for (unsigned k = threadIdx.x; k <= mask; k += blockDim.x)
    own[k] = 0;
  __syncthreads();
  unsigned stride = gridDim.x * blockDim.x;
#pragma unroll 1
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&own[keys[i] & mask], 1u);
  __syncthreads();
#pragma unroll 1
  for (unsigned k = threadIdx.x; k <= mask; k += blockDim.x)
    atomicAdd(&counts[k], own[k]);
}

// Largest key of each address by compare-and-swap: a lane whose swap fails tries
// again with the value that was there.
extern "C" __global__ void largest(const unsigned *__restrict__ keys, unsigned *maxima, unsigned mask, unsigned n) {
  unsigned stride = gridDim.x * blockDim.x;
#pragma unroll 1
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned key = keys[i];
    unsigned *p = &maxima[key & mask];
    unsigned seen = *p;
    while (seen < key) {
      unsigned old = unsigned(atomicCAS(reinterpret_cast<int *>(p), int(seen), int(key)));
      if (old == seen)
        break;
      seen = old;
    }
  }
}

// Numbered tickets: every thread waits for the old value of one counter.
extern "C" __global__ void tickets(unsigned *counter, unsigned *__restrict__ drawn, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    drawn[i] = atomicAdd(counter, 1u);
}
