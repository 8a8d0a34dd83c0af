// Random numbers of the device: published first numbers of each generator, skipping against
// powers of matrices that the host computes, and the moments of the distributions.
#include <cmath>
#include <cstring>
#include <vector>
#include "check.h"
#include <curand_kernel.h>

// Known-answer tests of Random123 (kat_vectors, philox4x32 10).
__global__ void philox(uint4 *r) {
  r[0] = __wt_philox(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
  r[1] = __wt_philox(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u));
  r[2] = __wt_philox(make_uint4(0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u), make_uint2(0xa4093822u, 0x299f31d0u));
  curandStatePhilox4_32_10_t s;
  curand_init(0, 0, 0, &s);
  r[3] = curand4(&s);
  curand_init(0x299f31d0a4093822ull, 0x0370734413198a2eull, 0, &s);
  __wt_philox_count(&s.ctr, 0x85a308d3243f6a88ull);
  skipahead(0, &s);
  r[4].x = curand(&s), r[4].y = curand(&s), r[4].z = curand(&s), r[4].w = curand(&s);
}

// The states of the papers: G. Marsaglia's of XORWOW, and P. L'Ecuyer's of MRG32k3a.
__global__ void papers(unsigned int *x, double *m) {
  curandStateXORWOW_t s = {6615241, {123456789, 362436069, 521288629, 88675123, 5783321}};
  for (int i = 0; i < 5; i++) x[i] = curand(&s);
  curandStateMRG32k3a_t t = {{12345, 12345, 12345}, {12345, 12345, 12345}};
  for (int i = 0; i < 2; i++) m[i] = __wt_mrg32k3a(&t) * 2.328306549295727688e-10;
}

// Skipping n numbers is drawing n numbers.
template <class T> __global__ void skips(int *wrong) {
  unsigned int n = threadIdx.x * 37;
  T a, b;
  curand_init(7, 3, 0, &a);
  for (unsigned int i = 0; i < n; i++) curand(&a);
  curand_init(7, 3, n, &b);
  unsigned int first = curand(&a);
  if (first != curand(&b)) atomicAdd(wrong, 1);
}

struct States { curandStateXORWOW_t x[2]; curandStateMRG32k3a_t m[2]; };
__global__ void sequences(States *s, unsigned long long n) {
  curand_init(99, 0, 0, &s->x[0]);
  curand_init(99, n, 0, &s->x[1]);
  curand_init(99, 0, 0, &s->m[0]);
  curand_init(99, n, 0, &s->m[1]);
}

// T^(2^67*n) of XORWOW as a matrix of 160 columns of 160 bits.
struct Bits { unsigned int w[5]; };
static Bits times(const std::vector<Bits> &columns, Bits v) {
  Bits r = {};
  for (int i = 0; i < 160; i++)
    if (v.w[i / 32] >> (i % 32) & 1)
      for (int k = 0; k < 5; k++) r.w[k] ^= columns[i].w[k];
  return r;
}
static Bits far(Bits v, unsigned long long n) {
  std::vector<Bits> t(160);
  for (int i = 0; i < 160; i++) {
    Bits s = {};
    s.w[i / 32] = 1u << (i % 32);
    unsigned int u = s.w[0] ^ (s.w[0] >> 2), last = s.w[4];
    for (int k = 0; k < 4; k++) s.w[k] = s.w[k + 1];
    s.w[4] = last ^ (last << 4) ^ u ^ (u << 1);
    t[i] = s;
  }
  for (int bit = 0; bit < 67 + 64; bit++) {
    if (bit >= 67 && n >> (bit - 67) & 1) v = times(t, v);
    std::vector<Bits> squared(160);
    for (int i = 0; i < 160; i++) squared[i] = times(t, t[i]);
    t = squared;
  }
  return v;
}
// The first rows of L'Ecuyer's A1^(2^76) and A2^(2^76), as his package RngStreams prints them,
// move the oldest number.
static unsigned int row(const unsigned long long *a, const unsigned int *s, unsigned long long m) {
  unsigned __int128 sum = 0;
  for (int k = 0; k < 3; k++) sum += (unsigned __int128)a[k] * s[k];
  return (unsigned int)(sum % m);
}

