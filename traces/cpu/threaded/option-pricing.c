/* Option pricing, the class of blackscholes: European options by Black's and Scholes'
 * formula. Threads price parts of the portfolio, several times over with other
 * volatilities, and add up what it is worth under a lock. */
#include "parallel.h"

enum { OPTIONS = SIZE(192, 8192), ROUNDS = SIZE(1, 5) };

struct option {
	double spot, strike, rate, volatility, years;
	int put;
};

static struct option options[OPTIONS];
static double price[ROUNDS][OPTIONS];
static int64_t worth[ROUNDS]; /* in millionths, so that no order of sums is another */
static pthread_mutex_t worth_lock LINE = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t round_end LINE;

/* The normal distribution, by Abramowitz and Stegun 26.2.17. */
static double normal(double x) {
	double a = absolute(x), k = 1 / (1 + 0.2316419 * a);
	double tail = 0.3989422804014327 * power_of_e(-a * a / 2) *
		k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
	return x < 0 ? tail : 1 - tail;
}

static double price_of(const struct option *o, double more, int put) {
	double v = (o->volatility + more) * root(o->years), discount = power_of_e(-o->rate * o->years);
	double d1 = (logarithm(o->spot / o->strike) + o->rate * o->years) / v + v / 2, d2 = d1 - v;
	if (put)
		return o->strike * discount * normal(-d2) - o->spot * normal(-d1);
	return o->spot * normal(d1) - o->strike * discount * normal(d2);
}

static void work(int thread) {
	for (int round = 0; round < ROUNDS; round++) {
		int64_t sum = 0;
		for (int i = first_of(thread, OPTIONS); i < first_of(thread + 1, OPTIONS); i++) {
			price[round][i] = price_of(&options[i], 0.01 * round, options[i].put);
			sum += (int64_t)(1e6 * price[round][i]);
		}
		pthread_mutex_lock(&worth_lock);
		worth[round] += sum;
		pthread_mutex_unlock(&worth_lock);
		pthread_barrier_wait(&round_end);
		/* A higher volatility makes the portfolio dearer: every thread reads the shared sums. */
		if (round > 0 && worth[round] <= worth[round - 1])
			price[round][first_of(thread, OPTIONS)] = -1;
	}
}

int main(void) {
	for (uint64_t i = 0; i < OPTIONS; i++)
		options[i] = (struct option){40 + 20 * unit(5 * i), 40 + 20 * unit(5 * i + 1), 0.01 + 0.05 * unit(5 * i + 2), 0.1 + 0.4 * unit(5 * i + 3), 0.25 + unit(5 * i + 4), (int)(i & 1)};
	pthread_barrier_init(&round_end, NULL, THREADS);
	run_threads();
	for (int round = 0; round < ROUNDS; round++) {
		int64_t sum = 0;
		for (int i = 0; i < OPTIONS; i++) {
			const struct option *o = &options[i];
			double parity = price_of(o, 0.01 * round, 0) - price_of(o, 0.01 * round, 1);
			check(absolute(parity - (o->spot - o->strike * power_of_e(-o->rate * o->years))) < 1e-4, "a call less a put is not the spot less the discounted strike");
			check(price[round][i] == price_of(o, 0.01 * round, o->put), "a price");
			sum += (int64_t)(1e6 * price[round][i]);
		}
		check(sum == worth[round], "the portfolio");
	}
	printf("%lld\n", (long long)worth[ROUNDS - 1]);
	return 0;
}
