// Convolution of an image with a square filter of side 2*RADIUS + 1, directly
// in two dimensions. Pixels beyond the image's edge count as zero.
#define BLOCK 16
#define RADIUS 3
#define SIDE (2 * RADIUS + 1)
#define TILE (BLOCK + 2 * RADIUS)

__constant__ float filter[SIDE * SIDE];

// A thread block computes BLOCK x BLOCK pixels, one a thread, from a tile in
// shared memory that has a border RADIUS wide around them.
extern "C" __global__ void __launch_bounds__(BLOCK *BLOCK)
    convolution(const float *__restrict__ in, float *__restrict__ out, int rows, int columns) {
  __shared__ float tile[TILE][TILE];
  int tx = int(threadIdx.x), ty = int(threadIdx.y);
  int left = int(blockIdx.x) * BLOCK - RADIUS;
  int top = int(blockIdx.y) * BLOCK - RADIUS;
#pragma unroll
  for (int y = 0; y < TILE; y += BLOCK) {
#pragma unroll
    for (int x = 0; x < TILE; x += BLOCK) {
      if (ty + y < TILE && tx + x < TILE) {
        int row = top + ty + y, column = left + tx + x;
        bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
        tile[ty + y][tx + x] = inside ? in[row * columns + column] : 0.0f;
      }
    }
  }
  __syncthreads();

  int row = top + RADIUS + ty, column = left + RADIUS + tx;
  if (row >= rows || column >= columns)
    return;
  float sum = 0.0f;
#pragma unroll
  for (int y = 0; y < SIDE; y++) {
#pragma unroll
    for (int x = 0; x < SIDE; x++)
      sum += tile[ty + y][tx + x] * filter[(SIDE - 1 - y) * SIDE + SIDE - 1 - x];
  }
  out[row * columns + column] = sum;
}
