// Jacobi's iteration on a grid in space: the new value of a cell is a weighted
// sum of its own and of its six neighbours' values. Cells on the grid's faces
// keep theirs.
#define BLOCK_X 32
#define BLOCK_Y 4

// A thread owns a column of cells along z and walks up it: the cells below and
// above are in registers, those of the same plane in shared memory. A block's
// neighbours in x and y are read from global memory, so that the tile has no
// halo. x runs fastest in memory.
extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    stencil(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz, float own, float others) {
  __shared__ float plane[BLOCK_Y][BLOCK_X];
  int tx = int(threadIdx.x), ty = int(threadIdx.y);
  int x = int(blockIdx.x) * BLOCK_X + tx;
  int y = int(blockIdx.y) * BLOCK_Y + ty;
  bool inGrid = x < nx && y < ny;
  bool inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
  int area = nx * ny;
  int at = y * nx + x;
  float below = 0.0f, here = 0.0f;
  if (inGrid) {
    below = in[at];
    here = in[at + area];
  }
#pragma unroll 1
  for (int z = 1; z < nz - 1; z++) {
    at += area;
    plane[ty][tx] = here;
    __syncthreads();
    float above = inGrid ? in[at + area] : 0.0f;
    if (inside) {
      float west = tx > 0 ? plane[ty][tx - 1] : in[at - 1];
      float east = tx < BLOCK_X - 1 ? plane[ty][tx + 1] : in[at + 1];
      float south = ty > 0 ? plane[ty - 1][tx] : in[at - nx];
      float north = ty < BLOCK_Y - 1 ? plane[ty + 1][tx] : in[at + nx];
      out[at] = others * (west + east + south + north + below + above) - own * here;
    }
    __syncthreads();
    below = here;
    here = above;
  }
}
