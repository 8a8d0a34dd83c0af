// SPDX-License-Identifier: Apache-2.0
// The part of cuBLAS's interface (release 2) that the library of frontend/cuda/blas has: vectors and matrices.
#ifndef CUBLAS_V2_H_
#define CUBLAS_V2_H_
#include "cublas_api.h"
#endif
