// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces of the driver API, over those of the runtime API.
#include "driver_result.h"

// desc_of is what the runtime calls a format; all zeros if there is no such.
static struct cudaChannelFormatDesc desc_of(CUarray_format f, unsigned channels) {
  int bits = 0;
  enum cudaChannelFormatKind kind = cudaChannelFormatKindUnsigned;
  switch ((int)f) {
  case CU_AD_FORMAT_UNSIGNED_INT8: bits = 8; break;
  case CU_AD_FORMAT_UNSIGNED_INT16: bits = 16; break;
  case CU_AD_FORMAT_UNSIGNED_INT32: bits = 32; break;
  case CU_AD_FORMAT_SIGNED_INT8: bits = 8; kind = cudaChannelFormatKindSigned; break;
  case CU_AD_FORMAT_SIGNED_INT16: bits = 16; kind = cudaChannelFormatKindSigned; break;
  case CU_AD_FORMAT_SIGNED_INT32: bits = 32; kind = cudaChannelFormatKindSigned; break;
  case CU_AD_FORMAT_HALF: bits = 16; kind = cudaChannelFormatKindFloat; break;
  case CU_AD_FORMAT_FLOAT: bits = 32; kind = cudaChannelFormatKindFloat; break;
  }
  if (channels != 1 && channels != 2 && channels != 4) bits = 0;
  return cudaCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, kind);
}

EXPORT CUresult cuArray3DCreate_v2(CUarray *a, const CUDA_ARRAY3D_DESCRIPTOR *d) {
  if (!a || !d) return CUDA_ERROR_INVALID_VALUE;
  struct cudaChannelFormatDesc desc = desc_of(d->Format, d->NumChannels);
  return result(cudaMalloc3DArray((cudaArray_t *)a, &desc, (struct cudaExtent){d->Width, d->Height, d->Depth}, d->Flags));
}
EXPORT CUresult cuArrayCreate_v2(CUarray *a, const CUDA_ARRAY_DESCRIPTOR *d) {
  if (!d) return CUDA_ERROR_INVALID_VALUE;
  CUDA_ARRAY3D_DESCRIPTOR whole = {.Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels};
  return cuArray3DCreate_v2(a, &whole);
}
EXPORT CUresult cuArrayDestroy(CUarray a) { return a ? result(cudaFreeArray((cudaArray_t)a)) : CUDA_ERROR_INVALID_HANDLE; }

// texel is the size of an array's texels, 1 of memory that is none.
static uint64_t texel(CUmemorytype type, CUarray a) {
  struct cudaChannelFormatDesc d;
  if (type != CU_MEMORYTYPE_ARRAY || result(cudaGetChannelDesc(&d, (cudaArray_t)a))) return 1;
  return (uint64_t)(d.x + d.y + d.z + d.w) / 8;
}

// copy is a copy of the runtime, by which the units of arrays are elements.
static CUresult copy(const CUDA_MEMCPY3D *c, bool waits, CUstream stream) {
  if (!c || (c->srcMemoryType == CU_MEMORYTYPE_ARRAY && !c->srcArray) || (c->dstMemoryType == CU_MEMORYTYPE_ARRAY && !c->dstArray)) return CUDA_ERROR_INVALID_VALUE;
  uint64_t from = texel(c->srcMemoryType, c->srcArray), to = texel(c->dstMemoryType, c->dstArray), unit = from > to ? from : to;
  if (c->WidthInBytes % unit || c->srcXInBytes % from || c->dstXInBytes % to) return CUDA_ERROR_INVALID_VALUE;
  struct cudaMemcpy3DParms p = {.extent = {c->WidthInBytes / unit, c->Height, c->Depth}, .kind = cudaMemcpyDefault,
    .srcPos = {c->srcXInBytes / from, c->srcY, c->srcZ}, .dstPos = {c->dstXInBytes / to, c->dstY, c->dstZ}};
  uint64_t rows = c->srcHeight ? c->srcHeight : c->Height;
  switch (c->srcMemoryType) {
  case CU_MEMORYTYPE_ARRAY: p.srcArray = (cudaArray_t)c->srcArray; break;
  default: {
    void *at = c->srcMemoryType == CU_MEMORYTYPE_HOST ? (void *)c->srcHost : (void *)c->srcDevice;
    p.srcPtr = (struct cudaPitchedPtr){at, c->srcPitch ? c->srcPitch : c->WidthInBytes, c->WidthInBytes, rows};
  }
  }
  rows = c->dstHeight ? c->dstHeight : c->Height;
  switch (c->dstMemoryType) {
  case CU_MEMORYTYPE_ARRAY: p.dstArray = (cudaArray_t)c->dstArray; break;
  default: {
    void *at = c->dstMemoryType == CU_MEMORYTYPE_HOST ? c->dstHost : (void *)c->dstDevice;
    p.dstPtr = (struct cudaPitchedPtr){at, c->dstPitch ? c->dstPitch : c->WidthInBytes, c->WidthInBytes, rows};
  }
  }
  if (c->srcMemoryType == CU_MEMORYTYPE_HOST) p.kind = cudaMemcpyHostToDevice;
  if (c->dstMemoryType == CU_MEMORYTYPE_HOST) p.kind = c->srcMemoryType == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
  return result(waits ? cudaMemcpy3D(&p) : cudaMemcpy3DAsync(&p, (cudaStream_t)stream));
}
EXPORT CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *c) { return copy(c, true, NULL); }
EXPORT CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream s) { return copy(c, false, s); }

