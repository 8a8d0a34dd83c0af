/* Compression: an encoder of the Lempel-Ziv family finds the longest match of each
 * place through chains of a hash table. */
#include "kernel.h"

enum { BYTES = 14000, HASHES = 4096, LONGEST = 64, TRIES = 8 };

static unsigned char in[BYTES + LONGEST], out[2 * BYTES];
static int head[HASHES], before[BYTES];

static inline unsigned hash(const unsigned char *p) {
	return ((unsigned)p[0] << 16 ^ (unsigned)p[1] << 8 ^ p[2]) * 2654435761u >> 20;
}

KERNEL long kernel(void) {
	long n = 0;
	for (int i = 0; i < BYTES;) {
		unsigned h = hash(in + i);
		int length = 0, from = 0, tries = TRIES;
		for (int k = head[h]; k > 0 && tries > 0; k = before[k - 1], tries--) {
			int l = 0;
			while (l < LONGEST && in[k - 1 + l] == in[i + l])
				l++;
			if (l > length) {
				length = l;
				from = k - 1;
			}
		}
		if (length < 4) {
			length = 1;
			out[n++] = in[i];
		} else {
			out[n++] = (unsigned char)length;
			out[n++] = (unsigned char)(i - from);
			out[n++] = (unsigned char)((i - from) >> 8);
		}
		for (int k = 0; k < length && i < BYTES; k++, i++) {
			h = hash(in + i);
			before[i] = head[h];
			head[h] = i + 1;
		}
	}
	return n;
}

int main(void) {
	for (int i = 0; i < BYTES;) {
		if (i > 300 && next() % 3 == 0) {
			int from = (int)(next() % (uint64_t)(i - 100)), n = 4 + (int)(next() % 40);
			for (int k = 0; k < n && i < BYTES; k++)
				in[i++] = in[from + k];
		} else {
			in[i++] = (unsigned char)(next() % 20);
		}
	}
	printf("%ld\n", kernel());
	return 0;
}
