// Functions of vectors and matrices in the place of cuBLAS's, compared with loops of the host in double precision.
#include <cublas_v2.h>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>
#include "check.h"
#define FINE(call) do { cublasStatus_t status_ = (call); if (status_ != CUBLAS_STATUS_SUCCESS) { printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cublasGetStatusName(status_)); exit(1); } } while (0)
typedef std::complex<double> Wide;
static std::mt19937 random_(20);
static int below(int n) { return int(random_() % n); }

// Type is what the tests need of an element: its precision, and how it comes from and to a wide one.
template <typename T> struct Type { static constexpr double bound = 2e-5; static constexpr bool complex = false; static T of(Wide w) { return T(w.real()); } static Wide wide(T t) { return double(t); } };
template <> struct Type<double> { static constexpr double bound = 1e-13; static constexpr bool complex = false; static double of(Wide w) { return w.real(); } static Wide wide(double t) { return t; } };
template <> struct Type<cuComplex> { static constexpr double bound = 2e-5; static constexpr bool complex = true; static cuComplex of(Wide w) { return make_cuComplex(w.real(), w.imag()); } static Wide wide(cuComplex t) { return Wide(t.x, t.y); } };
template <> struct Type<cuDoubleComplex> { static constexpr double bound = 1e-13; static constexpr bool complex = true; static cuDoubleComplex of(Wide w) { return make_cuDoubleComplex(w.real(), w.imag()); } static Wide wide(cuDoubleComplex t) { return Wide(t.x, t.y); } };
template <> struct Type<__half> { static constexpr double bound = 2e-3; static constexpr bool complex = false; static __half of(Wide w) { return __float2half(w.real()); } static Wide wide(__half t) { return __half2float(t); } };
template <> struct Type<__nv_bfloat16> { static constexpr double bound = 2e-2; static constexpr bool complex = false; static __nv_bfloat16 of(Wide w) { return __float2bfloat16(w.real()); } static Wide wide(__nv_bfloat16 t) { return __bfloat162float(t); } };
template <> struct Type<signed char> { static constexpr double bound = 0; static constexpr bool complex = false; static signed char of(Wide w) { return (signed char)(w.real() * 100); } static Wide wide(signed char t) { return double(t); } };
template <> struct Type<int> { static constexpr double bound = 0; static constexpr bool complex = false; static int of(Wide w) { return int(w.real() * 100); } static Wide wide(int t) { return double(t); } };

template <typename T> T some() { return Type<T>::of(Wide(below(2001) / 1000. - 1, Type<T>::complex ? below(2001) / 1000. - 1 : 0)); }

// Array is the same elements on both sides.
template <typename T> struct Array {
  std::vector<T> host;
  T *device;
  explicit Array(size_t n) : host(n) {
    for (T &t : host) t = some<T>();
    OK(cudaMalloc(&device, (n + 1) * sizeof(T)));
    up();
  }
  ~Array() { cudaFree(device); }
  Array(const Array &) = delete;
  void up() { OK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice)); }
  std::vector<T> down() const {
    std::vector<T> got(host.size());
    OK(cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return got;
  }
  Wide operator[](size_t i) const { return Type<T>::wide(host[i]); }
};

// near compares within what sums of n terms of size one may lose.
template <typename T> void near(Wide got, Wide want, double n, int line) {
  if (!(std::abs(got - want) <= Type<T>::bound * (n + 4))) printf("line %d: %g%+gi for %g%+gi\n", line, got.real(), got.imag(), want.real(), want.imag()), exit(1);
}
#define NEAR(T, got, want, n) near<T>(got, want, n, __LINE__)
static size_t place(int i, int n, int inc) { return inc < 0 ? size_t(i - n + 1) * inc : size_t(i) * inc; }
static size_t length(int n, int inc) { return n ? size_t(n - 1) * std::abs(inc) + 1 : 1; }

