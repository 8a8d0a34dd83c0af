// The matrix Q of a reconstruction from magnetic resonance samples that do not
// lie on a grid (Stone and others, "Accelerating advanced MRI reconstructions
// on GPUs", 2008): for every voxel the sum over all samples k of
// |phi(k)|^2 * exp(2 pi i k . x).
#define CHUNK 1024
#define TWO_PI 6.28318531f

// The samples of one launch: x, y and z of k, and |phi(k)|^2.
__constant__ float4 samples[CHUNK];

// |phi|^2 of every sample.
extern "C" __global__ void phi_magnitude(const float *__restrict__ real, const float *__restrict__ imaginary,
                                         float *__restrict__ magnitude, int count) {
  int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count)
    magnitude[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

// Adds the chunk's samples to Q, one voxel a thread.
extern "C" __global__ void add_samples(const float *__restrict__ x, const float *__restrict__ y,
                                       const float *__restrict__ z, float *__restrict__ real,
                                       float *__restrict__ imaginary, int voxels, int count) {
  int v = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (v >= voxels)
    return;
  float vx = x[v], vy = y[v], vz = z[v];
  float re = real[v], im = imaginary[v];
#pragma unroll 2
  for (int k = 0; k < count; k++) {
    float angle = TWO_PI * (samples[k].x * vx + samples[k].y * vy + samples[k].z * vz);
    re += samples[k].w * cosf(angle);
    im += samples[k].w * sinf(angle);
  }
  real[v] = re;
  imaginary[v] = im;
}
