// SGEMM of the BLAS: C = alpha*A*B + beta*C, where A is m x k, B is k x n and C
// is m x n, by two kernels.

// On row-major matrices of any shape. A thread block computes one TILE x TILE
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

// On a column-major A and C, and a B whose transpose is column-major (which is B
// by rows), as Parboil lays them out. A thread block computes a ROWS x COLUMNS
// part of C and walks along k in steps of STEP, with one tile of B in shared
// memory. A thread has a row of that part: its COLUMNS sums stay in registers,
// and each element of A that it loads, of a column that the threads of a warp
// read next to each other, has a part in all of them. The sides of the matrices
// are multiples of ROWS, COLUMNS and STEP.
#define COLUMNS 16
#define STEP 8
#define ROWS (COLUMNS * STEP)

extern "C" __global__ void __launch_bounds__(ROWS)
    sgemm_registers(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, float alpha,
                    float beta, unsigned m, unsigned n, unsigned k) {
  __shared__ float tileB[STEP][COLUMNS];
  unsigned tx = threadIdx.x, ty = threadIdx.y;
  unsigned row = blockIdx.x * ROWS + ty * COLUMNS + tx;
  unsigned column = blockIdx.y * COLUMNS;
  float sums[COLUMNS] = {};
#pragma unroll 1
  for (unsigned first = 0; first < k; first += STEP) {
    tileB[ty][tx] = b[(first + ty) * n + column + tx];
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < STEP; i++) {
      float left = a[(first + i) * m + row];
#pragma unroll
      for (unsigned j = 0; j < COLUMNS; j++)
        sums[j] += left * tileB[i][j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned j = 0; j < COLUMNS; j++) {
    float *out = &c[(column + j) * m + row];
    *out = alpha * sums[j] + beta * *out;
  }
}