// Level1 names a type's functions.
#define LEVEL1(X, T, R, Real, Largest, dotu, dotc)                                                                      \
  static void level1(cublasHandle_t h, T) {                                                                             \
    for (int n : {0, 1, 31, 257, 5000})                                                                                 \
      for (int ix : {1, 2, -3})                                                                                         \
        for (int iy : {1, -2}) {                                                                                        \
          Array<T> x(length(n, ix)), y(length(n, iy));                                                                  \
          T alpha = some<T>(), result;                                                                                  \
          Wide u = 0, c = 0;                                                                                            \
          for (int i = 0; i < n; i++) u += x[place(i, n, ix)] * y[place(i, n, iy)], c += std::conj(x[place(i, n, ix)]) * y[place(i, n, iy)]; \
          FINE(cublas##X##dotu(h, n, x.device, ix, y.device, iy, &result));                                             \
          NEAR(T, Type<T>::wide(result), u, n);                                                                         \
          FINE(cublas##X##dotc(h, n, x.device, ix, y.device, iy, &result));                                             \
          NEAR(T, Type<T>::wide(result), c, n);                                                                         \
          FINE(cublas##X##axpy(h, n, &alpha, x.device, ix, y.device, iy));                                              \
          auto got = y.down();                                                                                          \
          for (int i = 0; i < n; i++) NEAR(T, Type<T>::wide(got[place(i, n, iy)]), Type<T>::wide(alpha) * x[place(i, n, ix)] + y[place(i, n, iy)], 1); \
          y.up();                                                                                                       \
          FINE(cublas##X##swap(h, n, x.device, ix, y.device, iy));                                                      \
          got = y.down();                                                                                               \
          for (int i = 0; i < n; i++) CHECK(Type<T>::wide(got[place(i, n, iy)]) == x[place(i, n, ix)]);                 \
          FINE(cublas##X##copy(h, n, x.device, ix, y.device, iy));                                                      \
          auto other = x.down();                                                                                        \
          got = y.down();                                                                                               \
          for (int i = 0; i < n; i++) CHECK(Type<T>::wide(other[place(i, n, ix)]) == y[place(i, n, iy)] && Type<T>::wide(got[place(i, n, iy)]) == y[place(i, n, iy)]); \
          x.up();                                                                                                       \
          R sum = 9, norm = 9;                                                                                          \
          int most = 9, least = 9;                                                                                      \
          FINE(cublas##Real##asum(h, n, x.device, ix, &sum));                                                           \
          FINE(cublas##Real##nrm2(h, n, x.device, ix, &norm));                                                          \
          FINE(cublas##Largest##amax(h, n, x.device, ix, &most));                                                       \
          FINE(cublas##Largest##amin(h, n, x.device, ix, &least));                                                      \
          double sums = 0, squares = 0;                                                                                 \
          int first = 0, last = 0;                                                                                      \
          auto part = [&](int i) { Wide w = x[place(i, n, ix)]; return R(std::fabs(R(w.real()))) + R(std::fabs(R(w.imag()))); }; \
          if (ix > 0)                                                                                                   \
            for (int i = 0; i < n; i++) {                                                                               \
              sums += part(i), squares += std::norm(x[place(i, n, ix)]);                                                \
              if (part(i) > part(first)) first = i;                                                                     \
              if (part(i) < part(last)) last = i;                                                                       \
            }                                                                                                           \
          NEAR(R, double(sum), sums, n), NEAR(R, double(norm), std::sqrt(squares), 1);                                  \
          CHECK(most == (n && ix > 0 ? first + 1 : 0) && least == (n && ix > 0 ? last + 1 : 0));                        \
          FINE(cublas##X##scal(h, n, &alpha, x.device, ix));                                                            \
          other = x.down();                                                                                             \
          for (int i = 0; i < n; i++) NEAR(T, Type<T>::wide(other[place(i, n, ix)]), x[place(i, n, ix)] * (ix > 0 ? Type<T>::wide(alpha) : 1), 1); \
        }                                                                                                               \
  }
LEVEL1(S, float, float, S, Is, dot, dot)
LEVEL1(D, double, double, D, Id, dot, dot)
LEVEL1(C, cuComplex, float, Sc, Ic, dotu, dotc)
LEVEL1(Z, cuDoubleComplex, double, Dz, Iz, dotu, dotc)

static Wide with(cublasOperation_t op, Wide w) { return op == CUBLAS_OP_C ? std::conj(w) : w; }
// cell is the place of op(A)'s element at row i and column j.
static size_t cell(cublasOperation_t op, int i, int j, int ld) { return op == CUBLAS_OP_N ? i + size_t(j) * ld : j + size_t(i) * ld; }
static const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

#define LEVEL2(X, T, geru, gerc)                                                                                        \
  static void level2(cublasHandle_t h, T) {                                                                             \
    for (cublasOperation_t op : operations)                                                                             \
      for (int round = 0; round < 3; round++) {                                                                         \
        int m = 1 + below(300), n = 1 + below(90), lda = m + below(5), ix = below(2) ? 1 : -2, iy = below(2) ? 1 : 3;   \
        int rows = op == CUBLAS_OP_N ? m : n, columns = op == CUBLAS_OP_N ? n : m;                                      \
        Array<T> a(size_t(lda) * n), x(length(columns, ix)), y(length(rows, iy));                                       \
        T alpha = some<T>(), beta = round ? some<T>() : Type<T>::of(0);                                                 \
        std::vector<T> was = y.host;                                                                                    \
        if (!round) for (T &t : y.host) t = Type<T>::of(std::numeric_limits<double>::quiet_NaN());                      \
        y.up();                                                                                                         \
        FINE(cublas##X##gemv(h, op, m, n, &alpha, a.device, lda, x.device, ix, &beta, y.device, iy));                   \
        auto got = y.down();                                                                                            \
        for (int i = 0; i < rows; i++) {                                                                                \
          Wide sum = 0;                                                                                                 \
          for (int j = 0; j < columns; j++) sum += with(op, a[cell(op, i, j, lda)]) * x[place(j, columns, ix)];         \
          NEAR(T, Type<T>::wide(got[place(i, rows, iy)]), Type<T>::wide(alpha) * sum + Type<T>::wide(beta) * Type<T>::wide(was[place(i, rows, iy)]), columns); \
        }                                                                                                               \
        Array<T> p(length(m, ix)), q(length(n, iy));                                                                    \
        for (int kind = 0; kind < 2; kind++) {                                                                          \
          a.up();                                                                                                       \
          if (kind) FINE(cublas##X##gerc(h, m, n, &alpha, p.device, ix, q.device, iy, a.device, lda));                  \
          else FINE(cublas##X##geru(h, m, n, &alpha, p.device, ix, q.device, iy, a.device, lda));                       \
          auto now = a.down();                                                                                          \
          for (int j = 0; j < n; j++)                                                                                   \
            for (int i = 0; i < lda; i++) {                                                                             \
              Wide v = q[place(j, n, iy)], want = a[i + size_t(j) * lda];                                               \
              if (i < m) want += Type<T>::wide(alpha) * p[place(i, m, ix)] * (kind ? std::conj(v) : v);                 \
              NEAR(T, Type<T>::wide(now[i + size_t(j) * lda]), want, 1);                                                \
            }                                                                                                           \
        }                                                                                                               \
      }                                                                                                                 \
  }
LEVEL2(S, float, ger, ger)
LEVEL2(D, double, ger, ger)
LEVEL2(C, cuComplex, geru, gerc)
LEVEL2(Z, cuDoubleComplex, geru, gerc)

// products compares several products with loops; call is given all operands, and what lies between results has to stay.
template <typename T, typename Out, typename Factor, typename Call> void products(Call call) {
  for (cublasOperation_t opa : operations)
    for (cublasOperation_t opb : operations) {
      int m = 1 + below(70), n = 1 + below(70), k = below(8) ? 1 + below(40) : 0, count = 3;
      int ra = opa == CUBLAS_OP_N ? m : k, ca = opa == CUBLAS_OP_N ? k : m, rb = opb == CUBLAS_OP_N ? k : n, cb = opb == CUBLAS_OP_N ? n : k;
      int lda = std::max(1, ra + below(3)), ldb = std::max(1, rb + below(3)), ldc = m + below(3);
      size_t sa = size_t(lda) * ca + below(4), sb = size_t(ldb) * cb + below(4), sc = size_t(ldc) * n + below(4);
      Array<T> a(sa * count), b(sb * count);
      Array<Out> c(sc * count);
      Factor alpha = some<Factor>(), beta = some<Factor>();
      call(opa, opb, m, n, k, &alpha, a.device, lda, sa, b.device, ldb, sb, &beta, c.device, ldc, sc, count);
      auto got = c.down();
      for (int p = 0; p < count; p++)
        for (size_t at = 0; at < sc; at++) {
          int i = at % ldc, j = at / ldc;
          Wide want = c[p * sc + at];
          if (i < m && j < n) {
            Wide sum = 0;
            for (int l = 0; l < k; l++) sum += with(opa, a[p * sa + cell(opa, i, l, lda)]) * with(opb, b[p * sb + cell(opb, l, j, ldb)]);
            want = Type<Factor>::wide(alpha) * sum + Type<Factor>::wide(beta) * want;
          }
          NEAR(Out, Type<Out>::wide(got[p * sc + at]), want, k);
        }
    }
}

#define LEVEL3(X, T)                                                                                                                          \
  static void level3(cublasHandle_t h, T) {                                                                                                   \
    products<T, T, T>([&](cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, T *alpha, T *a, int lda, size_t sa, T *b, int ldb, size_t sb, T *beta, T *c, int ldc, size_t sc, int count) { \
      for (int p = 0; p < count; p++) FINE(cublas##X##gemm(h, opa, opb, m, n, k, alpha, a + p * sa, lda, b + p * sb, ldb, beta, c + p * sc, ldc)); \
    });                                                                                                                                       \
    products<T, T, T>([&](cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, T *alpha, T *a, int lda, size_t sa, T *b, int ldb, size_t sb, T *beta, T *c, int ldc, size_t sc, int count) { \
      FINE(cublas##X##gemmStridedBatched(h, opa, opb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc, count));                      \
    });                                                                                                                                       \
    products<T, T, T>([&](cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, T *alpha, T *a, int lda, size_t sa, T *b, int ldb, size_t sb, T *beta, T *c, int ldc, size_t sc, int count) { \
      T **list, *lists[9];                                                                                                                    \
      for (int p = 0; p < count; p++) lists[p] = a + p * sa, lists[3 + p] = b + p * sb, lists[6 + p] = c + p * sc;                            \
      OK(cudaMalloc(&list, sizeof lists));                                                                                                    \
      FINE(cublasSetVector(9, sizeof *lists, lists, 1, list, 1));                                                                             \
      FINE(cublas##X##gemmBatched(h, opa, opb, m, n, k, alpha, list, lda, list + 3, ldb, beta, list + 6, ldc, count));                        \
      OK(cudaFree(list));                                                                                                                     \
    });                                                                                                                                       \
  }
LEVEL3(S, float)
LEVEL3(D, double)
LEVEL3(C, cuComplex)
LEVEL3(Z, cuDoubleComplex)
LEVEL3(H, __half)

template <typename T, typename Out, typename Factor> void told(cublasHandle_t h, cudaDataType in, cudaDataType out, cublasComputeType_t compute) {
  products<T, Out, Factor>([&](cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, Factor *alpha, T *a, int lda, size_t sa, T *b, int ldb, size_t sb, Factor *beta, Out *c, int ldc, size_t sc, int count) {
    FINE(cublasGemmEx(h, opa, opb, m, n, k, alpha, a, in, lda, b, in, ldb, beta, c, out, ldc, compute, CUBLAS_GEMM_DEFAULT));
    FINE(cublasGemmStridedBatchedEx(h, opa, opb, m, n, k, alpha, a + sa, in, lda, sa, b + sb, in, ldb, sb, beta, c + sc, out, ldc, sc, count - 1, compute, CUBLAS_GEMM_DEFAULT_TENSOR_OP));
  });
}

#define SUMS(X, T)                                                                                                      \
  static void sums(cublasHandle_t h, T) {                                                                               \
    for (cublasOperation_t opa : operations)                                                                            \
      for (cublasOperation_t opb : operations) {                                                                        \
        int m = 1 + below(40), n = 1 + below(40), lda = (opa == CUBLAS_OP_N ? m : n) + 1, ldb = opb == CUBLAS_OP_N ? m : n, ldc = m; \
        Array<T> a(lda * (m + n)), b(ldb * (m + n)), c(size_t(m) * n);                                                  \
        T alpha = some<T>(), beta = some<T>();                                                                          \
        FINE(cublas##X##geam(h, opa, opb, m, n, &alpha, a.device, lda, &beta, b.device, ldb, c.device, ldc));           \
        auto got = c.down();                                                                                            \
        for (int j = 0; j < n; j++)                                                                                     \
          for (int i = 0; i < m; i++)                                                                                   \
            NEAR(T, Type<T>::wide(got[i + j * m]), Type<T>::wide(alpha) * with(opa, a[cell(opa, i, j, lda)]) + Type<T>::wide(beta) * with(opb, b[cell(opb, i, j, ldb)]), 2); \
      }                                                                                                                 \
  }
SUMS(S, float)
SUMS(D, double)
SUMS(C, cuComplex)
SUMS(Z, cuDoubleComplex)

template <typename T> void all(cublasHandle_t h) {
  level1(h, T());
  level2(h, T());
  level3(h, T());
  sums(h, T());
}

// Factors and results may be on the device; norms neither overflow nor vanish; wrong arguments are refused.
static void modes(cublasHandle_t h) {
  Array<double> x(600), one(4), result(1);
  for (double &v : x.host) v = 1e200;
  x.up();
  double norm;
  FINE(cublasDnrm2(h, 600, x.device, 1, &norm));
  CHECK(std::fabs(norm / (1e200 * std::sqrt(600.)) - 1) < 1e-14);
  for (double &v : x.host) v = 1e-200;
  x.host[77] = std::numeric_limits<double>::infinity();
  x.up();
  FINE(cublasDnrm2(h, 600, x.device, 1, &norm));
  CHECK(std::isinf(norm));
  FINE(cublasDnrm2(h, 77, x.device, 1, &norm));
  CHECK(std::fabs(norm / (1e-200 * std::sqrt(77.)) - 1) < 1e-14);
  x.host[5] = std::numeric_limits<double>::quiet_NaN();
  x.up();
  FINE(cublasDnrm2(h, 600, x.device, 1, &norm));
  CHECK(std::isnan(norm));

  cublasPointerMode_t mode;
  FINE(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
  FINE(cublasGetPointerMode(h, &mode));
  CHECK(mode == CUBLAS_POINTER_MODE_DEVICE);
  Array<double> a(100), y(10);
  FINE(cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, 10, 1, 10, one.device, a.device, 10, a.device + 7, 10, one.device + 1, y.device, 10));
  FINE(cublasDdot(h, 10, y.device, 1, a.device, 1, result.device));
  auto got = y.down();
  double dot = result.down()[0], want = 0;
  for (int i = 0; i < 10; i++) {
    double sum = 0;
    for (int l = 0; l < 10; l++) sum += a.host[i + 10 * l] * a.host[7 + 10 * l];
    NEAR(double, got[i], one.host[0] * sum + one.host[1] * y.host[i], 10);
    want += got[i] * a.host[i];
  }
  NEAR(double, dot, want, 10);
  FINE(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));

  double f = 1;
  CHECK(cublasDgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &f, x.device, 1, x.device, 1, &f, x.device, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
  CHECK(cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 5, 1, 1, &f, x.device, 4, x.device, 1, &f, x.device, 5) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, -1, 1, 1, &f, x.device, 4, x.device, 1, &f, x.device, 5) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(cublasDgemv(h, CUBLAS_OP_N, 2, 2, &f, x.device, 2, x.device, 0, &f, x.device, 1) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(cublasDgeam(h, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, &f, a.device, 2, &f, x.device, 2, a.device, 2) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &f, x.device, CUDA_R_64F, 1, x.device, CUDA_R_32F, 1, &f, x.device, CUDA_R_64F, 1, CUBLAS_COMPUTE_64F, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED);
}

// Rows of a larger matrix, and every second element, go to the device and back.
static void copies() {
  double a[7][10], back[7][10] = {}, *device;
  for (auto &column : a) for (double &v : column) v = some<double>();
  OK(cudaMalloc(&device, sizeof a));
  FINE(cublasSetMatrix(6, 7, sizeof(double), a, 10, device, 8));
  FINE(cublasGetMatrix(6, 7, sizeof(double), device, 8, back, 10));
  for (int j = 0; j < 7; j++) for (int i = 0; i < 10; i++) CHECK(back[j][i] == (i < 6 ? a[j][i] : 0));
  FINE(cublasSetVector(20, sizeof(double), a, 2, device, 3));
  FINE(cublasGetVector(20, sizeof(double), device, 3, back, 1));
  for (int i = 0; i < 20; i++) CHECK((&back[0][0])[i] == (&a[0][0])[2 * i]);
  CHECK(cublasSetMatrix(6, 7, sizeof(double), a, 5, device, 8) == CUBLAS_STATUS_INVALID_VALUE);
  OK(cudaFree(device));
}

int main() {
  cublasHandle_t h;
  cudaStream_t stream;
  FINE(cublasCreate(&h));
  OK(cudaStreamCreate(&stream));
  FINE(cublasSetStream(h, stream));
  all<float>(h);
  all<double>(h);
  all<cuComplex>(h);
  all<cuDoubleComplex>(h);
  level3(h, __half());
  told<__half, __half, float>(h, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F);
  told<__half, float, float>(h, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_16F);
  told<__nv_bfloat16, __nv_bfloat16, float>(h, CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F);
  told<__nv_bfloat16, float, float>(h, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F);
  told<signed char, int, int>(h, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I);
  told<double, double, double>(h, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F);
  modes(h);
  copies();
  OK(cudaStreamSynchronize(stream));
  FINE(cublasDestroy(h));
  puts("ok");
}