// flat gives a copy of rows as one of a single slice.
static CUDA_MEMCPY3D flat(const CUDA_MEMCPY2D *c) {
  return (CUDA_MEMCPY3D){.srcXInBytes = c->srcXInBytes, .srcY = c->srcY, .srcMemoryType = c->srcMemoryType, .srcHost = c->srcHost, .srcDevice = c->srcDevice,
    .srcArray = c->srcArray, .srcPitch = c->srcPitch, .dstXInBytes = c->dstXInBytes, .dstY = c->dstY, .dstMemoryType = c->dstMemoryType, .dstHost = c->dstHost,
    .dstDevice = c->dstDevice, .dstArray = c->dstArray, .dstPitch = c->dstPitch, .WidthInBytes = c->WidthInBytes, .Height = c->Height, .Depth = 1};
}
static CUresult copy_rows(const CUDA_MEMCPY2D *c, bool waits, CUstream stream) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  CUDA_MEMCPY3D whole = flat(c);
  return copy(&whole, waits, stream);
}
EXPORT CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c) { return copy_rows(c, true, NULL); }
EXPORT CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *c) { return copy_rows(c, true, NULL); }
EXPORT CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream s) { return copy_rows(c, false, s); }

// resource_of gives the runtime's description of what a texture or surface is made of.
static CUresult resource_of(const CUDA_RESOURCE_DESC *r, struct cudaResourceDesc *to) {
  *to = (struct cudaResourceDesc){0};
  switch (r->resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    to->resType = cudaResourceTypeArray;
    to->res.array.array = (cudaArray_t)r->res.array.hArray;
    return to->res.array.array ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  case CU_RESOURCE_TYPE_LINEAR:
    to->resType = cudaResourceTypeLinear;
    to->res.linear.devPtr = (void *)r->res.linear.devPtr;
    to->res.linear.desc = desc_of(r->res.linear.format, r->res.linear.numChannels);
    to->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
    return CUDA_SUCCESS;
  case CU_RESOURCE_TYPE_PITCH2D:
    to->resType = cudaResourceTypePitch2D;
    to->res.pitch2D.devPtr = (void *)r->res.pitch2D.devPtr;
    to->res.pitch2D.desc = desc_of(r->res.pitch2D.format, r->res.pitch2D.numChannels);
    to->res.pitch2D.width = r->res.pitch2D.width;
    to->res.pitch2D.height = r->res.pitch2D.height;
    to->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
    return CUDA_SUCCESS;
  default: return CUDA_ERROR_NOT_SUPPORTED;
  }
}

EXPORT CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *d, const CUDA_RESOURCE_VIEW_DESC *view) {
  if (!texture || !r || !d) return CUDA_ERROR_INVALID_VALUE;
  if (view) return CUDA_ERROR_NOT_SUPPORTED;
  struct cudaResourceDesc resource;
  CUresult e = resource_of(r, &resource);
  if (e) return e;
  struct cudaTextureDesc t = {
    .addressMode = {(enum cudaTextureAddressMode)d->addressMode[0], (enum cudaTextureAddressMode)d->addressMode[1], (enum cudaTextureAddressMode)d->addressMode[2]},
    .filterMode = (enum cudaTextureFilterMode)d->filterMode,
    .readMode = d->flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat,
    .sRGB = (d->flags & CU_TRSF_SRGB) != 0,
    .borderColor = {d->borderColor[0], d->borderColor[1], d->borderColor[2], d->borderColor[3]},
    .normalizedCoords = (d->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0};
  cudaTextureObject_t made = 0;
  e = result(cudaCreateTextureObject(&made, &resource, &t, NULL));
  if (!e) *texture = made;
  return e;
}
EXPORT CUresult cuTexObjectDestroy(CUtexObject t) { return result(cudaDestroyTextureObject(t)); }
EXPORT CUresult cuSurfObjectCreate(CUsurfObject *surface, const CUDA_RESOURCE_DESC *r) {
  if (!surface || !r) return CUDA_ERROR_INVALID_VALUE;
  struct cudaResourceDesc resource;
  CUresult e = resource_of(r, &resource);
  cudaSurfaceObject_t made = 0;
  if (!e) e = result(cudaCreateSurfaceObject(&made, &resource));
  if (!e) *surface = made;
  return e;
}
EXPORT CUresult cuSurfObjectDestroy(CUsurfObject s) { return result(cudaDestroySurfaceObject(s)); }
