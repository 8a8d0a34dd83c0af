// Two products of a square matrix with a vector, one with the matrix and one
// with its transpose: x1 += A*y1 and x2 += A'*y2. A is row-major, n x n. A
// thread computes one element of the result: the lanes of a warp walk down a
// column of A in the first kernel and along a row in the second.
extern "C" __global__ void mvt_rows(const float *__restrict__ a, const float *__restrict__ y, float *__restrict__ x,
                                    unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = x[i];
#pragma unroll 1
  for (unsigned j = 0; j < n; j++)
    sum += a[i * n + j] * y[j];
  x[i] = sum;
}

extern "C" __global__ void mvt_columns(const float *__restrict__ a, const float *__restrict__ y, float *__restrict__ x,
                                       unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = x[i];
#pragma unroll 1
  for (unsigned j = 0; j < n; j++)
    sum += a[j * n + i] * y[j];
  x[i] = sum;
}
