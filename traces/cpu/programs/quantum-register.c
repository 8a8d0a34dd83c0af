/* A quantum register, the class of libquantum: gates go over all basis states with
 * an amplitude. */
#include "kernel.h"

enum { STATES = 1 << 16 };

struct state {
	float re, im;
	uint64_t basis;
};

static struct state *reg;

KERNEL double kernel(void) {
	/* controlled-controlled-not, controlled-not, phase */
	for (int i = 0; i < STATES; i++)
		if ((reg[i].basis & 5) == 5)
			reg[i].basis ^= 1u << 9;
	for (int i = 0; i < STATES; i++)
		if (reg[i].basis & 1u << 9)
			reg[i].basis ^= 1u << 3;
	double weight = 0;
	for (int i = 0; i < STATES; i++) {
		if (reg[i].basis & 1u << 3) {
			float re = reg[i].re;
			reg[i].re = -reg[i].im;
			reg[i].im = re;
		}
		weight += reg[i].re * reg[i].re;
	}
	return weight;
}

int main(void) {
	reg = malloc(STATES * sizeof *reg);
	for (int i = 0; i < STATES; i++) {
		reg[i].basis = (uint64_t)i;
		reg[i].re = (float)unit();
		reg[i].im = (float)unit();
	}
	printf("%g\n", kernel());
	return 0;
}
