// SPDX-License-Identifier: Apache-2.0
// Words of CUDA C++ for the host and for both sides of a compilation.
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDA_CB
#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#if __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __grid_constant__
#endif
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __launch_bounds__(...)
#define __grid_constant__
#endif
// A plain keyword and not an attribute of ours: libstdc++ writes __noinline__ in attributes.
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __device_builtin__
#define __cudart_builtin__
#define __builtin_align__(n) __align__(n)
#define __align__(n) __attribute__((aligned(n)))
// The compiler knows no attribute for it: the build reads the annotation, and writes .reqnctapercluster.
#ifdef __CUDA_ARCH__
#define __cluster_dims__(...) __attribute__((annotate("warptape_cluster_dims", __VA_ARGS__)))
#else
#define __cluster_dims__(...)
#endif
#define __specialization_static static
#ifndef __no_return__
#define __no_return__ __attribute__((noreturn))
#endif
#endif
