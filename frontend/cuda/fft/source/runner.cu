// SPDX-License-Identifier: Apache-2.0
// How a transform of a length is put together: in shared memory where a line fits, else by a split into
// two lengths (Bailey's four steps), and by a convolution where a factor is large (Bluestein).
#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>
#include "kernels.h"

namespace fft {

constexpr int roomBytes = 40 << 10, mostThreads = 256, mostLines = 32;
constexpr size_t alignment = 256;

typedef std::complex<double> Number;

template <typename C> static cudaError_t upload(Table &t, const std::vector<Number> &numbers) {
  std::vector<C> list(numbers.size());
  for (size_t i = 0; i < numbers.size(); i++) list[i].x = numbers[i].real(), list[i].y = numbers[i].imag();
  cudaError_t e = cudaMalloc(&t.device, list.size() * sizeof(C));
  return e ? e : cudaMemcpy(t.device, list.data(), list.size() * sizeof(C), cudaMemcpyHostToDevice);
}

// root is exp(-2 pi i k / n).
static Number root(long long k, long long n) {
  long double a = -2 * 3.14159265358979323846264338327950288L * (long double)(k % n) / (long double)n;
  return Number((double)cosl(a), (double)sinl(a));
}

static std::vector<Number> roots(long long many, long long step, long long n) {
  std::vector<Number> list(many);
  for (long long i = 0; i < many; i++) list[i] = root(i * step, n);
  return list;
}

// factored finds the factors of a length; none where one is larger than MaxFactor.
static Factors factored(long long n) {
  Factors f = {};
  for (int r : {4, 2, 3, 5, 7, 11, 13})
    for (; n % r == 0 && f.count < MaxFactors; n /= r) f.list[f.count++] = r;
  if (n != 1) f.count = 0;
  return f;
}

template <typename C> C *Runner<C>::take(long long elements) {
  char *p = area + at;
  at += (elements * sizeof(C) + alignment - 1) / alignment * alignment;
  most = std::max(most, at);
  return (C *)p;
}

template <typename C> void Runner<C>::direct(const void *in, Kind from, void *out, Kind to, const Lines &lines, int n, const Factors &f, bool conjugateIn, bool conjugateOut, long long whole) {
  std::unique_ptr<Table> &circle = tables->circles[n];
  if (dry && !circle) {
    circle = std::make_unique<Table>();
    note(upload<C>(*circle, roots(n, 1, n)));
  }
  Options o = {from, to, conjugateIn, conjugateOut, false, false, whole, 0, nullptr, nullptr};
  if (whole) {
    while (1LL << (2 * o.low) < whole) o.low++;
    auto &turns = tables->split[whole];
    if (dry && !turns.first) {
      turns.first = std::make_unique<Table>(), turns.second = std::make_unique<Table>();
      note(upload<C>(*turns.first, roots(((whole - 1) >> o.low) + 1, 1LL << o.low, whole)));
      note(upload<C>(*turns.second, roots(1LL << o.low, 1, whole)));
    }
    o.turns = turns.first->device, o.lowTurns = turns.second->device;
  }
  if (dry || error) return;
  long long total = lines.total(), fit = roomBytes / (2 * n * (long long)sizeof(C));
  bool neighbours = lines.dimensions > 0 && lines.inStep != 1 && lines.in[0] == 1, neighboursOut = lines.dimensions > 0 && lines.outStep != 1 && lines.out[0] == 1;
  long long group = std::max<long long>(neighbours || neighboursOut ? 8 : 1, (2 * mostThreads + n - 1) / n);
  group = std::max<long long>(1, std::min<long long>({group, fit, total, mostLines}));
  o.across = neighbours, o.acrossOut = neighboursOut;
  // Double precision takes half of the threads, so that a thread block fits into 16384 registers.
  int threads = (int)std::min<long long>(mostThreads * (int)sizeof(cuComplex) / (int)sizeof(C), std::max<long long>(32, (group * n / 2 + 31) / 32 * 32));
  bool wide = std::any_of(f.list, f.list + f.count, [](int r) { return r > 5; });
  auto kernel = wide ? transformed<C, true> : transformed<C, false>;
  kernel<<<(unsigned)((total + group - 1) / group), threads, 2 * group * n * sizeof(C), stream>>>(in, out, lines, total, n, (int)group, f, (const C *)circle->device, o);
  error = cudaGetLastError();
}

template <typename C> void Runner<C>::elements(const void *in, Kind from, void *out, Kind to, const Lines &lines, long long n, long long known, long long kept, const void *factors, double scale, bool conjugateIn, bool conjugateOut) {
  if (dry || error) return;
  Options o = {from, to, conjugateIn, conjugateOut};
  long long total = lines.total(), blocks = (total * kept + mostThreads - 1) / mostThreads;
  multiplied<C><<<(unsigned)std::min<long long>(blocks, 1 << 16), mostThreads, 0, stream>>>(in, out, lines, total, n, known, kept, (const C *)factors, (typename Part<C>::Real)scale, o);
  error = cudaGetLastError();
}

template <typename C> void Runner<C>::copy(const void *in, Kind from, void *out, Kind to, const Lines &lines, long long n) { elements(in, from, out, to, lines, n, n, to == Half ? n / 2 + 1 : n, nullptr, 1, false, false); }

// split transforms lines of n = a * b complex elements: b lines of a elements each, which are b apart, are
// transformed and turned; then a lines of b neighbours are.
template <typename C> void Runner<C>::split(const C *in, C *out, const Lines &lines, long long n, const Factors &f, bool conjugateIn, bool conjugateOut) {
  Factors first = {}, rest = {};
  long long a = 1;
  for (int i = 0; i < f.count; i++) {
    if (2 * a * f.list[i] * (long long)sizeof(C) <= roomBytes) first.list[first.count++] = f.list[i], a *= f.list[i];
    else rest.list[rest.count++] = f.list[i];
  }
  long long b = n / a;
  C *turned = take(lines.total() * n);
  Lines whole = lines.packed(n, Writes), one = {}, two = {};
  one.add(b, lines.inStep, 1), two.add(a, b, lines.outStep);
  for (int d = 0; d < lines.dimensions; d++) one.add(lines.count[d], lines.in[d], whole.out[d]), two.add(lines.count[d], whole.out[d], lines.out[d]);
  one.inStep = lines.inStep * b, one.outStep = b;
  two.inStep = 1, two.outStep = lines.outStep * a;
  direct(in, Complex, turned, Complex, one, (int)a, first, conjugateIn, false, n);
  smooth(turned, Complex, out, Complex, two, b, rest, false, conjugateOut);
}

template <typename C> void Runner<C>::smooth(const void *in, Kind from, void *out, Kind to, const Lines &lines, long long n, const Factors &f, bool conjugateIn, bool conjugateOut) {
  if (2 * n * (long long)sizeof(C) <= roomBytes) return direct(in, from, out, to, lines, (int)n, f, conjugateIn, conjugateOut, 0);
  Lines begins = lines, ends = lines;
  const void *source = in;
  void *target = out;
  if (from != Complex) {
    source = take(lines.total() * n);
    copy(in, from, (void *)source, Complex, lines.packed(n, Writes), n);
    begins = lines.packed(n, Reads);
  }
  if (to != Complex) target = take(lines.total() * n), begins = begins.packed(n, Writes), ends = lines.packed(n, Reads);
  split((const C *)source, (C *)target, begins, n, f, conjugateIn, conjugateOut);
  if (to != Complex) copy(target, Complex, out, to, ends, n);
}

// convolved is the transform of the chirp's conjugate over m elements, a power of two.
static std::vector<Number> convolved(const std::vector<Number> &chirp, long long m) {
  std::vector<Number> x(m), y(m);
  long long n = (long long)chirp.size();
  for (long long i = 0; i < n; i++) x[i] = x[(m - i) % m] = std::conj(chirp[i]);
  for (long long before = 1; before < m; before *= 2) {
    for (long long b = 0; b < m / 2; b++) {
      long long k = b % before;
      Number v = x[b], w = x[b + m / 2] * root(k, 2 * before);
      y[(b / before) * 2 * before + k] = v + w, y[(b / before) * 2 * before + k + before] = v - w;
    }
    x.swap(y);
  }
  return x;
}

// bluestein makes a convolution of a transform (L. Bluestein, "A linear filtering approach to the
// computation of discrete Fourier transform", 1970).
template <typename C> void Runner<C>::bluestein(const void *in, Kind from, void *out, Kind to, const Lines &lines, long long n, bool conjugate) {
  std::unique_ptr<Chirp> &c = tables->chirps[n];
  long long m = 1;
  while (m < 2 * n - 1) m *= 2;
  if (dry && !c) {
    c = std::make_unique<Chirp>();
    std::vector<Number> chirp(n);
    for (long long i = 0, square = 0; i < n; i++) {
      chirp[i] = root(square, 2 * n);
      square = (square + 2 * i + 1) % (2 * n);
    }
    note(upload<C>(c->chirp, chirp));
    note(upload<C>(c->convolved, convolved(chirp, m)));
  }
  long long total = lines.total();
  C *a = take(total * m), *b = take(total * m);
  Lines inward = lines.packed(m, Writes), inside = inward.packed(m, Reads), outward = lines.packed(m, Reads);
  Factors f = factored(m);
  elements(in, from, a, Complex, inward, n, n, m, c->chirp.device, 1, conjugate, false);
  size_t mark = at;
  smooth(a, Complex, b, Complex, inside, m, f, false, false);
  at = mark;
  elements(b, Complex, b, Complex, inside, m, m, m, c->convolved.device, 1, false, true);
  smooth(b, Complex, a, Complex, inside, m, f, false, true);
  elements(a, Complex, out, to, outward, n, n, to == Half ? n / 2 + 1 : n, c->chirp.device, 1 / (double)m, false, conjugate);
}

template <typename C> void Runner<C>::line(const void *in, Kind from, void *out, Kind to, const Lines &lines, long long n, bool conjugate) {
  size_t mark = at;
  Factors f = factored(n);
  if (n == 1 || f.count > 0) smooth(in, from, out, to, lines, n, f, conjugate, conjugate);
  else bluestein(in, from, out, to, lines, n, conjugate);
  at = mark;
}

template struct Runner<cuComplex>;
template struct Runner<cuDoubleComplex>;

} // namespace fft
