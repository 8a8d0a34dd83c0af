// SPDX-License-Identifier: Apache-2.0
// Part of curand_kernel.h.
#include "curand_kernel.h"
