// The value of a portfolio of swaptions in the LIBOR market model (Brace, Gatarek
// and Musiela, "The market model of interest rate dynamics", Mathematical Finance 7,
// 1997), by Monte Carlo simulation: a thread follows one path of all forward rates.
// The second kernel also gives the value's sensitivity to the rates, by the adjoint
// method (Giles and Glasserman, "Smoking adjoints: fast Monte Carlo greeks", Risk,
// January 2006), for which it keeps the whole path.
#define THREADS 64
#define MAX_RATES 80
#define MAX_MATURITY 40
#define MAX_SWAPTIONS 15
#define NOTIONAL 100.0f

// Volatility of a rate by the number of periods until it is fixed; swaptions are on
// swaps of so many periods at such a fixed rate.
__constant__ float volatility[MAX_RATES];
__constant__ int periods[MAX_SWAPTIONS];
__constant__ float swapRates[MAX_SWAPTIONS];

// rates forward rates, each for a period of delta years; all swaptions are exercised
// after maturity periods.
struct Market {
  int rates, maturity, swaptions;
  float delta, initialRate;
};

// One period further: rates from `now` on move, from old to new, which may be
// the same. `shock` is the period's normally distributed number times sqrt(delta).
__device__ __forceinline__ void advance(float *next, const float *rates, const Market &market, int now, float shock) {
  float drift = 0.0f;
#pragma unroll 1
  for (int i = now + 1; i < market.rates; i++) {
    float lambda = volatility[i - now - 1];
    float variance = market.delta * lambda;
    float rate = rates[i];
    drift += __fdividef(variance * rate, 1.0f + market.delta * rate);
    next[i] = rate * __expf(lambda * drift + lambda * (shock - 0.5f * variance));
  }
}

// Discount factors and annuities of swaps from maturity on, by period.
__device__ __forceinline__ void discount(float *factors, float *annuities, const float *rates, const Market &market) {
  float factor = 1.0f, annuity = 0.0f;
#pragma unroll 1
  for (int j = 0; j < market.rates - market.maturity; j++) {
    factor = __fdividef(factor, 1.0f + market.delta * rates[market.maturity + j]);
    annuity += market.delta * factor;
    factors[j] = factor;
    annuities[j] = annuity;
  }
}

// What paying the fixed rate of swaption k is worth at maturity, if exercised.
__device__ __forceinline__ float exercise(const float *factors, const float *annuities, int k) {
  int j = periods[k] - 1;
  return 1.0f - factors[j] - swapRates[k] * annuities[j];
}

// The portfolio's value at maturity, discounted to now.
__device__ __forceinline__ float portfolio(const float *factors, const float *annuities, const float *rates,
                                           const Market &market) {
  float value = 0.0f;
#pragma unroll 1
  for (int k = 0; k < market.swaptions; k++) {
    float gain = exercise(factors, annuities, k);
    if (gain > 0.0f)
      value += NOTIONAL * gain;
  }
#pragma unroll 1
  for (int n = 0; n < market.maturity; n++)
    value = __fdividef(value, 1.0f + market.delta * rates[n]);
  return value;
}

// Row n of `shocks` is period n of all paths.
extern "C" __global__ void __launch_bounds__(THREADS)
    portfolio_value(float *__restrict__ values, const float *__restrict__ shocks, int paths, int rateCount,
                    int maturity, int swaptions, float delta, float initialRate) {
  Market market = {rateCount, maturity, swaptions, delta, initialRate};
  int path = int(blockIdx.x * THREADS + threadIdx.x);
  if (path >= paths)
    return;
  float rates[MAX_RATES], factors[MAX_RATES], annuities[MAX_RATES];
#pragma unroll 1
  for (int i = 0; i < market.rates; i++)
    rates[i] = market.initialRate;
#pragma unroll 1
  for (int n = 0; n < market.maturity; n++)
    advance(rates, rates, market, n, shocks[n * paths + path]);
  discount(factors, annuities, rates, market);
  values[path] = portfolio(factors, annuities, rates, market);
}

