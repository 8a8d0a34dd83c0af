// Histograms of the three colours of an image, 256 bins each.
#define THREADS 256
#define BINS 256
#define COLOURS 3

// A pixel is 8 bits each of red, green, blue (from the lowest on) and nothing.
// Each block counts its share of the pixels in shared memory and writes its
// histograms behind those of the blocks before it.
extern "C" __global__ void __launch_bounds__(THREADS)
    count_pixels(const unsigned *__restrict__ pixels, unsigned *__restrict__ partial, unsigned count) {
  __shared__ unsigned bins[COLOURS * BINS];
  unsigned t = threadIdx.x;
#pragma unroll
  for (unsigned i = t; i < COLOURS * BINS; i += THREADS)
    bins[i] = 0;
  __syncthreads();
#pragma unroll 1
  for (unsigned i = blockIdx.x * THREADS + t; i < count; i += gridDim.x * THREADS) {
    unsigned pixel = pixels[i];
    atomicAdd(&bins[pixel & 255], 1u);
    atomicAdd(&bins[BINS + (pixel >> 8 & 255)], 1u);
    atomicAdd(&bins[2 * BINS + (pixel >> 16 & 255)], 1u);
  }
  __syncthreads();
#pragma unroll
  for (unsigned i = t; i < COLOURS * BINS; i += THREADS)
    partial[blockIdx.x * (COLOURS * BINS) + i] = bins[i];
}

// Adds the blocks' histograms: one bin a thread, one colour a block.
extern "C" __global__ void __launch_bounds__(BINS)
    merge_histograms(const unsigned *__restrict__ partial, unsigned *__restrict__ histogram, unsigned blocks) {
  unsigned bin = blockIdx.x * BINS + threadIdx.x;
  unsigned sum = 0;
#pragma unroll 4
  for (unsigned b = 0; b < blocks; b++)
    sum += partial[b * (COLOURS * BINS) + bin];
  histogram[bin] = sum;
}
