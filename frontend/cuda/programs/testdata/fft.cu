// Fourier transforms in the place of cuFFT's, compared with sums of the host in double precision.
#include <cufftXt.h>
#include <cmath>
#include <complex>
#include <random>
#include <vector>
#include "check.h"
#define FINE(call) do { cufftResult status_ = (call); if (status_ != CUFFT_SUCCESS) { printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, (int)status_); exit(1); } } while (0)
typedef std::complex<double> Wide;
typedef long long Long;
static std::mt19937 random_(7);
static Long below(Long n) { return Long(random_() % n); }
static double some() { return below(2001) / 1000. - 1; }

// Case is a transform: its sizes, how data lie, and whether in place.
struct Case {
  std::vector<int> n;
  cufftType type;
  int batch = 1;
  bool inPlace = false, inverse = false;
  int inStep = 0, inGap = 0, outStep = 0, outGap = 0; // of a layout of its own, where steps are not zero

  bool twice() const { return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D; }
  bool real() const { return type == CUFFT_R2C || type == CUFFT_D2Z; }
  bool toReal() const { return type == CUFFT_C2R || type == CUFFT_Z2D; }
  int half() const { return n.back() / 2 + 1; }
  Long size() const {
    Long all = 1;
    for (int x : n) all *= x;
    return all;
  }
};

// Side is the embedding of one side of a case.
struct Side {
  std::vector<int> embed;
  int step, apart, last; // elements of the last dimension
  bool real;
  Long at(const std::vector<int> &n, Long index, int batch) const { // index counts elements of a side
    Long place = 0, pitch = 1;
    for (int d = (int)n.size() - 1; d >= 0; d--) {
      int many = d == (int)n.size() - 1 ? last : n[d];
      place += index % many * pitch;
      index /= many, pitch *= embed[d];
    }
    return place * step + Long(batch) * apart;
  }
  Long extent(int batch) const { return Long(batch) * apart + 1; }
};

static Side sideOf(const Case &c, bool real, bool half, int step, int gap) {
  Side s = {c.n, step ? step : 1, 0, half ? c.half() : c.n.back(), real};
  s.embed.back() = real && c.inPlace ? 2 * c.half() : s.last;
  if (step) for (int &e : s.embed) e += gap;
  Long all = 1;
  for (int e : s.embed) all *= e;
  s.apart = int(all * s.step);
  return s;
}

template <typename R> struct Data {
  std::vector<R> host;
  R *device;
  explicit Data(Long reals) : host(reals) {
    for (R &x : host) x = R(some());
    OK(cudaMalloc(&device, reals * sizeof(R)));
    OK(cudaMemcpy(device, host.data(), reals * sizeof(R), cudaMemcpyHostToDevice));
  }
  ~Data() { cudaFree(device); }
  std::vector<R> down() const {
    std::vector<R> got(host.size());
    OK(cudaMemcpy(got.data(), device, got.size() * sizeof(R), cudaMemcpyDeviceToHost));
    return got;
  }
};

template <typename R> static Wide element(const std::vector<R> &list, const Side &s, Long at) { return s.real ? Wide(list[at]) : Wide(list[2 * at], list[2 * at + 1]); }
template <typename R> static void set(std::vector<R> &list, const Side &s, Long at, Wide w) {
  if (s.real) list[at] = R(w.real());
  else list[2 * at] = R(w.real()), list[2 * at + 1] = R(w.imag());
}

// summed is one element of a transform of full data.
static Wide summed(const std::vector<int> &n, const std::vector<Wide> &x, Long k, int sign) {
  std::vector<Long> to(n.size());
  for (int d = (int)n.size() - 1; d >= 0; d--) to[d] = k % n[d], k /= n[d];
  typedef std::complex<long double> Widest; // so that the sum's own error is small
  std::vector<std::vector<Widest>> turns(n.size());
  for (size_t d = 0; d < n.size(); d++)
    for (int i = 0; i < n[d]; i++) turns[d].push_back(std::polar(1.L, sign * 2 * M_PIl * (long double)(to[d] * i % n[d]) / n[d]));
  Widest sum = 0;
  for (Long i = 0; i < (Long)x.size(); i++) {
    Widest w = x[i];
    Long rest = i;
    for (int d = (int)n.size() - 1; d >= 0; d--) w *= turns[d][rest % n[d]], rest /= n[d];
    sum += w;
  }
  return Wide(sum);
}

