// SPDX-License-Identifier: Apache-2.0
// What is there of it is in cuda_bf16.h.
#include "cuda_bf16.h"
