// SPDX-License-Identifier: Apache-2.0
// Kernels: transforms of short lines in shared memory, and products of elements with factors.
#pragma once
#include "fft.h"

namespace fft {

template <typename C> __device__ inline C made(typename Part<C>::Real x, typename Part<C>::Real y) {
  C c;
  c.x = x, c.y = y;
  return c;
}
template <typename C> __device__ inline C sum(C a, C b) { return made<C>(a.x + b.x, a.y + b.y); }
template <typename C> __device__ inline C difference(C a, C b) { return made<C>(a.x - b.x, a.y - b.y); }
template <typename C> __device__ inline C product(C a, C b) { return made<C>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

// read gives element i of n of a line. The imaginary part of a half's first element, and of its middle
// one, does not count.
template <typename C> __device__ C read(const void *in, Kind from, long long first, long long step, long long i, long long n) {
  typedef typename Part<C>::Real R;
  if (from == Real) return made<C>(((const R *)in)[first + i * step], R(0));
  if (from == Complex) return ((const C *)in)[first + i * step];
  bool mirrored = i > n / 2;
  C v = ((const C *)in)[first + (mirrored ? n - i : i) * step];
  if (i == 0 || 2 * i == n) v.y = 0;
  return mirrored ? made<C>(v.x, -v.y) : v;
}

template <typename C> __device__ void write(void *out, Kind to, long long first, long long step, long long i, long long n, C v) {
  if (to == Real) ((typename Part<C>::Real *)out)[first + i * step] = v.x;
  else if (to == Complex || i <= n / 2) ((C *)out)[first + i * step] = v;
}

// begins finds where a line begins, and its number in the first dimension.
__device__ inline void begins(const Lines &lines, long long line, long long *in, long long *out, long long *number) {
  *in = *out = *number = 0;
  for (int d = 0; d < lines.dimensions; d++) {
    long long i = line % lines.count[d];
    line /= lines.count[d];
    *in += i * lines.in[d], *out += i * lines.out[d];
    if (d == 0) *number = i;
  }
}

// butterfly is a transform of R elements that are n / R apart; they get to places that are as far apart as
// the product of the factors before (Stockham's algorithm). circle has the n-th roots of one.
template <typename C, int R> __device__ void butterfly(const C *x, C *y, int n, int before, int b, const C *circle) {
  int apart = n / R, k = b % before, step = n / (before * R);
  C v[R];
#pragma unroll
  for (int q = 0; q < R; q++) {
    v[q] = x[b + q * apart];
    if (q > 0 && k > 0) v[q] = product(v[q], circle[k * q * step]);
  }
  y += (b / before) * before * R + k;
  if (R == 2) {
    y[0] = sum(v[0], v[1]), y[before] = difference(v[0], v[1]);
    return;
  }
  if (R == 4) {
    C a = sum(v[0], v[2]), c = difference(v[0], v[2]), e = sum(v[1], v[3]), d = difference(v[1], v[3]);
    C turned = made<C>(d.y, -d.x);
    y[0] = sum(a, e), y[before] = sum(c, turned), y[2 * before] = difference(a, e), y[3 * before] = difference(c, turned);
    return;
  }
#pragma unroll
  for (int p = 0; p < R; p++) {
    C s = v[0];
#pragma unroll
    for (int q = 1; q < R; q++) s = sum(s, product(v[q], circle[p * q % R * apart]));
    y[p * before] = s;
  }
}

// Options are what a kernel does besides the transform itself.
struct Options {
  Kind from, to;
  bool conjugateIn, conjugateOut;
  bool across, acrossOut; // threads go from line to line, where their elements are neighbours
  long long whole;        // not zero: each element is turned by its number times that of its line, of this many parts of a circle
  int low;                // bits of the lower table of these turns
  const void *turns, *lowTurns;
};

// transformed transforms a group of lines a thread block. Factors above 5 need many registers, which the kernel has
// where it is Wide alone.
template <typename C, bool Wide> __global__ void transformed(const void *in, void *out, Lines lines, long long total, int n, int group, Factors factors, const C *circle, Options o) {
  extern __shared__ __align__(16) char room[];
  __shared__ long long ins[32], outs[32], numbers[32];
  C *x = (C *)room, *y = x + group * n;
  long long first = (long long)blockIdx.x * group;
  int many = int(total - first < group ? total - first : group);
  if (threadIdx.x < many) begins(lines, first + threadIdx.x, &ins[threadIdx.x], &outs[threadIdx.x], &numbers[threadIdx.x]);
  __syncthreads();
  for (int i = threadIdx.x; i < many * n; i += blockDim.x) {
    int line = o.across ? i % many : i / n, element = o.across ? i / many : i % n;
    C v = read<C>(in, o.from, ins[line], lines.inStep, element, n);
    if (o.conjugateIn) v.y = -v.y;
    x[line * n + element] = v;
  }
  __syncthreads();
  int before = 1;
  for (int f = 0; f < factors.count; f++) {
    int r = factors.list[f], apart = n / r;
    for (int i = threadIdx.x; i < many * apart; i += blockDim.x) {
      const C *from = x + i / apart * n;
      C *to = y + i / apart * n;
      int b = i % apart;
      if (r == 2) butterfly<C, 2>(from, to, n, before, b, circle);
      else if (r == 3) butterfly<C, 3>(from, to, n, before, b, circle);
      else if (r == 4) butterfly<C, 4>(from, to, n, before, b, circle);
      else if (r == 5) butterfly<C, 5>(from, to, n, before, b, circle);
      else if (Wide && r == 7) butterfly<C, 7>(from, to, n, before, b, circle);
      else if (Wide && r == 11) butterfly<C, 11>(from, to, n, before, b, circle);
      else if (Wide) butterfly<C, 13>(from, to, n, before, b, circle);
    }
    before *= r;
    C *swap = x;
    x = y, y = swap;
    __syncthreads();
  }
  for (int i = threadIdx.x; i < many * n; i += blockDim.x) {
    int line = o.acrossOut ? i % many : i / n, element = o.acrossOut ? i / many : i % n;
    C v = x[line * n + element];
    if (o.whole) {
      long long turn = element * numbers[line] % o.whole;
      v = product(v, product(((const C *)o.turns)[turn >> o.low], ((const C *)o.lowTurns)[turn & ((1LL << o.low) - 1)]));
    }
    if (o.conjugateOut) v.y = -v.y;
    write(out, o.to, outs[line], lines.outStep, element, n, v);
  }
}

// multiplied gives elements of lines, zero beyond the known ones, times factors and a scale.
template <typename C> __global__ void multiplied(const void *in, void *out, Lines lines, long long total, long long n, long long known, long long kept, const C *factors, typename Part<C>::Real scale, Options o) {
  long long all = total * kept;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += (long long)gridDim.x * blockDim.x) {
    long long line = i / kept, element = i % kept, from, to, number;
    begins(lines, line, &from, &to, &number);
    C v = made<C>(0, 0);
    if (element < known) v = read<C>(in, o.from, from, lines.inStep, element, n);
    if (o.conjugateIn) v.y = -v.y;
    if (factors && element < known) v = product(v, factors[element]);
    v = made<C>(v.x * scale, v.y * scale);
    if (o.conjugateOut) v.y = -v.y;
    write(out, o.to, to, lines.outStep, element, n, v);
  }
}

} // namespace fft
