// SPDX-License-Identifier: Apache-2.0
// Atomic functions, over those that clang declares.
#ifndef __DEVICE_ATOMIC_FUNCTIONS_HPP__
#define __DEVICE_ATOMIC_FUNCTIONS_HPP__
#define __WARPTAPE_ATOMIC__ static __inline__ __attribute__((device, always_inline))
__WARPTAPE_ATOMIC__ int atomicAdd(int *p, int v) { return __iAtomicAdd(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicAdd(unsigned int *p, unsigned int v) { return __uAtomicAdd(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicAdd(unsigned long long *p, unsigned long long v) { return __ullAtomicAdd(p, v); }
__WARPTAPE_ATOMIC__ float atomicAdd(float *p, float v) { return __fAtomicAdd(p, v); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
__WARPTAPE_ATOMIC__ double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
#endif
__WARPTAPE_ATOMIC__ int atomicSub(int *p, int v) { return __iAtomicAdd(p, (int)(0u - (unsigned int)v)); }
__WARPTAPE_ATOMIC__ unsigned int atomicSub(unsigned int *p, unsigned int v) { return __uAtomicAdd(p, 0u - v); }
__WARPTAPE_ATOMIC__ int atomicExch(int *p, int v) { return __iAtomicExch(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicExch(unsigned int *p, unsigned int v) { return __uAtomicExch(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicExch(unsigned long long *p, unsigned long long v) { return __ullAtomicExch(p, v); }
__WARPTAPE_ATOMIC__ float atomicExch(float *p, float v) { return __fAtomicExch(p, v); }
__WARPTAPE_ATOMIC__ int atomicMin(int *p, int v) { return __iAtomicMin(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicMin(unsigned int *p, unsigned int v) { return __uAtomicMin(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicMin(unsigned long long *p, unsigned long long v) { return __ullAtomicMin(p, v); }
__WARPTAPE_ATOMIC__ long long atomicMin(long long *p, long long v) { return __illAtomicMin(p, v); }
__WARPTAPE_ATOMIC__ int atomicMax(int *p, int v) { return __iAtomicMax(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicMax(unsigned int *p, unsigned int v) { return __uAtomicMax(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicMax(unsigned long long *p, unsigned long long v) { return __ullAtomicMax(p, v); }
__WARPTAPE_ATOMIC__ long long atomicMax(long long *p, long long v) { return __illAtomicMax(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicInc(unsigned int *p, unsigned int v) { return __uAtomicInc(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicDec(unsigned int *p, unsigned int v) { return __uAtomicDec(p, v); }
__WARPTAPE_ATOMIC__ int atomicAnd(int *p, int v) { return __iAtomicAnd(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicAnd(unsigned int *p, unsigned int v) { return __uAtomicAnd(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicAnd(unsigned long long *p, unsigned long long v) { return __ullAtomicAnd(p, v); }
__WARPTAPE_ATOMIC__ int atomicOr(int *p, int v) { return __iAtomicOr(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicOr(unsigned int *p, unsigned int v) { return __uAtomicOr(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicOr(unsigned long long *p, unsigned long long v) { return __ullAtomicOr(p, v); }
__WARPTAPE_ATOMIC__ int atomicXor(int *p, int v) { return __iAtomicXor(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicXor(unsigned int *p, unsigned int v) { return __uAtomicXor(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicXor(unsigned long long *p, unsigned long long v) { return __ullAtomicXor(p, v); }
__WARPTAPE_ATOMIC__ int atomicCAS(int *p, int compare, int v) { return __iAtomicCAS(p, compare, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicCAS(unsigned int *p, unsigned int compare, unsigned int v) { return __uAtomicCAS(p, compare, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicCAS(unsigned long long *p, unsigned long long compare, unsigned long long v) { return __ullAtomicCAS(p, compare, v); }
__WARPTAPE_ATOMIC__ int atomicAdd_block(int *p, int v) { return __iAtomicAdd_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicAdd_block(unsigned int *p, unsigned int v) { return __uAtomicAdd_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicAdd_block(unsigned long long *p, unsigned long long v) { return __ullAtomicAdd_block(p, v); }
__WARPTAPE_ATOMIC__ float atomicAdd_block(float *p, float v) { return __fAtomicAdd_block(p, v); }
#if 1
__WARPTAPE_ATOMIC__ double atomicAdd_block(double *p, double v) { return __dAtomicAdd_block(p, v); }
#endif
__WARPTAPE_ATOMIC__ int atomicSub_block(int *p, int v) { return __iAtomicAdd_block(p, (int)(0u - (unsigned int)v)); }
__WARPTAPE_ATOMIC__ unsigned int atomicSub_block(unsigned int *p, unsigned int v) { return __uAtomicAdd_block(p, 0u - v); }
__WARPTAPE_ATOMIC__ int atomicExch_block(int *p, int v) { return __iAtomicExch_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicExch_block(unsigned int *p, unsigned int v) { return __uAtomicExch_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicExch_block(unsigned long long *p, unsigned long long v) { return __ullAtomicExch_block(p, v); }
__WARPTAPE_ATOMIC__ float atomicExch_block(float *p, float v) { return __fAtomicExch_block(p, v); }
__WARPTAPE_ATOMIC__ int atomicMin_block(int *p, int v) { return __iAtomicMin_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicMin_block(unsigned int *p, unsigned int v) { return __uAtomicMin_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicMin_block(unsigned long long *p, unsigned long long v) { return __ullAtomicMin_block(p, v); }
__WARPTAPE_ATOMIC__ long long atomicMin_block(long long *p, long long v) { return __illAtomicMin_block(p, v); }
__WARPTAPE_ATOMIC__ int atomicMax_block(int *p, int v) { return __iAtomicMax_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicMax_block(unsigned int *p, unsigned int v) { return __uAtomicMax_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicMax_block(unsigned long long *p, unsigned long long v) { return __ullAtomicMax_block(p, v); }
__WARPTAPE_ATOMIC__ long long atomicMax_block(long long *p, long long v) { return __illAtomicMax_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicInc_block(unsigned int *p, unsigned int v) { return __uAtomicInc_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicDec_block(unsigned int *p, unsigned int v) { return __uAtomicDec_block(p, v); }
__WARPTAPE_ATOMIC__ int atomicAnd_block(int *p, int v) { return __iAtomicAnd_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicAnd_block(unsigned int *p, unsigned int v) { return __uAtomicAnd_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicAnd_block(unsigned long long *p, unsigned long long v) { return __ullAtomicAnd_block(p, v); }
__WARPTAPE_ATOMIC__ int atomicOr_block(int *p, int v) { return __iAtomicOr_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicOr_block(unsigned int *p, unsigned int v) { return __uAtomicOr_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicOr_block(unsigned long long *p, unsigned long long v) { return __ullAtomicOr_block(p, v); }
__WARPTAPE_ATOMIC__ int atomicXor_block(int *p, int v) { return __iAtomicXor_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicXor_block(unsigned int *p, unsigned int v) { return __uAtomicXor_block(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicXor_block(unsigned long long *p, unsigned long long v) { return __ullAtomicXor_block(p, v); }
__WARPTAPE_ATOMIC__ int atomicCAS_block(int *p, int compare, int v) { return __iAtomicCAS_block(p, compare, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicCAS_block(unsigned int *p, unsigned int compare, unsigned int v) { return __uAtomicCAS_block(p, compare, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicCAS_block(unsigned long long *p, unsigned long long compare, unsigned long long v) { return __ullAtomicCAS_block(p, compare, v); }
__WARPTAPE_ATOMIC__ int atomicAdd_system(int *p, int v) { return __iAtomicAdd_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicAdd_system(unsigned int *p, unsigned int v) { return __uAtomicAdd_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicAdd_system(unsigned long long *p, unsigned long long v) { return __ullAtomicAdd_system(p, v); }
__WARPTAPE_ATOMIC__ float atomicAdd_system(float *p, float v) { return __fAtomicAdd_system(p, v); }
#if 1
__WARPTAPE_ATOMIC__ double atomicAdd_system(double *p, double v) { return __dAtomicAdd_system(p, v); }
#endif
__WARPTAPE_ATOMIC__ int atomicSub_system(int *p, int v) { return __iAtomicAdd_system(p, (int)(0u - (unsigned int)v)); }
__WARPTAPE_ATOMIC__ unsigned int atomicSub_system(unsigned int *p, unsigned int v) { return __uAtomicAdd_system(p, 0u - v); }
__WARPTAPE_ATOMIC__ int atomicExch_system(int *p, int v) { return __iAtomicExch_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicExch_system(unsigned int *p, unsigned int v) { return __uAtomicExch_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicExch_system(unsigned long long *p, unsigned long long v) { return __ullAtomicExch_system(p, v); }
__WARPTAPE_ATOMIC__ float atomicExch_system(float *p, float v) { return __fAtomicExch_system(p, v); }
__WARPTAPE_ATOMIC__ int atomicMin_system(int *p, int v) { return __iAtomicMin_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicMin_system(unsigned int *p, unsigned int v) { return __uAtomicMin_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicMin_system(unsigned long long *p, unsigned long long v) { return __ullAtomicMin_system(p, v); }
__WARPTAPE_ATOMIC__ long long atomicMin_system(long long *p, long long v) { return __illAtomicMin_system(p, v); }
__WARPTAPE_ATOMIC__ int atomicMax_system(int *p, int v) { return __iAtomicMax_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicMax_system(unsigned int *p, unsigned int v) { return __uAtomicMax_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicMax_system(unsigned long long *p, unsigned long long v) { return __ullAtomicMax_system(p, v); }
__WARPTAPE_ATOMIC__ long long atomicMax_system(long long *p, long long v) { return __illAtomicMax_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicInc_system(unsigned int *p, unsigned int v) { return __uAtomicInc_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicDec_system(unsigned int *p, unsigned int v) { return __uAtomicDec_system(p, v); }
__WARPTAPE_ATOMIC__ int atomicAnd_system(int *p, int v) { return __iAtomicAnd_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicAnd_system(unsigned int *p, unsigned int v) { return __uAtomicAnd_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicAnd_system(unsigned long long *p, unsigned long long v) { return __ullAtomicAnd_system(p, v); }
__WARPTAPE_ATOMIC__ int atomicOr_system(int *p, int v) { return __iAtomicOr_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicOr_system(unsigned int *p, unsigned int v) { return __uAtomicOr_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicOr_system(unsigned long long *p, unsigned long long v) { return __ullAtomicOr_system(p, v); }
__WARPTAPE_ATOMIC__ int atomicXor_system(int *p, int v) { return __iAtomicXor_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicXor_system(unsigned int *p, unsigned int v) { return __uAtomicXor_system(p, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicXor_system(unsigned long long *p, unsigned long long v) { return __ullAtomicXor_system(p, v); }
__WARPTAPE_ATOMIC__ int atomicCAS_system(int *p, int compare, int v) { return __iAtomicCAS_system(p, compare, v); }
__WARPTAPE_ATOMIC__ unsigned int atomicCAS_system(unsigned int *p, unsigned int compare, unsigned int v) { return __uAtomicCAS_system(p, compare, v); }
__WARPTAPE_ATOMIC__ unsigned long long atomicCAS_system(unsigned long long *p, unsigned long long compare, unsigned long long v) { return __ullAtomicCAS_system(p, compare, v); }
#undef __WARPTAPE_ATOMIC__
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700 // 16 bits (PTX ISA 9.7.13.5, .b16)
#define __WARPTAPE_SWAP_SHORT__(name, scope)                                                                                              \
  static __inline__ __attribute__((device, always_inline)) unsigned short name(unsigned short *p, unsigned short compare, unsigned short v) { \
    unsigned short old;                                                                                                                   \
    asm volatile("atom.cas." scope "b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p), "h"(compare), "h"(v) : "memory");                        \
    return old;                                                                                                                           \
  }
__WARPTAPE_SWAP_SHORT__(atomicCAS, "")
__WARPTAPE_SWAP_SHORT__(atomicCAS_block, "cta.")
__WARPTAPE_SWAP_SHORT__(atomicCAS_system, "sys.")
#undef __WARPTAPE_SWAP_SHORT__
#endif
#endif
