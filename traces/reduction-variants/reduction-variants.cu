// Sum of a vector by a tree, in variants that differ in where the tree's levels
// keep their sums: in shared memory, in global memory, or the first of them in
// global memory and the rest in shared memory.
#define THREADS 256
#define ELEMENTS (16 * THREADS)

// Writes the sum of the values that a block's threads have, by a tree in shared
// memory.
__device__ __forceinline__ void tree(float sum, float *total) {
  __shared__ float sums[THREADS];
  unsigned t = threadIdx.x;
  sums[t] = sum;
#pragma unroll 1
  for (unsigned half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half)
      sums[t] += sums[t + half];
  }
  if (t == 0)
    *total = sums[0];
}

// One block adds ELEMENTS elements of `in`. Each level of the tree adds the upper
// half of what the level before has left to the lower one. The first GLOBAL_LEVELS
// levels leave their sums in the block's ELEMENTS / 2 elements of `work`; then
// every thread adds what is left in steps of the block's width, two at a time, and
// the levels among the threads are in shared memory. All levels of the last block,
// which may have fewer elements, are like those.
template <int GLOBAL_LEVELS>
__device__ __forceinline__ void reduce(const float *__restrict__ in, float *__restrict__ work, float *__restrict__ out,
                                       unsigned n) {
  constexpr unsigned LEFT = ELEMENTS >> GLOBAL_LEVELS;
  unsigned t = threadIdx.x;
  unsigned first = blockIdx.x * ELEMENTS;
  float sum = 0.0f;
  if (first + ELEMENTS > n) {
#pragma unroll 1
    for (unsigned i = first + t; i < n; i += THREADS)
      sum += in[i];
  } else {
    const float *from = in + first;
    float *own = work + blockIdx.x * (ELEMENTS / 2);
    unsigned half = ELEMENTS / 2;
    if (GLOBAL_LEVELS >= 1) {
#pragma unroll 1
      for (unsigned i = t; i < half; i += THREADS)
        own[i] = from[i] + from[i + half];
      __syncthreads();
      from = own;
    }
#pragma unroll 1
    for (half /= 2; half >= LEFT; half /= 2) {
#pragma unroll 1
      for (unsigned i = t; i < half; i += THREADS)
        own[i] = own[i] + own[i + half];
      __syncthreads();
    }
    if (LEFT == 1) {
      sum = from[0];
    } else {
#pragma unroll 1
      for (unsigned i = t; i < LEFT; i += 2 * THREADS)
        sum += from[i] + from[i + THREADS];
    }
  }
  if (LEFT > 1 || first + ELEMENTS > n)
    tree(sum, out + blockIdx.x);
  else if (t == 0)
    out[blockIdx.x] = sum;
}

#define VARIANT(name, levels)                                                                                          \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                                \
      name(const float *__restrict__ in, float *__restrict__ work, float *__restrict__ out, unsigned n) {              \
    reduce<levels>(in, work, out, n);                                                                                  \
  }

VARIANT(reduce_shared, 0)
VARIANT(reduce_hybrid_1, 1)
VARIANT(reduce_hybrid_2, 2)
VARIANT(reduce_hybrid_3, 3)
VARIANT(reduce_global, 12)
