// Sums of absolute differences for the full search of H.264 motion estimation:
// how much each block of a frame differs from the previous frame when it is
// displaced by at most `range` points in both directions. A macroblock has 16 x 16
// points; the sums of its 4 x 4 blocks come first, those of larger blocks are
// sums of these.
#define MACROBLOCK 16
#define POSITIONS_A_THREAD 18
#define LANES 32

__device__ __forceinline__ int clamp(int i, int n) { return max(0, min(i, n - 1)); }

// A thread block for each 4 x 4 block; a thread takes POSITIONS_A_THREAD
// displacements that follow each other, row by row. Outside of the previous frame
// its nearest point counts. Results are in macroblocks, in each the 16 blocks, in
// each the displacements.
extern "C" __global__ void sad_4x4(unsigned short *__restrict__ sad4x4, const unsigned short *__restrict__ frame,
                                   const unsigned short *__restrict__ previous, int width, int height, int range) {
  __shared__ int points[4][4];
  int x0 = int(blockIdx.x) * 4, y0 = int(blockIdx.y) * 4;
#pragma unroll 1
  for (int i = int(threadIdx.x); i < 16; i += int(blockDim.x))
    points[i / 4][i % 4] = frame[(y0 + i / 4) * width + x0 + i % 4];
  __syncthreads();

  int side = 2 * range + 1, positions = side * side;
  int macroblock = y0 / MACROBLOCK * (width / MACROBLOCK) + x0 / MACROBLOCK;
  int block = y0 / 4 % 4 * 4 + x0 / 4 % 4;
  unsigned short *out = sad4x4 + (macroblock * 16 + block) * positions;
  int first = int(threadIdx.x) * POSITIONS_A_THREAD;
  int end = min(first + POSITIONS_A_THREAD, positions);
  int dx = first % side - range, dy = first / side - range;
#pragma unroll 1
  for (int position = first; position < end; position++) {
    int sum = 0;
#pragma unroll
    for (int y = 0; y < 4; y++) {
      const unsigned short *row = previous + clamp(y0 + dy + y, height) * width;
#pragma unroll
      for (int x = 0; x < 4; x++)
        sum += __builtin_abs(points[y][x] - row[clamp(x0 + dx + x, width)]);
    }
    out[position] = (unsigned short)(sum);
    if (++dx > range) {
      dx = -range;
      dy++;
    }
  }
}

// Blocks of 8 x 4 (width x height), 4 x 8 and 8 x 8 points: a thread block for each
// macroblock, a warp for each quarter of it.
extern "C" __global__ void __launch_bounds__(LANES * 4)
    sad_8x8(unsigned short *__restrict__ sad8x4, unsigned short *__restrict__ sad4x8,
            unsigned short *__restrict__ sad8x8, const unsigned short *__restrict__ sad4x4, int positions) {
  int macroblock = int(blockIdx.y * gridDim.x + blockIdx.x);
  int qx = int(threadIdx.y) % 2, qy = int(threadIdx.y) / 2;
  const unsigned short *in = sad4x4 + (macroblock * 16 + qy * 8 + qx * 2) * positions;
  unsigned short *wide = sad8x4 + (macroblock * 8 + qy * 4 + qx) * positions;
  unsigned short *high = sad4x8 + (macroblock * 8 + qy * 4 + qx * 2) * positions;
  unsigned short *whole = sad8x8 + (macroblock * 4 + qy * 2 + qx) * positions;
#pragma unroll 1
  for (int i = int(threadIdx.x); i < positions; i += LANES) {
    int a = in[i], b = in[positions + i], c = in[4 * positions + i], d = in[5 * positions + i];
    wide[i] = (unsigned short)(a + b);
    wide[2 * positions + i] = (unsigned short)(c + d);
    high[i] = (unsigned short)(a + c);
    high[positions + i] = (unsigned short)(b + d);
    whole[i] = (unsigned short)(a + b + c + d);
  }
}

// Blocks of 16 x 8, 8 x 16 and 16 x 16 points: a warp for each macroblock.
extern "C" __global__ void __launch_bounds__(LANES)
    sad_16x16(unsigned short *__restrict__ sad16x8, unsigned short *__restrict__ sad8x16,
              unsigned short *__restrict__ sad16x16, const unsigned short *__restrict__ sad8x8, int positions) {
  int macroblock = int(blockIdx.y * gridDim.x + blockIdx.x);
  const unsigned short *in = sad8x8 + macroblock * 4 * positions;
#pragma unroll 1
  for (int i = int(threadIdx.x); i < positions; i += LANES) {
    int a = in[i], b = in[positions + i], c = in[2 * positions + i], d = in[3 * positions + i];
    int pair = 2 * macroblock * positions + i;
    sad16x8[pair] = (unsigned short)(a + b);
    sad16x8[pair + positions] = (unsigned short)(c + d);
    sad8x16[pair] = (unsigned short)(a + c);
    sad8x16[pair + positions] = (unsigned short)(b + d);
    sad16x16[macroblock * positions + i] = (unsigned short)(a + b + c + d);
  }
}
