// Prices of European options by the formula of Black and Scholes ("The pricing
// of options and corporate liabilities", Journal of Political Economy 81, 1973).
#define THREADS 128

// The distribution function of the standard normal: the polynomial 26.2.17 of
// Abramowitz and Stegun's "Handbook of Mathematical Functions", of an absolute
// error below 7.5e-8, for the upper tail.
__device__ __forceinline__ float normal_cdf(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float polynomial =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.3989422804f * __expf(-0.5f * d * d) * polynomial;
  return d > 0.0f ? 1.0f - tail : tail;
}

// A thread prices one option after the other, with the grid's threads as stride.
extern "C" __global__ void __launch_bounds__(THREADS)
    black_scholes(float *__restrict__ call, float *__restrict__ put, const float *__restrict__ stock,
                  const float *__restrict__ strike, const float *__restrict__ years, float rate, float volatility,
                  unsigned n) {
#pragma unroll 1
  for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
    float s = stock[i], x = strike[i], t = years[i];
    float rootT = sqrtf(t);
    float d1 = (__logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * rootT);
    float d2 = d1 - volatility * rootT;
    float n1 = normal_cdf(d1), n2 = normal_cdf(d2);
    float discounted = x * __expf(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
  }
}
