/* What the kernels share: a generator of inputs that every machine gives alike. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252u;

/* xorshift64 (Marsaglia, 2003) */
static inline uint64_t next(void) {
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static inline double unit(void) { return (double)(next() >> 11) / 9007199254740992.0; }

/* The part of the program that is recorded. */
#define KERNEL __attribute__((noinline)) static
