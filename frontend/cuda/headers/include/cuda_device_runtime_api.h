// SPDX-License-Identifier: Apache-2.0
// What kernels call to launch kernels, and to wait for the launch before theirs. Thrust and CUB name these functions where they compile for
// either side; a kernel that calls one learns that the device has no dynamic parallelism.
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__
#include "cuda_runtime.h"
#if defined(__cplusplus) && defined(__CUDA__)
static inline __device__ void *cudaGetParameterBuffer(size_t, size_t) { return 0; }
static inline __device__ cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3, unsigned, cudaStream_t) { return cudaErrorNotSupported; }
static inline __device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance() { return cudaErrorNotSupported; }
// Dependent launches from sm_90 on (CUDA C++ Programming Guide, "Programmatic Dependent Launch"). Before
// it, and without the attribute, the launch before has ended.
static inline __device__ void cudaGridDependencySynchronize(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
static inline __device__ void cudaTriggerProgrammaticLaunchCompletion(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
#endif
#endif
