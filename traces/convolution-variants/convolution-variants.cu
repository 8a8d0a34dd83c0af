// Convolution of an image with a square filter of side 2*RADIUS + 1. The macros are the
// parameters that an auto-tuner turns; what stands here is what make compiles.
#ifndef BLOCK_SIZE_X
#define BLOCK_SIZE_X 32 // threads of a thread block
#endif
#ifndef BLOCK_SIZE_Y
#define BLOCK_SIZE_Y 4
#endif
#ifndef TILE_SIZE_X
#define TILE_SIZE_X 1 // pixels of a thread, BLOCK_SIZE_X apart
#endif
#ifndef TILE_SIZE_Y
#define TILE_SIZE_Y 3 // and BLOCK_SIZE_Y apart
#endif
#ifndef READ_ONLY
#define READ_ONLY 0 // 1: the image is read by ld.global.nc
#endif
#ifndef PARTIAL
#define PARTIAL 1 // 0: tiles divide the image, so that nothing needs a check
#endif
#ifndef RADIUS
#define RADIUS 7
#endif

#define SIDE (2 * RADIUS + 1)
#define TILE_WIDTH (BLOCK_SIZE_X * TILE_SIZE_X)
#define TILE_HEIGHT (BLOCK_SIZE_Y * TILE_SIZE_Y)
#define SHARED_WIDTH (TILE_WIDTH + SIDE - 1)
#define SHARED_HEIGHT (TILE_HEIGHT + SIDE - 1)

__constant__ float filter[SIDE * SIDE];

// The input is wider and higher than the output by SIDE - 1.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE_X *BLOCK_SIZE_Y)
    convolution(float *out, const float *in, int width, int height) {
  __shared__ float shared[SHARED_HEIGHT][SHARED_WIDTH];
  int tx = int(threadIdx.x), ty = int(threadIdx.y);
  int left = int(blockIdx.x) * TILE_WIDTH, top = int(blockIdx.y) * TILE_HEIGHT;
  int stride = width + SIDE - 1;
#pragma unroll
  for (int y = 0; y < SHARED_HEIGHT; y += BLOCK_SIZE_Y) {
#pragma unroll
    for (int x = 0; x < SHARED_WIDTH; x += BLOCK_SIZE_X) {
      if (ty + y < SHARED_HEIGHT && tx + x < SHARED_WIDTH) {
#if PARTIAL
        if (top + ty + y >= height + SIDE - 1 || left + tx + x >= stride)
          continue;
#endif
        const float *from = &in[(top + ty + y) * stride + left + tx + x];
#if READ_ONLY
        shared[ty + y][tx + x] = __nvvm_ldg_f(from);
#else
        shared[ty + y][tx + x] = *from;
#endif
      }
    }
  }
  __syncthreads();

  float sum[TILE_SIZE_Y][TILE_SIZE_X] = {};
#pragma unroll
  for (int i = 0; i < SIDE; i++) {
#pragma unroll
    for (int j = 0; j < SIDE; j++) {
#pragma unroll
      for (int y = 0; y < TILE_SIZE_Y; y++) {
#pragma unroll
        for (int x = 0; x < TILE_SIZE_X; x++)
          sum[y][x] += shared[ty + y * BLOCK_SIZE_Y + i][tx + x * BLOCK_SIZE_X + j] * filter[i * SIDE + j];
      }
    }
  }
#pragma unroll
  for (int y = 0; y < TILE_SIZE_Y; y++) {
#pragma unroll
    for (int x = 0; x < TILE_SIZE_X; x++) {
      int row = top + ty + y * BLOCK_SIZE_Y, column = left + tx + x * BLOCK_SIZE_X;
#if PARTIAL
      if (row >= height || column >= width)
        continue;
#endif
      out[row * width + column] = sum[y][x];
    }
  }
}
