/* What the programs with threads share. Each runs its function work on THREADS threads,
 * and then checks what they have computed. Nothing comes from the C library's
 * mathematics, which has other instructions on other machines. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 64
#endif

/* A size of the input: of the tests, or of studies (compiled with -DPAPER). */
#ifdef PAPER
#define SIZE(small, paper) (paper)
#else
#define SIZE(small, paper) (small)
#endif

/* LINE keeps what threads write by themselves out of each other's cache lines. */
#define LINE __attribute__((aligned(64)))

/* A number that depends on what it is of, whichever thread asks (SplitMix64). */
static inline uint64_t mix(uint64_t x) {
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static inline double unit(uint64_t x) { return (double)(mix(x) >> 11) / 9007199254740992.0; }

static inline double root(double x) { return __builtin_sqrt(x); }

static inline double absolute(double x) { return x < 0 ? -x : x; }

/* e to the x: two to the whole part, and a series for the rest. */
static inline double power_of_e(double x) {
	if (x < -700)
		return 0;
	double scaled = x * 1.4426950408889634;
	long whole = (long)(scaled + (scaled < 0 ? -0.5 : 0.5));
	double r = x - (double)whole * 0.6931471805599453, term = 1, sum = 1;
	for (int i = 1; i < 14; i++) {
		term *= r / i;
		sum += term;
	}
	union {
		uint64_t bits;
		double value;
	} two = {(uint64_t)(whole + 1023) << 52};
	return sum * two.value;
}

/* The natural logarithm, by Newton's method from the exponent. */
static inline double logarithm(double x) {
	union {
		double value;
		uint64_t bits;
	} u = {x};
	double y = ((double)(u.bits >> 52) - 1023) * 0.6931471805599453 + 0.3;
	for (int i = 0; i < 5; i++)
		y += 2 * (x - power_of_e(y)) / (x + power_of_e(y));
	return y;
}

/* Sine and cosine of an angle of -pi to pi: Taylor's series of half of it, doubled. */
static inline void turn_by(double angle, double *sine, double *cosine) {
	double h = angle / 2, s = h, c = 1, ts = h, tc = 1;
	for (int i = 1; i < 11; i++) {
		tc *= -h * h / ((2 * i - 1) * (2 * i));
		ts *= -h * h / ((2 * i) * (2 * i + 1));
		c += tc;
		s += ts;
	}
	*sine = 2 * s * c;
	*cosine = c * c - s * s;
}

/* The part of n things that is a thread's. */
static inline int first_of(int thread, int n) { return (int)((long)n * thread / THREADS); }

static void work(int thread);

static void *begin(void *argument) {
	work((int)(intptr_t)argument);
	return NULL;
}

static void run_threads(void) {
	pthread_t ids[THREADS];
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&ids[i], NULL, begin, (void *)(intptr_t)i) != 0)
			exit(2);
	for (int i = 0; i < THREADS; i++)
		if (pthread_join(ids[i], NULL) != 0)
			exit(2);
}

static inline void check(int right, const char *what) {
	if (!right) {
		fprintf(stderr, "wrong: %s\n", what);
		exit(1);
	}
}
