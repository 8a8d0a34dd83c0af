// The electric potential of point charges on the points of a plane: at each the
// sum of charge / distance over all atoms.
#define BLOCK_X 16
#define BLOCK_Y 8
// Points that a thread computes. They are BLOCK_X apart, so that a warp's
// accesses stay coalesced.
#define POINTS 2
#define MAX_ATOMS 4000

// x, y, the square of the distance from the plane, and the charge.
__constant__ float4 atoms[MAX_ATOMS];

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    coulombic_potential(float *__restrict__ energy, float spacing, int width, int height, int count) {
  int column = int(blockIdx.x) * (BLOCK_X * POINTS) + int(threadIdx.x);
  int row = int(blockIdx.y) * BLOCK_Y + int(threadIdx.y);
  float x = spacing * float(column), y = spacing * float(row);
  float sum[POINTS] = {};
#pragma unroll 1
  for (int i = 0; i < count; i++) {
    float4 atom = atoms[i];
    float dy = y - atom.y;
    float outside = dy * dy + atom.z; // what is common to a row's points
#pragma unroll
    for (int k = 0; k < POINTS; k++) {
      float dx = x + spacing * float(k * BLOCK_X) - atom.x;
      sum[k] += atom.w * rsqrtf(dx * dx + outside);
    }
  }
  if (row >= height)
    return;
#pragma unroll
  for (int k = 0; k < POINTS; k++)
    if (column + k * BLOCK_X < width)
      energy[row * width + column + k * BLOCK_X] += sum[k];
}
