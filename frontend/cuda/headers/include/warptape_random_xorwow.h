// SPDX-License-Identifier: Apache-2.0
// XORWOW: G. Marsaglia, Xorshift RNGs, Journal of Statistical Software 8(14), 2003, section 3.1.
#ifndef __WARPTAPE_RANDOM_XORWOW_H__
#define __WARPTAPE_RANDOM_XORWOW_H__
#include "warptape_random_jumps.h"

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double; // whether the second of two normal numbers is kept
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

__WT_RANDOM__ unsigned int curand(curandStateXORWOW_t *s) {
  unsigned int t = s->v[0] ^ (s->v[0] >> 2);
  s->v[0] = s->v[1], s->v[1] = s->v[2], s->v[2] = s->v[3], s->v[3] = s->v[4];
  s->v[4] = (s->v[4] ^ (s->v[4] << 4)) ^ (t ^ (t << 1));
  s->d += 362437;
  return s->v[4] + s->d;
}

// The linear part moves on by the digits of n in base 4, whose polynomials are in a table:
// 160 steps for each digit that is not zero.
__WT_RANDOM__ void __wt_xorwow_jump(curandStateXORWOW_t *s, unsigned long long n, int table) {
  for (int digit = 0; n != 0; digit++, n >>= 2) {
    if ((n & 3) == 0) continue;
    const unsigned int *polynomial = __wt_xorwow_jumps[table][digit][(n & 3) - 1];
    unsigned int sum[5] = {0, 0, 0, 0, 0}, d = s->d;
    for (int word = 0; word < 5; word++) {
      unsigned int bits = polynomial[word];
      for (int i = 0; i < 32; i++, bits >>= 1) {
        unsigned int take = 0u - (bits & 1);
        for (int k = 0; k < 5; k++) sum[k] ^= s->v[k] & take;
        curand(s);
      }
    }
    for (int k = 0; k < 5; k++) s->v[k] = sum[k];
    s->d = d;
  }
}

__WT_RANDOM__ void skipahead(unsigned long long n, curandStateXORWOW_t *s) {
  __wt_xorwow_jump(s, n, 0);
  s->d += 362437u * (unsigned int)n;
}

// Sequences are 2^67 numbers apart, which is a multiple of the period of d.
__WT_RANDOM__ void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *s) { __wt_xorwow_jump(s, n, 1); }

__WT_RANDOM__ void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW_t *s) {
  for (int i = 0; i < 4; i += 2) {
    unsigned long long bits = __wt_random_mix(&seed);
    s->v[i] = (unsigned int)bits, s->v[i + 1] = (unsigned int)(bits >> 32);
  }
  unsigned long long bits = __wt_random_mix(&seed);
  s->v[4] = (unsigned int)bits | 1, s->d = (unsigned int)(bits >> 32); // v must not be zero
  s->boxmuller_flag = s->boxmuller_flag_double = 0;
  skipahead_sequence(sequence, s);
  skipahead(offset, s);
}
#endif
