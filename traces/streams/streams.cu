// Small kernels for several streams. All walk over their vectors with the grid's
// width as stride, so that the host chooses how many blocks a launch has.
extern "C" __global__ void scale(unsigned *__restrict__ x, unsigned factor, unsigned rounds, unsigned n) {
  unsigned stride = gridDim.x * blockDim.x;
#pragma unroll 1
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned v = x[i];
#pragma unroll 1
    for (unsigned round = 0; round < rounds; round++)
      v = v * factor + round;
    x[i] = v;
  }
}

// out = a + b, element by element.
extern "C" __global__ void join(const unsigned *__restrict__ a, const unsigned *__restrict__ b,
                                unsigned *__restrict__ out, unsigned n) {
  unsigned stride = gridDim.x * blockDim.x;
#pragma unroll 1
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    out[i] = a[i] + b[i];
}
