// Two-point angular correlation of points on the sky: histograms of the angles
// between all pairs of a set, and between the points of two sets.
#define THREADS 256
#define WARPS (THREADS / warpSize)
#define EDGES 20
#define BINS (EDGES + 1)

// Cosines of the angles between two bins, descending. A pair belongs into the
// bin whose number is the number of edges above the cosine of its angle.
__constant__ float edges[EDGES];

// Points are unit vectors; set 0 has the data, sets 1 ... sets random points.
// Block 0 has the pairs of the data, blocks 1 ... sets those of a random set,
// the others those of the data with a random set. The block holds one tile of
// points in shared memory and its threads run over it with a point each. Each
// warp has a histogram of its own.
extern "C" __global__ void __launch_bounds__(THREADS)
    correlate(const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z,
              unsigned *__restrict__ histograms, int points, int sets) {
  __shared__ float tileX[THREADS], tileY[THREADS], tileZ[THREADS];
  __shared__ unsigned bins[WARPS][BINS];
  int t = int(threadIdx.x), block = int(blockIdx.x);
  bool own = block <= sets;
  int first = (own ? block : block - sets) * points; // of the set in the tiles
  int second = own ? first : 0;                      // of the threads' points
  unsigned *mine = bins[t / warpSize];
  for (int i = t; i < int(WARPS) * BINS; i += THREADS)
    bins[0][i] = 0;

#pragma unroll 1
  for (int tile = 0; tile < points; tile += THREADS) {
    __syncthreads();
    if (tile + t < points) {
      tileX[t] = x[first + tile + t];
      tileY[t] = y[first + tile + t];
      tileZ[t] = z[first + tile + t];
    }
    __syncthreads();
    // A pair of one set counts once: with the tile's point before the thread's.
#pragma unroll 1
    for (int j = (own ? tile : 0) + t; j < points; j += THREADS) {
      float px = x[second + j], py = y[second + j], pz = z[second + j];
      int end = min(THREADS, (own ? j : points) - tile);
#pragma unroll 1
      for (int k = 0; k < end; k++) {
        float cosine = fmaf(tileZ[k], pz, fmaf(tileY[k], py, tileX[k] * px));
        int low = 0, high = EDGES;
        while (low < high) {
          int middle = (low + high) / 2;
          if (cosine < edges[middle])
            low = middle + 1;
          else
            high = middle;
        }
        atomicAdd(&mine[low], 1u);
      }
    }
  }
  __syncthreads();
  if (t < BINS) {
    unsigned sum = 0;
#pragma unroll
    for (int warp = 0; warp < int(WARPS); warp++)
      sum += bins[warp][t];
    histograms[block * BINS + t] = sum;
  }
}
