/* FFT: the discrete Fourier transform of complex numbers, there and back, by
 * Stockham's algorithm: each stage reads one shared array and writes another, and all
 * threads meet between two stages. */
#include "parallel.h"

enum { BITS = SIZE(9, 17), N = 1 << BITS };

struct complex {
	double re, im;
};

static struct complex data[2][N], roots[N], input[N];
static pthread_barrier_t stage_end LINE;
static double energy[2]; /* before and after, under the lock */
static pthread_mutex_t energy_lock LINE = PTHREAD_MUTEX_INITIALIZER;

/* One stage for a part of the butterflies; sign is that of the exponent. */
static void stage(int thread, int s, const struct complex *from, struct complex *to, double sign) {
	int half = N / 2, width = 1 << s;
	for (int k = first_of(thread, half); k < first_of(thread + 1, half); k++) {
		int group = k / width, inside = k % width;
		const struct complex *w = &roots[group * width];
		struct complex a = from[k], b = from[k + half];
		struct complex d = {a.re - b.re, a.im - b.im};
		int at = 2 * group * width + inside;
		to[at] = (struct complex){a.re + b.re, a.im + b.im};
		to[at + width] = (struct complex){d.re * w->re - sign * d.im * w->im, d.im * w->re + sign * d.re * w->im};
	}
}

static void add_energy(int thread, int which, const struct complex *of) {
	double sum = 0;
	for (int i = first_of(thread, N); i < first_of(thread + 1, N); i++)
		sum += of[i].re * of[i].re + of[i].im * of[i].im;
	pthread_mutex_lock(&energy_lock);
	energy[which] += sum;
	pthread_mutex_unlock(&energy_lock);
}

static void work(int thread) {
	int now = 0;
	add_energy(thread, 0, data[0]);
	for (int back = 0; back < 2; back++) {
		for (int s = 0; s < BITS; s++, now ^= 1) {
			stage(thread, s, data[now], data[now ^ 1], back ? 1 : -1);
			pthread_barrier_wait(&stage_end);
		}
		if (back == 0)
			add_energy(thread, 1, data[now]);
	}
	for (int i = first_of(thread, N); i < first_of(thread + 1, N); i++) {
		data[now][i].re /= N;
		data[now][i].im /= N;
	}
}

int main(void) {
	for (int i = 0; i < N; i++) {
		double angle = 6.283185307179586 * i / N;
		turn_by(i < N / 2 ? angle : angle - 6.283185307179586, &roots[i].im, &roots[i].re);
		input[i] = data[0][i] = (struct complex){unit(2 * (uint64_t)i) - 0.5, unit(2 * (uint64_t)i + 1) - 0.5};
	}
	pthread_barrier_init(&stage_end, NULL, THREADS);
	run_threads();
	check(absolute(energy[1] / N / energy[0] - 1) < 1e-9, "the energy of the spectrum (Parseval)");
	for (int i = 0; i < N; i++)
		check(absolute(data[0][i].re - input[i].re) < 1e-9 && absolute(data[0][i].im - input[i].im) < 1e-9, "a number does not come back");
	printf("%.9g\n", energy[1]);
	return 0;
}
