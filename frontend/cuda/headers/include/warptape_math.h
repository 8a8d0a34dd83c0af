// SPDX-License-Identifier: Apache-2.0
// The device mathematics: definitions of the __nv_* functions that clang's wrapper calls, so
// that a kernel has the instructions that a GPU runs. Accuracy is that of the CUDA C++
// Programming Guide's table of the largest errors. Bessel functions stay calls.
#if !defined(__WARPTAPE_MATH_H__) && defined(__CUDA_ARCH__)
#define __WARPTAPE_MATH_H__
#include "warptape_math_core.h"
#include "warptape_math_polynomials.h"
#include "warptape_math_trigonometry.h"
#include "warptape_math_exponential.h"
#include "warptape_math_error.h"
#include "warptape_math_root.h"
#include "warptape_math_double.h"
#include "warptape_math_special.h"
#include "warptape_math_integer.h"
#endif
