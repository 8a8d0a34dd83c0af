// Maxwell's equations in two dimensions by finite differences in the time
// domain: the electric field (ex, ey) and the magnetic field hz leapfrog, each
// updated from the curl of the other. All fields are row-major, nx rows of ny
// cells; one cell a thread. A step is three launches.

// The source drives row 0 of ey; the other rows follow hz.
extern "C" __global__ void fdtd_ey(const float *__restrict__ source, float *__restrict__ ey, const float *__restrict__ hz,
                                   unsigned step, unsigned nx, unsigned ny) {
  unsigned j = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  unsigned cell = i * ny + j;
  if (i == 0)
    ey[cell] = source[step];
  else
    ey[cell] = ey[cell] - 0.5f * (hz[cell] - hz[cell - ny]);
}

extern "C" __global__ void fdtd_ex(float *__restrict__ ex, const float *__restrict__ hz, unsigned nx, unsigned ny) {
  unsigned j = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny || j == 0)
    return;
  unsigned cell = i * ny + j;
  ex[cell] = ex[cell] - 0.5f * (hz[cell] - hz[cell - 1]);
}

extern "C" __global__ void fdtd_hz(const float *__restrict__ ex, const float *__restrict__ ey, float *__restrict__ hz,
                                   unsigned nx, unsigned ny) {
  unsigned j = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i + 1 >= nx || j + 1 >= ny)
    return;
  unsigned cell = i * ny + j;
  hz[cell] = hz[cell] - 0.7f * (ex[cell + 1] - ex[cell] + ey[cell + ny] - ey[cell]);
}
