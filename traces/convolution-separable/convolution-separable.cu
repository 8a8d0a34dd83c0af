// Convolution of an image with a separable filter: along the rows, then along
// the columns. Pixels outside the image are 0.
#define RADIUS 8
#define TAPS (2 * RADIUS + 1)

// The filter; element RADIUS is the weight of the pixel itself.
__constant__ float weights[TAPS];

// A block of 16 x 4 threads filters 128 x 4 pixels: a thread those at its
// column and at the seven columns 16 apart to the right of it. The tile in
// shared memory has 16 more columns on either side, of which RADIUS are used.
#define ROW_X 16
#define ROW_Y 4
#define ROW_STEPS 8

extern "C" __global__ void __launch_bounds__(ROW_X *ROW_Y)
    convolve_rows(const float *__restrict__ in, float *__restrict__ out, int rows, int columns) {
  __shared__ float tile[ROW_Y][(ROW_STEPS + 2) * ROW_X];
  int tx = int(threadIdx.x), ty = int(threadIdx.y);
  int row = int(blockIdx.y) * ROW_Y + ty;
  int first = (int(blockIdx.x) * ROW_STEPS - 1) * ROW_X + tx;
  int line = row * columns;
#pragma unroll
  for (int step = 0; step < ROW_STEPS + 2; step++) {
    int column = first + step * ROW_X;
    tile[ty][step * ROW_X + tx] = row < rows && column >= 0 && column < columns ? in[line + column] : 0.0f;
  }
  __syncthreads();
#pragma unroll
  for (int step = 1; step <= ROW_STEPS; step++) {
    int column = first + step * ROW_X;
    float sum = 0.0f;
#pragma unroll
    for (int tap = -RADIUS; tap <= RADIUS; tap++)
      sum += weights[RADIUS + tap] * tile[ty][step * ROW_X + tx + tap];
    if (row < rows && column < columns)
      out[line + column] = sum;
  }
}

// The same along the columns: 16 x 8 threads filter 16 x 64 pixels. The tile is
// stored by columns, each with one element of padding against bank conflicts.
#define COLUMN_X 16
#define COLUMN_Y 8
#define COLUMN_STEPS 8

extern "C" __global__ void __launch_bounds__(COLUMN_X *COLUMN_Y)
    convolve_columns(const float *__restrict__ in, float *__restrict__ out, int rows, int columns) {
  __shared__ float tile[COLUMN_X][(COLUMN_STEPS + 2) * COLUMN_Y + 1];
  int tx = int(threadIdx.x), ty = int(threadIdx.y);
  int column = int(blockIdx.x) * COLUMN_X + tx;
  int first = (int(blockIdx.y) * COLUMN_STEPS - 1) * COLUMN_Y + ty;
#pragma unroll
  for (int step = 0; step < COLUMN_STEPS + 2; step++) {
    int row = first + step * COLUMN_Y;
    tile[tx][step * COLUMN_Y + ty] = column < columns && row >= 0 && row < rows ? in[row * columns + column] : 0.0f;
  }
  __syncthreads();
#pragma unroll
  for (int step = 1; step <= COLUMN_STEPS; step++) {
    int row = first + step * COLUMN_Y;
    float sum = 0.0f;
#pragma unroll
    for (int tap = -RADIUS; tap <= RADIUS; tap++)
      sum += weights[RADIUS + tap] * tile[tx][step * COLUMN_Y + ty + tap];
    if (column < columns && row < rows)
      out[row * columns + column] = sum;
  }
}
