// Speckle-reducing anisotropic diffusion (Yu and Acton, "Speckle reducing
// anisotropic diffusion", 2002) of an image whose speckle multiplies its
// brightness: diffusion with a coefficient that is small where the local
// variation exceeds that of the speckle, so that edges remain.
//
// Products and sums are fused where fmaf says so and nowhere else, which fixes
// every bit of the result.
#pragma clang fp contract(off)

#define BLOCK 16

// Each pixel's differences to its four neighbours (of those beyond the image's
// edge: none) and its diffusion coefficient, one pixel a thread. A block's tile
// of the image is in shared memory, and so are the rows and columns around it.
// speckle is the squared coefficient of variation of the speckle.
extern "C" __global__ void __launch_bounds__(BLOCK *BLOCK)
    srad_coefficients(const float *__restrict__ image, float *__restrict__ north, float *__restrict__ south,
                      float *__restrict__ west, float *__restrict__ east, float *__restrict__ coefficient, int rows,
                      int columns, float speckle) {
  __shared__ float tile[BLOCK][BLOCK];
  __shared__ float above[BLOCK], below[BLOCK], left[BLOCK], right[BLOCK];
  int tx = int(threadIdx.x), ty = int(threadIdx.y);
  int column = int(blockIdx.x) * BLOCK + tx;
  int row = int(blockIdx.y) * BLOCK + ty;
  int at = row * columns + column;
  bool inside = row < rows && column < columns;
  if (inside) {
    tile[ty][tx] = image[at];
    if (ty == 0)
      above[tx] = image[row > 0 ? at - columns : at];
    if (ty == BLOCK - 1 || row == rows - 1)
      below[tx] = image[row < rows - 1 ? at + columns : at];
    if (tx == 0)
      left[ty] = image[column > 0 ? at - 1 : at];
    if (tx == BLOCK - 1 || column == columns - 1)
      right[ty] = image[column < columns - 1 ? at + 1 : at];
  }
  __syncthreads();
  if (!inside)
    return;

  float here = tile[ty][tx];
  float dn = (ty == 0 ? above[tx] : tile[ty - 1][tx]) - here;
  float ds = (ty == BLOCK - 1 || row == rows - 1 ? below[tx] : tile[ty + 1][tx]) - here;
  float dw = (tx == 0 ? left[ty] : tile[ty][tx - 1]) - here;
  float de = (tx == BLOCK - 1 || column == columns - 1 ? right[ty] : tile[ty][tx + 1]) - here;

  float gradient = fmaf(de, de, fmaf(dw, dw, fmaf(ds, ds, dn * dn))) / (here * here);
  float laplacian = (dn + ds + dw + de) / here;
  float numerator = fmaf(laplacian * -0.0625f, laplacian, 0.5f * gradient);
  float denominator = fmaf(laplacian, 0.25f, 1.0f);
  float variation = numerator / (denominator * denominator);
  float excess = (variation - speckle) / (speckle * (1.0f + speckle));
  north[at] = dn;
  south[at] = ds;
  west[at] = dw;
  east[at] = de;
  coefficient[at] = fminf(fmaxf(1.0f / (1.0f + excess), 0.0f), 1.0f);
}

// The diffusion: a pixel moves towards its neighbours, upwards and left by its
// own coefficient, downwards and right by the neighbour's (at the edge by its
// own). step is a quarter of the time step.
extern "C" __global__ void __launch_bounds__(BLOCK *BLOCK)
    srad_update(float *__restrict__ image, const float *__restrict__ north, const float *__restrict__ south,
                const float *__restrict__ west, const float *__restrict__ east, const float *__restrict__ coefficient,
                int rows, int columns, float step) {
  __shared__ float tile[BLOCK][BLOCK];
  __shared__ float below[BLOCK], right[BLOCK];
  int tx = int(threadIdx.x), ty = int(threadIdx.y);
  int column = int(blockIdx.x) * BLOCK + tx;
  int row = int(blockIdx.y) * BLOCK + ty;
  int at = row * columns + column;
  bool inside = row < rows && column < columns;
  if (inside) {
    tile[ty][tx] = coefficient[at];
    if (ty == BLOCK - 1 || row == rows - 1)
      below[tx] = coefficient[row < rows - 1 ? at + columns : at];
    if (tx == BLOCK - 1 || column == columns - 1)
      right[ty] = coefficient[column < columns - 1 ? at + 1 : at];
  }
  __syncthreads();
  if (!inside)
    return;

  float here = tile[ty][tx];
  float cs = ty == BLOCK - 1 || row == rows - 1 ? below[tx] : tile[ty + 1][tx];
  float ce = tx == BLOCK - 1 || column == columns - 1 ? right[ty] : tile[ty][tx + 1];
  float divergence = fmaf(ce, east[at], fmaf(here, west[at], fmaf(cs, south[at], here * north[at])));
  image[at] = fmaf(step, divergence, image[at]);
}