// indexOf is the index in the first half of element i, or of its conjugate, where that is known by it.
static Long indexOf(const std::vector<int> &n, Long i, int half, bool *conjugate) {
  std::vector<Long> at(n.size());
  for (int d = (int)n.size() - 1; d >= 0; d--) at[d] = i % n[d], i /= n[d];
  *conjugate = at.back() >= half;
  Long index = 0;
  for (size_t d = 0; d < n.size(); d++) index = index * (d + 1 == n.size() ? half : n[d]) + (*conjugate ? (n[d] - at[d]) % n[d] : at[d]);
  return index;
}

template <typename R> static void executed(cufftHandle plan, const Case &c, R *in, R *out) {
  int sign = c.inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
  switch (c.type) {
  case CUFFT_C2C: FINE(cufftExecC2C(plan, (cufftComplex *)in, (cufftComplex *)out, sign)); break;
  case CUFFT_R2C: FINE(cufftExecR2C(plan, (cufftReal *)in, (cufftComplex *)out)); break;
  case CUFFT_C2R: FINE(cufftExecC2R(plan, (cufftComplex *)in, (cufftReal *)out)); break;
  case CUFFT_Z2Z: FINE(cufftExecZ2Z(plan, (cufftDoubleComplex *)in, (cufftDoubleComplex *)out, sign)); break;
  case CUFFT_D2Z: FINE(cufftExecD2Z(plan, (cufftDoubleReal *)in, (cufftDoubleComplex *)out)); break;
  default: FINE(cufftExecZ2D(plan, (cufftDoubleComplex *)in, (cufftDoubleReal *)out));
  }
}

// hermitian makes the half's planes that are their own mirror what transforms of real numbers have.
template <typename R> static void hermitian(const Case &c, const Side &in, std::vector<R> &list) {
  for (int b = 0; b < c.batch; b++) {
    std::vector<Wide> x(c.size());
    for (Wide &w : x) w = some();
    for (Long k = 0; k < c.size() / c.n.back() * c.half(); k++) {
      Long full = k / c.half() * c.n.back() + k % c.half();
      set(list, in, in.at(c.n, k, b), summed(c.n, x, full, -1));
    }
  }
}

