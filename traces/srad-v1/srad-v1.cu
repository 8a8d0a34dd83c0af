// Speckle-reducing anisotropic diffusion (Yu and Acton, "Speckle reducing
// anisotropic diffusion", 2002) of an image whose speckle multiplies its
// brightness, with everything but the decision to go on done on the device:
// scaling, the statistics of the whole image, the diffusion, and scaling back.
//
// Images are stored column by column; a thread block is one-dimensional and
// takes consecutive pixels, one a thread.
#define THREADS 512

// The image of 0 ... 255 becomes that of its exponentials, between 1 and e.
extern "C" __global__ void extract(float *__restrict__ image, int pixels) {
  int at = int(blockIdx.x) * THREADS + int(threadIdx.x);
  if (at < pixels)
    image[at] = expf(image[at] / 255.0f);
}

// The terms of both sums: the pixels and their squares.
extern "C" __global__ void prepare(const float *__restrict__ image, float *__restrict__ sums,
                                   float *__restrict__ squares, int pixels) {
  int at = int(blockIdx.x) * THREADS + int(threadIdx.x);
  if (at < pixels) {
    float pixel = image[at];
    sums[at] = pixel;
    squares[at] = pixel * pixel;
  }
}

// Both sums of a thread block's terms, by trees in shared memory; terms lie
// `stride` apart and the sums take the place of the block's first. The launch
// with a single block has the sums of all, which are also left in totals.
extern "C" __global__ void __launch_bounds__(THREADS)
    reduce(float *__restrict__ sums, float *__restrict__ squares, float *__restrict__ totals, int terms, int stride) {
  __shared__ float partial[THREADS];
  __shared__ float partialSquares[THREADS];
  int t = int(threadIdx.x);
  int term = int(blockIdx.x) * THREADS + t;
  partial[t] = term < terms ? sums[term * stride] : 0.0f;
  partialSquares[t] = term < terms ? squares[term * stride] : 0.0f;
  __syncthreads();
#pragma unroll 1
  for (int width = 2; width <= THREADS; width *= 2) {
    if ((t + 1) % width == 0) {
      partial[t] += partial[t - width / 2];
      partialSquares[t] += partialSquares[t - width / 2];
    }
    __syncthreads();
  }
  if (t == THREADS - 1) {
    int first = int(blockIdx.x) * THREADS * stride;
    sums[first] = partial[t];
    squares[first] = partialSquares[t];
    if (gridDim.x == 1) {
      totals[0] = partial[t];
      totals[1] = partialSquares[t];
    }
  }
}

// Each pixel's differences to its four neighbours and its diffusion coefficient.
// up, down, left and right have the neighbouring row of each row and column of
// each column, at the edges the same one. speckle is the squared coefficient of
// variation of the speckle.
extern "C" __global__ void srad(const float *__restrict__ image, const int *__restrict__ up,
                                const int *__restrict__ down, const int *__restrict__ left,
                                const int *__restrict__ right, float *__restrict__ north, float *__restrict__ south,
                                float *__restrict__ west, float *__restrict__ east, float *__restrict__ coefficient,
                                int rows, int pixels, float speckle) {
  int at = int(blockIdx.x) * THREADS + int(threadIdx.x);
  if (at >= pixels)
    return;
  int row = at % rows, column = at / rows;
  float here = image[at];
  float dn = image[up[row] + rows * column] - here;
  float ds = image[down[row] + rows * column] - here;
  float dw = image[row + rows * left[column]] - here;
  float de = image[row + rows * right[column]] - here;

  float gradient = (dn * dn + ds * ds + dw * dw + de * de) / (here * here);
  float laplacian = (dn + ds + dw + de) / here;
  float numerator = 0.5f * gradient - 0.0625f * laplacian * laplacian;
  float denominator = 1.0f + 0.25f * laplacian;
  float variation = numerator / (denominator * denominator);
  float excess = (variation - speckle) / (speckle * (1.0f + speckle));
  north[at] = dn;
  south[at] = ds;
  west[at] = dw;
  east[at] = de;
  coefficient[at] = fminf(fmaxf(1.0f / (1.0f + excess), 0.0f), 1.0f);
}

// The diffusion: a pixel moves towards its neighbours, upwards and left by its
// own coefficient, downwards and right by the neighbour's. step is a quarter of
// the time step.
extern "C" __global__ void srad2(float *__restrict__ image, const int *__restrict__ down,
                                 const int *__restrict__ right, const float *__restrict__ north,
                                 const float *__restrict__ south, const float *__restrict__ west,
                                 const float *__restrict__ east, const float *__restrict__ coefficient, int rows,
                                 int pixels, float step) {
  int at = int(blockIdx.x) * THREADS + int(threadIdx.x);
  if (at >= pixels)
    return;
  int row = at % rows, column = at / rows;
  float here = coefficient[at];
  float below = coefficient[down[row] + rows * column];
  float beside = coefficient[row + rows * right[column]];
  float divergence = here * north[at] + below * south[at] + here * west[at] + beside * east[at];
  image[at] += step * divergence;
}

// The image of exponentials becomes one of 0 ... 255 again.
extern "C" __global__ void compress(float *__restrict__ image, int pixels) {
  int at = int(blockIdx.x) * THREADS + int(threadIdx.x);
  if (at < pixels)
    image[at] = logf(image[at]) * 255.0f;
}
