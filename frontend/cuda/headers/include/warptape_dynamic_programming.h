// SPDX-License-Identifier: Apache-2.0
// Maxima and minima of three numbers, of sums, and with a zero below: functions for dynamic
// programming (CUDA C++ Programming Guide, "DPX"). Hosts have them, too.
#ifndef __WARPTAPE_DYNAMIC_PROGRAMMING_H__
#define __WARPTAPE_DYNAMIC_PROGRAMMING_H__
#define __WT_BEST__ static __inline__ __attribute__((host, device, always_inline, unused))
template <class T> __WT_BEST__ T __wt_larger(T a, T b) { return a > b ? a : b; }
template <class T> __WT_BEST__ T __wt_smaller(T a, T b) { return a < b ? a : b; }
__WT_BEST__ int __wt_sum(int a, int b) { return (int)((unsigned int)a + (unsigned int)b); } // sums wrap around
__WT_BEST__ unsigned int __wt_sum(unsigned int a, unsigned int b) { return a + b; }
__WT_BEST__ short __wt_sum(short a, short b) { return (short)(a + b); }
__WT_BEST__ unsigned short __wt_sum(unsigned short a, unsigned short b) { return (unsigned short)(a + b); }
// A word of two halves, H each.
template <class __wt_H> __WT_BEST__ __wt_H __wt_high(unsigned int a) { return (__wt_H)(a >> 16); }
template <class __wt_H> __WT_BEST__ __wt_H __wt_low(unsigned int a) { return (__wt_H)a; }
__WT_BEST__ unsigned int __wt_halves(int high, int low) { return (unsigned int)high << 16 | ((unsigned int)low & 0xffff); }

// One function for a number of type T, and its like for both halves of a word: n numbers enter.
#define __WT_BEST2__(name, T, value) \
  __WT_BEST__ T __wt_one_##name(T a, T b) { return value; }
#define __WT_BEST3__(name, T, value) \
  __WT_BEST__ T __wt_one_##name(T a, T b, T c) { return value; }
#define __WT_NAME_WHOLE2__(name, T, R) \
  __WT_BEST__ R name(R a, R b) { return __wt_one_##name(a, b); }
#define __WT_NAME_WHOLE3__(name, T, R) \
  __WT_BEST__ R name(R a, R b, R c) { return __wt_one_##name(a, b, c); }
#define __WT_NAME_HALVES2__(name, H, R) \
  __WT_BEST__ R name(R a, R b) { \
    return __wt_halves(__wt_one_##name(__wt_high<H>(a), __wt_high<H>(b)), __wt_one_##name(__wt_low<H>(a), __wt_low<H>(b))); \
  }
#define __WT_NAME_HALVES3__(name, H, R) \
  __WT_BEST__ R name(R a, R b, R c) { \
    return __wt_halves(__wt_one_##name(__wt_high<H>(a), __wt_high<H>(b), __wt_high<H>(c)), \
                       __wt_one_##name(__wt_low<H>(a), __wt_low<H>(b), __wt_low<H>(c))); \
  }
#define __WT_BESTS__(which, pick, type, T, how, R) \
  __WT_BEST3__(__vi##which##3_##type, T, pick(pick(a, b), c)) \
  __WT_NAME_##how##3__(__vi##which##3_##type, T, R) \
  __WT_BEST3__(__viadd##which##_##type, T, pick(__wt_sum(a, b), c)) \
  __WT_NAME_##how##3__(__viadd##which##_##type, T, R)
#define __WT_BESTS_ABOVE_ZERO__(which, pick, type, T, how, R) \
  __WT_BEST2__(__vi##which##_##type##_relu, T, __wt_larger(pick(a, b), (T)0)) \
  __WT_NAME_##how##2__(__vi##which##_##type##_relu, T, R) \
  __WT_BEST3__(__vi##which##3_##type##_relu, T, __wt_larger(pick(pick(a, b), c), (T)0)) \
  __WT_NAME_##how##3__(__vi##which##3_##type##_relu, T, R) \
  __WT_BEST3__(__viadd##which##_##type##_relu, T, __wt_larger(pick(__wt_sum(a, b), c), (T)0)) \
  __WT_NAME_##how##3__(__viadd##which##_##type##_relu, T, R)
// Which of the two it was: the first one also where they are equal.
#define __WT_BEST_WITH_WHICH__(which, pick, sign, type, T) \
  __WT_BEST__ T __vib##which##_##type(T a, T b, bool *first) { return *first = a sign b, pick(a, b); }
#define __WT_BEST_HALVES_WITH_WHICH__(which, pick, sign, type, H) \
  __WT_BEST__ unsigned int __vib##which##_##type(unsigned int a, unsigned int b, bool *high, bool *low) { \
    *high = __wt_high<H>(a) sign __wt_high<H>(b), *low = __wt_low<H>(a) sign __wt_low<H>(b); \
    return __wt_halves(pick(__wt_high<H>(a), __wt_high<H>(b)), pick(__wt_low<H>(a), __wt_low<H>(b))); \
  }
#define __WT_ALL_BESTS__(which, pick, sign) \
  __WT_BESTS__(which, pick, s32, int, WHOLE, int) \
  __WT_BESTS__(which, pick, u32, unsigned int, WHOLE, unsigned int) \
  __WT_BESTS__(which, pick, s16x2, short, HALVES, unsigned int) \
  __WT_BESTS__(which, pick, u16x2, unsigned short, HALVES, unsigned int) \
  __WT_BESTS_ABOVE_ZERO__(which, pick, s32, int, WHOLE, int) \
  __WT_BESTS_ABOVE_ZERO__(which, pick, s16x2, short, HALVES, unsigned int) \
  __WT_BEST_WITH_WHICH__(which, pick, sign, s32, int) \
  __WT_BEST_WITH_WHICH__(which, pick, sign, u32, unsigned int) \
  __WT_BEST_HALVES_WITH_WHICH__(which, pick, sign, s16x2, short) \
  __WT_BEST_HALVES_WITH_WHICH__(which, pick, sign, u16x2, unsigned short)
__WT_ALL_BESTS__(max, __wt_larger, >=)
__WT_ALL_BESTS__(min, __wt_smaller, <=)
#undef __WT_ALL_BESTS__
#undef __WT_BEST_HALVES_WITH_WHICH__
#undef __WT_BEST_WITH_WHICH__
#undef __WT_BESTS_ABOVE_ZERO__
#undef __WT_BESTS__
#undef __WT_NAME_HALVES3__
#undef __WT_NAME_HALVES2__
#undef __WT_NAME_WHOLE3__
#undef __WT_NAME_WHOLE2__
#undef __WT_BEST3__
#undef __WT_BEST2__
#undef __WT_BEST__
#endif
