/* Radix sort of integers, a digit a pass: each thread counts the digits of its part,
 * all compute from the shared counts where theirs go, and write them there. */
#include "parallel.h"

enum { KEYS = SIZE(2048, 1 << 20), BITS = SIZE(4, 8), RADIX = 1 << BITS, PASSES = SIZE(3, 4) };

static uint32_t keys[2][KEYS];
static int32_t counts[THREADS][RADIX] LINE; /* of each thread */
static int32_t starts[RADIX];
static uint64_t checksum LINE;
static pthread_mutex_t checksum_lock LINE = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t step LINE;

static void work(int thread) {
	int first = first_of(thread, KEYS), last = first_of(thread + 1, KEYS);
	for (int pass = 0; pass < PASSES; pass++) {
		const uint32_t *from = keys[pass & 1];
		uint32_t *to = keys[~pass & 1];
		int32_t *mine = counts[thread];
		for (int d = 0; d < RADIX; d++)
			mine[d] = 0;
		for (int i = first; i < last; i++)
			mine[from[i] >> pass * BITS & (RADIX - 1)]++;
		pthread_barrier_wait(&step);
		/* A part of the digits: sums over the threads. */
		for (int d = first_of(thread, RADIX); d < first_of(thread + 1, RADIX); d++) {
			int32_t sum = 0;
			for (int t = 0; t < THREADS; t++) {
				int32_t n = counts[t][d];
				counts[t][d] = sum;
				sum += n;
			}
			starts[d] = sum;
		}
		pthread_barrier_wait(&step);
		int32_t place[RADIX], sum = 0;
		for (int d = 0; d < RADIX; d++) {
			place[d] = sum + mine[d];
			sum += starts[d];
		}
		for (int i = first; i < last; i++)
			to[place[from[i] >> pass * BITS & (RADIX - 1)]++] = from[i];
		pthread_barrier_wait(&step);
	}
	uint64_t sum = 0;
	for (int i = first; i < last; i++)
		sum += mix(keys[PASSES & 1][i]);
	pthread_mutex_lock(&checksum_lock);
	checksum += sum;
	pthread_mutex_unlock(&checksum_lock);
}

int main(void) {
	uint64_t sum = 0;
	for (int i = 0; i < KEYS; i++) {
		keys[0][i] = (uint32_t)mix((uint64_t)i) & (uint32_t)((1ull << BITS * PASSES) - 1);
		sum += mix(keys[0][i]);
	}
	pthread_barrier_init(&step, NULL, THREADS);
	run_threads();
	for (int i = 1; i < KEYS; i++)
		check(keys[PASSES & 1][i - 1] <= keys[PASSES & 1][i], "the order");
	check(sum == checksum, "other keys came out");
	printf("%llx\n", (unsigned long long)checksum);
	return 0;
}
