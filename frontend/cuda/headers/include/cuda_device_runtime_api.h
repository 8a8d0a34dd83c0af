// SPDX-License-Identifier: Apache-2.0
// What kernels call to launch kernels. Thrust and CUB name these functions where they compile for
// either side; a kernel that calls one learns that the device has no dynamic parallelism.
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__
#include "cuda_runtime.h"
#if defined(__cplusplus) && defined(__CUDA__)
static inline __device__ void *cudaGetParameterBuffer(size_t, size_t) { return 0; }
static inline __device__ cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3, unsigned, cudaStream_t) { return cudaErrorNotSupported; }
static inline __device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance() { return cudaErrorNotSupported; }
#endif
#endif
