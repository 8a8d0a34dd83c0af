// SPDX-License-Identifier: Apache-2.0
// Thrust includes a file of this name and uses nothing of it: the runtime computes occupancy.
#include "cuda_runtime.h"
