/* A stencil, the class of wupwise: on a lattice of four dimensions every site takes
 * the sum of its eight neighbours, times a complex link. */
#include "kernel.h"

enum { L = 10, SITES = L * L * L * L };

struct complex {
	double re, im;
};

static struct complex *field, *out, *link;

KERNEL double kernel(void) {
	double norm = 0;
	for (int s = 0; s < SITES; s++) {
		struct complex sum = {0, 0};
		for (int d = 0, stride = 1; d < 4; d++, stride *= L) {
			int at = s / stride % L;
			int up = at == L - 1 ? s - (L - 1) * stride : s + stride;
			int down = at == 0 ? s + (L - 1) * stride : s - stride;
			struct complex u = link[4 * s + d], v = link[4 * down + d];
			sum.re += u.re * field[up].re - u.im * field[up].im + v.re * field[down].re + v.im * field[down].im;
			sum.im += u.re * field[up].im + u.im * field[up].re + v.re * field[down].im - v.im * field[down].re;
		}
		out[s].re = field[s].re - 0.1 * sum.re;
		out[s].im = field[s].im - 0.1 * sum.im;
		norm += out[s].re * out[s].re + out[s].im * out[s].im;
	}
	return norm;
}

int main(void) {
	field = malloc(SITES * sizeof *field);
	out = calloc(SITES, sizeof *out);
	link = malloc(4 * SITES * sizeof *link);
	for (int i = 0; i < SITES; i++)
		field[i] = (struct complex){unit(), unit()};
	for (int i = 0; i < 4 * SITES; i++)
		link[i] = (struct complex){unit(), unit()};
	printf("%g\n", kernel());
	return 0;
}
