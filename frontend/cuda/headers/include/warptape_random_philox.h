// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10: J. K. Salmon and others, Parallel random numbers: as easy as 1, 2, 3, SC 2011.
#ifndef __WARPTAPE_RANDOM_PHILOX_H__
#define __WARPTAPE_RANDOM_PHILOX_H__

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE; // which word of the output is next
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

__WT_RANDOM__ uint4 __wt_philox(uint4 c, uint2 k) {
#pragma unroll
  for (int round = 0; round < 10; round++) {
    unsigned long long p = 0xd2511f53ull * c.x, q = 0xcd9e8d57ull * c.z;
    c = make_uint4((unsigned int)(q >> 32) ^ c.y ^ k.x, (unsigned int)q, (unsigned int)(p >> 32) ^ c.w ^ k.y, (unsigned int)p);
    k.x += 0x9e3779b9u, k.y += 0xbb67ae85u;
  }
  return c;
}

// The counter is a number of 128 bits.
__WT_RANDOM__ void __wt_philox_count(uint4 *c, unsigned long long n) {
  unsigned long long low = ((unsigned long long)c->y << 32 | c->x) + n, high = (unsigned long long)c->w << 32 | c->z;
  high += low < n;
  *c = make_uint4((unsigned int)low, (unsigned int)(low >> 32), (unsigned int)high, (unsigned int)(high >> 32));
}

__WT_RANDOM__ void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *s) {
  unsigned int words = s->STATE + (unsigned int)(n & 3);
  __wt_philox_count(&s->ctr, (n >> 2) + (words >> 2));
  s->STATE = words & 3;
  s->output = __wt_philox(s->ctr, s->key);
}

// Sequences are 2^64 counters apart.
__WT_RANDOM__ void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *s) {
  unsigned long long high = ((unsigned long long)s->ctr.w << 32 | s->ctr.z) + n;
  s->ctr.z = (unsigned int)high, s->ctr.w = (unsigned int)(high >> 32);
  s->output = __wt_philox(s->ctr, s->key);
}

__WT_RANDOM__ void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStatePhilox4_32_10_t *s) {
  s->ctr = make_uint4(0, 0, (unsigned int)subsequence, (unsigned int)(subsequence >> 32));
  s->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
  s->STATE = 0;
  s->boxmuller_flag = s->boxmuller_flag_double = 0;
  skipahead(offset, s);
}

__WT_RANDOM__ unsigned int curand(curandStatePhilox4_32_10_t *s) {
  uint4 o = s->output;
  unsigned int word = s->STATE == 0 ? o.x : s->STATE == 1 ? o.y : s->STATE == 2 ? o.z : o.w;
  if (++s->STATE == 4) {
    s->STATE = 0;
    __wt_philox_count(&s->ctr, 1);
    s->output = __wt_philox(s->ctr, s->key);
  }
  return word;
}

// curand4 gives the next four words.
__WT_RANDOM__ uint4 curand4(curandStatePhilox4_32_10_t *s) {
  uint4 a = s->output, r = a;
  __wt_philox_count(&s->ctr, 1);
  uint4 b = s->output = __wt_philox(s->ctr, s->key);
  if (s->STATE == 1) r = make_uint4(a.y, a.z, a.w, b.x);
  if (s->STATE == 2) r = make_uint4(a.z, a.w, b.x, b.y);
  if (s->STATE == 3) r = make_uint4(a.w, b.x, b.y, b.z);
  return r;
}
#endif
