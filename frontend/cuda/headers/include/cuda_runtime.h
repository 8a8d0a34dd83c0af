// SPDX-License-Identifier: Apache-2.0
// The runtime API as C++ has it. Compilations of CUDA C++ include it before anything else.
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__
// Programs rely on these coming with the runtime.
#include <string.h>
#include <time.h>
#include "host_defines.h"
#include "vector_types.h"
#include "driver_types.h"
#include "texture_types.h"
#include "surface_types.h"
#include "cuda_runtime_api.h"
#include "vector_functions.h"
#include "channel_descriptor.h"
#ifdef __cplusplus
#ifdef __CUDA__
#include "cuda_texture_types.h"
#include "cuda_surface_types.h"
#include "warptape_host_math.h"
#endif
#include "warptape_runtime_templates.h"
#include "cuda_device_runtime_api.h"
#endif
#endif