// d value / d rates at maturity. `factors` and `annuities` are used up.
__device__ __forceinline__ void differentiate(float *adjoint, float *factors, float *annuities, const float *rates,
                                              const Market &market, float value) {
  float today = 1.0f;
#pragma unroll 1
  for (int n = 0; n < market.maturity; n++) {
    float growth = __fdividef(1.0f, 1.0f + market.delta * rates[n]);
    today *= growth;
    adjoint[n] = -market.delta * growth * value;
  }
  // By discount factor and by annuity: the sums over the swaptions exercised.
  float byFactor[MAX_RATES], byAnnuity[MAX_RATES];
#pragma unroll 1
  for (int j = 0; j < market.rates - market.maturity; j++)
    byFactor[j] = byAnnuity[j] = 0.0f;
#pragma unroll 1
  for (int k = 0; k < market.swaptions; k++)
    if (exercise(factors, annuities, k) > 0.0f) {
      byFactor[periods[k] - 1] -= NOTIONAL * today;
      byAnnuity[periods[k] - 1] -= NOTIONAL * today * swapRates[k];
    }
  float later = 0.0f, annuity = 0.0f;
#pragma unroll 1
  for (int j = market.rates - market.maturity - 1; j >= 0; j--) {
    float growth = __fdividef(1.0f, 1.0f + market.delta * rates[market.maturity + j]);
    annuity += byAnnuity[j];
    later = (later + byFactor[j] + market.delta * annuity) * growth;
    float before = j > 0 ? factors[j - 1] : 1.0f;
    adjoint[market.maturity + j] = -market.delta * growth * before * later;
  }
}

// The adjoint of advance(): from d value / d next to d value / d rates.
__device__ __forceinline__ void retreat(float *adjoint, const float *next, const float *rates, const Market &market,
                                        int now) {
  float byDrift = 0.0f;
#pragma unroll 1
  for (int i = market.rates - 1; i > now; i--) {
    float lambda = volatility[i - now - 1];
    byDrift += lambda * next[i] * adjoint[i];
    float growth = __fdividef(1.0f, 1.0f + market.delta * rates[i]);
    adjoint[i] = adjoint[i] * __fdividef(next[i], rates[i]) + byDrift * market.delta * lambda * growth * growth;
  }
}

// Beside the value what it changes by when all initial rates move together.
extern "C" __global__ void __launch_bounds__(THREADS)
    portfolio_delta(float *__restrict__ values, float *__restrict__ deltas, const float *__restrict__ shocks, int paths,
                    int rateCount, int maturity, int swaptions, float delta, float initialRate) {
  Market market = {rateCount, maturity, swaptions, delta, initialRate};
  int path = int(blockIdx.x * THREADS + threadIdx.x);
  if (path >= paths)
    return;
  float rates[(MAX_MATURITY + 1) * MAX_RATES], factors[MAX_RATES], annuities[MAX_RATES], adjoint[MAX_RATES];
#pragma unroll 1
  for (int i = 0; i < market.rates; i++)
    rates[i] = market.initialRate;
#pragma unroll 1
  for (int n = 0; n < market.maturity; n++) {
    float *now = rates + n * MAX_RATES;
#pragma unroll 1
    for (int i = 0; i <= n; i++)
      now[MAX_RATES + i] = now[i];
    advance(now + MAX_RATES, now, market, n, shocks[n * paths + path]);
  }
  const float *last = rates + market.maturity * MAX_RATES;
  discount(factors, annuities, last, market);
  float value = portfolio(factors, annuities, last, market);
  values[path] = value;

  differentiate(adjoint, factors, annuities, last, market, value);
#pragma unroll 1
  for (int n = market.maturity - 1; n >= 0; n--)
    retreat(adjoint, rates + (n + 1) * MAX_RATES, rates + n * MAX_RATES, market, n);
  float sum = 0.0f;
#pragma unroll 1
  for (int i = 0; i < market.rates; i++)
    sum += adjoint[i];
  deltas[path] = sum;
}