enum { kThreads = 256, kEach = 40 };
template <class T> __global__ void distributions(float *u, double *ud, float *n, double *nd, float *l, unsigned int *few, unsigned int *many) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  T s;
  curand_init(1234, thread, 0, &s);
  for (int i = thread * kEach; i < (thread + 1) * kEach; i++) {
    u[i] = curand_uniform(&s), ud[i] = curand_uniform_double(&s);
    n[i] = curand_normal(&s), nd[i] = curand_normal_double(&s);
    l[i] = curand_log_normal(&s, 0.0f, 0.25f);
    few[i] = curand_poisson(&s, 3.0), many[i] = curand_poisson(&s, 90.0);
  }
}
template <class V> static void moments(const V *v, double mean, double variance, double fourth) {
  double sum = 0, squares = 0, n = kThreads * kEach;
  for (int i = 0; i < n; i++) sum += v[i], squares += ((double)v[i] - mean) * ((double)v[i] - mean);
  CHECK(fabs(sum / n - mean) < 5 * sqrt(variance / n)); // five standard deviations
  CHECK(fabs(squares / n - variance) < 5 * sqrt((fourth - variance * variance) / n));
}
template <class T> static void check() {
  int *wrong;
  OK(cudaMallocManaged(&wrong, sizeof *wrong));
  *wrong = 0;
  skips<T><<<1, 32>>>(wrong);
  OK(cudaDeviceSynchronize());
  CHECK(*wrong == 0);
  float *u, *n, *l;
  double *ud, *nd;
  unsigned int *few, *many;
  int all = kThreads * kEach;
  OK(cudaMallocManaged(&u, all * 4)); OK(cudaMallocManaged(&n, all * 4)); OK(cudaMallocManaged(&l, all * 4));
  OK(cudaMallocManaged(&ud, all * 8)); OK(cudaMallocManaged(&nd, all * 8));
  OK(cudaMallocManaged(&few, all * 4)); OK(cudaMallocManaged(&many, all * 4));
  distributions<T><<<kThreads / 64, 64>>>(u, ud, n, nd, l, few, many);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < all; i++) CHECK(u[i] > 0 && u[i] <= 1 && ud[i] > 0 && ud[i] <= 1);
  moments(u, 0.5, 1 / 12.0, 1 / 80.0);
  moments(ud, 0.5, 1 / 12.0, 1 / 80.0);
  moments(n, 0, 1, 3);
  moments(nd, 0, 1, 3);
  double w = exp(0.0625), v = (w - 1) * w;
  moments(l, exp(0.03125), v, v * v * (w * w * w * w + 2 * w * w * w + 3 * w * w - 3));
  moments(few, 3, 3, 3 + 3 * 9.0);
  moments(many, 90, 90, 90 + 3 * 8100.0);
  double together = 0; // neighbours' normal numbers do not go together
  for (int i = 1; i < all; i++) together += (double)n[i] * n[i - 1];
  CHECK(fabs(together / all) < 5 / sqrt((double)all));
}

int main() {
  uint4 *r;
  OK(cudaMallocManaged(&r, 5 * sizeof *r));
  philox<<<1, 1>>>(r);
  OK(cudaDeviceSynchronize());
  const unsigned int known[3][4] = {{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}, {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}, {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}};
  const int which[5] = {0, 1, 2, 0, 2};
  for (int i = 0; i < 5; i++) CHECK(memcmp(&r[i], known[which[i]], 16) == 0);

  unsigned int *x;
  double *m;
  OK(cudaMallocManaged(&x, 5 * sizeof *x));
  OK(cudaMallocManaged(&m, 2 * sizeof *m));
  papers<<<1, 1>>>(x, m);
  OK(cudaDeviceSynchronize());
  const unsigned int xorwow[5] = {246875399u, 3690007200u, 1264581005u, 3906711041u, 1866187943u};
  for (int i = 0; i < 5; i++) CHECK(x[i] == xorwow[i]);
  const double mrg[2] = {0.127011122046577, 0.318527565396794};
  for (int i = 0; i < 2; i++) CHECK(fabs(m[i] - mrg[i]) < 1e-14);

  States *s;
  OK(cudaMallocManaged(&s, sizeof *s));
  for (unsigned long long n : {1ull, 0x8000000000001234ull}) {
    sequences<<<1, 1>>>(s, n);
    OK(cudaDeviceSynchronize());
    Bits from;
    memcpy(&from, s->x[0].v, sizeof from);
    Bits to = far(from, n);
    CHECK(memcmp(&to, s->x[1].v, sizeof to) == 0 && s->x[0].d == s->x[1].d);
    if (n != 1) continue;
    const unsigned long long a[3] = {82758667, 1871391091, 4127413238}, b[3] = {1511326704, 3759209742, 1610795712};
    CHECK(row(a, s->m[0].s1, 4294967087ull) == s->m[1].s1[0]);
    CHECK(row(b, s->m[0].s2, 4294944443ull) == s->m[1].s2[0]);
  }
  check<curandStateXORWOW_t>();
  check<curandStatePhilox4_32_10_t>();
  check<curandStateMRG32k3a_t>();
  printf("ok\n");
}
