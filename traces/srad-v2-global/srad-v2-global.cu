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
// edge: none) and its diffusion coefficient, one pixel a thread. All pixels are
// read from global memory. speckle is the squared coefficient of variation of the
// speckle.
extern "C" __global__ void __launch_bounds__(BLOCK *BLOCK)
    srad_coefficients(const float *__restrict__ image, float *__restrict__ north, float *__restrict__ south,
                      float *__restrict__ west, float *__restrict__ east, float *__restrict__ coefficient, int rows,
                      int columns, float speckle) {
  int column = int(blockIdx.x) * BLOCK + int(threadIdx.x);
  int row = int(blockIdx.y) * BLOCK + int(threadIdx.y);
  int at = row * columns + column;
  if (row >= rows || column >= columns)
    return;

  float here = image[at];
  float dn = image[row > 0 ? at - columns : at] - here;
  float ds = image[row < rows - 1 ? at + columns : at] - here;
  float dw = image[column > 0 ? at - 1 : at] - here;
  float de = image[column < columns - 1 ? at + 1 : at] - here;

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
  int column = int(blockIdx.x) * BLOCK + int(threadIdx.x);
  int row = int(blockIdx.y) * BLOCK + int(threadIdx.y);
  int at = row * columns + column;
  if (row >= rows || column >= columns)
    return;

  float here = coefficient[at];
  float cs = coefficient[row < rows - 1 ? at + columns : at];
  float ce = coefficient[column < columns - 1 ? at + 1 : at];
  float divergence = fmaf(ce, east[at], fmaf(here, west[at], fmaf(cs, south[at], here * north[at])));
  image[at] = fmaf(step, divergence, image[at]);
}
