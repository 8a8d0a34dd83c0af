// The kernels of a transformer block in single precision: normalisation of rows
// (layer norm), products of matrices, and softmax of rows. All matrices are
// row-major.
#define ROW_THREADS 128
#define WARPS (ROW_THREADS / 32)
#define FULL_WARP 0xffffffffu
#define TILE 16

struct Sum {
  static __device__ __forceinline__ float of(float a, float b) { return a + b; }
};
struct Max {
  static __device__ __forceinline__ float of(float a, float b) { return fmaxf(a, b); }
};

// The values of a thread block's threads combined, in every thread.
template <typename Operation> __device__ __forceinline__ float combine(float v, float *partial) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2)
    v = Operation::of(v, __shfl_xor_sync(FULL_WARP, v, lanes));
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = v;
  __syncthreads();
  v = partial[0];
#pragma unroll
  for (int warp = 1; warp < WARPS; warp++)
    v = Operation::of(v, partial[warp]);
  return v;
}

// Every row shifted and scaled to mean 0 and variance 1, then scaled by gamma
// and shifted by beta, column by column. One block a row.
extern "C" __global__ void __launch_bounds__(ROW_THREADS)
    layer_norm(const float *__restrict__ x, const float *__restrict__ gamma, const float *__restrict__ beta,
               float *__restrict__ out, unsigned width, float epsilon) {
  __shared__ float partial[WARPS];
  const float *row = x + blockIdx.x * width;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < width; i += ROW_THREADS)
    sum += row[i];
  float mean = combine<Sum>(sum, partial) / float(width);
  float squares = 0.0f;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < width; i += ROW_THREADS) {
    float d = row[i] - mean;
    squares += d * d;
  }
  float scale = rsqrtf(combine<Sum>(squares, partial) / float(width) + epsilon);
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < width; i += ROW_THREADS)
    out[blockIdx.x * width + i] = (row[i] - mean) * scale * gamma[i] + beta[i];
}

// Every row's exponentials over their sum, in place. One block a row.
extern "C" __global__ void __launch_bounds__(ROW_THREADS) softmax(float *__restrict__ x, unsigned width) {
  __shared__ float partial[WARPS];
  float *row = x + blockIdx.x * width;
  float largest = row[0];
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < width; i += ROW_THREADS)
    largest = fmaxf(largest, row[i]);
  largest = combine<Max>(largest, partial);
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < width; i += ROW_THREADS) {
    float e = expf(row[i] - largest);
    row[i] = e;
    sum += e;
  }
  sum = combine<Sum>(sum, partial);
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < width; i += ROW_THREADS)
    row[i] = row[i] / sum;
}

// One TILE x TILE part of C = A*B a thread block; A is m x k with rows of lda
// elements, B is k x n (or, transposed, n x k) with rows of ldb. Elements
// beyond the edges count as zero.
template <bool TRANSPOSED>
__device__ __forceinline__ float product(const float *__restrict__ a, const float *__restrict__ b, unsigned m, unsigned n,
                                         unsigned k, unsigned lda, unsigned ldb) {
  __shared__ float tileA[TILE][TILE];
  __shared__ float tileB[TILE][TILE + 1];
  unsigned tx = threadIdx.x, ty = threadIdx.y;
  unsigned row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
  unsigned columnOfTy = blockIdx.x * TILE + ty;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned first = 0; first < k; first += TILE) {
    tileA[ty][tx] = row < m && first + tx < k ? a[row * lda + first + tx] : 0.0f;
    if (TRANSPOSED)
      tileB[tx][ty] = columnOfTy < n && first + tx < k ? b[columnOfTy * ldb + first + tx] : 0.0f;
    else
      tileB[ty][tx] = first + ty < k && column < n ? b[(first + ty) * ldb + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < TILE; i++)
      sum += tileA[ty][i] * tileB[i][tx];
    __syncthreads();
  }
  return sum;
}

// C = A*B.
extern "C" __global__ void __launch_bounds__(TILE *TILE)
    gemm(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, unsigned m, unsigned n,
         unsigned k, unsigned lda, unsigned ldb) {
  float sum = product<false>(a, b, m, n, k, lda, ldb);
  unsigned row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  if (row < m && column < n)
    c[row * n + column] = sum;
}

// C = scale*A*B', of queries with keys.
extern "C" __global__ void __launch_bounds__(TILE *TILE)
    gemm_transposed(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, float scale,
                    unsigned m, unsigned n, unsigned k, unsigned lda, unsigned ldb) {
  float sum = product<true>(a, b, m, n, k, lda, ldb);
  unsigned row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  if (row < m && column < n)
    c[row * n + column] = scale * sum;
}

// C = max(A*B, 0), the activation of the hidden layer.
extern "C" __global__ void __launch_bounds__(TILE *TILE)
    gemm_relu(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, unsigned m, unsigned n,
              unsigned k, unsigned lda, unsigned ldb) {
  float sum = product<false>(a, b, m, n, k, lda, ldb);
  unsigned row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  if (row < m && column < n)
    c[row * n + column] = fmaxf(sum, 0.0f);
}

// C = A*B + residual.
extern "C" __global__ void __launch_bounds__(TILE *TILE)
    gemm_residual(const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ residual,
                  float *__restrict__ c, unsigned m, unsigned n, unsigned k, unsigned lda, unsigned ldb) {
  float sum = product<false>(a, b, m, n, k, lda, ldb);
  unsigned row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  if (row < m && column < n)
    c[row * n + column] = sum + residual[row * n + column];
}
