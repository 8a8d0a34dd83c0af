// SPDX-License-Identifier: Apache-2.0
// Minimum and maximum on the device, for all pairs that CUDA C++ has, and cache hints.
#ifndef __WARPTAPE_DEVICE_MATH_H__
#define __WARPTAPE_DEVICE_MATH_H__
#define __WARPTAPE_MATH__ static __inline__ __attribute__((device, always_inline))
__WARPTAPE_MATH__ unsigned int min(int a, unsigned int b) { return (unsigned int)a < (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
__WARPTAPE_MATH__ unsigned int max(int a, unsigned int b) { return (unsigned int)a > (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
__WARPTAPE_MATH__ unsigned int min(unsigned int a, int b) { return (unsigned int)a < (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
__WARPTAPE_MATH__ unsigned int max(unsigned int a, int b) { return (unsigned int)a > (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
__WARPTAPE_MATH__ unsigned int min(unsigned int a, unsigned int b) { return (unsigned int)a < (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
__WARPTAPE_MATH__ unsigned int max(unsigned int a, unsigned int b) { return (unsigned int)a > (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
__WARPTAPE_MATH__ long min(long a, long b) { return (long)a < (long)b ? (long)a : (long)b; }
__WARPTAPE_MATH__ long max(long a, long b) { return (long)a > (long)b ? (long)a : (long)b; }
__WARPTAPE_MATH__ unsigned long min(long a, unsigned long b) { return (unsigned long)a < (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
__WARPTAPE_MATH__ unsigned long max(long a, unsigned long b) { return (unsigned long)a > (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
__WARPTAPE_MATH__ unsigned long min(unsigned long a, long b) { return (unsigned long)a < (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
__WARPTAPE_MATH__ unsigned long max(unsigned long a, long b) { return (unsigned long)a > (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
__WARPTAPE_MATH__ unsigned long min(unsigned long a, unsigned long b) { return (unsigned long)a < (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
__WARPTAPE_MATH__ unsigned long max(unsigned long a, unsigned long b) { return (unsigned long)a > (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
__WARPTAPE_MATH__ long long min(long long a, long long b) { return (long long)a < (long long)b ? (long long)a : (long long)b; }
__WARPTAPE_MATH__ long long max(long long a, long long b) { return (long long)a > (long long)b ? (long long)a : (long long)b; }
__WARPTAPE_MATH__ unsigned long long min(long long a, unsigned long long b) { return (unsigned long long)a < (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
__WARPTAPE_MATH__ unsigned long long max(long long a, unsigned long long b) { return (unsigned long long)a > (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
__WARPTAPE_MATH__ unsigned long long min(unsigned long long a, long long b) { return (unsigned long long)a < (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
__WARPTAPE_MATH__ unsigned long long max(unsigned long long a, long long b) { return (unsigned long long)a > (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
__WARPTAPE_MATH__ unsigned long long min(unsigned long long a, unsigned long long b) { return (unsigned long long)a < (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
__WARPTAPE_MATH__ unsigned long long max(unsigned long long a, unsigned long long b) { return (unsigned long long)a > (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
__WARPTAPE_MATH__ float min(float a, float b) { return __nv_fminf(a, b); }
__WARPTAPE_MATH__ float max(float a, float b) { return __nv_fmaxf(a, b); }
__WARPTAPE_MATH__ double min(float a, double b) { return __nv_fmin((double)a, (double)b); }
__WARPTAPE_MATH__ double max(float a, double b) { return __nv_fmax((double)a, (double)b); }
__WARPTAPE_MATH__ double min(double a, float b) { return __nv_fmin((double)a, (double)b); }
__WARPTAPE_MATH__ double max(double a, float b) { return __nv_fmax((double)a, (double)b); }
__WARPTAPE_MATH__ double min(double a, double b) { return __nv_fmin((double)a, (double)b); }
__WARPTAPE_MATH__ double max(double a, double b) { return __nv_fmax((double)a, (double)b); }
__WARPTAPE_MATH__ char __ldca(const char *p) { unsigned int v; asm volatile("ld.global.ca.u8 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (char)v; }
__WARPTAPE_MATH__ signed char __ldca(const signed char *p) { unsigned int v; asm volatile("ld.global.ca.u8 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (signed char)v; }
__WARPTAPE_MATH__ unsigned char __ldca(const unsigned char *p) { unsigned int v; asm volatile("ld.global.ca.u8 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned char)v; }
__WARPTAPE_MATH__ short __ldca(const short *p) { unsigned short v; asm volatile("ld.global.ca.b16 %0, [%1];" : "=h"(v) : "l"(__cvta_generic_to_global(p))); return (short)v; }
__WARPTAPE_MATH__ unsigned short __ldca(const unsigned short *p) { unsigned short v; asm volatile("ld.global.ca.b16 %0, [%1];" : "=h"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned short)v; }
__WARPTAPE_MATH__ int __ldca(const int *p) { unsigned int v; asm volatile("ld.global.ca.b32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (int)v; }
__WARPTAPE_MATH__ unsigned int __ldca(const unsigned int *p) { unsigned int v; asm volatile("ld.global.ca.b32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned int)v; }
__WARPTAPE_MATH__ long __ldca(const long *p) { unsigned long long v; asm volatile("ld.global.ca.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (long)v; }
__WARPTAPE_MATH__ unsigned long __ldca(const unsigned long *p) { unsigned long long v; asm volatile("ld.global.ca.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned long)v; }
__WARPTAPE_MATH__ long long __ldca(const long long *p) { unsigned long long v; asm volatile("ld.global.ca.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (long long)v; }
__WARPTAPE_MATH__ unsigned long long __ldca(const unsigned long long *p) { unsigned long long v; asm volatile("ld.global.ca.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned long long)v; }
__WARPTAPE_MATH__ float __ldca(const float *p) { float v; asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(__cvta_generic_to_global(p))); return (float)v; }
__WARPTAPE_MATH__ double __ldca(const double *p) { double v; asm volatile("ld.global.ca.f64 %0, [%1];" : "=d"(v) : "l"(__cvta_generic_to_global(p))); return (double)v; }
__WARPTAPE_MATH__ char __ldcg(const char *p) { unsigned int v; asm volatile("ld.global.cg.u8 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (char)v; }
__WARPTAPE_MATH__ signed char __ldcg(const signed char *p) { unsigned int v; asm volatile("ld.global.cg.u8 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (signed char)v; }
__WARPTAPE_MATH__ unsigned char __ldcg(const unsigned char *p) { unsigned int v; asm volatile("ld.global.cg.u8 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned char)v; }
__WARPTAPE_MATH__ short __ldcg(const short *p) { unsigned short v; asm volatile("ld.global.cg.b16 %0, [%1];" : "=h"(v) : "l"(__cvta_generic_to_global(p))); return (short)v; }
__WARPTAPE_MATH__ unsigned short __ldcg(const unsigned short *p) { unsigned short v; asm volatile("ld.global.cg.b16 %0, [%1];" : "=h"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned short)v; }
__WARPTAPE_MATH__ int __ldcg(const int *p) { unsigned int v; asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (int)v; }
__WARPTAPE_MATH__ unsigned int __ldcg(const unsigned int *p) { unsigned int v; asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned int)v; }
__WARPTAPE_MATH__ long __ldcg(const long *p) { unsigned long long v; asm volatile("ld.global.cg.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (long)v; }
__WARPTAPE_MATH__ unsigned long __ldcg(const unsigned long *p) { unsigned long long v; asm volatile("ld.global.cg.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned long)v; }
__WARPTAPE_MATH__ long long __ldcg(const long long *p) { unsigned long long v; asm volatile("ld.global.cg.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (long long)v; }
__WARPTAPE_MATH__ unsigned long long __ldcg(const unsigned long long *p) { unsigned long long v; asm volatile("ld.global.cg.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned long long)v; }
__WARPTAPE_MATH__ float __ldcg(const float *p) { float v; asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(__cvta_generic_to_global(p))); return (float)v; }
__WARPTAPE_MATH__ double __ldcg(const double *p) { double v; asm volatile("ld.global.cg.f64 %0, [%1];" : "=d"(v) : "l"(__cvta_generic_to_global(p))); return (double)v; }
__WARPTAPE_MATH__ char __ldcs(const char *p) { unsigned int v; asm volatile("ld.global.cs.u8 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (char)v; }
__WARPTAPE_MATH__ signed char __ldcs(const signed char *p) { unsigned int v; asm volatile("ld.global.cs.u8 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (signed char)v; }
__WARPTAPE_MATH__ unsigned char __ldcs(const unsigned char *p) { unsigned int v; asm volatile("ld.global.cs.u8 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned char)v; }
__WARPTAPE_MATH__ short __ldcs(const short *p) { unsigned short v; asm volatile("ld.global.cs.b16 %0, [%1];" : "=h"(v) : "l"(__cvta_generic_to_global(p))); return (short)v; }
__WARPTAPE_MATH__ unsigned short __ldcs(const unsigned short *p) { unsigned short v; asm volatile("ld.global.cs.b16 %0, [%1];" : "=h"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned short)v; }
__WARPTAPE_MATH__ int __ldcs(const int *p) { unsigned int v; asm volatile("ld.global.cs.b32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (int)v; }
__WARPTAPE_MATH__ unsigned int __ldcs(const unsigned int *p) { unsigned int v; asm volatile("ld.global.cs.b32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned int)v; }
__WARPTAPE_MATH__ long __ldcs(const long *p) { unsigned long long v; asm volatile("ld.global.cs.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (long)v; }
__WARPTAPE_MATH__ unsigned long __ldcs(const unsigned long *p) { unsigned long long v; asm volatile("ld.global.cs.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned long)v; }
__WARPTAPE_MATH__ long long __ldcs(const long long *p) { unsigned long long v; asm volatile("ld.global.cs.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (long long)v; }
__WARPTAPE_MATH__ unsigned long long __ldcs(const unsigned long long *p) { unsigned long long v; asm volatile("ld.global.cs.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned long long)v; }
__WARPTAPE_MATH__ float __ldcs(const float *p) { float v; asm volatile("ld.global.cs.f32 %0, [%1];" : "=f"(v) : "l"(__cvta_generic_to_global(p))); return (float)v; }
__WARPTAPE_MATH__ double __ldcs(const double *p) { double v; asm volatile("ld.global.cs.f64 %0, [%1];" : "=d"(v) : "l"(__cvta_generic_to_global(p))); return (double)v; }
__WARPTAPE_MATH__ char __ldlu(const char *p) { unsigned int v; asm volatile("ld.global.lu.u8 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (char)v; }
__WARPTAPE_MATH__ signed char __ldlu(const signed char *p) { unsigned int v; asm volatile("ld.global.lu.u8 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (signed char)v; }
__WARPTAPE_MATH__ unsigned char __ldlu(const unsigned char *p) { unsigned int v; asm volatile("ld.global.lu.u8 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned char)v; }
__WARPTAPE_MATH__ short __ldlu(const short *p) { unsigned short v; asm volatile("ld.global.lu.b16 %0, [%1];" : "=h"(v) : "l"(__cvta_generic_to_global(p))); return (short)v; }
__WARPTAPE_MATH__ unsigned short __ldlu(const unsigned short *p) { unsigned short v; asm volatile("ld.global.lu.b16 %0, [%1];" : "=h"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned short)v; }
__WARPTAPE_MATH__ int __ldlu(const int *p) { unsigned int v; asm volatile("ld.global.lu.b32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (int)v; }
__WARPTAPE_MATH__ unsigned int __ldlu(const unsigned int *p) { unsigned int v; asm volatile("ld.global.lu.b32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned int)v; }
__WARPTAPE_MATH__ long __ldlu(const long *p) { unsigned long long v; asm volatile("ld.global.lu.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (long)v; }
__WARPTAPE_MATH__ unsigned long __ldlu(const unsigned long *p) { unsigned long long v; asm volatile("ld.global.lu.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned long)v; }
__WARPTAPE_MATH__ long long __ldlu(const long long *p) { unsigned long long v; asm volatile("ld.global.lu.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (long long)v; }
__WARPTAPE_MATH__ unsigned long long __ldlu(const unsigned long long *p) { unsigned long long v; asm volatile("ld.global.lu.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned long long)v; }
__WARPTAPE_MATH__ float __ldlu(const float *p) { float v; asm volatile("ld.global.lu.f32 %0, [%1];" : "=f"(v) : "l"(__cvta_generic_to_global(p))); return (float)v; }
__WARPTAPE_MATH__ double __ldlu(const double *p) { double v; asm volatile("ld.global.lu.f64 %0, [%1];" : "=d"(v) : "l"(__cvta_generic_to_global(p))); return (double)v; }
__WARPTAPE_MATH__ char __ldcv(const char *p) { unsigned int v; asm volatile("ld.global.cv.u8 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (char)v; }
__WARPTAPE_MATH__ signed char __ldcv(const signed char *p) { unsigned int v; asm volatile("ld.global.cv.u8 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (signed char)v; }
__WARPTAPE_MATH__ unsigned char __ldcv(const unsigned char *p) { unsigned int v; asm volatile("ld.global.cv.u8 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned char)v; }
__WARPTAPE_MATH__ short __ldcv(const short *p) { unsigned short v; asm volatile("ld.global.cv.b16 %0, [%1];" : "=h"(v) : "l"(__cvta_generic_to_global(p))); return (short)v; }
__WARPTAPE_MATH__ unsigned short __ldcv(const unsigned short *p) { unsigned short v; asm volatile("ld.global.cv.b16 %0, [%1];" : "=h"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned short)v; }
__WARPTAPE_MATH__ int __ldcv(const int *p) { unsigned int v; asm volatile("ld.global.cv.b32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (int)v; }
__WARPTAPE_MATH__ unsigned int __ldcv(const unsigned int *p) { unsigned int v; asm volatile("ld.global.cv.b32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned int)v; }
__WARPTAPE_MATH__ long __ldcv(const long *p) { unsigned long long v; asm volatile("ld.global.cv.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (long)v; }
__WARPTAPE_MATH__ unsigned long __ldcv(const unsigned long *p) { unsigned long long v; asm volatile("ld.global.cv.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned long)v; }
__WARPTAPE_MATH__ long long __ldcv(const long long *p) { unsigned long long v; asm volatile("ld.global.cv.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (long long)v; }
__WARPTAPE_MATH__ unsigned long long __ldcv(const unsigned long long *p) { unsigned long long v; asm volatile("ld.global.cv.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p))); return (unsigned long long)v; }
__WARPTAPE_MATH__ float __ldcv(const float *p) { float v; asm volatile("ld.global.cv.f32 %0, [%1];" : "=f"(v) : "l"(__cvta_generic_to_global(p))); return (float)v; }
__WARPTAPE_MATH__ double __ldcv(const double *p) { double v; asm volatile("ld.global.cv.f64 %0, [%1];" : "=d"(v) : "l"(__cvta_generic_to_global(p))); return (double)v; }
__WARPTAPE_MATH__ void __stwb(int *p, int v) { asm volatile("st.global.wb.b32 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "r"(v) : "memory"); }
__WARPTAPE_MATH__ void __stwb(unsigned int *p, unsigned int v) { asm volatile("st.global.wb.b32 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "r"(v) : "memory"); }
__WARPTAPE_MATH__ void __stwb(long long *p, long long v) { asm volatile("st.global.wb.b64 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "l"(v) : "memory"); }
__WARPTAPE_MATH__ void __stwb(unsigned long long *p, unsigned long long v) { asm volatile("st.global.wb.b64 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "l"(v) : "memory"); }
__WARPTAPE_MATH__ void __stwb(float *p, float v) { asm volatile("st.global.wb.f32 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "f"(v) : "memory"); }
__WARPTAPE_MATH__ void __stwb(double *p, double v) { asm volatile("st.global.wb.f64 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "d"(v) : "memory"); }
__WARPTAPE_MATH__ void __stcg(int *p, int v) { asm volatile("st.global.cg.b32 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "r"(v) : "memory"); }
__WARPTAPE_MATH__ void __stcg(unsigned int *p, unsigned int v) { asm volatile("st.global.cg.b32 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "r"(v) : "memory"); }
__WARPTAPE_MATH__ void __stcg(long long *p, long long v) { asm volatile("st.global.cg.b64 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "l"(v) : "memory"); }
__WARPTAPE_MATH__ void __stcg(unsigned long long *p, unsigned long long v) { asm volatile("st.global.cg.b64 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "l"(v) : "memory"); }
__WARPTAPE_MATH__ void __stcg(float *p, float v) { asm volatile("st.global.cg.f32 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "f"(v) : "memory"); }
__WARPTAPE_MATH__ void __stcg(double *p, double v) { asm volatile("st.global.cg.f64 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "d"(v) : "memory"); }
__WARPTAPE_MATH__ void __stcs(int *p, int v) { asm volatile("st.global.cs.b32 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "r"(v) : "memory"); }
__WARPTAPE_MATH__ void __stcs(unsigned int *p, unsigned int v) { asm volatile("st.global.cs.b32 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "r"(v) : "memory"); }
__WARPTAPE_MATH__ void __stcs(long long *p, long long v) { asm volatile("st.global.cs.b64 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "l"(v) : "memory"); }
__WARPTAPE_MATH__ void __stcs(unsigned long long *p, unsigned long long v) { asm volatile("st.global.cs.b64 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "l"(v) : "memory"); }
__WARPTAPE_MATH__ void __stcs(float *p, float v) { asm volatile("st.global.cs.f32 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "f"(v) : "memory"); }
__WARPTAPE_MATH__ void __stcs(double *p, double v) { asm volatile("st.global.cs.f64 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "d"(v) : "memory"); }
__WARPTAPE_MATH__ void __stwt(int *p, int v) { asm volatile("st.global.wt.b32 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "r"(v) : "memory"); }
__WARPTAPE_MATH__ void __stwt(unsigned int *p, unsigned int v) { asm volatile("st.global.wt.b32 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "r"(v) : "memory"); }
__WARPTAPE_MATH__ void __stwt(long long *p, long long v) { asm volatile("st.global.wt.b64 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "l"(v) : "memory"); }
__WARPTAPE_MATH__ void __stwt(unsigned long long *p, unsigned long long v) { asm volatile("st.global.wt.b64 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "l"(v) : "memory"); }
__WARPTAPE_MATH__ void __stwt(float *p, float v) { asm volatile("st.global.wt.f32 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "f"(v) : "memory"); }
__WARPTAPE_MATH__ void __stwt(double *p, double v) { asm volatile("st.global.wt.f64 [%0], %1;" :: "l"(__cvta_generic_to_global(p)), "d"(v) : "memory"); }
__WARPTAPE_MATH__ void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" :: "r"(ns)); }
__WARPTAPE_MATH__ int __dp4a(int a, int b, int c) { int d; asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); return d; }
__WARPTAPE_MATH__ unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) { unsigned int d; asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); return d; }
#undef __WARPTAPE_MATH__
// Overloads for single precision that clang's headers declare in the global namespace, and
// that CUDA's define.
#define __WT_OVERLOAD__(T, name) static __inline__ __attribute__((device)) T name(float a) { return name##f(a); }
#define __WT_OVERLOAD2__(T, name, U) static __inline__ __attribute__((device)) T name(float a, U b) { return name##f(a, b); }
__WT_OVERLOAD__(float, erf)
__WT_OVERLOAD__(float, erfc)
__WT_OVERLOAD__(float, cbrt)
__WT_OVERLOAD__(float, exp2)
__WT_OVERLOAD__(float, log2)
__WT_OVERLOAD__(float, logb)
__WT_OVERLOAD__(float, rint)
__WT_OVERLOAD__(float, acosh)
__WT_OVERLOAD__(float, asinh)
__WT_OVERLOAD__(float, atanh)
__WT_OVERLOAD__(float, expm1)
__WT_OVERLOAD__(float, log1p)
__WT_OVERLOAD__(float, round)
__WT_OVERLOAD__(float, trunc)
__WT_OVERLOAD__(float, lgamma)
__WT_OVERLOAD__(float, tgamma)
__WT_OVERLOAD__(float, nearbyint)
__WT_OVERLOAD__(int, ilogb)
__WT_OVERLOAD__(long, lrint)
__WT_OVERLOAD__(long, lround)
__WT_OVERLOAD__(long long, llrint)
__WT_OVERLOAD__(long long, llround)
__WT_OVERLOAD2__(float, fdim, float)
__WT_OVERLOAD2__(float, fmax, float)
__WT_OVERLOAD2__(float, fmin, float)
__WT_OVERLOAD2__(float, hypot, float)
__WT_OVERLOAD2__(float, copysign, float)
__WT_OVERLOAD2__(float, nextafter, float)
__WT_OVERLOAD2__(float, remainder, float)
__WT_OVERLOAD2__(float, scalbn, int)
__WT_OVERLOAD2__(float, scalbln, long)
static __inline__ __attribute__((device)) float fma(float a, float b, float c) { return fmaf(a, b, c); }
static __inline__ __attribute__((device)) float remquo(float a, float b, int *quotient) { return remquof(a, b, quotient); }
static __inline__ __attribute__((device)) double nan(const char *) { return __builtin_nan(""); }
static __inline__ __attribute__((device)) float nanf(const char *) { return __builtin_nanf(""); }
#undef __WT_OVERLOAD__
#undef __WT_OVERLOAD2__
#endif
