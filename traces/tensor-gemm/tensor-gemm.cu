// C = alpha*A*B + beta*C with A (m x k) and B (k x n) of half precision and C
// (m x n) of single precision, all row-major, of any shape. A block of four
// warps makes a 64 x 64 part of C, each warp 32 x 32 of it as 2 x 2 fragments.
// Slices of A and B go through shared memory, with zeros beyond the edges; so do
// the results, which lets edges be cut element by element.

enum { TILE = 64, SLICE = 32, FRAGMENT = 16, THREADS = 128 };
// A row of 8 halves, or 4 floats, more keeps rows out of each other's banks.
enum { A_ROW = SLICE + 8, B_ROW = TILE + 8, C_ROW = TILE + 4 };

__device__ __forceinline__ void load_slice(half_bits *tile, int row_length, const half_bits *matrix, unsigned row,
                                           unsigned column, int rows, int columns, unsigned m, unsigned n) {
  for (int i = threadIdx.x; i < rows * columns; i += THREADS) {
    unsigned r = row + i / columns, c = column + i % columns;
    tile[i / columns * row_length + i % columns] = r < m && c < n ? matrix[r * n + c] : half_bits(0);
  }
}

extern "C" __global__ __launch_bounds__(THREADS) void tensor_gemm(const half_bits *a, const half_bits *b, float *c,
                                                                  float alpha, float beta, unsigned m, unsigned n,
                                                                  unsigned k) {
  __shared__ __attribute__((aligned(32))) half_bits a_tile[TILE * A_ROW];
  __shared__ __attribute__((aligned(32))) half_bits b_tile[SLICE * B_ROW];
  __shared__ __attribute__((aligned(32))) float c_tile[TILE * C_ROW];
  unsigned row = blockIdx.y * TILE, column = blockIdx.x * TILE;
  int warp = threadIdx.x / warpSize;
  int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;

  wmma_accumulator sum[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      wmma_fill(sum[i][j], 0.0f);

#pragma unroll 1
  for (unsigned p = 0; p < k; p += SLICE) {
    load_slice(a_tile, A_ROW, a, row, p, TILE, SLICE, m, k);
    load_slice(b_tile, B_ROW, b, p, column, SLICE, TILE, k, n);
    __syncthreads();
    for (int q = 0; q < SLICE; q += FRAGMENT) {
      wmma_factor fa[2], fb[2];
      for (int i = 0; i < 2; i++) {
        wmma_load_a(fa[i], &a_tile[(warp_row + i * FRAGMENT) * A_ROW + q], A_ROW);
        wmma_load_b(fb[i], &b_tile[q * B_ROW + warp_column + i * FRAGMENT], B_ROW);
      }
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
          wmma_multiply(sum[i][j], fa[i], fb[j]);
    }
    __syncthreads();
  }

  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      wmma_store(&c_tile[(warp_row + i * FRAGMENT) * C_ROW + warp_column + j * FRAGMENT], sum[i][j], C_ROW);
  __syncthreads();
  for (int i = threadIdx.x; i < TILE * TILE; i += THREADS) {
    unsigned r = row + i / TILE, s = column + i % TILE;
    if (r < m && s < n)
      c[r * n + s] = alpha * c_tile[i / TILE * C_ROW + i % TILE] + beta * c[r * n + s];
  }
}
