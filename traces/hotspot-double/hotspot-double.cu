// Temperature of a chip over time, as hotspot has it, with the arithmetic of Rodinia's
// program: a cell is computed in double precision, for the constant 2 is a double, each
// thread makes the quotients of the constants, and power goes through shared memory.
#define BLOCK 16

// step is the time of a step, capacity that of a cell for heat; xr, yr and zr are the
// thermal resistances to the neighbours in a row, in a column and to the ambient.
//
// One launch makes `steps` time steps. A thread block loads BLOCK x BLOCK
// cells into shared memory, of which a border `steps` wide is the halo: it
// overlaps with the neighbouring blocks and loses one ring of valid cells a
// step. The block writes the inner (BLOCK - 2*steps)^2 cells.
extern "C" __global__ void __launch_bounds__(BLOCK *BLOCK)
    hotspot(const float *__restrict__ power, const float *__restrict__ in, float *__restrict__ out, int rows,
            int columns, int steps, float capacity, float xr, float yr, float zr, float ambient, float time) {
  __shared__ float cells[BLOCK][BLOCK];
  __shared__ float heats[BLOCK][BLOCK];
  float step = time / capacity, rx = 1 / xr, ry = 1 / yr, rz = 1 / zr;
  int tx = int(threadIdx.x), ty = int(threadIdx.y);
  int inner = BLOCK - 2 * steps;
  int column = int(blockIdx.x) * inner - steps + tx;
  int row = int(blockIdx.y) * inner - steps + ty;
  bool onChip = row >= 0 && row < rows && column >= 0 && column < columns;
  if (onChip) {
    cells[ty][tx] = in[row * columns + column];
    heats[ty][tx] = power[row * columns + column];
  }
  __syncthreads();

  // Neighbours inside the tile; at the chip's edge the cell itself.
  int north = row > 0 ? ty - 1 : ty;
  int south = row < rows - 1 ? ty + 1 : ty;
  int west = column > 0 ? tx - 1 : tx;
  int east = column < columns - 1 ? tx + 1 : tx;
#pragma unroll 1
  for (int ring = 1; ring <= steps; ring++) {
    bool valid = onChip && tx >= ring && tx < BLOCK - ring && ty >= ring && ty < BLOCK - ring;
    float next = 0.0f;
    if (valid) {
      float here = cells[ty][tx];
      next = float(here + step * (heats[ty][tx] + (cells[south][tx] + cells[north][tx] - 2.0 * here) * ry +
                                  (cells[ty][east] + cells[ty][west] - 2.0 * here) * rx + (ambient - here) * rz));
    }
    __syncthreads();
    if (valid)
      cells[ty][tx] = next;
    __syncthreads();
  }
  if (onChip && tx >= steps && tx < BLOCK - steps && ty >= steps && ty < BLOCK - steps)
    out[row * columns + column] = cells[ty][tx];
}
