/* A neural network, the class of art: an adaptive-resonance network finds the
 * category that is nearest to each input, and moves its weights towards it. */
#include "kernel.h"

enum { INPUTS = 8192, CATEGORIES = 24, PATTERNS = 1 };

static float *weights, *patterns;

KERNEL int kernel(void) {
	int sum = 0;
	for (int p = 0; p < PATTERNS; p++) {
		const float *x = patterns + p * INPUTS;
		int best = 0;
		float nearest = -1e30f;
		for (int c = 0; c < CATEGORIES; c++) {
			const float *w = weights + c * INPUTS;
			float match = 0, norm = 0.5f;
			for (int i = 0; i < INPUTS; i++) {
				float least = x[i] < w[i] ? x[i] : w[i];
				match += least;
				norm += w[i];
			}
			if (match / norm > nearest) {
				nearest = match / norm;
				best = c;
			}
		}
		float *w = weights + best * INPUTS;
		for (int i = 0; i < INPUTS; i++)
			w[i] = 0.5f * w[i] + 0.5f * (x[i] < w[i] ? x[i] : w[i]);
		sum += best;
	}
	return sum;
}

int main(void) {
	weights = malloc(CATEGORIES * INPUTS * sizeof *weights);
	patterns = malloc(PATTERNS * INPUTS * sizeof *patterns);
	for (int i = 0; i < CATEGORIES * INPUTS; i++)
		weights[i] = (float)unit();
	for (int i = 0; i < PATTERNS * INPUTS; i++)
		patterns[i] = (float)unit();
	printf("%d\n", kernel());
	return 0;
}