template <typename R> static void compared(const Case &c) {
  Side in = sideOf(c, c.real(), c.toReal(), c.inStep, c.inGap), out = sideOf(c, c.toReal(), c.real(), c.outStep, c.outGap);
  Long inReals = in.extent(c.batch) * (in.real ? 1 : 2), outReals = out.extent(c.batch) * (out.real ? 1 : 2);
  Data<R> from(c.inPlace ? std::max(inReals, outReals) : inReals), to(outReals);
  if (c.toReal() && c.n.size() > 1) {
    hermitian(c, in, from.host);
    OK(cudaMemcpy(from.device, from.host.data(), from.host.size() * sizeof(R), cudaMemcpyHostToDevice));
  }
  cufftHandle plan;
  if (c.inStep) FINE(cufftPlanMany(&plan, (int)c.n.size(), (int *)c.n.data(), in.embed.data(), in.step, in.apart, out.embed.data(), out.step, out.apart, c.type, c.batch));
  else FINE(cufftPlanMany(&plan, (int)c.n.size(), (int *)c.n.data(), nullptr, 1, 0, nullptr, 1, 0, c.type, c.batch));
  executed(plan, c, from.device, c.inPlace ? from.device : to.device);
  OK(cudaDeviceSynchronize());
  FINE(cufftDestroy(plan));
  std::vector<R> got = c.inPlace ? from.down() : to.down(), was = c.inPlace ? from.host : to.host;
  std::vector<bool> written(got.size());
  Long results = c.size() / c.n.back() * out.last;
  double bound = (sizeof(R) == 4 ? 3e-7 : 6e-16) * (std::log2(double(c.size())) + 3) * std::sqrt(double(c.size())) * (c.toReal() && c.n.size() > 1 ? std::sqrt(double(c.size())) : 1);
  for (int b = 0; b < c.batch; b++) {
    std::vector<Wide> x(c.size());
    for (Long i = 0; i < c.size(); i++) {
      bool conjugate = false;
      Long index = c.toReal() ? indexOf(c.n, i, c.half(), &conjugate) : i;
      x[i] = element(from.host, in, in.at(c.n, index, b));
      if (c.toReal() && c.n.size() == 1 && (i == 0 || 2 * i == c.n[0])) x[i] = x[i].real();
      if (conjugate) x[i] = std::conj(x[i]);
    }
    bool few = c.size() > 400;
    for (Long k = 0; k < results; k++) {
      Long at = out.at(c.n, k, b);
      for (int part = 0; part < (out.real ? 1 : 2); part++) written[out.real ? at : 2 * at + part] = true;
      if (few && k > 1 && k < results - 2 && below(results) >= 12) continue;
      Long full = k / out.last * c.n.back() + k % out.last;
      Wide want = summed(c.n, x, full, c.toReal() || (c.inverse && !c.real()) ? 1 : -1);
      if (!(std::abs(element(got, out, at) - want) <= bound)) {
        printf("type %#x, rank %zu, %d x ..., last %d, batch %d, in place %d, inverse %d, own layout %d: element %lld of %d is %g + %gi, not %g + %gi, %g apart where %g may be\n", (unsigned)c.type, c.n.size(), c.n[0], c.n.back(), c.batch,
               c.inPlace, c.inverse, c.inStep, k, b, element(got, out, at).real(), element(got, out, at).imag(), want.real(), want.imag(), std::abs(element(got, out, at) - want), bound);
        exit(1);
      }
    }
  }
  for (size_t i = 0; i < got.size(); i++)
    if (!written[i] && !c.inPlace) CHECK(got[i] == was[i]); // what lies between results stays
  if (!c.inPlace) CHECK(from.down() == from.host);
}

static void compare(const Case &c) { c.twice() ? compared<double>(c) : compared<float>(c); }

static const cufftType types[] = {CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D};

static void lengths() {
  // Powers and products of small primes, primes of their own, and lengths that do not fit into shared memory.
  for (int n : {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 17, 30, 49, 64, 97, 121, 169, 210, 256, 1001, 1024, 2048, 2187, 2560, 4096, 5000, 4 * 6561, 1 << 15, 1009, 2 * 1511, 1 << 17})
    for (cufftType t : types) {
      Case c = {{n}, t};
      c.batch = n < 300 ? int(1 + below(40)) : n < 3000 ? 2 : 1;
      c.inPlace = below(2), c.inverse = below(2);
      if (n > 20000 && t != CUFFT_C2C && t != CUFFT_D2Z && n != 1 << 15) continue;
      compare(c);
    }
}

static void dimensions() {
  for (std::vector<int> n : {std::vector<int>{8, 8}, {5, 12}, {16, 17}, {1, 9}, {9, 1}, {4, 6, 10}, {3, 1, 7}, {8, 8, 8}, {2, 3, 37}, {3, 3000}})
    for (cufftType t : types)
      for (bool inPlace : {false, true}) {
        Case c = {n, t};
        if (c.size() > 1000 && c.toReal()) continue; // whose input takes the host long
        c.inPlace = inPlace, c.inverse = below(2), c.batch = int(1 + below(3));
        compare(c);
      }
}

static void layouts() {
  for (std::vector<int> n : {std::vector<int>{24}, {19}, {6, 10}, {3, 4, 5}})
    for (cufftType t : types) {
      Case c = {n, t};
      c.inStep = int(1 + below(3)), c.inGap = int(below(3)), c.outStep = int(1 + below(3)), c.outGap = int(below(3)), c.batch = 3;
      compare(c);
    }
  Case c = {{12, 10}, CUFFT_Z2Z, 2, true};
  c.inStep = 2, c.outStep = 1;
  compare(c);
}

