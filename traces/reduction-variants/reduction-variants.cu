// Sum of a vector by a tree, in variants that differ in where the tree's levels
// keep their sums: in shared memory, in global memory, or the first of them in
// global memory and the rest in shared memory.
#define THREADS 256
#define ELEMENTS (2 * THREADS)

// One block adds ELEMENTS elements of `in`, and those beyond its end count as
// zero. Level l of the tree leaves ELEMENTS >> l sums. The first GLOBAL_LEVELS
// levels leave them in the block's THREADS elements of `work`, the others in
// shared memory.
template <int GLOBAL_LEVELS>
__device__ __forceinline__ void reduce(const float *in, float *work, float *out, unsigned n) {
  __shared__ float sums[GLOBAL_LEVELS < 9 ? THREADS : 1];
  unsigned t = threadIdx.x;
  unsigned first = blockIdx.x * ELEMENTS;
  float *own = work + blockIdx.x * THREADS;

  // Level 1 reads the vector.
  unsigned i = first + t;
  float low = i < n ? in[i] : 0.0f;
  float high = i + THREADS < n ? in[i + THREADS] : 0.0f;
  (GLOBAL_LEVELS >= 1 ? own : sums)[t] = low + high;
  __syncthreads();

  // Levels that read global memory and, but for the last, also write it.
  unsigned half = THREADS / 2;
#pragma unroll
  for (int level = 2; level <= GLOBAL_LEVELS + 1 && level <= 9; level++) {
    if (GLOBAL_LEVELS >= 1) {
      if (t < half)
        (level <= GLOBAL_LEVELS ? own : sums)[t] = own[t] + own[t + half];
      __syncthreads();
      half /= 2;
    }
  }

  // Levels within shared memory.
#pragma unroll 1
  for (; half > 0; half /= 2) {
    if (t < half)
      sums[t] += sums[t + half];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = (GLOBAL_LEVELS < 9 ? sums : own)[0];
}

#define VARIANT(name, levels)                                                                                          \
  extern "C" __global__ void __launch_bounds__(THREADS) name(const float *in, float *work, float *out, unsigned n) {   \
    reduce<levels>(in, work, out, n);                                                                                  \
  }

VARIANT(reduce_shared, 0)
VARIANT(reduce_hybrid_1, 1)
VARIANT(reduce_hybrid_2, 2)
VARIANT(reduce_hybrid_3, 3)
VARIANT(reduce_global, 9)
