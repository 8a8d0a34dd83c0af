/* An incompressible fluid, the class of fluidanimate: particles in the cells of a grid
 * push each other. A pair is computed once, so a thread also writes particles of cells
 * that are another's, under the cell's lock. */
#include "parallel.h"

enum { SIDE = SIZE(8, 24), CELLS = SIDE * SIDE, EACH = SIZE(2, 6), PARTICLES = CELLS * EACH, STEPS = SIZE(1, 12) };

/* Numbers are in 1/65536, so that sums do not depend on their order. */
typedef int64_t fixed;

struct particle {
	fixed x, y, vx, vy, density, fx, fy;
};

static struct particle particles[CELLS][EACH];
static pthread_mutex_t cell_lock[CELLS];
static pthread_barrier_t step_end LINE;
static fixed momentum[2];
static pthread_mutex_t momentum_lock LINE = PTHREAD_MUTEX_INITIALIZER;

static const fixed ONE = 65536;

static fixed times(fixed a, fixed b) { return a * b >> 16; }

/* How near two particles are: 1 at no distance, 0 at that of a cell. */
static fixed nearness(const struct particle *a, const struct particle *b) {
	fixed dx = a->x - b->x, dy = a->y - b->y, d = times(dx, dx) + times(dy, dy);
	return d < ONE ? ONE - d : 0;
}

/* The cells to the right and below are those with which a cell's pairs are its own. */
static int neighbour(int cell, int n) {
	static const int down[] = {0, 1, 1, 1}, right[] = {1, -1, 0, 1};
	int row = cell / SIDE + down[n], column = cell % SIDE + right[n];
	return row < SIDE && column >= 0 && column < SIDE ? row * SIDE + column : -1;
}

enum phase { DENSITY, FORCE };

static void pair(struct particle *a, struct particle *b, enum phase phase) {
	fixed near = nearness(a, b);
	if (near == 0)
		return;
	if (phase == DENSITY) {
		fixed d = times(times(near, near), near);
		a->density += d;
		b->density += d;
		return;
	}
	fixed push = times(near, 2 * ONE * ONE / (a->density + b->density)) / 16;
	fixed fx = times(push, a->x - b->x) + times(near, b->vx - a->vx) / 32;
	fixed fy = times(push, a->y - b->y) + times(near, b->vy - a->vy) / 32;
	a->fx += fx;
	a->fy += fy;
	b->fx -= fx;
	b->fy -= fy;
}

static void interact(int cell, enum phase phase) {
	pthread_mutex_lock(&cell_lock[cell]);
	for (int i = 0; i < EACH; i++)
		for (int j = i + 1; j < EACH; j++)
			pair(&particles[cell][i], &particles[cell][j], phase);
	pthread_mutex_unlock(&cell_lock[cell]);
	for (int n = 0; n < 4; n++) {
		int other = neighbour(cell, n);
		if (other < 0)
			continue;
		/* in the order of their numbers, so that nobody waits for another who waits for it */
		pthread_mutex_lock(&cell_lock[cell]);
		pthread_mutex_lock(&cell_lock[other]);
		for (int i = 0; i < EACH; i++)
			for (int j = 0; j < EACH; j++)
				pair(&particles[cell][i], &particles[other][j], phase);
		pthread_mutex_unlock(&cell_lock[other]);
		pthread_mutex_unlock(&cell_lock[cell]);
	}
}

static void work(int thread) {
	int first = first_of(thread, CELLS), last = first_of(thread + 1, CELLS);
	for (int step = 0; step < STEPS; step++) {
		for (int cell = first; cell < last; cell++)
			for (int i = 0; i < EACH; i++) {
				struct particle *p = &particles[cell][i];
				p->density = ONE;
				p->fx = p->fy = 0;
			}
		pthread_barrier_wait(&step_end);
		for (int cell = first; cell < last; cell++)
			interact(cell, DENSITY);
		pthread_barrier_wait(&step_end);
		for (int cell = first; cell < last; cell++)
			interact(cell, FORCE);
		pthread_barrier_wait(&step_end);
		for (int cell = first; cell < last; cell++)
			for (int i = 0; i < EACH; i++) {
				struct particle *p = &particles[cell][i];
				p->vx += p->fx;
				p->vy += p->fy;
				p->x += p->vx / 64;
				p->y += p->vy / 64;
			}
		pthread_barrier_wait(&step_end);
	}
	fixed x = 0, y = 0;
	for (int cell = first; cell < last; cell++)
		for (int i = 0; i < EACH; i++) {
			x += particles[cell][i].vx;
			y += particles[cell][i].vy;
		}
	pthread_mutex_lock(&momentum_lock);
	momentum[0] += x;
	momentum[1] += y;
	pthread_mutex_unlock(&momentum_lock);
}

int main(void) {
	fixed x = 0, y = 0;
	for (int cell = 0; cell < CELLS; cell++) {
		pthread_mutex_init(&cell_lock[cell], NULL);
		for (int i = 0; i < EACH; i++) {
			uint64_t seed = 4 * (uint64_t)(cell * EACH + i);
			struct particle *p = &particles[cell][i];
			p->x = (fixed)((cell % SIDE + unit(seed)) * 65536);
			p->y = (fixed)((cell / SIDE + unit(seed + 1)) * 65536);
			x += p->vx = (fixed)(mix(seed + 2) % 65536) - 32768;
			y += p->vy = (fixed)(mix(seed + 3) % 65536) - 32768;
		}
	}
	pthread_barrier_init(&step_end, NULL, THREADS);
	run_threads();
	check(momentum[0] == x && momentum[1] == y, "the momentum of all particles has changed");
	for (int cell = 0; cell < CELLS; cell++)
		for (int i = 0; i < EACH; i++)
			check(particles[cell][i].density >= ONE, "a density");
	printf("%lld %lld %lld\n", (long long)momentum[0], (long long)momentum[1], (long long)particles[CELLS / 2][0].x);
	return 0;
}
