// The cheapest way through a grid from the first row to the last, where a step
// leads down, or down and to either side: each row's costs are the row's weights
// plus the smallest of three costs of the row before.
#define THREADS 256

// `steps` rows in one launch. A thread has one column; a thread block has the
// costs of its columns in shared memory, of which a border `steps` wide on either
// side is the halo: it overlaps with the neighbouring blocks and loses one valid
// column a step. wall has the weights of the rows, of which `first` is the next.
extern "C" __global__ void __launch_bounds__(THREADS)
    pathfinder(const int *__restrict__ wall, const int *__restrict__ costs, int *__restrict__ results, int columns,
               int first, int steps, int halo) {
  __shared__ int before[THREADS];
  __shared__ int after[THREADS];
  int t = int(threadIdx.x);
  int inner = THREADS - 2 * halo;
  int column = int(blockIdx.x) * inner - halo + t;
  bool inside = column >= 0 && column < columns;
  if (inside)
    before[t] = costs[column];
  __syncthreads();

  // Neighbours inside the block; at the grid's edge the column itself.
  int left = column > 0 ? t - 1 : t;
  int right = column < columns - 1 ? t + 1 : t;
#pragma unroll 1
  for (int step = 1; step <= steps; step++) {
    bool valid = inside && t >= step && t < THREADS - step;
    if (valid)
      after[t] = min(min(before[left], before[right]), before[t]) + wall[(first + step - 1) * columns + column];
    __syncthreads();
    if (valid)
      before[t] = after[t];
    __syncthreads();
  }
  if (inside && t >= halo && t < THREADS - halo)
    results[column] = before[t];
}
