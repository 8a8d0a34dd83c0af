// Temperature of a chip over time: an explicit finite-difference step of the
// heat equation on a grid of cells, each with its dissipated power. A cell
// exchanges heat with its four neighbours (at the chip's edge with itself,
// which is no exchange) and with the ambient above it.
#define BLOCK 16

// The constants of a step: step = time step / heat capacity of a cell; rx, ry
// and rz are the inverse thermal resistances to the neighbours in a row, in a
// column and to the ambient.
//
// One launch makes `steps` time steps. A thread block loads BLOCK x BLOCK
// cells into shared memory, of which a border `steps` wide is the halo: it
// overlaps with the neighbouring blocks and loses one ring of valid cells a
// step. The block writes the inner (BLOCK - 2*steps)^2 cells.
extern "C" __global__ void __launch_bounds__(BLOCK *BLOCK)
    hotspot(const float *__restrict__ power, const float *__restrict__ in, float *__restrict__ out, int rows,
            int columns, int steps, float step, float rx, float ry, float rz, float ambient) {
  __shared__ float cells[BLOCK][BLOCK];
  int tx = int(threadIdx.x), ty = int(threadIdx.y);
  int inner = BLOCK - 2 * steps;
  int column = int(blockIdx.x) * inner - steps + tx;
  int row = int(blockIdx.y) * inner - steps + ty;
  bool onChip = row >= 0 && row < rows && column >= 0 && column < columns;
  float heat = 0.0f;
  if (onChip) {
    cells[ty][tx] = in[row * columns + column];
    heat = power[row * columns + column];
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
      next = here + step * (heat + (cells[south][tx] + cells[north][tx] - 2.0f * here) * ry +
                            (cells[ty][east] + cells[ty][west] - 2.0f * here) * rx + (ambient - here) * rz);
    }
    __syncthreads();
    if (valid)
      cells[ty][tx] = next;
    __syncthreads();
  }
  if (onChip && tx >= steps && tx < BLOCK - steps && ty >= steps && ty < BLOCK - steps)
    out[row * columns + column] = cells[ty][tx];
}
