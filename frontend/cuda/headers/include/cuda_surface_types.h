// SPDX-License-Identifier: Apache-2.0
// Surface references, as variables of a program.
#ifndef __CUDA_SURFACE_TYPES_H__
#define __CUDA_SURFACE_TYPES_H__
#include "channel_descriptor.h"
#include "surface_types.h"
template <class T, int dim = 1> struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {
  __attribute__((host)) surface() { channelDesc = cudaCreateChannelDesc<T>(); }
};
template <int dim> struct __attribute__((device_builtin_surface_type)) surface<void, dim> : public surfaceReference {
  __attribute__((host)) surface() { struct cudaChannelFormatDesc d = {0, 0, 0, 0, cudaChannelFormatKindNone}; channelDesc = d; }
};
#endif
