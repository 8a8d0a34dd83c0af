// Prices of European call options by the binomial tree of Cox, Ross and Rubinstein
// ("Option pricing: a simplified approach", Journal of Financial Economics 7, 1979).
// A thread block prices an option: from the values at expiry, a step back in
// time at a time, each value is the discounted mean of two neighbours.
#define THREADS 256
// Steps that a tile makes in shared memory before it goes back to global memory.
#define DEPTH 32

// value = (value of the stock up) * up + (value of it down) * down; at expiry the
// stock is worth stock * exp(spread * (2 i - steps)) after i ups.
struct Option {
  float stock, strike, spread, up, down;
};

// `values` has a row of `pitch` for each option, of which steps+1 are used. A tile
// of THREADS values loses as many at its upper end as it makes steps, so tiles
// advance by THREADS - DEPTH. They go upwards, so that each finds the values
// above it as they were. Steps are made in pairs, to and fro between two arrays.
extern "C" __global__ void __launch_bounds__(THREADS)
    binomial_options(float *__restrict__ prices, float *values, const Option *__restrict__ options, int steps,
                     int pitch) {
  __shared__ float even[THREADS + 1], odd[THREADS + 1];
  int t = int(threadIdx.x);
  Option option = options[blockIdx.x];
  float *mine = values + blockIdx.x * unsigned(pitch);
#pragma unroll 1
  for (int i = t; i <= steps; i += THREADS)
    mine[i] = fmaxf(option.stock * expf(option.spread * float(2 * i - steps)) - option.strike, 0.0f);

  // The neighbour of the uppermost thread: its mean is never used.
  if (t == 0)
    even[THREADS] = odd[THREADS] = 0.0f;

  // `last` is the index of the last value at the time reached.
#pragma unroll 1
  for (int last = steps; last > 0; last -= DEPTH) {
    int depth = min(last, DEPTH);
#pragma unroll 1
    for (int base = 0; base <= last - depth; base += THREADS - DEPTH) {
      __syncthreads();
      even[t] = base + t <= last ? mine[base + t] : 0.0f;
#pragma unroll 1
      for (int step = 0; step < depth; step += 2) {
        __syncthreads();
        odd[t] = option.up * even[t + 1] + option.down * even[t];
        __syncthreads();
        even[t] = option.up * odd[t + 1] + option.down * odd[t];
      }
      if (t < THREADS - DEPTH && base + t <= last - depth)
        mine[base + t] = even[t];
    }
  }
  // The last tile was written by the thread itself.
  if (t == 0)
    prices[blockIdx.x] = mine[0];
}
