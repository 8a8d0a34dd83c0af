// SPDX-License-Identifier: Apache-2.0
// Plans: their arguments, how data lie, and what their execution does in which order.
#include <cstdio>
#include <mutex>
#include <new>
#include "cufftXt.h"
#include "fft.h"

namespace fft {

constexpr int MaxRank = 3;

// Layout is where elements of one side of a transform lie, in its own elements.
struct Layout {
  bool given; // by the program; else elements lie densely
  long long step[MaxRank], apart;
};

struct Plan {
  bool made = false, allocates = true, owns = false;
  int rank = 0;
  long long n[MaxRank] = {}, batch = 0;
  cufftType type = CUFFT_C2C;
  Layout in = {}, out = {};
  cudaStream_t stream = nullptr;
  char *area = nullptr;
  size_t bytes = 0;
  Tables tables;

  ~Plan() { release(); }
  void release() {
    if (owns) cudaFree(area);
    area = nullptr, owns = false;
  }
  // half is the number of complex elements that stand for a line of real ones.
  long long half() const { return n[rank - 1] / 2 + 1; }
  bool real() const { return type == CUFFT_R2C || type == CUFFT_D2Z; }
  bool toReal() const { return type == CUFFT_C2R || type == CUFFT_Z2D; }
};

static bool known(cufftType t) { return t == CUFFT_R2C || t == CUFFT_C2R || t == CUFFT_C2C || t == CUFFT_D2Z || t == CUFFT_Z2D || t == CUFFT_Z2Z; }
static bool doubled(cufftType t) { return t == CUFFT_D2Z || t == CUFFT_Z2D || t == CUFFT_Z2Z; }

// dense is the layout of elements without gaps, with a number of them in a line.
static Layout dense(const Plan &p, long long line) {
  Layout l = {};
  long long at = 1;
  for (int d = p.rank - 1; d >= 0; d--) {
    l.step[d] = at;
    at *= d == p.rank - 1 ? line : p.n[d];
  }
  l.apart = at;
  return l;
}

static Layout given(const Plan &p, const long long *embed, long long step, long long apart) {
  Layout l = {true, {}, apart};
  for (int d = p.rank - 1; d >= 0; d--) l.step[d] = step, step *= embed[d];
  return l;
}

// layouts are those of an execution. Lines of real numbers have room for the complex ones of a half where
// these take their place (cuFFT, "Data Layout").
static void layouts(const Plan &p, bool inPlace, Layout *in, Layout *out) {
  long long n = p.n[p.rank - 1], real = inPlace ? 2 * p.half() : n;
  *in = p.in.given ? p.in : dense(p, p.real() ? real : p.toReal() ? p.half() : n);
  *out = p.out.given ? p.out : dense(p, p.toReal() ? real : p.real() ? p.half() : n);
}

// along is the lines of dimension d, where the last dimension has a number of elements.
static Lines along(const Plan &p, int d, const Layout &in, const Layout &out, long long last) {
  Lines l = {};
  for (int e = p.rank - 1; e >= 0; e--)
    if (e != d) l.add(e == p.rank - 1 ? last : p.n[e], in.step[e], out.step[e]);
  l.add(p.batch, in.apart, out.apart);
  l.inStep = in.step[d], l.outStep = out.step[d];
  return l;
}

static bool same(const Plan &p, const Layout &a, const Layout &b) {
  for (int d = 0; d < p.rank; d++)
    if (a.step[d] != b.step[d]) return false;
  return a.apart == b.apart || p.batch == 1;
}

// covered tells whether each line of real numbers lies where its half does, so that thread blocks may
// transform lines in place.
static bool covered(const Plan &p, const Layout &real, const Layout &half) {
  for (int d = 0; d < p.rank; d++)
    if (real.step[d] != half.step[d] * (d == p.rank - 1 ? 1 : 2)) return false;
  return half.step[p.rank - 1] == 1 && (p.batch == 1 || real.apart == 2 * half.apart);
}

// dimensions transforms complex lines of one dimension after another, each where the one
// before has left them.
template <typename C> static void dimensions(Runner<C> &r, const Plan &p, int from, const C *in, C *out, Layout inside, const Layout &outside, long long last, bool inverse) {
  for (int d = from; d >= 0; d--) {
    long long n = d == p.rank - 1 ? last : p.n[d];
    r.line(in, Complex, out, Complex, along(p, d, inside, outside, last), n, inverse);
    in = out, inside = outside;
  }
}

template <typename C> static void execute(Runner<C> &r, const Plan &p, const void *in, void *out, bool inverse) {
  bool inPlace = in == out;
  Layout from, to;
  layouts(p, inPlace, &from, &to);
  int last = p.rank - 1;
  if (p.real()) {
    if (inPlace && !covered(p, from, to)) {
      Layout packed = dense(p, p.half());
      C *room = r.take(packed.apart * p.batch);
      r.line(in, Real, room, Half, along(p, last, from, packed, p.n[last]), p.n[last], false);
      r.copy(room, Complex, out, Complex, along(p, last, packed, to, p.half()), p.half());
    } else r.line(in, Real, out, Half, along(p, last, from, to, p.n[last]), p.n[last], false);
    dimensions<C>(r, p, last - 1, (const C *)out, (C *)out, to, to, p.half(), false);
  } else if (p.toReal()) {
    bool direct = p.rank == 1 && !(inPlace && !covered(p, to, from));
    Layout packed = dense(p, p.half());
    const void *middle = in;
    if (!direct) {
      C *room = r.take(packed.apart * p.batch);
      if (p.rank == 1) r.copy(in, Complex, room, Complex, along(p, last, from, packed, p.half()), p.half());
      else dimensions<C>(r, p, last - 1, (const C *)in, room, from, packed, p.half(), true);
      middle = room;
    }
    r.line(middle, Half, out, Real, along(p, last, direct ? from : packed, to, p.n[last]), p.n[last], true);
  } else if (inPlace && !same(p, from, to)) {
    Layout packed = dense(p, p.n[last]);
    C *room = r.take(packed.apart * p.batch);
    dimensions<C>(r, p, last, (const C *)in, room, from, packed, p.n[last], inverse);
    r.copy(room, Complex, out, Complex, along(p, last, packed, to, p.n[last]), p.n[last]);
  } else dimensions<C>(r, p, last, (const C *)in, (C *)out, from, to, p.n[last], inverse);
}

template <typename C> static cudaError_t run(Plan &p, const void *in, void *out, bool inverse, bool dry, size_t *bytes) {
  Runner<C> r = {&p.tables, p.stream, dry, p.area, 0, 0, cudaSuccess};
  execute(r, p, in, out, inverse);
  if (bytes && r.most > *bytes) *bytes = r.most;
  return r.error;
}

// measure makes the tables of a plan, and finds what its executions need, in place or not.
static cudaError_t measure(Plan &p) {
  p.bytes = 0;
  char places[2];
  for (int place = 0; place < 2; place++) {
    cudaError_t e = doubled(p.type) ? run<cuDoubleComplex>(p, places, places + place, false, true, &p.bytes) : run<cuComplex>(p, places, places + place, false, true, &p.bytes);
    if (e) return e;
  }
  return cudaSuccess;
}

// A trace has this library's kernels, and a replay their times.
static void tell() {
  static std::once_flag once;
  std::call_once(once, [] { fprintf(stderr, "warptape: the kernels of cuFFT are Warptape's own here: results differ from NVIDIA's in the last bits, and times are those of these kernels (D273)\n"); });
}

// Plans are by number: programs keep handles, which are integers.
static std::mutex lock;
static std::map<cufftHandle, std::unique_ptr<Plan>> plans;
static cufftHandle latest;

static Plan *planOf(cufftHandle handle) {
  std::lock_guard<std::mutex> hold(lock);
  auto p = plans.find(handle);
  return p == plans.end() ? nullptr : p->second.get();
}

static cufftResult checked(int rank, const long long *n, cufftType type, long long batch) {
  if (rank < 1 || rank > MaxRank || !n) return CUFFT_INVALID_SIZE;
  if (!known(type)) return CUFFT_INVALID_TYPE;
  long long all = batch;
  if (batch < 1) return CUFFT_INVALID_SIZE;
  for (int d = 0; d < rank; d++) {
    if (n[d] < 1 || n[d] > (1LL << 40) / all) return CUFFT_INVALID_SIZE;
    all *= n[d];
  }
  return CUFFT_SUCCESS;
}

static cufftResult make(cufftHandle handle, int rank, const long long *n, const long long *inembed, long long istride, long long idist, const long long *onembed, long long ostride, long long odist,
                        cufftType type, long long batch, size_t *bytes) {
  Plan *p = planOf(handle);
  if (!p || p->made) return CUFFT_INVALID_PLAN;
  if (cufftResult e = checked(rank, n, type, batch)) return e;
  if (inembed && onembed && (istride < 1 || ostride < 1 || idist < 0 || odist < 0)) return CUFFT_INVALID_VALUE;
  p->rank = rank, p->type = type, p->batch = batch;
  for (int d = 0; d < rank; d++) p->n[d] = n[d];
  if (inembed && onembed) p->in = given(*p, inembed, istride, idist), p->out = given(*p, onembed, ostride, odist);
  if (measure(*p) != cudaSuccess) return CUFFT_ALLOC_FAILED;
  if (p->allocates && p->bytes) {
    if (cudaMalloc(&p->area, p->bytes) != cudaSuccess) return CUFFT_ALLOC_FAILED;
    p->owns = true;
  }
  p->made = true;
  if (bytes) *bytes = p->bytes;
  tell();
  return CUFFT_SUCCESS;
}

static cufftResult plain(cufftHandle handle, std::initializer_list<int> sizes, cufftType type, int batch, size_t *bytes) {
  long long n[MaxRank] = {}, rank = 0;
  for (int size : sizes) n[rank++] = size;
  return make(handle, (int)rank, n, nullptr, 1, 0, nullptr, 1, 0, type, batch, bytes);
}

// fresh makes a handle and its plan.
template <typename Make> static cufftResult fresh(cufftHandle *handle, Make make) {
  if (!handle) return CUFFT_INVALID_VALUE;
  if (cufftResult e = cufftCreate(handle)) return e;
  cufftResult e = make(*handle);
  if (e) cufftDestroy(*handle), *handle = 0;
  return e;
}

// estimated is the work area of a plan that is made for this alone.
template <typename Make> static cufftResult estimated(Make make) {
  cufftHandle h;
  if (cufftResult e = cufftCreate(&h)) return e;
  cufftSetAutoAllocation(h, 0);
  cufftResult e = make(h);
  cufftDestroy(h);
  return e;
}

template <typename C> static cufftResult perform(cufftHandle handle, cufftType type, const void *in, void *out, int direction) {
  Plan *p = planOf(handle);
  if (!p || !p->made) return CUFFT_INVALID_PLAN;
  if (p->type != type) return CUFFT_INVALID_TYPE;
  if (!in || !out || (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE)) return CUFFT_INVALID_VALUE;
  if (p->bytes && !p->area) return CUFFT_NO_WORKSPACE;
  return run<C>(*p, in, out, direction == CUFFT_INVERSE, false, nullptr) == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

// typed finds the type of transforms from elements of one type to another; there is none in half precision.
static cufftResult typed(cudaDataType in, cudaDataType out, cudaDataType execution, cufftType *type) {
  static const struct { cudaDataType in, out, execution; cufftType type; } list[] = {
    {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C}, {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R},
    {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z}, {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D},
  };
  for (auto &t : list)
    if (t.in == in && t.out == out && t.execution == execution) {
      *type = t.type;
      return CUFFT_SUCCESS;
    }
  fprintf(stderr, "warptape: a plan of Fourier transforms is refused: single and double precision are there, and the execution has the type of the complex elements\n");
  return CUFFT_NOT_SUPPORTED;
}

// Wide are numbers of an int's list; none without a list.
struct Wide {
  long long list[MaxRank] = {};
  bool is;
  Wide(const int *from, int rank) : is(from) {
    for (int d = 0; from && d < rank && d < MaxRank; d++) list[d] = from[d];
  }
  const long long *get() const { return is ? list : nullptr; }
};

} // namespace fft

using namespace fft;

cufftResult cufftCreate(cufftHandle *handle) {
  if (!handle) return CUFFT_INVALID_VALUE;
  std::lock_guard<std::mutex> hold(lock);
  *handle = ++latest;
  plans[latest] = std::make_unique<Plan>();
  return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle handle) {
  std::lock_guard<std::mutex> hold(lock);
  return plans.erase(handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftMakePlan1d(cufftHandle h, int nx, cufftType type, int batch, size_t *bytes) { return plain(h, {nx}, type, batch, bytes); }
cufftResult cufftMakePlan2d(cufftHandle h, int nx, int ny, cufftType type, size_t *bytes) { return plain(h, {nx, ny}, type, 1, bytes); }
cufftResult cufftMakePlan3d(cufftHandle h, int nx, int ny, int nz, cufftType type, size_t *bytes) { return plain(h, {nx, ny, nz}, type, 1, bytes); }
cufftResult cufftMakePlanMany(cufftHandle h, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, cufftType type, int batch, size_t *bytes) {
  Wide sizes(n, rank), in(inembed, rank), out(onembed, rank);
  return make(h, rank, sizes.get(), in.get(), istride, idist, out.get(), ostride, odist, type, batch, bytes);
}
cufftResult cufftMakePlanMany64(cufftHandle h, int rank, long long *n, long long *inembed, long long istride, long long idist, long long *onembed, long long ostride, long long odist, cufftType type,
                                long long batch, size_t *bytes) {
  return make(h, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, bytes);
}

cufftResult cufftPlan1d(cufftHandle *h, int nx, cufftType type, int batch) { return fresh(h, [&](cufftHandle p) { return cufftMakePlan1d(p, nx, type, batch, nullptr); }); }
cufftResult cufftPlan2d(cufftHandle *h, int nx, int ny, cufftType type) { return fresh(h, [&](cufftHandle p) { return cufftMakePlan2d(p, nx, ny, type, nullptr); }); }
cufftResult cufftPlan3d(cufftHandle *h, int nx, int ny, int nz, cufftType type) { return fresh(h, [&](cufftHandle p) { return cufftMakePlan3d(p, nx, ny, nz, type, nullptr); }); }
cufftResult cufftPlanMany(cufftHandle *h, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, cufftType type, int batch) {
  return fresh(h, [&](cufftHandle p) { return cufftMakePlanMany(p, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, nullptr); });
}

cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *bytes) { return estimated([&](cufftHandle p) { return cufftMakePlan1d(p, nx, type, batch, bytes); }); }
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *bytes) { return estimated([&](cufftHandle p) { return cufftMakePlan2d(p, nx, ny, type, bytes); }); }
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *bytes) { return estimated([&](cufftHandle p) { return cufftMakePlan3d(p, nx, ny, nz, type, bytes); }); }
cufftResult cufftEstimateMany(int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, cufftType type, int batch, size_t *bytes) {
  return estimated([&](cufftHandle p) { return cufftMakePlanMany(p, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, bytes); });
}
cufftResult cufftGetSize1d(cufftHandle h, int nx, cufftType type, int batch, size_t *bytes) { return planOf(h) ? cufftEstimate1d(nx, type, batch, bytes) : CUFFT_INVALID_PLAN; }
cufftResult cufftGetSize2d(cufftHandle h, int nx, int ny, cufftType type, size_t *bytes) { return planOf(h) ? cufftEstimate2d(nx, ny, type, bytes) : CUFFT_INVALID_PLAN; }
cufftResult cufftGetSize3d(cufftHandle h, int nx, int ny, int nz, cufftType type, size_t *bytes) { return planOf(h) ? cufftEstimate3d(nx, ny, nz, type, bytes) : CUFFT_INVALID_PLAN; }
cufftResult cufftGetSizeMany(cufftHandle h, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, cufftType type, int batch, size_t *bytes) {
  return planOf(h) ? cufftEstimateMany(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, bytes) : CUFFT_INVALID_PLAN;
}
cufftResult cufftGetSize(cufftHandle h, size_t *bytes) {
  Plan *p = planOf(h);
  if (!p) return CUFFT_INVALID_PLAN;
  if (!bytes) return CUFFT_INVALID_VALUE;
  *bytes = p->bytes;
  return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle h, void *area) {
  Plan *p = planOf(h);
  if (!p) return CUFFT_INVALID_PLAN;
  p->release();
  p->area = (char *)area;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle h, int allocates) {
  Plan *p = planOf(h);
  if (!p || p->made) return CUFFT_INVALID_PLAN;
  p->allocates = allocates != 0;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle h, cudaStream_t stream) {
  Plan *p = planOf(h);
  if (!p) return CUFFT_INVALID_PLAN;
  p->stream = stream;
  return CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle h, cufftComplex *in, cufftComplex *out, int direction) { return perform<cuComplex>(h, CUFFT_C2C, in, out, direction); }
