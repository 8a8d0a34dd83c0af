// nvcuda::wmma against plain loops. Elements are small whole numbers, whose products and sums
// all formats hold, so that results are equal to the bit.
#include <cmath>
#include <cstring>
#include <vector>
#include "check.h"
#include <mma.h>
using namespace nvcuda;

template <int m, int n, int k, class T, class E, class D, class LA, class LB>
__global__ void multiply(const E *a, const E *b, const D *c, D *d, int lda, int ldb, wmma::layout_t layout) {
  int ldc = layout == wmma::mem_row_major ? n : m;
  wmma::fragment<wmma::matrix_a, m, n, k, T, LA> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, T, LB> fb;
  wmma::fragment<wmma::accumulator, m, n, k, D> fc, fd;
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::load_matrix_sync(fc, c, ldc, layout);
  wmma::fill_fragment(fd, 1.0f);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; i++) fc.x[i] = D((float)fc.x[i] + (float)fd.x[i]);
  wmma::store_matrix_sync(d, fc, ldc, layout);
}

template <class L> struct Is { enum { rows = 1 }; };
template <> struct Is<wmma::col_major> { enum { rows = 0 }; };

template <int m, int n, int k, class T, class E, class D, class LA, class LB> void check() {
  E *a, *b;
  D *c, *d;
  OK(cudaMallocManaged(&a, m * k * sizeof *a));
  OK(cudaMallocManaged(&b, k * n * sizeof *b));
  OK(cudaMallocManaged(&c, m * n * sizeof *c));
  OK(cudaMallocManaged(&d, m * n * sizeof *d));
  unsigned int seed = 12345;
  auto small = [&] { return (int)((seed = seed * 1664525u + 1013904223u) >> 28) % 8; };
  for (int i = 0; i < m * k; i++) a[i] = E((float)small());
  for (int i = 0; i < k * n; i++) b[i] = E((float)small());
  for (int i = 0; i < m * n; i++) c[i] = D((float)small());
  for (wmma::layout_t layout : {wmma::mem_row_major, wmma::mem_col_major}) {
    multiply<m, n, k, T, E, D, LA, LB><<<1, 32>>>(a, b, c, d, Is<LA>::rows ? k : m, Is<LB>::rows ? n : k, layout);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        int at = layout == wmma::mem_row_major ? i * n + j : j * m + i;
        float sum = (float)c[at] + 1;
        for (int p = 0; p < k; p++) sum += (float)a[Is<LA>::rows ? i * k + p : p * m + i] * (float)b[Is<LB>::rows ? p * n + j : j * k + p];
        CHECK((float)d[at] == sum);
      }
  }
  cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d);
}
template <int m, int n, int k, class T, class D> void layouts() {
  check<m, n, k, T, T, D, wmma::row_major, wmma::row_major>();
  check<m, n, k, T, T, D, wmma::row_major, wmma::col_major>();
  check<m, n, k, T, T, D, wmma::col_major, wmma::row_major>();
  check<m, n, k, T, T, D, wmma::col_major, wmma::col_major>();
}
template <class T, class D> void shapes() {
  layouts<16, 16, 16, T, D>();
  check<8, 32, 16, T, T, D, wmma::row_major, wmma::col_major>();
  check<32, 8, 16, T, T, D, wmma::col_major, wmma::row_major>();
}

// One product with and without satf, all elements alike; NaN comes of infinities that cancel.
template <class T, class D> __global__ void saturated(T a, T b, D c, bool satf, D *d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, D> fc;
  wmma::fill_fragment(fa, a);
  wmma::fill_fragment(fb, b);
  wmma::fill_fragment(fc, c);
  wmma::mma_sync(fc, fa, fb, fc, satf);
  wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
}
template <class T, class D> D product(T a, T b, D c, bool satf) {
  D *d;
  OK(cudaMallocManaged(&d, 256 * sizeof *d));
  saturated<<<1, 32>>>(a, b, c, satf, d);
  OK(cudaDeviceSynchronize());
  D first = d[0];
  for (int i = 1; i < 256; i++) CHECK(memcmp(&first, &d[i], sizeof first) == 0);
  cudaFree(d);
  return first;
}
void saturation() {
  typedef signed char s8;
  typedef unsigned char u8;
  const int most = 2147483647, least = -most - 1;
  CHECK(product<s8>(100, 50, most - 79999, true) == most && product<s8>(100, 50, most - 80000, true) == most);
  CHECK(product<s8>(100, 50, most - 80001, true) == most - 1);
  CHECK(product<s8>(100, 50, most - 79999, false) == least && product<s8>(100, 50, most - 79999, true) == most);
  CHECK(product<s8>(-128, 127, least, true) == least && product<s8>(-128, 127, least, false) == most - 16 * 128 * 127 + 1);
  CHECK(product<u8>(255, 255, most, true) == most && product<u8>(255, 255, most, false) == least + 16 * 255 * 255 - 1);
  half large = half(30000.0f), one = half(1.0f);
  CHECK(__half2float(product<half>(large, one, half(0.0f), true)) == 65504 && __half2float(product<half>(large, half(-1.0f), half(0.0f), true)) == -65504);
  CHECK(isinf(__half2float(product<half>(large, one, half(0.0f), false))) && __half2float(product<half>(one, one, one, true)) == 17);
  const float inf = INFINITY;
  CHECK(product<half>(one, one, inf, true) == 0x1.fffffep127f && product<half>(one, one, -inf, true) == -0x1.fffffep127f && product<half>(one, one, inf, false) == inf);
  CHECK(product<half>(half(inf), one, -inf, true) == 0 && isnan(product<half>(half(inf), one, -inf, false)));
}

