// Scalar products of many pairs of vectors. A thread block takes one pair after
// the other, with the number of blocks as stride.
#define THREADS 256
// Partial sums of a pair, several for each thread: the tree that adds them
// begins wider than the block.
#define SUMS 1024

extern "C" __global__ void __launch_bounds__(THREADS)
    scalar_product(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, unsigned vectors,
                   unsigned length) {
  __shared__ float sums[SUMS];
#pragma unroll 1
  for (unsigned v = blockIdx.x; v < vectors; v += gridDim.x) {
    unsigned first = v * length, end = first + length;
    // Neighbouring threads take neighbouring elements.
#pragma unroll 1
    for (unsigned s = threadIdx.x; s < SUMS; s += THREADS) {
      float sum = 0.0f;
#pragma unroll 1
      for (unsigned i = first + s; i < end; i += SUMS)
        sum += a[i] * b[i];
      sums[s] = sum;
    }
#pragma unroll 1
    for (unsigned half = SUMS / 2; half > 0; half /= 2) {
      __syncthreads();
#pragma unroll 1
      for (unsigned s = threadIdx.x; s < half; s += THREADS)
        sums[s] += sums[s + half];
    }
    // The thread that added last is the one that writes; the others are held
    // back from the next pair's sums.
    if (threadIdx.x == 0)
      out[v] = sums[0];
    __syncthreads();
  }
}