cufftResult cufftExecR2C(cufftHandle h, cufftReal *in, cufftComplex *out) { return perform<cuComplex>(h, CUFFT_R2C, in, out, CUFFT_FORWARD); }
cufftResult cufftExecC2R(cufftHandle h, cufftComplex *in, cufftReal *out) { return perform<cuComplex>(h, CUFFT_C2R, in, out, CUFFT_INVERSE); }
cufftResult cufftExecZ2Z(cufftHandle h, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction) { return perform<cuDoubleComplex>(h, CUFFT_Z2Z, in, out, direction); }
cufftResult cufftExecD2Z(cufftHandle h, cufftDoubleReal *in, cufftDoubleComplex *out) { return perform<cuDoubleComplex>(h, CUFFT_D2Z, in, out, CUFFT_FORWARD); }
cufftResult cufftExecZ2D(cufftHandle h, cufftDoubleComplex *in, cufftDoubleReal *out) { return perform<cuDoubleComplex>(h, CUFFT_Z2D, in, out, CUFFT_INVERSE); }

cufftResult cufftXtMakePlanMany(cufftHandle h, int rank, long long *n, long long *inembed, long long istride, long long idist, cudaDataType in, long long *onembed, long long ostride, long long odist,
                                cudaDataType out, long long batch, size_t *bytes, cudaDataType execution) {
  cufftType type;
  if (cufftResult e = typed(in, out, execution, &type)) return e;
  return make(h, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, bytes);
}
cufftResult cufftXtGetSizeMany(cufftHandle h, int rank, long long *n, long long *inembed, long long istride, long long idist, cudaDataType in, long long *onembed, long long ostride, long long odist,
                               cudaDataType out, long long batch, size_t *bytes, cudaDataType execution) {
  if (!planOf(h)) return CUFFT_INVALID_PLAN;
  return estimated([&](cufftHandle p) { return cufftXtMakePlanMany(p, rank, n, inembed, istride, idist, in, onembed, ostride, odist, out, batch, bytes, execution); });
}
cufftResult cufftXtExec(cufftHandle h, void *in, void *out, int direction) {
  Plan *p = planOf(h);
  if (!p || !p->made) return CUFFT_INVALID_PLAN;
  if (p->real()) direction = CUFFT_FORWARD;
  if (p->toReal()) direction = CUFFT_INVERSE;
  return doubled(p->type) ? perform<cuDoubleComplex>(h, p->type, in, out, direction) : perform<cuComplex>(h, p->type, in, out, direction);
}

cufftResult cufftGetVersion(int *version) {
  if (!version) return CUFFT_INVALID_VALUE;
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(libraryPropertyType type, int *value) {
  const int parts[] = {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH};
  if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL) return CUFFT_INVALID_VALUE;
  *value = parts[type];
  return CUFFT_SUCCESS;
}
