/* Similarity search, the class of ferret: pictures that resemble a query. Threads take
 * queries from a shared queue, cut them into features, look candidates up in hash
 * tables of the data base, and rank them by distance. */
#include "parallel.h"

enum { PICTURES = SIZE(512, 16384), FEATURES = 16, TABLES = 4, BUCKETS = SIZE(128, 2048), DEPTH = 16, QUERIES = SIZE(96, 4096), PIXELS = SIZE(64, 256), BEST = 4 };

static float base[PICTURES][FEATURES];
static int32_t bucket[TABLES][BUCKETS][DEPTH];
static int32_t filled[TABLES][BUCKETS];
static pthread_mutex_t bucket_lock[16];
static int32_t found[QUERIES][BEST];
static int next_query LINE;
static pthread_mutex_t queue_lock LINE = PTHREAD_MUTEX_INITIALIZER;
static int64_t hits LINE; /* how often pictures were candidates */
static pthread_mutex_t hits_lock LINE = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t built LINE;

/* The pixels of a picture are noise around the level of each of its parts. */
static void features_of(uint64_t picture, uint64_t noise, float *into) {
	for (int f = 0; f < FEATURES; f++) {
		uint64_t level = mix(picture * FEATURES + (uint64_t)f) % 1024, sum = 0;
		for (int p = 0; p < PIXELS / FEATURES; p++)
			sum += level + (mix(noise + (uint64_t)(f * PIXELS + p)) & 3);
		into[f] = (float)sum / (PIXELS / FEATURES);
	}
}

static int bucket_of(const float *f, int table) {
	uint64_t key = (uint64_t)table;
	for (int i = 0; i < 3; i++)
		key = key * 8 + (uint64_t)(f[(5 * table + 3 * i) % FEATURES] / 128);
	return (int)(mix(key) % BUCKETS);
}

static void enter(int picture) {
	for (int table = 0; table < TABLES; table++) {
		int b = bucket_of(base[picture], table);
		pthread_mutex_t *lock = &bucket_lock[b % 16];
		pthread_mutex_lock(lock);
		int at = filled[table][b];
		if (at < DEPTH) {
			bucket[table][b][at] = picture;
			filled[table][b] = at + 1;
		}
		pthread_mutex_unlock(lock);
	}
}

static float distance(const float *a, const float *b) {
	float sum = 0;
	for (int i = 0; i < FEATURES; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum;
}

static int search(int query) {
	float f[FEATURES], nearest[BEST];
	int32_t *result = found[query];
	int candidates = 0;
	features_of(mix((uint64_t)query) % PICTURES, mix((uint64_t)query ^ 0x1234), f);
	for (int k = 0; k < BEST; k++) {
		nearest[k] = 1e30f;
		result[k] = -1;
	}
	for (int table = 0; table < TABLES; table++) {
		int b = bucket_of(f, table);
		for (int i = 0; i < filled[table][b]; i++) {
			int32_t picture = bucket[table][b][i];
			float d = distance(f, base[picture]);
			candidates++;
			for (int k = 0; k < BEST && picture >= 0; k++) {
				if (result[k] == picture)
					break;
				if (d < nearest[k]) {
					float df = nearest[k];
					int32_t p = result[k];
					nearest[k] = d;
					result[k] = picture;
					d = df;
					picture = p;
				}
			}
		}
	}
	return candidates;
}

static void work(int thread) {
	for (int i = first_of(thread, PICTURES); i < first_of(thread + 1, PICTURES); i++) {
		features_of((uint64_t)i, mix((uint64_t)i), base[i]);
		if (i % SIZE(8, 1) == 0)
			enter(i);
	}
	pthread_barrier_wait(&built);
	int64_t mine = 0;
	for (;;) {
		pthread_mutex_lock(&queue_lock);
		int first = next_query;
		next_query += SIZE(1, 8);
		pthread_mutex_unlock(&queue_lock);
		if (first >= QUERIES)
			break;
		for (int q = first; q < first + SIZE(1, 8); q++)
			mine += search(q);
	}
	pthread_mutex_lock(&hits_lock);
	hits += mine;
	pthread_mutex_unlock(&hits_lock);
}

int main(void) {
	for (int i = 0; i < 16; i++)
		pthread_mutex_init(&bucket_lock[i], NULL);
	pthread_barrier_init(&built, NULL, THREADS);
	run_threads();
	int64_t again = 0;
	int right = 0, there = 0;
	for (int q = 0; q < QUERIES; q++) {
		int32_t kept[BEST], want = (int32_t)(mix((uint64_t)q) % PICTURES);
		for (int k = 0; k < BEST; k++)
			kept[k] = found[q][k];
		again += search(q);
		for (int k = 0; k < BEST; k++)
			check(kept[k] == found[q][k], "a query finds something else again");
		right += found[q][0] == want;
		for (int b = 0, known = 0; b < TABLES * BUCKETS && !known; b++)
			for (int i = 0; i < filled[b / BUCKETS][b % BUCKETS] && !known; i++)
				there += known = bucket[b / BUCKETS][b % BUCKETS][i] == want;
		if (q == 255)
			break;
	}
	check(QUERIES > 256 || again == hits, "the number of candidates");
	check(right > 0 && 10 * right >= 6 * there, "pictures are not found by queries that are made of them");
	printf("%d of %d\n", right, there);
	return 0;
}
