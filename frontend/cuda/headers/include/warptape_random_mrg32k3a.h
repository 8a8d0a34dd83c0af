// SPDX-License-Identifier: Apache-2.0
// MRG32k3a: P. L'Ecuyer, Good parameters and implementations for combined multiple recursive
// random number generators, Operations Research 47(1), 1999; its streams and substreams:
// L'Ecuyer and others, An object-oriented random-number package, Operations Research 50(6), 2002.
#ifndef __WARPTAPE_RANDOM_MRG32K3A_H__
#define __WARPTAPE_RANDOM_MRG32K3A_H__

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3]; // the oldest number first
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

#define __WT_MRG_M1__ 4294967087ull
#define __WT_MRG_M2__ 4294944443ull

// From 1 to m1.
__WT_RANDOM__ unsigned int __wt_mrg32k3a(curandStateMRG32k3a_t *s) {
  unsigned int p = (unsigned int)((1403580ull * s->s1[1] + 810728ull * (__WT_MRG_M1__ - s->s1[0])) % __WT_MRG_M1__);
  unsigned int q = (unsigned int)((527612ull * s->s2[2] + 1370589ull * (__WT_MRG_M2__ - s->s2[0])) % __WT_MRG_M2__);
  s->s1[0] = s->s1[1], s->s1[1] = s->s1[2], s->s1[2] = p;
  s->s2[0] = s->s2[1], s->s2[1] = s->s2[2], s->s2[2] = q;
  return p > q ? p - q : (unsigned int)(p + (__WT_MRG_M1__ - q));
}

// 32 bits: the number, from 0, on the scale of 2^32.
__WT_RANDOM__ unsigned int curand(curandStateMRG32k3a_t *s) { return (unsigned int)(((unsigned long long)(__wt_mrg32k3a(s) - 1) << 32) / __WT_MRG_M1__); }

struct __wt_mrg_matrix { unsigned int a[3][3]; };

__WT_RANDOM__ struct __wt_mrg_matrix __wt_mrg_times(const struct __wt_mrg_matrix &a, const struct __wt_mrg_matrix &b, unsigned long long m) {
  struct __wt_mrg_matrix c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      unsigned long long sum = 0;
      for (int k = 0; k < 3; k++) sum = (sum + (unsigned long long)a.a[i][k] * b.a[k][j] % m) % m;
      c.a[i][j] = (unsigned int)sum;
    }
  return c;
}

// A component moves on by step^n.
__WT_RANDOM__ void __wt_mrg_jump(unsigned int *s, struct __wt_mrg_matrix step, unsigned long long n, unsigned long long m) {
  for (; n != 0; n >>= 1, step = __wt_mrg_times(step, step, m)) {
    if ((n & 1) == 0) continue;
    unsigned int next[3];
    for (int i = 0; i < 3; i++) {
      unsigned long long sum = 0;
      for (int k = 0; k < 3; k++) sum = (sum + (unsigned long long)step.a[i][k] * s[k] % m) % m;
      next[i] = (unsigned int)sum;
    }
    for (int i = 0; i < 3; i++) s[i] = next[i];
  }
}

// One step, squared so many times.
__WT_RANDOM__ void __wt_mrg_skip(curandStateMRG32k3a_t *s, unsigned long long n, int squared) {
  if (n == 0) return;
  struct __wt_mrg_matrix a = {{{0, 1, 0}, {0, 0, 1}, {(unsigned int)(__WT_MRG_M1__ - 810728), 1403580, 0}}};
  struct __wt_mrg_matrix b = {{{0, 1, 0}, {0, 0, 1}, {(unsigned int)(__WT_MRG_M2__ - 1370589), 0, 527612}}};
  for (int i = 0; i < squared; i++) {
    a = __wt_mrg_times(a, a, __WT_MRG_M1__);
    b = __wt_mrg_times(b, b, __WT_MRG_M2__);
  }
  __wt_mrg_jump(s->s1, a, n, __WT_MRG_M1__);
  __wt_mrg_jump(s->s2, b, n, __WT_MRG_M2__);
}
__WT_RANDOM__ void skipahead(unsigned long long n, curandStateMRG32k3a_t *s) { __wt_mrg_skip(s, n, 0); }
__WT_RANDOM__ void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *s) { __wt_mrg_skip(s, n, 76); }
__WT_RANDOM__ void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *s) { __wt_mrg_skip(s, n, 127); }

__WT_RANDOM__ void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateMRG32k3a_t *s) {
  for (int i = 0; i < 3; i++) { // from 1, so that neither component is zero throughout
    s->s1[i] = (unsigned int)(1 + __wt_random_mix(&seed) % (__WT_MRG_M1__ - 1));
    s->s2[i] = (unsigned int)(1 + __wt_random_mix(&seed) % (__WT_MRG_M2__ - 1));
  }
  s->boxmuller_flag = s->boxmuller_flag_double = 0;
  skipahead_subsequence(subsequence, s);
  skipahead(offset, s);
}
#endif
