/* Finite elements, the class of dealII: element matrices of a quadrilateral mesh are
 * assembled into a global sparse matrix. */
#include "kernel.h"

enum { SIDE = 22, NODES = (SIDE + 1) * (SIDE + 1), POINTS = 4, ROW = 9 };

static double x[NODES], y[NODES];
static double matrix[NODES * ROW];
static int column[NODES * ROW];

static const double gauss = 0.57735026918962576;

KERNEL double kernel(void) {
	double trace = 0;
	for (int e = 0; e < SIDE * SIDE; e++) {
		int i = e / SIDE * (SIDE + 1) + e % SIDE;
		int node[4] = {i, i + 1, i + SIDE + 2, i + SIDE + 1};
		double local[4][4] = {{0}};
		for (int p = 0; p < POINTS; p++) {
			double s = p & 1 ? gauss : -gauss, t = p & 2 ? gauss : -gauss;
			double ds[4] = {-(1 - t) / 4, (1 - t) / 4, (1 + t) / 4, -(1 + t) / 4};
			double dt[4] = {-(1 - s) / 4, -(1 + s) / 4, (1 + s) / 4, (1 - s) / 4};
			double a = 0, b = 0, c = 0, d = 0;
			for (int k = 0; k < 4; k++) {
				a += ds[k] * x[node[k]];
				b += ds[k] * y[node[k]];
				c += dt[k] * x[node[k]];
				d += dt[k] * y[node[k]];
			}
			double det = a * d - b * c;
			for (int k = 0; k < 4; k++) {
				double kx = (d * ds[k] - b * dt[k]) / det, ky = (a * dt[k] - c * ds[k]) / det;
				for (int l = 0; l < 4; l++) {
					double lx = (d * ds[l] - b * dt[l]) / det, ly = (a * dt[l] - c * ds[l]) / det;
					local[k][l] += (kx * lx + ky * ly) * det;
				}
			}
		}
		for (int k = 0; k < 4; k++) {
			for (int l = 0; l < 4; l++) {
				int r = node[k] * ROW;
				while (column[r] != node[l])
					r++;
				matrix[r] += local[k][l];
			}
			trace += local[k][k];
		}
	}
	return trace;
}

int main(void) {
	for (int i = 0; i < NODES; i++) {
		x[i] = i % (SIDE + 1) + 0.2 * unit();
		y[i] = i / (SIDE + 1) + 0.2 * unit();
		for (int k = 0; k < ROW; k++)
			column[i * ROW + k] = i + (k / 3 - 1) * (SIDE + 1) + k % 3 - 1;
	}
	printf("%g\n", kernel());
	return 0;
}
