/* Swaptions: the price of the right to enter a swap, by simulated paths of a forward
 * curve. Threads take swaptions from a shared counter, and write prices into a shared
 * table; a second phase reads neighbours' prices to smooth the surface. */
#include "parallel.h"

enum { SWAPTIONS = SIZE(64, 128), PATHS = SIZE(2, 80), RATES = SIZE(6, 16), STEPS = SIZE(4, 12) };

struct swaption {
	double strike, level, slope, volatility;
};

static struct swaption swaptions[SWAPTIONS];
static double payer[SWAPTIONS], receiver[SWAPTIONS], swap[SWAPTIONS], smooth[SWAPTIONS];
static int next LINE;
static pthread_mutex_t next_lock LINE = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t priced LINE;

/* A normal number, as the sum of twelve even ones less six. */
static double gauss(uint64_t seed) {
	double sum = -6;
	for (uint64_t i = 0; i < 12; i++)
		sum += unit(seed + i);
	return sum;
}

static void price(int s) {
	const struct swaption *w = &swaptions[s];
	double pays = 0, receives = 0, value = 0;
	for (int path = 0; path < PATHS; path++) {
		double rate[RATES], discount = 1;
		for (int i = 0; i < RATES; i++)
			rate[i] = w->level + w->slope * i;
		for (int step = 0; step < STEPS; step++) {
			double shock = gauss(mix((uint64_t)((s * PATHS + path) * STEPS + step)));
			discount *= power_of_e(-0.25 * rate[0]);
			for (int i = 0; i + 1 < RATES; i++)
				rate[i] = rate[i + 1] + w->volatility * shock * 0.5 + 0.5 * w->volatility * w->volatility * 0.25 * (i + 1);
		}
		double bond = 1, annuity = 0;
		for (int i = 0; i < RATES; i++) {
			bond *= power_of_e(-0.25 * rate[i]);
			annuity += 0.25 * bond;
		}
		double now = discount * (1 - bond - w->strike * annuity);
		value += now;
		if (now > 0)
			pays += now;
		else
			receives -= now;
	}
	payer[s] = pays / PATHS;
	receiver[s] = receives / PATHS;
	swap[s] = value / PATHS;
}

static void work(int thread) {
	for (;;) {
		pthread_mutex_lock(&next_lock);
		int s = next++;
		pthread_mutex_unlock(&next_lock);
		if (s >= SWAPTIONS)
			break;
		price(s);
	}
	pthread_barrier_wait(&priced);
	for (int s = first_of(thread, SWAPTIONS); s < first_of(thread + 1, SWAPTIONS); s++)
		smooth[s] = (payer[(s + SWAPTIONS - 1) % SWAPTIONS] + 2 * payer[s] + payer[(s + 1) % SWAPTIONS]) / 4;
}

int main(void) {
	for (uint64_t s = 0; s < SWAPTIONS; s++)
		swaptions[s] = (struct swaption){0.02 + 0.04 * unit(4 * s), 0.02 + 0.03 * unit(4 * s + 1), 0.001 * unit(4 * s + 2), 0.005 + 0.01 * unit(4 * s + 3)};
	pthread_barrier_init(&priced, NULL, THREADS);
	run_threads();
	double all = 0, smoothed = 0;
	for (int s = 0; s < SWAPTIONS; s++) {
		check(absolute(payer[s] - receiver[s] - swap[s]) < 1e-12, "a payer's less a receiver's price is not the swap's");
		double kept = payer[s];
		if (s % 16 == 0)
			price(s);
		check(payer[s] == kept, "a price");
		all += payer[s];
		smoothed += smooth[s];
	}
	check(all > 0 && absolute(all - smoothed) < 1e-9, "the smoothed surface");
	printf("%.9g\n", all);
	return 0;
}
