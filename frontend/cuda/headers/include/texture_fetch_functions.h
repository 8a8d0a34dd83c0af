// SPDX-License-Identifier: Apache-2.0
// Fetches by texture references.
#ifndef __TEXTURE_FETCH_FUNCTIONS_H__
#define __TEXTURE_FETCH_FUNCTIONS_H__
#if defined(__cplusplus) && __cplusplus >= 201103L
#include "cuda_texture_types.h"
template <class T> struct __warptape_normalized { typedef float4 type; };
#define __WARPTAPE_NORMALIZED__(T, R) template <> struct __warptape_normalized<T> { typedef R type; }
__WARPTAPE_NORMALIZED__(signed char, float);
__WARPTAPE_NORMALIZED__(char, float);
__WARPTAPE_NORMALIZED__(char1, float1);
__WARPTAPE_NORMALIZED__(char2, float2);
__WARPTAPE_NORMALIZED__(unsigned char, float);
__WARPTAPE_NORMALIZED__(uchar1, float1);
__WARPTAPE_NORMALIZED__(uchar2, float2);
__WARPTAPE_NORMALIZED__(short, float);
__WARPTAPE_NORMALIZED__(short1, float1);
__WARPTAPE_NORMALIZED__(short2, float2);
__WARPTAPE_NORMALIZED__(unsigned short, float);
__WARPTAPE_NORMALIZED__(ushort1, float1);
__WARPTAPE_NORMALIZED__(ushort2, float2);
#undef __WARPTAPE_NORMALIZED__
#define __WARPTAPE_FETCH__ static __inline__ __attribute__((device, always_inline))
// The handle of a reference is its object. clang's headers have no references from release 12 on.
template <class T, int D, enum cudaTextureReadMode M> __WARPTAPE_FETCH__ cudaTextureObject_t __warptape_object(texture<T, D, M> t) {
  cudaTextureObject_t o;
  asm("mov.b64 %0, %1; " : "=l"(o) : "l"(t));
  return o;
}
template <class T> __WARPTAPE_FETCH__ T tex1Dfetch(texture<T, cudaTextureType1D, cudaReadModeElementType> t, int x) { T r; __nv_tex_surf_handler("__tex1Dfetch_v2", &r, __warptape_object(t), x); return r; }
template <class T> __WARPTAPE_FETCH__ typename __warptape_normalized<T>::type tex1Dfetch(texture<T, cudaTextureType1D, cudaReadModeNormalizedFloat> t, int x) { typename __warptape_normalized<T>::type r; __nv_tex_surf_handler("__tex1Dfetch_v2", &r, __warptape_object(t), x); return r; }
template <class T> __WARPTAPE_FETCH__ T tex1D(texture<T, cudaTextureType1D, cudaReadModeElementType> t, float x) { T r; __nv_tex_surf_handler("__tex1D_v2", &r, __warptape_object(t), x); return r; }
template <class T> __WARPTAPE_FETCH__ typename __warptape_normalized<T>::type tex1D(texture<T, cudaTextureType1D, cudaReadModeNormalizedFloat> t, float x) { typename __warptape_normalized<T>::type r; __nv_tex_surf_handler("__tex1D_v2", &r, __warptape_object(t), x); return r; }
template <class T> __WARPTAPE_FETCH__ T tex2D(texture<T, cudaTextureType2D, cudaReadModeElementType> t, float x, float y) { T r; __nv_tex_surf_handler("__tex2D_v2", &r, __warptape_object(t), x, y); return r; }
template <class T> __WARPTAPE_FETCH__ typename __warptape_normalized<T>::type tex2D(texture<T, cudaTextureType2D, cudaReadModeNormalizedFloat> t, float x, float y) { typename __warptape_normalized<T>::type r; __nv_tex_surf_handler("__tex2D_v2", &r, __warptape_object(t), x, y); return r; }
template <class T> __WARPTAPE_FETCH__ T tex3D(texture<T, cudaTextureType3D, cudaReadModeElementType> t, float x, float y, float z) { T r; __nv_tex_surf_handler("__tex3D_v2", &r, __warptape_object(t), x, y, z); return r; }
template <class T> __WARPTAPE_FETCH__ typename __warptape_normalized<T>::type tex3D(texture<T, cudaTextureType3D, cudaReadModeNormalizedFloat> t, float x, float y, float z) { typename __warptape_normalized<T>::type r; __nv_tex_surf_handler("__tex3D_v2", &r, __warptape_object(t), x, y, z); return r; }
template <class T> __WARPTAPE_FETCH__ T tex1DLayered(texture<T, cudaTextureType1DLayered, cudaReadModeElementType> t, float x, int layer) { T r; __nv_tex_surf_handler("__tex1DLayered_v2", &r, __warptape_object(t), x, layer); return r; }
template <class T> __WARPTAPE_FETCH__ typename __warptape_normalized<T>::type tex1DLayered(texture<T, cudaTextureType1DLayered, cudaReadModeNormalizedFloat> t, float x, int layer) { typename __warptape_normalized<T>::type r; __nv_tex_surf_handler("__tex1DLayered_v2", &r, __warptape_object(t), x, layer); return r; }
template <class T> __WARPTAPE_FETCH__ T tex2DLayered(texture<T, cudaTextureType2DLayered, cudaReadModeElementType> t, float x, float y, int layer) { T r; __nv_tex_surf_handler("__tex2DLayered_v2", &r, __warptape_object(t), x, y, layer); return r; }
template <class T> __WARPTAPE_FETCH__ typename __warptape_normalized<T>::type tex2DLayered(texture<T, cudaTextureType2DLayered, cudaReadModeNormalizedFloat> t, float x, float y, int layer) { typename __warptape_normalized<T>::type r; __nv_tex_surf_handler("__tex2DLayered_v2", &r, __warptape_object(t), x, y, layer); return r; }
template <class T> __WARPTAPE_FETCH__ T tex1DLod(texture<T, cudaTextureType1D, cudaReadModeElementType> t, float x, float level) { T r; __nv_tex_surf_handler("__tex1DLod_v2", &r, __warptape_object(t), x, level); return r; }
template <class T> __WARPTAPE_FETCH__ typename __warptape_normalized<T>::type tex1DLod(texture<T, cudaTextureType1D, cudaReadModeNormalizedFloat> t, float x, float level) { typename __warptape_normalized<T>::type r; __nv_tex_surf_handler("__tex1DLod_v2", &r, __warptape_object(t), x, level); return r; }
template <class T> __WARPTAPE_FETCH__ T tex2DLod(texture<T, cudaTextureType2D, cudaReadModeElementType> t, float x, float y, float level) { T r; __nv_tex_surf_handler("__tex2DLod_v2", &r, __warptape_object(t), x, y, level); return r; }
template <class T> __WARPTAPE_FETCH__ typename __warptape_normalized<T>::type tex2DLod(texture<T, cudaTextureType2D, cudaReadModeNormalizedFloat> t, float x, float y, float level) { typename __warptape_normalized<T>::type r; __nv_tex_surf_handler("__tex2DLod_v2", &r, __warptape_object(t), x, y, level); return r; }
template <class T> __WARPTAPE_FETCH__ T tex3DLod(texture<T, cudaTextureType3D, cudaReadModeElementType> t, float x, float y, float z, float level) { T r; __nv_tex_surf_handler("__tex3DLod_v2", &r, __warptape_object(t), x, y, z, level); return r; }
template <class T> __WARPTAPE_FETCH__ typename __warptape_normalized<T>::type tex3DLod(texture<T, cudaTextureType3D, cudaReadModeNormalizedFloat> t, float x, float y, float z, float level) { typename __warptape_normalized<T>::type r; __nv_tex_surf_handler("__tex3DLod_v2", &r, __warptape_object(t), x, y, z, level); return r; }
#undef __WARPTAPE_FETCH__
#endif
#endif
