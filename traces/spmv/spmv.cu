// Product of a sparse matrix and a vector, y = A*x, with the matrix in jagged
// diagonals (JDS): rows are sorted by descending length, and the elements are
// stored diagonal by diagonal, the first element of all rows, then the second
// of all rows that have one, and so on. Threads of consecutive sorted rows so
// read consecutive elements. Rows are padded with zeros to the longest of their
// BANK, so that the lanes of a warp do not diverge.
#define BANK 32
#define MAX_DIAGONALS 8192
#define MAX_BANKS 4096

// Where a diagonal begins, and how many diagonals a bank of rows has.
__constant__ int diagonals[MAX_DIAGONALS];
__constant__ int counts[MAX_BANKS];

// One sorted row a thread; order has the row's number in the matrix.
extern "C" __global__ void spmv_jds(const float *__restrict__ values, const int *__restrict__ columns,
                                    const int *__restrict__ order, const float *__restrict__ x, float *__restrict__ y,
                                    int rows) {
  int row = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows)
    return;
  int count = counts[row / BANK];
  float sum = 0.0f;
#pragma unroll 1
  for (int diagonal = 0; diagonal < count; diagonal++) {
    int at = diagonals[diagonal] + row;
    sum += values[at] * x[columns[at]];
  }
  y[order[row]] = sum;
}
