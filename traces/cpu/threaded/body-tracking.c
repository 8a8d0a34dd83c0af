/* Body tracking, the class of bodytrack: a particle filter follows a figure of joints
 * through the pictures of several cameras. Threads weigh particles against the shared
 * pictures, one of them sums the weights up, and all draw new particles from it. */
#include "parallel.h"

enum { CAMERAS = 4, SIDE = SIZE(32, 128), JOINTS = 5, PARTICLES = SIZE(64, 512), FRAMES = SIZE(1, 2), LAYERS = SIZE(2, 3), POINTS = SIZE(2, 3) };

struct pose {
	double x, y, bend[JOINTS];
};

static uint8_t picture[FRAMES][CAMERAS][SIDE][SIDE];
static struct pose particle[2][PARTICLES], truth[FRAMES], estimate[FRAMES];
static double weight[PARTICLES], until[PARTICLES];
static double best;
static pthread_mutex_t best_lock LINE = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t step LINE;

/* Where a point of the figure lies in a camera's picture. */
static void place(const struct pose *p, int camera, int joint, int point, int *row, int *column) {
	double at = joint + (double)point / POINTS, angle = 0;
	for (int j = 0; j <= joint; j++)
		angle += p->bend[j];
	double s, c;
	turn_by(angle / (joint + 1) + 0.4 * camera, &s, &c);
	*row = (int)(SIDE * (0.5 + 0.25 * p->y + 0.08 * at * s));
	*column = (int)(SIDE * (0.5 + 0.25 * p->x + 0.08 * at * c));
}

static int inside(int a) { return a < 0 ? 0 : a >= SIDE ? SIDE - 1 : a; }

/* How far the points of a particle are from the figure: pictures hold distances. */
static double error_of(const struct pose *p, int frame) {
	double sum = 0;
	for (int camera = 0; camera < CAMERAS; camera++)
		for (int joint = 0; joint < JOINTS; joint++)
			for (int point = 0; point < POINTS; point++) {
				int row, column;
				place(p, camera, joint, point, &row, &column);
				double d = picture[frame][camera][inside(row)][inside(column)];
				sum += d * d;
			}
	return sum / (CAMERAS * JOINTS * POINTS);
}

static void scatter(struct pose *p, const struct pose *from, uint64_t seed, double width) {
	p->x = from->x + width * (unit(seed) - 0.5);
	p->y = from->y + width * (unit(seed + 1) - 0.5);
	for (int j = 0; j < JOINTS; j++)
		p->bend[j] = from->bend[j] + width * (unit(seed + 2 + (uint64_t)j) - 0.5);
}

static void draw(int thread, int layer, int frame, double width) {
	struct pose *to = particle[(layer + 1) & 1], *from = particle[layer & 1];
	for (int i = first_of(thread, PARTICLES); i < first_of(thread + 1, PARTICLES); i++) {
		uint64_t seed = mix((uint64_t)(((frame + 1) * LAYERS + layer) * PARTICLES + i));
		double pick = until[PARTICLES - 1] * unit(seed);
		int low = 0, high = PARTICLES - 1;
		while (low < high) {
			int middle = (low + high) / 2;
			if (until[middle] < pick)
				low = middle + 1;
			else
				high = middle;
		}
		scatter(&to[i], &from[low], seed + 1, width);
	}
}

static void work(int thread) {
	for (int frame = 0; frame < FRAMES; frame++) {
		double width = 0.4;
		for (int layer = 0; layer < LAYERS; layer++, width *= 0.6) {
			struct pose *now = particle[layer & 1];
			double mine = 1e9;
			int which = 0;
			for (int i = first_of(thread, PARTICLES); i < first_of(thread + 1, PARTICLES); i++) {
				double e = error_of(&now[i], frame);
				weight[i] = power_of_e(-e * (0.05 + 0.05 * layer));
				if (e < mine) {
					mine = e;
					which = i;
				}
			}
			pthread_mutex_lock(&best_lock);
			if (mine < best) {
				best = mine;
				estimate[frame] = now[which];
			}
			pthread_mutex_unlock(&best_lock);
			pthread_barrier_wait(&step);
			if (thread == 0) {
				double sum = 1e-300;
				for (int i = 0; i < PARTICLES; i++)
					until[i] = sum += weight[i];
			}
			pthread_barrier_wait(&step);
			draw(thread, layer, frame, width);
			pthread_barrier_wait(&step);
		}
		if (thread == 0)
			best = 1e9;
		/* the next frame begins where this one ended */
		struct pose *first = particle[0];
		for (int i = first_of(thread, PARTICLES); i < first_of(thread + 1, PARTICLES); i++)
			scatter(&first[i], &estimate[frame], mix((uint64_t)(frame * PARTICLES + i) ^ 0x5555), 0.3);
		pthread_barrier_wait(&step);
	}
}

int main(void) {
	struct pose middle = {0};
	for (int frame = 0; frame < FRAMES; frame++) {
		truth[frame].x = 0.1 + 0.05 * frame;
		truth[frame].y = -0.1 + 0.04 * frame;
		for (int j = 0; j < JOINTS; j++)
			truth[frame].bend[j] = 0.1 * j - 0.05 * frame;
		for (int camera = 0; camera < CAMERAS; camera++)
			for (int r = 0; r < SIDE; r++)
				for (int c = 0; c < SIDE; c++) {
					int nearest = 1 << 20;
					for (int joint = 0; joint < JOINTS; joint++)
						for (int point = 0; point < POINTS; point++) {
							int row, column;
							place(&truth[frame], camera, joint, point, &row, &column);
							int d = (row - r) * (row - r) + (column - c) * (column - c);
							nearest = d < nearest ? d : nearest;
						}
					double far = 128 * root(nearest) / SIDE;
					picture[frame][camera][r][c] = (uint8_t)(far > 255 ? 255 : far);
				}
	}
	for (uint64_t i = 0; i < PARTICLES; i++)
		scatter(&particle[0][i], &middle, mix(i ^ 0xaaaa), 0.8);
	best = 1e9;
	pthread_barrier_init(&step, NULL, THREADS);
	run_threads();
	for (int frame = 0; frame < FRAMES; frame++) {
		check(error_of(&estimate[frame], frame) <= error_of(&middle, frame), "a frame is no better than the start");
		check(absolute(estimate[frame].x - truth[frame].x) < 0.2 && absolute(estimate[frame].y - truth[frame].y) < 0.2, "the figure is lost");
	}
	printf("%.6f %.6f\n", estimate[FRAMES - 1].x, estimate[FRAMES - 1].y);
	return 0;
}
