/* Video encoding, the class of x264: threads take blocks of a frame from a shared
 * counter, search each in what has been encoded of the frame before, transform and
 * quantise what is different, and write what a decoder will see. */
#include "parallel.h"

enum { ACROSS = SIZE(8, 16), DOWN = SIZE(8, 12), BLOCK = 8, WIDTH = ACROSS * BLOCK, HEIGHT = DOWN * BLOCK, FRAMES = SIZE(2, 10), REACH = SIZE(1, 4), STEP = 12 };

static uint8_t source[FRAMES][HEIGHT][WIDTH], decoded[FRAMES][HEIGHT][WIDTH];
static int next_block[FRAMES];
static int64_t bits LINE;
static pthread_mutex_t lock LINE = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t frame_end LINE;

static int difference(const uint8_t (*now)[WIDTH], int row, int column, const uint8_t (*before)[WIDTH], int from_row, int from_column) {
	int sum = 0;
	for (int r = 0; r < BLOCK; r++)
		for (int c = 0; c < BLOCK; c++) {
			int d = now[row + r][column + c] - before[from_row + r][from_column + c];
			sum += d < 0 ? -d : d;
		}
	return sum;
}

/* The transform of Walsh and Hadamard, of rows or columns: its own inverse times 8. */
static void transform(int *values, int stride) {
	for (int half = 1; half < BLOCK; half *= 2)
		for (int i = 0; i < BLOCK; i++)
			if (!(i & half)) {
				int a = values[i * stride], b = values[(i + half) * stride];
				values[i * stride] = a + b;
				values[(i + half) * stride] = a - b;
			}
}

static void transform_block(int block[BLOCK][BLOCK]) {
	for (int i = 0; i < BLOCK; i++)
		transform(block[i], 1);
	for (int i = 0; i < BLOCK; i++)
		transform(&block[0][i], BLOCK);
}

static int encode(int frame, int row, int column) {
	int best = 1 << 30, from_row = row, from_column = column, size = 0;
	const uint8_t (*before)[WIDTH] = frame > 0 ? decoded[frame - 1] : NULL;
	for (int r = row - REACH; before && r <= row + REACH; r++)
		for (int c = column - REACH; c <= column + REACH; c++) {
			if (r < 0 || c < 0 || r > HEIGHT - BLOCK || c > WIDTH - BLOCK)
				continue;
			int d = difference(source[frame], row, column, before, r, c);
			if (d < best) {
				best = d;
				from_row = r;
				from_column = c;
			}
		}
	int block[BLOCK][BLOCK];
	for (int r = 0; r < BLOCK; r++)
		for (int c = 0; c < BLOCK; c++)
			block[r][c] = source[frame][row + r][column + c] - (before ? before[from_row + r][from_column + c] : 128);
	transform_block(block);
	for (int r = 0; r < BLOCK; r++)
		for (int c = 0; c < BLOCK; c++) {
			int level = block[r][c] / (STEP * BLOCK);
			for (int rest = level < 0 ? -level : level; rest > 0; rest >>= 1)
				size += 2;
			size++;
			block[r][c] = level * STEP * BLOCK;
		}
	transform_block(block);
	for (int r = 0; r < BLOCK; r++)
		for (int c = 0; c < BLOCK; c++) {
			int v = block[r][c] / (BLOCK * BLOCK) + (before ? before[from_row + r][from_column + c] : 128);
			decoded[frame][row + r][column + c] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
		}
	return size;
}

static void work(int thread) {
	(void)thread;
	int64_t mine = 0;
	for (int frame = 0; frame < FRAMES; frame++) {
		for (;;) {
			pthread_mutex_lock(&lock);
			int b = next_block[frame]++;
			pthread_mutex_unlock(&lock);
			if (b >= ACROSS * DOWN)
				break;
			mine += encode(frame, b / ACROSS * BLOCK, b % ACROSS * BLOCK);
		}
		pthread_barrier_wait(&frame_end);
	}
	pthread_mutex_lock(&lock);
	bits += mine;
	pthread_mutex_unlock(&lock);
}

int main(void) {
	for (int f = 0; f < FRAMES; f++)
		for (int r = 0; r < HEIGHT; r++)
			for (int c = 0; c < WIDTH; c++) {
				int x = c + f, y = r - f / 2; /* the picture moves */
				source[f][r][c] = (uint8_t)(128 + (x * 3 % 61) - 30 + (y * 5 % 47) - 23 + (int)(mix((uint64_t)((x / 4) * 977 + y / 4)) % 32) - 16);
			}
	pthread_barrier_init(&frame_end, NULL, THREADS);
	run_threads();
	int64_t wrong = 0, all = (int64_t)FRAMES * HEIGHT * WIDTH;
	for (int f = 0; f < FRAMES; f++)
		for (int r = 0; r < HEIGHT; r++)
			for (int c = 0; c < WIDTH; c++) {
				int d = source[f][r][c] - decoded[f][r][c];
				wrong += d * d;
			}
	check(wrong < 40 * all, "what is decoded is too far from the source");
	check(bits > all && bits < 5 * all, "the size of what is encoded");
	printf("%lld bits, %lld\n", (long long)bits, (long long)wrong);
	return 0;
}
