// Exclusive prefix sums ("scans") of many arrays that lie behind each other, all
// of the same length, a power of two.
#define THREADS 256
#define PER_THREAD 4
#define TILE (THREADS * PER_THREAD)

// Inclusive scan of the values of `width` neighbouring threads, a power of two
// that divides the block, in log2(width) steps (Hillis and Steele, "Data parallel
// algorithms", CACM 29, 1986). Each segment lies behind as many zeros, so that
// no thread has to ask whether it has a neighbour at some distance.
__device__ __forceinline__ unsigned scan_threads(unsigned v, volatile unsigned *cells, unsigned width) {
  unsigned at = 2 * threadIdx.x - (threadIdx.x & (width - 1));
  cells[at] = 0;
  at += width;
  cells[at] = v;
#pragma unroll 1
  for (unsigned distance = 1; distance < width; distance *= 2) {
    __syncthreads();
    unsigned sum = cells[at] + cells[at - distance];
    __syncthreads();
    cells[at] = sum;
  }
  return cells[at];
}

// Exclusive scan of the elements of `width` neighbouring threads, of which each
// has four.
__device__ __forceinline__ uint4 scan_tile(uint4 v, volatile unsigned *cells, unsigned width) {
  uint4 upTo = {v.x, v.x + v.y, v.x + v.y + v.z, v.x + v.y + v.z + v.w};
  unsigned before = scan_threads(upTo.w, cells, width) - upTo.w;
  return {before, before + upTo.x, before + upTo.y, before + upTo.z};
}

// Arrays of 4 ... 1024 elements: several of them, or one, a thread block.
extern "C" __global__ void __launch_bounds__(THREADS)
    scan_short(uint4 *__restrict__ out, const uint4 *__restrict__ in, unsigned length) {
  __shared__ unsigned cells[2 * THREADS];
  unsigned i = blockIdx.x * THREADS + threadIdx.x;
  out[i] = scan_tile(in[i], cells, length / PER_THREAD);
}

// The sums of the tiles of longer arrays, after scan_short of every tile, and
// their scan: a thread takes the last element of a tile, in and out, so that
// its sum is that of both. The last block may have less than 256 tiles.
extern "C" __global__ void __launch_bounds__(THREADS)
    scan_sums(unsigned *__restrict__ sums, const unsigned *__restrict__ out, const unsigned *__restrict__ in,
              unsigned tiles, unsigned width) {
  __shared__ unsigned cells[2 * THREADS];
  unsigned tile = blockIdx.x * THREADS + threadIdx.x;
  unsigned sum = 0;
  if (tile < tiles)
    sum = out[(tile + 1) * TILE - 1] + in[(tile + 1) * TILE - 1];
  unsigned before = scan_threads(sum, cells, width) - sum;
  if (tile < tiles)
    sums[tile] = before;
}

// Adds to all elements of a tile what the tiles before it sum up to.
extern "C" __global__ void __launch_bounds__(THREADS)
    add_sums(uint4 *__restrict__ out, const unsigned *__restrict__ sums) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0)
    sum = sums[blockIdx.x];
  __syncthreads();
  unsigned i = blockIdx.x * THREADS + threadIdx.x;
  uint4 v = out[i];
  out[i] = {v.x + sum, v.y + sum, v.z + sum, v.w + sum};
}
