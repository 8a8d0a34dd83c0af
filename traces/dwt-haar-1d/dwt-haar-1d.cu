// The orthonormal Haar wavelet transform of a signal: at each level neighbours
// become their mean and their difference, both times sqrt(2); the means are the
// next level's signal.
#define MAX_THREADS 512
#define INV_SQRT2 0.70710678118654752f

// A thread block takes 2*blockDim.x samples, both powers of two, through as many
// levels as they allow, down to one mean. Differences go to `details`, which has
// the transform's usual order: those of a signal of length n at n/2 ... n-1.
extern "C" __global__ void __launch_bounds__(MAX_THREADS)
    dwt_haar_1d(float *__restrict__ details, float *__restrict__ means, const float *__restrict__ in, unsigned n) {
  __shared__ float signal[2 * MAX_THREADS];
  unsigned t = threadIdx.x, threads = blockDim.x;
  unsigned first = blockIdx.x * 2 * threads;
  signal[t] = in[first + t];
  signal[t + threads] = in[first + t + threads];
  // A level halves the signal's length and the number of threads that work.
#pragma unroll 1
  for (unsigned active = threads; active > 0; active /= 2) {
    __syncthreads();
    float left = 0.0f, right = 0.0f;
    if (t < active) {
      left = signal[2 * t];
      right = signal[2 * t + 1];
    }
    __syncthreads();
    n /= 2;
    if (t < active) {
      details[n + blockIdx.x * active + t] = (left - right) * INV_SQRT2;
      signal[t] = (left + right) * INV_SQRT2;
    }
  }
  if (t == 0)
    means[blockIdx.x] = signal[0];
}
