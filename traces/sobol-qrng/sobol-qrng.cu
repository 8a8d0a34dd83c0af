// Sobol's quasi-random numbers in many dimensions, in the Gray code order of
// Antonov and Saleev ("An economic method of computing LP-tau sequences", USSR
// Computational Mathematics and Mathematical Physics 19, 1980): number i is the
// exclusive or of the direction numbers v[k] for the set bits k of i ^ i/2.
#define THREADS 64
#define DIRECTIONS 32

// A row of the grid for each dimension. The grid's width in threads, 2^logStride
// with logStride >= 1, is the stride of a thread's walk: from i to i + 2^s bit s-1
// of the Gray code changes, and bit s+c for the lowest zero c of i >> s.
extern "C" __global__ void __launch_bounds__(THREADS)
    sobol_qrng(float *__restrict__ out, const unsigned *__restrict__ directions, unsigned n, unsigned logStride) {
  __shared__ unsigned v[DIRECTIONS];
  unsigned dimension = blockIdx.y;
  if (threadIdx.x < DIRECTIONS)
    v[threadIdx.x] = directions[dimension * DIRECTIONS + threadIdx.x];
  __syncthreads();

  unsigned i = blockIdx.x * THREADS + threadIdx.x;
  unsigned number = 0;
  unsigned gray = i ^ i >> 1;
#pragma unroll 1
  for (unsigned k = 0; k < logStride; k++)
    if (gray >> k & 1)
      number ^= v[k];
  unsigned each = v[logStride - 1];
#pragma unroll 1
  for (; i < n; i += 1u << logStride) {
    out[dimension * n + i] = float(number) * 2.3283064365386963e-10f; // 2^-32
    number ^= each ^ v[logStride + unsigned(__ffs(int(~(i >> logStride)))) - 1];
  }
}
