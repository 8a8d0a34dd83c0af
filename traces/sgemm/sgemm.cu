// SGEMM of the BLAS on row-major matrices: C = alpha*A*B + beta*C, where A is
// m x k, B is k x n and C is m x n. A thread block computes one TILE x TILE
// part of C and walks along k, one tile of A and one of B in shared memory at
// a time. Elements beyond the edge of a matrix count as zero.
#define TILE 16

extern "C" __global__ void __launch_bounds__(TILE *TILE)
    sgemm(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, float alpha, float beta,
          unsigned m, unsigned n, unsigned k) {
  __shared__ float tileA[TILE][TILE];
  __shared__ float tileB[TILE][TILE];
  unsigned tx = threadIdx.x, ty = threadIdx.y;
  unsigned row = blockIdx.y * TILE + ty;
  unsigned column = blockIdx.x * TILE + tx;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned first = 0; first < k; first += TILE) {
    tileA[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0.0f;
    tileB[ty][tx] = first + ty < k && column < n ? b[(first + ty) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < TILE; i++)
      sum += tileA[ty][i] * tileB[i][tx];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = alpha * sum + beta * c[row * n + column];
}
