// Kernels with long straight bodies and many live values: a register-tiled
// matrix multiplication in single and double precision, and a mixing function
// of 64 rounds. They are parsed and contaminated, never run. The .ptx beside
// this is:
//   clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -S
//     -Xclang -target-feature -Xclang +ptx63 -O3 dense.cu
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define TX __nvvm_read_ptx_sreg_tid_x()
#define TY __nvvm_read_ptx_sreg_tid_y()
#define BX __nvvm_read_ptx_sreg_ctaid_x()
#define BY __nvvm_read_ptx_sreg_ctaid_y()
#define SYNC() __nvvm_bar_sync(0)

template <typename T, int TILE, int PER> __device__ __attribute__((always_inline)) void tiled(T *c, const T *a, const T *b, int n) {
  __shared__ T as[TILE][TILE * PER];
  __shared__ T bs[TILE][TILE * PER];
  T sum[PER][PER] = {};
  int row = (BY * TILE + TY) * PER, column = (BX * TILE + TX) * PER;
  for (int k = 0; k < n; k += TILE) {
#pragma unroll
    for (int i = 0; i < PER; i++) {
      as[TX][TY * PER + i] = a[(row + i) * n + k + TX];
      bs[TY][TX * PER + i] = b[(k + TY) * n + column + i];
    }
    SYNC();
#pragma unroll
    for (int j = 0; j < TILE; j++)
#pragma unroll
      for (int y = 0; y < PER; y++)
#pragma unroll
        for (int x = 0; x < PER; x++) sum[y][x] += as[j][TY * PER + y] * bs[j][TX * PER + x];
    SYNC();
  }
  for (int y = 0; y < PER; y++)
    for (int x = 0; x < PER; x++) c[(row + y) * n + column + x] = sum[y][x];
}

extern "C" __global__ void multiplySingle(float *c, const float *a, const float *b, int n) { tiled<float, 16, 8>(c, a, b, n); }
extern "C" __global__ void multiplyDouble(double *c, const double *a, const double *b, int n) { tiled<double, 16, 4>(c, a, b, n); }

extern "C" __global__ void mix(unsigned *words, unsigned rounds) {
  unsigned state[16];
  unsigned *mine = words + (BX * 256 + TX) * 16;
  for (int i = 0; i < 16; i++) state[i] = mine[i];
  do {
#pragma unroll
    for (int r = 0; r < 64; r++) {
      unsigned x = state[r & 15], y = state[(r * 5 + 3) & 15];
      x = (x << (r % 31 + 1) | x >> (31 - r % 31)) ^ (y & ~state[(r + 7) & 15]);
      state[r & 15] = x + y * (2654435761u + r);
    }
  } while (--rounds);
  for (int i = 0; i < 16; i++) mine[i] = state[i];
}
