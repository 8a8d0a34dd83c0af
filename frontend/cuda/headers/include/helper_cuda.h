// SPDX-License-Identifier: Apache-2.0
// What most programs use of the helpers of NVIDIA's samples, under their names. A folder that
// has the samples' own comes first when -I names it.
#ifndef COMMON_HELPER_CUDA_H_
#define COMMON_HELPER_CUDA_H_
#include <stdio.h>
#include <stdlib.h>
#include "cuda_runtime.h"
#include "helper_string.h"
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
static inline const char *_cudaGetErrorEnum(cudaError_t e) { return cudaGetErrorName(e); }
template <class T> static inline void check(T result, const char *call, const char *file, int line) {
  if (!result) return;
  fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\"\n", file, line, (int)result, cudaGetErrorName((cudaError_t)result), call);
  exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)
static inline void __getLastCudaError(const char *message, const char *file, int line) {
  cudaError_t e = cudaGetLastError();
  if (e == cudaSuccess) return;
  fprintf(stderr, "%s(%d): CUDA error: %s: (%d) %s\n", file, line, message, (int)e, cudaGetErrorString(e));
  exit(EXIT_FAILURE);
}
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)
static inline void __printLastCudaError(const char *message, const char *file, int line) {
  cudaError_t e = cudaGetLastError();
  if (e != cudaSuccess) fprintf(stderr, "%s(%d): CUDA error: %s: (%d) %s\n", file, line, message, (int)e, cudaGetErrorString(e));
}
#define printLastCudaError(message) __printLastCudaError(message, __FILE__, __LINE__)
static inline int ftoi(float v) { return (int)(v >= 0 ? v + 0.5f : v - 0.5f); }
// Lanes of single precision in an SM, as the CUDA C++ Programming Guide has them by compute capability.
static inline int _ConvertSMVer2Cores(int major, int minor) {
  switch (major * 10 + minor) {
  case 30: case 32: case 35: case 37: return 192;
  case 60: case 70: case 72: case 75: case 80: return 64;
  }
  return 128;
}
static inline int gpuDeviceInit(int device) {
  int count = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  if (device < 0) device = 0;
  if (device >= count) {
    fprintf(stderr, "there is no device %d\n", device);
    return -device;
  }
  checkCudaErrors(cudaSetDevice(device));
  return device;
}
static inline int gpuGetMaxGflopsDeviceId() { return 0; }
static inline int findCudaDevice(int argc, const char **argv) {
  int device = gpuDeviceInit(checkCmdLineFlag(argc, argv, "device") ? getCmdLineArgumentInt(argc, argv, "device") : 0);
  cudaDeviceProp p;
  checkCudaErrors(cudaGetDeviceProperties(&p, device));
  printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, p.name, p.major, p.minor);
  return device;
}
static inline bool checkCudaCapabilities(int major, int minor) {
  cudaDeviceProp p;
  checkCudaErrors(cudaGetDeviceProperties(&p, 0));
  return p.major > major || (p.major == major && p.minor >= minor);
}
#endif
