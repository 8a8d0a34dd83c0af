/* A sparse solver, the class of soplex: the revised simplex method's pricing and
 * ratio test over a sparse matrix by columns. */
#include "kernel.h"

enum { ROWS = 8000, COLUMNS = 20000, EACH = 5, PIVOTS = 1 };

static int *start, *row;
static double *value, *dual, *direction, *basis, *cost;

KERNEL double kernel(void) {
	double objective = 0;
	for (int p = 0; p < PIVOTS; p++) {
		int entering = 0;
		double least = 0;
		for (int c = 0; c < COLUMNS; c++) {
			double reduced = cost[c];
			for (int k = start[c]; k < start[c + 1]; k++)
				reduced -= value[k] * dual[row[k]];
			if (reduced < least) {
				least = reduced;
				entering = c;
			}
		}
		for (int r = 0; r < ROWS; r++)
			direction[r] = 0;
		for (int k = start[entering]; k < start[entering + 1]; k++)
			direction[row[k]] = value[k];
		double step = 1e30;
		int leaving = 0;
		for (int r = 0; r < ROWS; r++) {
			if (direction[r] > 1e-9 && basis[r] < step * direction[r]) {
				step = basis[r] / direction[r];
				leaving = r;
			}
		}
		for (int k = start[entering]; k < start[entering + 1]; k++)
			basis[row[k]] -= step * value[k];
		dual[leaving] += least;
		objective += step * least;
	}
	return objective;
}

int main(void) {
	start = malloc((COLUMNS + 1) * sizeof *start);
	row = malloc(COLUMNS * EACH * sizeof *row);
	value = malloc(COLUMNS * EACH * sizeof *value);
	dual = malloc(ROWS * sizeof *dual);
	direction = malloc(ROWS * sizeof *direction);
	basis = malloc(ROWS * sizeof *basis);
	cost = malloc(COLUMNS * sizeof *cost);
	int n = 0;
	for (int c = 0; c < COLUMNS; c++) {
		start[c] = n;
		int entries = 1 + (int)(next() % EACH);
		for (int k = 0; k < entries; k++) {
			row[n] = (int)(next() % ROWS);
			value[n++] = unit() - 0.3;
		}
		cost[c] = unit() - 0.2;
	}
	start[COLUMNS] = n;
	for (int r = 0; r < ROWS; r++) {
		dual[r] = unit();
		basis[r] = 1 + unit();
	}
	printf("%g\n", kernel());
	return 0;
}
