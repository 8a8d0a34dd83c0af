// SPDX-License-Identifier: Apache-2.0
// Fetches by texture objects, and surfaces.
#ifndef __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__
#if defined(__cplusplus) && __cplusplus >= 201103L
#define __WARPTAPE_FETCH__ static __inline__ __attribute__((device, always_inline))
template <class T> __WARPTAPE_FETCH__ T tex1Dfetch(cudaTextureObject_t t, int x) { T r; __nv_tex_surf_handler("__itex1Dfetch", &r, t, x); return r; }
template <class T> __WARPTAPE_FETCH__ void tex1Dfetch(T *r, cudaTextureObject_t t, int x) { __nv_tex_surf_handler("__itex1Dfetch", r, t, x); }
template <class T> __WARPTAPE_FETCH__ T tex1D(cudaTextureObject_t t, float x) { T r; __nv_tex_surf_handler("__itex1D", &r, t, x); return r; }
template <class T> __WARPTAPE_FETCH__ void tex1D(T *r, cudaTextureObject_t t, float x) { __nv_tex_surf_handler("__itex1D", r, t, x); }
template <class T> __WARPTAPE_FETCH__ T tex2D(cudaTextureObject_t t, float x, float y) { T r; __nv_tex_surf_handler("__itex2D", &r, t, x, y); return r; }
template <class T> __WARPTAPE_FETCH__ void tex2D(T *r, cudaTextureObject_t t, float x, float y) { __nv_tex_surf_handler("__itex2D", r, t, x, y); }
template <class T> __WARPTAPE_FETCH__ T tex3D(cudaTextureObject_t t, float x, float y, float z) { T r; __nv_tex_surf_handler("__itex3D", &r, t, x, y, z); return r; }
template <class T> __WARPTAPE_FETCH__ void tex3D(T *r, cudaTextureObject_t t, float x, float y, float z) { __nv_tex_surf_handler("__itex3D", r, t, x, y, z); }
template <class T> __WARPTAPE_FETCH__ T tex1DLayered(cudaTextureObject_t t, float x, int layer) { T r; __nv_tex_surf_handler("__itex1DLayered", &r, t, x, layer); return r; }
template <class T> __WARPTAPE_FETCH__ void tex1DLayered(T *r, cudaTextureObject_t t, float x, int layer) { __nv_tex_surf_handler("__itex1DLayered", r, t, x, layer); }
template <class T> __WARPTAPE_FETCH__ T tex2DLayered(cudaTextureObject_t t, float x, float y, int layer) { T r; __nv_tex_surf_handler("__itex2DLayered", &r, t, x, y, layer); return r; }
template <class T> __WARPTAPE_FETCH__ void tex2DLayered(T *r, cudaTextureObject_t t, float x, float y, int layer) { __nv_tex_surf_handler("__itex2DLayered", r, t, x, y, layer); }
template <class T> __WARPTAPE_FETCH__ T tex1DLod(cudaTextureObject_t t, float x, float level) { T r; __nv_tex_surf_handler("__itex1DLod", &r, t, x, level); return r; }
template <class T> __WARPTAPE_FETCH__ void tex1DLod(T *r, cudaTextureObject_t t, float x, float level) { __nv_tex_surf_handler("__itex1DLod", r, t, x, level); }
template <class T> __WARPTAPE_FETCH__ T tex2DLod(cudaTextureObject_t t, float x, float y, float level) { T r; __nv_tex_surf_handler("__itex2DLod", &r, t, x, y, level); return r; }
template <class T> __WARPTAPE_FETCH__ void tex2DLod(T *r, cudaTextureObject_t t, float x, float y, float level) { __nv_tex_surf_handler("__itex2DLod", r, t, x, y, level); }
template <class T> __WARPTAPE_FETCH__ T tex3DLod(cudaTextureObject_t t, float x, float y, float z, float level) { T r; __nv_tex_surf_handler("__itex3DLod", &r, t, x, y, z, level); return r; }
template <class T> __WARPTAPE_FETCH__ void tex3DLod(T *r, cudaTextureObject_t t, float x, float y, float z, float level) { __nv_tex_surf_handler("__itex3DLod", r, t, x, y, z, level); }
#undef __WARPTAPE_FETCH__
#include "warptape_surfaces.h"
#endif
#endif
