// Histograms of bytes, with 64 and with 256 bins. Thread blocks count their part
// of the data in shared memory; a second kernel adds the blocks' histograms.
#define THREADS_64 64
#define BINS_64 64

#define THREADS_256 192
#define WARPS_256 (THREADS_256 / 32)
#define BINS_256 256

#define MERGE_THREADS 256

// Each thread counts in 64 counters of a byte of its own, so that nothing is
// atomic. A warp's 32 counters of a bin would lie in 8 banks; the permuted
// place puts those of 4 threads that share a word 16 threads apart.
__device__ __forceinline__ void count_64(unsigned char *mine, unsigned four) {
  mine[(four >> 2 & 63) * THREADS_64]++;
  mine[(four >> 10 & 63) * THREADS_64]++;
  mine[(four >> 18 & 63) * THREADS_64]++;
  mine[(four >> 26 & 63) * THREADS_64]++;
}

// Bins are the upper six bits of a byte. A thread counts at most 15 times 16
// bytes, which a counter of a byte holds: the grid must be that wide.
extern "C" __global__ void __launch_bounds__(THREADS_64)
    histogram_64(unsigned *__restrict__ partial, const uint4 *__restrict__ in, unsigned n) {
  __shared__ unsigned counters[BINS_64 * THREADS_64 / 4];
  unsigned t = threadIdx.x;
  unsigned place = (t & 15) << 2 | t >> 4;
#pragma unroll
  for (unsigned i = 0; i < BINS_64 / 4; i++)
    counters[t + i * THREADS_64] = 0;
  __syncthreads();
  unsigned char *mine = reinterpret_cast<unsigned char *>(counters) + place;
#pragma unroll 1
  for (unsigned i = blockIdx.x * THREADS_64 + t; i < n; i += gridDim.x * THREADS_64) {
    uint4 v = in[i];
    count_64(mine, v.x);
    count_64(mine, v.y);
    count_64(mine, v.z);
    count_64(mine, v.w);
  }
  __syncthreads();
  // A thread a bin: its 64 counters are 16 words, of which the threads begin at
  // different ones, for the banks.
  unsigned sum = 0;
#pragma unroll
  for (unsigned i = 0; i < THREADS_64 / 4; i++) {
    unsigned four = counters[t * (THREADS_64 / 4) + (i + t) % (THREADS_64 / 4)];
    sum += (four & 255) + (four >> 8 & 255) + (four >> 16 & 255) + (four >> 24);
  }
  partial[blockIdx.x * BINS_64 + t] = sum;
}

__device__ __forceinline__ void count_256(unsigned *bins, unsigned four) {
  atomicAdd(bins + (four & 255), 1u);
  atomicAdd(bins + (four >> 8 & 255), 1u);
  atomicAdd(bins + (four >> 16 & 255), 1u);
  atomicAdd(bins + (four >> 24), 1u);
}

// Each warp has a histogram of its own, in which its threads count with atomics.
extern "C" __global__ void __launch_bounds__(THREADS_256)
    histogram_256(unsigned *__restrict__ partial, const unsigned *__restrict__ in, unsigned n) {
  __shared__ unsigned bins[WARPS_256 * BINS_256];
  unsigned t = threadIdx.x;
#pragma unroll 1
  for (unsigned i = t; i < WARPS_256 * BINS_256; i += THREADS_256)
    bins[i] = 0;
  __syncthreads();
  unsigned *ofWarp = bins + t / warpSize * BINS_256;
#pragma unroll 1
  for (unsigned i = blockIdx.x * THREADS_256 + t; i < n; i += gridDim.x * THREADS_256)
    count_256(ofWarp, in[i]);
  __syncthreads();
#pragma unroll 1
  for (unsigned bin = t; bin < BINS_256; bin += THREADS_256) {
    unsigned sum = 0;
#pragma unroll
    for (unsigned warp = 0; warp < WARPS_256; warp++)
      sum += bins[warp * BINS_256 + bin];
    partial[blockIdx.x * BINS_256 + bin] = sum;
  }
}

// A thread block a bin adds that bin of all partial histograms.
extern "C" __global__ void __launch_bounds__(MERGE_THREADS)
    merge_histograms(unsigned *__restrict__ histogram, const unsigned *__restrict__ partial, unsigned histograms,
                     unsigned bins) {
  __shared__ unsigned sums[MERGE_THREADS];
  unsigned t = threadIdx.x, bin = blockIdx.x;
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned i = t; i < histograms; i += MERGE_THREADS)
    sum += partial[i * bins + bin];
  sums[t] = sum;
#pragma unroll 1
  for (unsigned half = MERGE_THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half)
      sums[t] += sums[t + half];
  }
  if (t == 0)
    histogram[bin] = sums[0];
}
