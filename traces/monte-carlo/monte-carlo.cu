// Prices of European call options by simulation: the mean payoff over many
// random end prices of a stock (Boyle, "Options: a Monte Carlo approach", 1977).
#define THREADS 256

// Adds `sums` up in sums[0], by halves with a barrier each.
__device__ __forceinline__ void block_sum(float *sums) {
#pragma unroll 1
  for (unsigned half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
  }
}

// An option is the stock's price, the strike price, and mean and standard
// deviation of the logarithm of the stock's growth. A block has one option; its
// threads walk over the samples of a normal distribution. The result is the sum
// of the payoffs and that of their squares.
extern "C" __global__ void __launch_bounds__(THREADS)
    monte_carlo(const float4 *__restrict__ options, const float *__restrict__ samples, float2 *__restrict__ sums,
                int paths) {
  __shared__ float payoffs[THREADS], squares[THREADS];
  float4 option = options[blockIdx.x];
  float sum = 0.0f, square = 0.0f;
#pragma unroll 1
  for (int i = int(threadIdx.x); i < paths; i += THREADS) {
    float price = option.x * __expf(option.z + option.w * samples[i]);
    float payoff = fmaxf(price - option.y, 0.0f);
    sum += payoff;
    square += payoff * payoff;
  }
  payoffs[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  block_sum(payoffs);
  block_sum(squares);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = {payoffs[0], squares[0]};
}
