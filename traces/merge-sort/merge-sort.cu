// Stable merge sort of keys with values. Blocks sort stretches of 1024 in shared
// memory. Then each stage merges pairs of sorted runs: every 128th element is a
// sample; the samples' places in both runs cut a pair into elementary intervals
// of at most 128 elements of each run, which a thread block merges in shared
// memory (Satish, Harris and Garland, "Designing efficient sorting algorithms for
// manycore GPUs", IPDPS 2009).
#define TILE 1024
#define TILE_THREADS (TILE / 2)
#define SAMPLE 128
#define SAMPLE_THREADS 256

// How many of the first n elements of a sorted array are less than the key.
__device__ __forceinline__ unsigned less(const unsigned *sorted, unsigned n, unsigned key) {
  unsigned low = 0, high = n;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    if (sorted[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// How many are less or equal. That a key of the second run goes behind its equals of the
// first one, and not the other way round, is what makes the merge stable.
__device__ __forceinline__ unsigned less_or_equal(const unsigned *sorted, unsigned n, unsigned key) {
  unsigned low = 0, high = n;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    if (sorted[middle] <= key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Sorts each TILE elements, by merging runs of 1, 2, 4 ... elements; a thread
// finds the places of one element of each run of its pair.
extern "C" __global__ void __launch_bounds__(TILE_THREADS)
    sort_tiles(unsigned *__restrict__ outKeys, unsigned *__restrict__ outValues, const unsigned *__restrict__ inKeys,
               const unsigned *__restrict__ inValues) {
  __shared__ unsigned keys[TILE], values[TILE];
  unsigned t = threadIdx.x, first = blockIdx.x * TILE + t;
  inKeys += first;
  inValues += first;
  keys[t] = inKeys[0];
  values[t] = inValues[0];
  keys[t + TILE_THREADS] = inKeys[TILE_THREADS];
  values[t + TILE_THREADS] = inValues[TILE_THREADS];
#pragma unroll 1
  for (unsigned run = 1; run < TILE; run *= 2) {
    unsigned at = t & (run - 1), pair = 2 * (t - at);
    __syncthreads();
    unsigned keyA = keys[pair + at], valueA = values[pair + at];
    unsigned keyB = keys[pair + run + at], valueB = values[pair + run + at];
    unsigned placeA = pair + at + less(keys + pair + run, run, keyA);
    unsigned placeB = pair + at + less_or_equal(keys + pair, run, keyB);
    __syncthreads();
    keys[placeA] = keyA;
    values[placeA] = valueA;
    keys[placeB] = keyB;
    values[placeB] = valueB;
  }
  __syncthreads();
  outKeys += first;
  outValues += first;
  outKeys[0] = keys[t];
  outValues[0] = values[t];
  outKeys[TILE_THREADS] = keys[t + TILE_THREADS];
  outValues[TILE_THREADS] = values[t + TILE_THREADS];
}

// For each sample of both runs of a pair its place in the first and in the
// second run: `ranksA` and `ranksB` have, for a pair, the samples of the first run
// and behind them those of the second. A thread takes one of each.
extern "C" __global__ void __launch_bounds__(SAMPLE_THREADS)
    rank_samples(unsigned *__restrict__ ranksA, unsigned *__restrict__ ranksB, const unsigned *__restrict__ keys,
                 unsigned run, unsigned threads) {
  unsigned t = blockIdx.x * SAMPLE_THREADS + threadIdx.x;
  if (t >= threads)
    return;
  unsigned samples = run / SAMPLE;
  unsigned i = t & (samples - 1);
  const unsigned *first = keys + (t - i) * 2 * SAMPLE, *second = first + run;
  unsigned atA = 2 * (t - i) + i, atB = atA + samples;
  ranksA[atA] = i * SAMPLE;
  ranksB[atA] = less(second, run, first[i * SAMPLE]);
  ranksB[atB] = i * SAMPLE;
  ranksA[atB] = less_or_equal(first, run, second[i * SAMPLE]);
}

// Sorts the ranks of a pair in one of its runs, which are two sorted lists: the
// limits of the elementary intervals in that run.
extern "C" __global__ void __launch_bounds__(SAMPLE_THREADS)
    merge_ranks(unsigned *__restrict__ limits, const unsigned *__restrict__ ranks, unsigned run, unsigned threads) {
  unsigned t = blockIdx.x * SAMPLE_THREADS + threadIdx.x;
  if (t >= threads)
    return;
  unsigned samples = run / SAMPLE;
  unsigned i = t & (samples - 1);
  const unsigned *first = ranks + 2 * (t - i), *second = first + samples;
  unsigned *out = limits + 2 * (t - i);
  unsigned a = first[i], b = second[i];
  out[i + less(second, samples, a)] = a;
  out[i + less_or_equal(first, samples, b)] = b;
}

// Merges an elementary interval: a thread takes one element of each run, finds
// its place, and the block writes the result in order.
extern "C" __global__ void __launch_bounds__(SAMPLE)
    merge_intervals(unsigned *__restrict__ outKeys, unsigned *__restrict__ outValues,
                    const unsigned *__restrict__ inKeys, const unsigned *__restrict__ inValues,
                    const unsigned *__restrict__ limitsA, const unsigned *__restrict__ limitsB, unsigned run) {
  __shared__ unsigned keysA[SAMPLE], keysB[SAMPLE];
  __shared__ unsigned keys[2 * SAMPLE], values[2 * SAMPLE];
  __shared__ unsigned startA, startB, lengthA, lengthB;
  unsigned t = threadIdx.x;
  unsigned intervals = 2 * run / SAMPLE; // of a pair
  unsigned i = blockIdx.x & (intervals - 1);
  unsigned pair = (blockIdx.x - i) * SAMPLE;
  if (t == 0) {
    bool last = i == intervals - 1;
    startA = limitsA[blockIdx.x];
    startB = limitsB[blockIdx.x];
    lengthA = (last ? run : limitsA[blockIdx.x + 1]) - startA;
    lengthB = (last ? run : limitsB[blockIdx.x + 1]) - startB;
  }
  __syncthreads();
  unsigned valueA = 0, valueB = 0;
  if (t < lengthA) {
    keysA[t] = inKeys[pair + startA + t];
    valueA = inValues[pair + startA + t];
  }
  if (t < lengthB) {
    keysB[t] = inKeys[pair + run + startB + t];
    valueB = inValues[pair + run + startB + t];
  }
  __syncthreads();
  if (t < lengthA) {
    unsigned place = t + less(keysB, lengthB, keysA[t]);
    keys[place] = keysA[t];
    values[place] = valueA;
  }
  if (t < lengthB) {
    unsigned place = t + less_or_equal(keysA, lengthA, keysB[t]);
    keys[place] = keysB[t];
    values[place] = valueB;
  }
  __syncthreads();
#pragma unroll 1
  for (unsigned k = t; k < lengthA + lengthB; k += SAMPLE) {
    outKeys[pair + startA + startB + k] = keys[k];
    outValues[pair + startA + startB + k] = values[k];
  }
}
