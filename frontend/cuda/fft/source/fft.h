// SPDX-License-Identifier: Apache-2.0
// What the files of the library share: where the lines of a transform lie, and what carries it out.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include "cufft.h"

namespace fft {

template <typename C> struct Part;
template <> struct Part<cuComplex> { typedef float Real; };
template <> struct Part<cuDoubleComplex> { typedef double Real; };

// Kind is what lies in memory: complex numbers, real ones, or the first half of complex numbers of which
// those of the other half are the conjugates.
enum Kind { Complex, Real, Half };

// Lines are where lines of elements begin and how far apart their elements are, before and after a
// transform, in elements. Those of the first dimension are neighbours.
constexpr int MaxDimensions = 6;
struct Lines {
  int dimensions;
  long long count[MaxDimensions], in[MaxDimensions], out[MaxDimensions];
  long long inStep, outStep;

  long long total() const {
    long long n = 1;
    for (int d = 0; d < dimensions; d++) n *= count[d];
    return n;
  }
  void add(long long many, long long from, long long to) {
    if (many == 1) return;
    count[dimensions] = many, in[dimensions] = from, out[dimensions++] = to;
  }
  // packed is the same lines, but each follows the one before it where transforms write, or where they read.
  Lines packed(long long n, bool where) const {
    Lines p = *this;
    long long at = n;
    for (int d = 0; d < dimensions; d++) {
      (where ? p.out : p.in)[d] = at;
      at *= count[d];
    }
    (where ? p.outStep : p.inStep) = 1;
    return p;
  }
  Lines back() const { // written where they are read
    Lines p = *this;
    for (int d = 0; d < dimensions; d++) p.out[d] = p.in[d];
    p.outStep = p.inStep;
    return p;
  }
};
constexpr bool Writes = true, Reads = false;

// Factors are a length's, each at most MaxFactor.
constexpr int MaxFactor = 13, MaxFactors = 32;
struct Factors {
  int count;
  int list[MaxFactors];
};

// Table is numbers on the device.
struct Table {
  void *device = nullptr;
  ~Table() { cudaFree(device); }
};

// Chirp is what Bluestein's transform of a length multiplies by: the chirp, and the transform of its
// conjugate over the convolution's length.
struct Chirp {
  Table chirp, convolved;
};

// Tables are those of a plan, by length.
struct Tables {
  std::map<long long, std::unique_ptr<Table>> circles;
  std::map<long long, std::pair<std::unique_ptr<Table>, std::unique_ptr<Table>>> split;
  std::map<long long, std::unique_ptr<Chirp>> chirps;
};

// Runner carries transforms out in a stream, or finds what they need: their tables, and the bytes of
// work area.
template <typename C> struct Runner {
  Tables *tables;
  cudaStream_t stream;
  bool dry;
  char *area;
  size_t at, most;
  cudaError_t error;

  // line transforms lines of n elements. With conjugate it is the inverse transform. It is not scaled.
  void line(const void *in, Kind from, void *out, Kind to, const Lines &lines, long long n, bool conjugate);
  // copy brings elements of one kind to where lines are written.
  void copy(const void *in, Kind from, void *out, Kind to, const Lines &lines, long long n);
  C *take(long long elements);

private:
  void note(cudaError_t e) {
    if (!error) error = e;
  }
  void direct(const void *in, Kind from, void *out, Kind to, const Lines &lines, int n, const Factors &f, bool conjugateIn, bool conjugateOut, long long whole);
  void split(const C *in, C *out, const Lines &lines, long long n, const Factors &f, bool conjugateIn, bool conjugateOut);
  void smooth(const void *in, Kind from, void *out, Kind to, const Lines &lines, long long n, const Factors &f, bool conjugateIn, bool conjugateOut);
  void bluestein(const void *in, Kind from, void *out, Kind to, const Lines &lines, long long n, bool conjugate);
  void elements(const void *in, Kind from, void *out, Kind to, const Lines &lines, long long n, long long known, long long kept, const void *factors, double scale, bool conjugateIn, bool conjugateOut);
};

extern template struct Runner<cuComplex>;
extern template struct Runner<cuDoubleComplex>;

} // namespace fft