// Packed elements: A's rows and B's columns lie as they are read. product(x, y) is that of two elements.
template <int k, class T, class Multiply> __global__ void multiplyPacked(const void *a, const void *b, const int *c, int *d, int lda, Multiply multiply) {
  wmma::fragment<wmma::matrix_a, 8, 8, k, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, k, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, k, int> fc, fd;
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, k);
  wmma::load_matrix_sync(fc, c, 8, wmma::mem_col_major);
  wmma::fill_fragment(fd, 3);
  multiply(fd, fa, fb, fc);
  for (int i = 0; i < fd.num_elements; i++) fd.x[i] += 1;
  wmma::store_matrix_sync(d, fd, 8, wmma::mem_row_major);
}
template <int k, class T, int bits, class Multiply, class Product> void packed(Multiply multiply, Product product) {
  const int lda = 2 * k; // rows apart
  unsigned char *a, *b;
  int *c, *d;
  OK(cudaMallocManaged(&a, 8 * lda * bits / 8));
  OK(cudaMallocManaged(&b, 8 * k * bits / 8));
  OK(cudaMallocManaged(&c, 64 * sizeof *c));
  OK(cudaMallocManaged(&d, 64 * sizeof *d));
  unsigned int seed = 54321;
  auto byte = [&] { return (unsigned char)((seed = seed * 1664525u + 1013904223u) >> 24); };
  for (int i = 0; i < 8 * lda * bits / 8; i++) a[i] = byte();
  for (int i = 0; i < 8 * k * bits / 8; i++) b[i] = byte();
  for (int i = 0; i < 64; i++) c[i] = byte() - 128;
  multiplyPacked<k, T><<<1, 32>>>(a, b, c, d, lda, multiply);
  OK(cudaDeviceSynchronize());
  auto element = [](const unsigned char *p, int at) { return p[at * bits / 8] >> at * bits % 8 & (1 << bits) - 1; };
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      int sum = c[j * 8 + i] + 1;
      for (int p = 0; p < k; p++) sum += product(element(a, i * lda + p), element(b, j * k + p));
      CHECK(d[i * 8 + j] == sum);
    }
  cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d);
}
struct Nibbles {
  template <class D, class A, class B> __device__ void operator()(D &d, const A &a, const B &b, const D &c) { wmma::mma_sync(d, a, b, c); }
};
struct Exclusive {
  template <class D, class A, class B> __device__ void operator()(D &d, const A &a, const B &b, const D &c) { wmma::bmma_sync(d, a, b, c); }
};
struct Conjunction {
  template <class D, class A, class B> __device__ void operator()(D &d, const A &a, const B &b, const D &c) {
    wmma::bmma_sync(d, a, b, c, wmma::experimental::bmmaBitOpAND, wmma::experimental::bmmaAccumulateOpPOPC);
  }
};
void packed() {
  packed<32, wmma::experimental::precision::u4, 4>(Nibbles(), [](int x, int y) { return x * y; });
  packed<32, wmma::experimental::precision::s4, 4>(Nibbles(), [](int x, int y) { return ((x ^ 8) - 8) * ((y ^ 8) - 8); });
  packed<128, wmma::experimental::precision::b1, 1>(Exclusive(), [](int x, int y) { return x ^ y; });
  packed<128, wmma::experimental::precision::b1, 1>(Conjunction(), [](int x, int y) { return x & y; });
}
__global__ void rounded(float *f) { *f = wmma::__float_to_tf32(*f); }

int main() {
  saturation();
  packed();
  shapes<half, float>();
  shapes<half, half>();
  shapes<__nv_bfloat16, float>();
  shapes<signed char, int>();
  shapes<unsigned char, int>();
  check<16, 16, 8, wmma::precision::tf32, float, float, wmma::row_major, wmma::col_major>();
  check<8, 8, 4, double, double, double, wmma::row_major, wmma::col_major>();
  float *f;
  OK(cudaMallocManaged(&f, sizeof *f));
  *f = 1.0f + 0x1p-11f; // a tie goes away from zero, to 10 bits
  rounded<<<1, 1>>>(f);
  OK(cudaDeviceSynchronize());
  CHECK(*f == 1.0f + 0x1p-10f);
  printf("ok\n");
}
