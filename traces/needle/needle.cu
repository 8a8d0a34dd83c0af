// Alignment of two sequences by Needleman and Wunsch ("A general method
// applicable to the search for similarities in the amino acid sequence of two
// proteins", 1970): score[i][j] is the best score of aligning the first i
// elements of one with the first j of the other, the largest of
//   score[i-1][j-1] + similarity[i][j], score[i][j-1] - penalty and
//   score[i-1][j] - penalty.
#define TILE 16

// One diagonal of tiles a launch, one TILE x TILE tile a thread block, one column
// of the tile a thread. The tile's diagonals follow each other with a barrier
// between them: first growing, then shrinking. Row 0 and column 0 of the
// matrices are given; firstColumn is the tile column of block 0.
extern "C" __global__ void __launch_bounds__(TILE)
    needle(const int *__restrict__ similarity, int *__restrict__ score, int rows, int columns, int penalty, int diagonal,
           int firstColumn) {
  __shared__ int best[TILE + 1][TILE + 1];
  __shared__ int similar[TILE][TILE];
  int t = int(threadIdx.x);
  int tileColumn = firstColumn + int(blockIdx.x);
  int left = tileColumn * TILE, top = (diagonal - tileColumn) * TILE;
  int height = min(TILE, rows - 1 - top);
  bool inside = left + 1 + t < columns;

  if (t == 0)
    best[0][0] = score[top * columns + left];
  if (inside) {
#pragma unroll 1
    for (int y = 0; y < height; y++)
      similar[y][t] = similarity[(top + 1 + y) * columns + left + 1 + t];
    best[0][t + 1] = score[top * columns + left + 1 + t];
  }
  if (t < height)
    best[t + 1][0] = score[(top + 1 + t) * columns + left];
  __syncthreads();

#pragma unroll 1
  for (int step = 0; step < 2 * TILE - 1; step++) {
    int y = step - t;
    if (y >= 0 && y < height && inside) {
      int aligned = best[y][t] + similar[y][t];
      int gap = max(best[y + 1][t], best[y][t + 1]) - penalty;
      best[y + 1][t + 1] = max(aligned, gap);
    }
    __syncthreads();
  }
  if (inside) {
#pragma unroll 1
    for (int y = 0; y < height; y++)
      score[(top + 1 + y) * columns + left + 1 + t] = best[y + 1][t + 1];
  }
}
