// SPDX-License-Identifier: Apache-2.0
// Distributions of random bits: uniform in (0, 1], normal by G. E. P. Box and M. E. Muller,
// A note on the generation of random normal deviates, 1958, log-normal and Poisson.
#ifndef __WARPTAPE_RANDOM_DISTRIBUTIONS_H__
#define __WARPTAPE_RANDOM_DISTRIBUTIONS_H__

__WT_RANDOM__ float __wt_uniform(unsigned int bits) { return __fmaf_rn((float)bits, 0x1p-32f, 0x1p-33f); }
__WT_RANDOM__ double __wt_uniform_double(unsigned int low, unsigned int high) {
  unsigned long long bits = (unsigned long long)low ^ ((unsigned long long)high << 21);
  return __fma_rn((double)bits, 0x1p-53, 0x1p-54);
}
__WT_RANDOM__ float2 __wt_normals(unsigned int a, unsigned int b) {
  float radius = sqrtf(-2.0f * logf(__wt_uniform(a))), sine, cosine;
  sincospif(2.0f * __wt_uniform(b), &sine, &cosine);
  return make_float2(radius * sine, radius * cosine);
}
__WT_RANDOM__ double2 __wt_normals_double(double u, double v) {
  double radius = sqrt(-2.0 * log(u)), sine, cosine;
  sincospi(2.0 * v, &sine, &cosine);
  return make_double2(radius * sine, radius * cosine);
}

#define __WT_DISTRIBUTIONS__(T)                                                                                                  \
  __WT_RANDOM__ float curand_uniform(T *s) { return __wt_uniform(curand(s)); }                                                   \
  __WT_RANDOM__ double curand_uniform_double(T *s) {                                                                             \
    unsigned int low = curand(s);                                                                                                \
    return __wt_uniform_double(low, curand(s));                                                                                  \
  }                                                                                                                              \
  __WT_RANDOM__ float2 curand_normal2(T *s) {                                                                                    \
    unsigned int first = curand(s);                                                                                              \
    return __wt_normals(first, curand(s));                                                                                       \
  }                                                                                                                              \
  __WT_RANDOM__ double2 curand_normal2_double(T *s) {                                                                            \
    double first = curand_uniform_double(s);                                                                                     \
    return __wt_normals_double(first, curand_uniform_double(s));                                                                 \
  }                                                                                                                              \
  __WT_RANDOM__ float curand_normal(T *s) {                                                                                      \
    if (s->boxmuller_flag) {                                                                                                     \
      s->boxmuller_flag = 0;                                                                                                     \
      return s->boxmuller_extra;                                                                                                 \
    }                                                                                                                            \
    float2 two = curand_normal2(s);                                                                                              \
    s->boxmuller_flag = 1, s->boxmuller_extra = two.y;                                                                           \
    return two.x;                                                                                                                \
  }                                                                                                                              \
  __WT_RANDOM__ double curand_normal_double(T *s) {                                                                              \
    if (s->boxmuller_flag_double) {                                                                                              \
      s->boxmuller_flag_double = 0;                                                                                              \
      return s->boxmuller_extra_double;                                                                                          \
    }                                                                                                                            \
    double2 two = curand_normal2_double(s);                                                                                      \
    s->boxmuller_flag_double = 1, s->boxmuller_extra_double = two.y;                                                             \
    return two.x;                                                                                                                \
  }                                                                                                                              \
  __WT_RANDOM__ float curand_log_normal(T *s, float mean, float deviation) { return expf(mean + deviation * curand_normal(s)); } \
  __WT_RANDOM__ float2 curand_log_normal2(T *s, float mean, float deviation) {                                                   \
    float2 two = curand_normal2(s);                                                                                              \
    return make_float2(expf(mean + deviation * two.x), expf(mean + deviation * two.y));                                          \
  }                                                                                                                              \
  __WT_RANDOM__ double curand_log_normal_double(T *s, double mean, double deviation) { return exp(mean + deviation * curand_normal_double(s)); } \
  __WT_RANDOM__ double2 curand_log_normal2_double(T *s, double mean, double deviation) {                                         \
    double2 two = curand_normal2_double(s);                                                                                      \
    return make_double2(exp(mean + deviation * two.x), exp(mean + deviation * two.y));                                           \
  }                                                                                                                              \
  __WT_RANDOM__ unsigned int curand_poisson(T *s, double lambda) { return __wt_poisson(s, lambda); }

