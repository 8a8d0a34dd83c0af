// SPDX-License-Identifier: Apache-2.0
// What this file of the CUDA toolkit declares is declared in any compilation here.
#include "cuda_runtime.h"
