// Loads and stores with cache hints, of all types that have them: values arrive, and neighbours stay.
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "check.h"

enum { kPairs = 20 }; // five loads, four stores

template <class T> __device__ T load(int hint, const T *p) {
  switch (hint) {
  case 0: return __ldca(p);
  case 1: return __ldcg(p);
  case 2: return __ldcs(p);
  case 3: return __ldlu(p);
  default: return __ldcv(p);
  }
}
template <class T> __device__ void store(int hint, T *p, T v) {
  switch (hint) {
  case 0: __stwb(p, v); break;
  case 1: __stcg(p, v); break;
  case 2: __stcs(p, v); break;
  default: __stwt(p, v);
  }
}
// Each pair of hints moves every second element.
template <class T> __global__ void move(const T *in, T *out) {
  int pair = threadIdx.x;
  store(pair / 5, &out[2 * pair], load(pair % 5, &in[2 * pair]));
}

template <class T> static void check(const char *name) {
  const size_t n = 2 * kPairs;
  T in[n], out[n], *from, *to;
  for (size_t i = 0; i < sizeof in; i++) ((unsigned char *)in)[i] = (unsigned char)(i * 37 + 129);
  memset(out, 0x55, sizeof out);
  OK(cudaMalloc(&from, sizeof in));
  OK(cudaMalloc(&to, sizeof out));
  OK(cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(to, out, sizeof out, cudaMemcpyHostToDevice));
  move<T><<<1, kPairs>>>(from, to);
  OK(cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < sizeof out; i++) {
    unsigned char want = i / sizeof(T) % 2 ? 0x55 : ((unsigned char *)in)[i];
    if (((unsigned char *)out)[i] != want) printf("%s: byte %zu is %d and not %d\n", name, i, ((unsigned char *)out)[i], want), exit(1);
  }
  OK(cudaFree(from));
  OK(cudaFree(to));
}
#define EACH(f) f(char) f(signed char) f(unsigned char) f(short) f(unsigned short) f(int) f(unsigned int) f(long) f(unsigned long) f(long long) f(unsigned long long) \
  f(float) f(double) f(char2) f(uchar2) f(short2) f(ushort2) f(int2) f(uint2) f(longlong2) f(ulonglong2) f(float2) f(double2) \
  f(char4) f(uchar4) f(short4) f(ushort4) f(int4) f(uint4) f(float4) f(__half) f(__half2) f(__nv_bfloat16) f(__nv_bfloat162)

// A program may have a function of CUDA 12's by itself, as CUDA 11 lacks it before sm_80.
__device__ __nv_bfloat16 __ldcs(const __nv_bfloat16 *p) { return *p; }

int main() {
#define CHECK_TYPE(T) check<T>(#T);
  EACH(CHECK_TYPE)
  puts("ok");
}
