// Values that are written as one type and read as another through a pointer. C++ leaves that open, and
// programs for nvcc rely on it: its device code reads what was written.
#include <cuda_bf16.h>
#include <cstring>
#include "check.h"

__global__ void pairs(const float *in, unsigned *out, int n) {
  __nv_bfloat16 values[8];
  int *words = (int *)values;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 8; k++) values[k] = (__nv_bfloat16)in[8 * i + k];
    for (int k = 0; k < 4; k++) asm volatile("st.global.u32 [%0], %1;" ::"l"(out + 4 * i + k), "r"(words[k]));
  }
}

__global__ void swapped(float *f, int *i, float *seen) {
  *f = 1.0f;
  *i = 0x40400000; // three, where both are one place
  *seen = *f;
}

static unsigned upper(float f) {
  unsigned bits;
  memcpy(&bits, &f, sizeof bits);
  return bits >> 16;
}

int main() {
  const int n = 20;
  float *in;
  unsigned *out;
  OK(cudaMallocManaged(&in, 8 * n * sizeof *in));
  OK(cudaMallocManaged(&out, 4 * n * sizeof *out));
  for (int i = 0; i < 8 * n; i++) in[i] = (float)i;
  pairs<<<1, 1>>>(in, out, n);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 4 * n; i++) {
    unsigned bits[2];
    for (int k = 0; k < 2; k++) bits[k] = upper(in[2 * i + k]);
    CHECK(out[i] == (bits[0] | bits[1] << 16)); // small integers need no rounding
  }
  float *place = in + 4;
  swapped<<<1, 1>>>(place, (int *)place, in);
  OK(cudaDeviceSynchronize());
  CHECK(in[0] == 3.0f);
  printf("ok\n");
}
