// SPDX-License-Identifier: Apache-2.0
// cudaCreateChannelDesc of a type: the widths of its channels in bits, and what they hold.
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__
#include "cuda_runtime_api.h"
#ifdef __cplusplus
static inline __WARPTAPE_HOST__ struct cudaChannelFormatDesc __warptape_channels(int bits, int n, enum cudaChannelFormatKind f) {
  struct cudaChannelFormatDesc d = {bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, f};
  return d;
}
template <class T> __WARPTAPE_HOST__ inline struct cudaChannelFormatDesc cudaCreateChannelDesc() { return __warptape_channels(0, 0, cudaChannelFormatKindNone); }
#define __WARPTAPE_CHANNELS__(T, bits, n, kind) \
  template <> __WARPTAPE_HOST__ inline struct cudaChannelFormatDesc cudaCreateChannelDesc<T>() { return __warptape_channels(bits, n, cudaChannelFormatKind##kind); }
__WARPTAPE_CHANNELS__(signed char, 8, 1, Signed)
__WARPTAPE_CHANNELS__(char, 8, 1, Signed)
__WARPTAPE_CHANNELS__(char1, 8, 1, Signed)
__WARPTAPE_CHANNELS__(char2, 8, 2, Signed)
__WARPTAPE_CHANNELS__(char4, 8, 4, Signed)
__WARPTAPE_CHANNELS__(unsigned char, 8, 1, Unsigned)
__WARPTAPE_CHANNELS__(uchar1, 8, 1, Unsigned)
__WARPTAPE_CHANNELS__(uchar2, 8, 2, Unsigned)
__WARPTAPE_CHANNELS__(uchar4, 8, 4, Unsigned)
__WARPTAPE_CHANNELS__(short, 16, 1, Signed)
__WARPTAPE_CHANNELS__(short1, 16, 1, Signed)
__WARPTAPE_CHANNELS__(short2, 16, 2, Signed)
__WARPTAPE_CHANNELS__(short4, 16, 4, Signed)
__WARPTAPE_CHANNELS__(unsigned short, 16, 1, Unsigned)
__WARPTAPE_CHANNELS__(ushort1, 16, 1, Unsigned)
__WARPTAPE_CHANNELS__(ushort2, 16, 2, Unsigned)
__WARPTAPE_CHANNELS__(ushort4, 16, 4, Unsigned)
__WARPTAPE_CHANNELS__(int, 32, 1, Signed)
__WARPTAPE_CHANNELS__(int1, 32, 1, Signed)
__WARPTAPE_CHANNELS__(int2, 32, 2, Signed)
__WARPTAPE_CHANNELS__(int4, 32, 4, Signed)
__WARPTAPE_CHANNELS__(unsigned int, 32, 1, Unsigned)
__WARPTAPE_CHANNELS__(uint1, 32, 1, Unsigned)
__WARPTAPE_CHANNELS__(uint2, 32, 2, Unsigned)
__WARPTAPE_CHANNELS__(uint4, 32, 4, Unsigned)
__WARPTAPE_CHANNELS__(float, 32, 1, Float)
__WARPTAPE_CHANNELS__(float1, 32, 1, Float)
__WARPTAPE_CHANNELS__(float2, 32, 2, Float)
__WARPTAPE_CHANNELS__(float4, 32, 4, Float)
static inline __WARPTAPE_HOST__ struct cudaChannelFormatDesc cudaCreateChannelDescHalf() { return __warptape_channels(16, 1, cudaChannelFormatKindFloat); }
static inline __WARPTAPE_HOST__ struct cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return __warptape_channels(16, 1, cudaChannelFormatKindFloat); }
static inline __WARPTAPE_HOST__ struct cudaChannelFormatDesc cudaCreateChannelDescHalf2() { return __warptape_channels(16, 2, cudaChannelFormatKindFloat); }
static inline __WARPTAPE_HOST__ struct cudaChannelFormatDesc cudaCreateChannelDescHalf4() { return __warptape_channels(16, 4, cudaChannelFormatKindFloat); }
#undef __WARPTAPE_CHANNELS__
#endif
#endif
