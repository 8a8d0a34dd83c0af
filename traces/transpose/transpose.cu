// Transposition of a row-major matrix of rows x columns elements, in two ways.

// One element a thread: neighbouring threads read neighbouring elements of a
// row and write them a column apart, so every store of a warp is scattered.
extern "C" __global__ void transpose_naive(const float *__restrict__ in, float *__restrict__ out,
                                           unsigned rows, unsigned columns) {
  unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns)
    out[column * rows + row] = in[row * columns + column];
}

#define TILE 16

// Through a tile in shared memory: loads and stores both run along rows. The
// extra column keeps the column-wise reads of the tile on different banks.
extern "C" __global__ void __launch_bounds__(TILE *TILE)
    transpose_tiled(const float *__restrict__ in, float *__restrict__ out, unsigned rows, unsigned columns) {
  __shared__ float tile[TILE][TILE + 1];
  unsigned column = blockIdx.x * TILE + threadIdx.x;
  unsigned row = blockIdx.y * TILE + threadIdx.y;
  if (row < rows && column < columns)
    tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
  __syncthreads();
  unsigned outColumn = blockIdx.y * TILE + threadIdx.x;
  unsigned outRow = blockIdx.x * TILE + threadIdx.y;
  if (outRow < columns && outColumn < rows)
    out[outRow * rows + outColumn] = tile[threadIdx.x][threadIdx.y];
}
