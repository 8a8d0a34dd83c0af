// SPDX-License-Identifier: Apache-2.0
// Random numbers of the device, by the generators' papers. The words of Philox4x32-10 are
// those of cuRAND. XORWOW and MRG32k3a begin elsewhere: how cuRAND makes their first state
// of a seed is not published.
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_
#include "cuda_runtime.h"
#if defined(__cplusplus) && defined(__CUDA__)
#define __WT_RANDOM__ static __inline__ __attribute__((device))

// The next number of SplitMix64, which makes states of seeds (G. L. Steele Jr. and others,
// Fast splittable pseudorandom number generators, OOPSLA 2014).
__WT_RANDOM__ unsigned long long __wt_random_mix(unsigned long long *state) {
  unsigned long long z = *state += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
#include "warptape_random_xorwow.h"
#include "warptape_random_philox.h"
#include "warptape_random_mrg32k3a.h"
#include "warptape_random_distributions.h"
#endif
#endif
