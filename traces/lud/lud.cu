// Factorisation of a square matrix into a lower triangular one with ones on the
// diagonal and an upper triangular one, A = L*U, in place and without pivoting,
// by blocks of TILE x TILE. `first` is the row and column at which the rest of
// the matrix begins; n, its side, is a multiple of TILE.
#define TILE 16

// The block on the diagonal, by one thread block with one thread a row: the
// elements below the diagonal of column i, then those of row i + 1.
extern "C" __global__ void __launch_bounds__(TILE) lud_diagonal(float *__restrict__ matrix, int n, int first) {
  __shared__ float block[TILE][TILE];
  int t = int(threadIdx.x);
  float *corner = matrix + first * n + first;
#pragma unroll 1
  for (int y = 0; y < TILE; y++)
    block[y][t] = corner[y * n + t];
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < TILE - 1; i++) {
    if (t > i) {
      for (int k = 0; k < i; k++)
        block[t][i] -= block[t][k] * block[k][i];
      block[t][i] /= block[i][i];
    }
    __syncthreads();
    if (t > i) {
      for (int k = 0; k < i + 1; k++)
        block[i + 1][t] -= block[i + 1][k] * block[k][t];
    }
    __syncthreads();
  }
#pragma unroll 1
  for (int y = 1; y < TILE; y++)
    corner[y * n + t] = block[y][t];
}

// The blocks to the right of the one on the diagonal and those below it, one of
// each a thread block: half of its 2*TILE threads solve for a row of blocks of U,
// one column each, the others for a column of blocks of L, one row each.
extern "C" __global__ void __launch_bounds__(2 * TILE) lud_perimeter(float *__restrict__ matrix, int n, int first) {
  __shared__ float diagonal[TILE][TILE];
  __shared__ float across[TILE][TILE];
  __shared__ float down[TILE][TILE];
  int t = int(threadIdx.x) % TILE;
  bool solvesRow = int(threadIdx.x) < TILE;
  int ahead = first + (int(blockIdx.x) + 1) * TILE;

  // The upper half of the diagonal block is loaded by one half of the threads,
  // the lower by the other, as are the two blocks to solve for.
  int top = solvesRow ? 0 : TILE / 2;
#pragma unroll 1
  for (int y = top; y < top + TILE / 2; y++)
    diagonal[y][t] = matrix[(first + y) * n + first + t];
  if (solvesRow) {
#pragma unroll 1
    for (int y = 0; y < TILE; y++)
      across[y][t] = matrix[(first + y) * n + ahead + t];
  } else {
#pragma unroll 1
    for (int y = 0; y < TILE; y++)
      down[y][t] = matrix[(ahead + y) * n + first + t];
  }
  __syncthreads();

  if (solvesRow) {
#pragma unroll 1
    for (int i = 1; i < TILE; i++) {
      for (int k = 0; k < i; k++)
        across[i][t] -= diagonal[i][k] * across[k][t];
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < TILE; i++) {
      for (int k = 0; k < i; k++)
        down[t][i] -= down[t][k] * diagonal[k][i];
      down[t][i] /= diagonal[i][i];
    }
  }
  __syncthreads();

  if (solvesRow) {
#pragma unroll 1
    for (int y = 1; y < TILE; y++)
      matrix[(first + y) * n + ahead + t] = across[y][t];
  } else {
#pragma unroll 1
    for (int y = 0; y < TILE; y++)
      matrix[(ahead + y) * n + first + t] = down[y][t];
  }
}

// The rest of the matrix less the product of the two perimeters, one block a
// thread block and one element a thread.
extern "C" __global__ void __launch_bounds__(TILE *TILE) lud_internal(float *__restrict__ matrix, int n, int first) {
  __shared__ float across[TILE][TILE];
  __shared__ float down[TILE][TILE];
  int tx = int(threadIdx.x), ty = int(threadIdx.y);
  int column = first + (int(blockIdx.x) + 1) * TILE + tx;
  int row = first + (int(blockIdx.y) + 1) * TILE + ty;
  across[ty][tx] = matrix[(first + ty) * n + column];
  down[ty][tx] = matrix[row * n + first + tx];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < TILE; k++)
    sum += down[ty][k] * across[k][tx];
  matrix[row * n + column] -= sum;
}
