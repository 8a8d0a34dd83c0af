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
#ifndef WIDTH // of the output, if it is known when the kernel is compiled
#define WIDTH width
#define HEIGHT height
#endif

#define SIDE (2 * RADIUS + 1)
#define TILE_WIDTH (BLOCK_SIZE_X * TILE_SIZE_X)
#define TILE_HEIGHT (BLOCK_SIZE_Y * TILE_SIZE_Y)
#define SHARED_WIDTH (TILE_WIDTH + SIDE - 1)
#define SHARED_HEIGHT (TILE_HEIGHT + SIDE - 1)

#if READ_ONLY
#define LOAD(x, n) __nvvm_ldg_f(&in[(top + y) * stride + left + (x)])
#else
#define LOAD(x, n) from[n] // one address serves the rounds of a row
#endif
#if PARTIAL
#define INSIDE(x) ((top + y < HEIGHT + SIDE - 1) & (left + (x) < stride))
#else
#define INSIDE(x) true
#endif
#define COPY(x, n)                                                                                                                 \
  if (INSIDE(x))                                                                                                                   \
    shared[y][x] = LOAD(x, n);

__constant__ float filter[SIDE * SIDE];

// Adds the products with row i of the filter to the sums.
__device__ __forceinline__ void add_row(float (&sum)[TILE_SIZE_Y][TILE_SIZE_X], const float *first, int i) {
#pragma unroll
  for (int j = 0; j < SIDE; j++) {
#pragma unroll
    for (int y = 0; y < TILE_SIZE_Y; y++) {
#pragma unroll
      for (int x = 0; x < TILE_SIZE_X; x++)
        sum[y][x] += first[(y * BLOCK_SIZE_Y + i) * SHARED_WIDTH + x * BLOCK_SIZE_X + j] * filter[i * SIDE + j];
    }
  }
}

// Loops with a pragma are unrolled up to 16,384 instructions of LLVM, three a product and
// one a value of the filter. The vendor's compiler unrolls all rows of 21 pixels a thread, and
// not those of 24. A loop that is longer it unrolls by a divisor of its rounds up to four.
// Clang counts more, so that a template unrolls the rows.
#define UNROLLED (SIDE * SIDE * (3 * TILE_SIZE_X * TILE_SIZE_Y + 1) <= 16384)

template <int I>
__device__ __forceinline__ void add_rows(float (&sum)[TILE_SIZE_Y][TILE_SIZE_X], const float *first) {
  add_row(sum, first, I);
  if constexpr (I + 1 < SIDE)
    add_rows<I + 1>(sum, first);
}

// The input is wider and higher than the output by SIDE - 1.
extern "C" __global__ void convolution(float *out, const float *in, [[maybe_unused]] int width, [[maybe_unused]] int height) {
  __shared__ float shared[SHARED_HEIGHT][SHARED_WIDTH];
  int tx = int(threadIdx.x), ty = int(threadIdx.y);
  int left = int(blockIdx.x) * TILE_WIDTH, top = int(blockIdx.y) * TILE_HEIGHT;
  int stride = WIDTH + SIDE - 1;
  // Each thread begins at its own place, so that how often it goes round is known only when
  // it runs. The vendor's compiler then unrolls the inner loop by four, with the rounds that are
  // left over first, and keeps the outer one.
  unsigned begin = threadIdx.x;
  asm("" : "+r"(begin)); // clang knows how large a thread's number is, and drops rounds
  unsigned more = (SHARED_WIDTH - 1 - begin) / BLOCK_SIZE_X, rest = (more + 1) % 4;
#pragma unroll 1
  for (int y = ty; y < SHARED_HEIGHT; y += BLOCK_SIZE_Y) {
    [[maybe_unused]] const float *from = &in[(top + y) * stride + left + tx];
    int x = tx;
    if (rest != 0) {
      COPY(x, 0)
      x += BLOCK_SIZE_X;
      if (rest != 1) {
        COPY(x, BLOCK_SIZE_X)
        x += BLOCK_SIZE_X;
        if (rest != 2) {
          COPY(x, 2 * BLOCK_SIZE_X)
          x += BLOCK_SIZE_X;
        }
      }
    }
    if (more >= 3) {
      from += x - tx;
#pragma unroll 1
      do {
        COPY(x, 0)
        COPY(x + BLOCK_SIZE_X, BLOCK_SIZE_X)
        COPY(x + 2 * BLOCK_SIZE_X, 2 * BLOCK_SIZE_X)
        COPY(x + 3 * BLOCK_SIZE_X, 3 * BLOCK_SIZE_X)
        x += 4 * BLOCK_SIZE_X;
        from += 4 * BLOCK_SIZE_X;
      } while (x < SHARED_WIDTH);
    }
  }
  __syncthreads();

  float sum[TILE_SIZE_Y][TILE_SIZE_X] = {};
#if UNROLLED
  add_rows<0>(sum, &shared[ty][tx]);
#else
#pragma unroll 3
  for (int i = 0; i < SIDE; i++)
    add_row(sum, &shared[ty][tx], i);
#endif
  // All outputs are as far from the first as the compiler knows, so that one address serves them all.
  float *first = &out[(top + ty) * WIDTH + left + tx];
#pragma unroll
  for (int y = 0; y < TILE_SIZE_Y; y++) {
#pragma unroll
    for (int x = 0; x < TILE_SIZE_X; x++) {
      int row = top + ty + y * BLOCK_SIZE_Y, column = left + tx + x * BLOCK_SIZE_X;
#if PARTIAL
      if (row >= HEIGHT || column >= WIDTH)
        continue;
#endif
      first[y * BLOCK_SIZE_Y * WIDTH + x * BLOCK_SIZE_X] = sum[y][x];
    }
  }
}
