// Sums of a vector, in the two ways that CUDA programs usually take.
#define THREADS 256
#define FULL_WARP 0xffffffffu

// Sum of the 32 values that the lanes of a warp hold, in lane 0.
template <typename T> __device__ __forceinline__ T warp_sum(T v) {
#pragma unroll
  for (unsigned delta = warpSize / 2; delta > 0; delta /= 2)
    v += __shfl_down_sync(FULL_WARP, v, delta);
  return v;
}

// One partial sum a thread block: a walk over the vector with the grid's
// width as stride, a tree in shared memory with a barrier a level, and
// shuffles once a single warp is left.
extern "C" __global__ void __launch_bounds__(THREADS)
    reduce_shared(const float *__restrict__ in, float *__restrict__ partial, unsigned n) {
  __shared__ float sums[THREADS];
  unsigned t = threadIdx.x;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS)
    sum += in[i];
  sums[t] = sum;
  __syncthreads();
#pragma unroll 1
  for (unsigned half = THREADS / 2; half > warpSize; half /= 2) {
    if (t < half)
      sums[t] += sums[t + half];
    __syncthreads();
  }
  if (t < warpSize) {
    sum = warp_sum(sums[t] + sums[t + warpSize]);
    if (t == 0)
      partial[blockIdx.x] = sum;
  }
}

// The sum of at most 2*LAST partial sums by one thread block of LAST threads: two
// elements a thread, and the same tree. n is not below LAST.
#define LAST 16

extern "C" __global__ void __launch_bounds__(LAST)
    reduce_last(const float *__restrict__ in, float *__restrict__ total, unsigned n) {
  __shared__ float sums[LAST];
  unsigned t = threadIdx.x;
  float sum = in[t];
  if (t + LAST < n)
    sum += in[t + LAST];
  sums[t] = sum;
  __syncthreads();
#pragma unroll 1
  for (unsigned half = LAST / 2; half > 0; half /= 2) {
    if (t < half)
      sums[t] += sums[t + half];
    __syncthreads();
  }
  if (t == 0)
    *total = sums[0];
}

// The whole sum in one launch, of integers so that the order of the atomics
// does not matter: shuffles inside a warp, an atomic in shared memory for each
// warp, an atomic in global memory for each thread block.
extern "C" __global__ void __launch_bounds__(THREADS)
    reduce_atomic(const int *__restrict__ in, int *__restrict__ total, unsigned n) {
  __shared__ int blockSum;
  unsigned t = threadIdx.x;
  if (t == 0)
    blockSum = 0;
  __syncthreads();
  int sum = 0;
#pragma unroll 1
  for (unsigned i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS)
    sum += in[i];
  sum = warp_sum(sum);
  if (t % warpSize == 0)
    atomicAdd(&blockSum, sum);
  __syncthreads();
  if (t == 0)
    atomicAdd(total, blockSum);
}