static void plans() {
  cufftHandle p;
  size_t bytes = 0, same = 1;
  int version = 0;
  CHECK(cufftPlan1d(&p, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE && cufftPlan1d(&p, 8, (cufftType)1, 1) == CUFFT_INVALID_TYPE && cufftPlan1d(nullptr, 8, CUFFT_C2C, 1) == CUFFT_INVALID_VALUE);
  CHECK(cufftExecC2C(99, nullptr, nullptr, CUFFT_FORWARD) == CUFFT_INVALID_PLAN && cufftDestroy(99) == CUFFT_INVALID_PLAN);
  FINE(cufftGetVersion(&version));
  CHECK(version == CUFFT_VERSION);
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  FINE(cufftCreate(&p));
  FINE(cufftSetAutoAllocation(p, 0));
  FINE(cufftMakePlan1d(p, 4096, CUFFT_C2C, 3, &bytes));
  FINE(cufftGetSize(p, &same));
  CHECK(bytes > 0 && same == bytes);
  FINE(cufftEstimate1d(4096, CUFFT_C2C, 3, &same));
  CHECK(same == bytes);
  FINE(cufftSetStream(p, stream));
  std::vector<cufftComplex> host(3 * 4096, cufftComplex{1, 0}), got(host.size());
  cufftComplex *data;
  void *area;
  OK(cudaMalloc(&data, host.size() * sizeof *data));
  OK(cudaMemcpy(data, host.data(), host.size() * sizeof *data, cudaMemcpyHostToDevice));
  CHECK(cufftExecC2C(p, data, data, CUFFT_FORWARD) == CUFFT_NO_WORKSPACE);
  OK(cudaMalloc(&area, bytes));
  FINE(cufftSetWorkArea(p, area));
  CHECK(cufftExecR2C(p, (cufftReal *)data, data) == CUFFT_INVALID_TYPE && cufftExecC2C(p, data, data, 0) == CUFFT_INVALID_VALUE);
  FINE(cufftExecC2C(p, data, data, CUFFT_FORWARD));
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemcpy(got.data(), data, got.size() * sizeof *data, cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < got.size(); i++) CHECK(std::abs(got[i].x - (i % 4096 ? 0 : 4096)) < 1e-3 && std::abs(got[i].y) < 1e-3);
  FINE(cufftDestroy(p));
  FINE(cufftPlan2d(&p, 16, 8, CUFFT_C2C));
  FINE(cufftDestroy(p));
  FINE(cufftPlan3d(&p, 4, 8, 2, CUFFT_D2Z));
  FINE(cufftDestroy(p));
  Long n[] = {4096};
  FINE(cufftCreate(&p));
  CHECK(cufftXtMakePlanMany(p, 1, n, nullptr, 1, 0, CUDA_C_16F, nullptr, 1, 0, CUDA_C_16F, 3, &bytes, CUDA_C_16F) == CUFFT_NOT_SUPPORTED);
  FINE(cufftXtMakePlanMany(p, 1, n, nullptr, 1, 0, CUDA_C_32F, nullptr, 1, 0, CUDA_C_32F, 3, &bytes, CUDA_C_32F));
  FINE(cufftXtGetSizeMany(p, 1, n, nullptr, 1, 0, CUDA_C_32F, nullptr, 1, 0, CUDA_C_32F, 3, &same, CUDA_C_32F));
  CHECK(same == bytes);
  FINE(cufftXtExec(p, data, data, CUFFT_INVERSE));
  OK(cudaMemcpy(got.data(), data, got.size() * sizeof *data, cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < got.size(); i++) CHECK(std::abs(got[i].x - 4096) < 1e-2 && std::abs(got[i].y) < 1e-2);
  FINE(cufftDestroy(p));
}

int main() {
  plans();
  dimensions();
  layouts();
  lengths();
  printf("ok\n");
}