// Of few events, the arrivals are counted until their times pass one (D. E. Knuth, The Art
// of Computer Programming, 3.4.1). Of many, transformed rejection: algorithm PTRS of
// W. Hormann, The transformed rejection method for generating Poisson random variables, 1993.
template <class T> __WT_RANDOM__ unsigned int __wt_poisson(T *s, double lambda) {
  if (lambda < 10.0) {
    double limit = exp(-lambda), product = curand_uniform_double(s);
    unsigned int n = 0;
    for (; product > limit; n++) product *= curand_uniform_double(s);
    return n;
  }
  double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b, inverse = 1.1239 + 1.1328 / (b - 3.4), narrow = 0.9277 - 3.6224 / (b - 2.0);
  for (;;) {
    double u = curand_uniform_double(s) - 0.5, v = curand_uniform_double(s), us = 0.5 - fabs(u);
    double k = floor((2.0 * a / us + b) * u + lambda + 0.43);
    if (us >= 0.07 && v <= narrow) return (unsigned int)k;
    if (k < 0.0 || (us < 0.013 && v > us)) continue;
    if (log(v) + log(inverse) - log(a / (us * us) + b) <= -lambda + k * log(lambda) - lgamma(k + 1.0)) return (unsigned int)k;
  }
}
__WT_DISTRIBUTIONS__(curandStateXORWOW_t)
__WT_DISTRIBUTIONS__(curandStatePhilox4_32_10_t)
__WT_DISTRIBUTIONS__(curandStateMRG32k3a_t)

// Four at once, of Philox.
__WT_RANDOM__ float4 curand_uniform4(curandStatePhilox4_32_10_t *s) {
  uint4 b = curand4(s);
  return make_float4(__wt_uniform(b.x), __wt_uniform(b.y), __wt_uniform(b.z), __wt_uniform(b.w));
}
__WT_RANDOM__ double2 curand_uniform2_double(curandStatePhilox4_32_10_t *s) {
  uint4 b = curand4(s);
  return make_double2(__wt_uniform_double(b.x, b.y), __wt_uniform_double(b.z, b.w));
}
__WT_RANDOM__ double4 curand_uniform4_double(curandStatePhilox4_32_10_t *s) {
  double2 a = curand_uniform2_double(s), b = curand_uniform2_double(s);
  return make_double4(a.x, a.y, b.x, b.y);
}
__WT_RANDOM__ float4 curand_normal4(curandStatePhilox4_32_10_t *s) {
  uint4 b = curand4(s);
  float2 p = __wt_normals(b.x, b.y), q = __wt_normals(b.z, b.w);
  return make_float4(p.x, p.y, q.x, q.y);
}
__WT_RANDOM__ double4 curand_normal4_double(curandStatePhilox4_32_10_t *s) {
  double2 p = curand_normal2_double(s), q = curand_normal2_double(s);
  return make_double4(p.x, p.y, q.x, q.y);
}
__WT_RANDOM__ float4 curand_log_normal4(curandStatePhilox4_32_10_t *s, float mean, float deviation) {
  float4 n = curand_normal4(s);
  return make_float4(expf(mean + deviation * n.x), expf(mean + deviation * n.y), expf(mean + deviation * n.z), expf(mean + deviation * n.w));
}
__WT_RANDOM__ uint4 curand_poisson4(curandStatePhilox4_32_10_t *s, double lambda) {
  unsigned int a = curand_poisson(s, lambda), b = curand_poisson(s, lambda), c = curand_poisson(s, lambda);
  return make_uint4(a, b, c, curand_poisson(s, lambda));
}
#endif
