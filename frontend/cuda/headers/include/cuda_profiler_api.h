// SPDX-License-Identifier: Apache-2.0
// The profiler's calls are declared with the runtime.
#include "cuda_runtime_api.h"
