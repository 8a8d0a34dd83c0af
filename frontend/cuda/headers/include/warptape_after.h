// SPDX-License-Identifier: Apache-2.0
// What follows clang's wrapper in every compilation of CUDA C++: warp functions of old
// releases, in which the active lanes take part.
#ifndef __WARPTAPE_AFTER_H__
#define __WARPTAPE_AFTER_H__
#ifndef __WARPTAPE_MATHEMATICS_CALLS__
#include "warptape_math.h"
#endif
#include "warptape_device_math.h"
#define __shfl(...) __shfl_sync(__activemask(), __VA_ARGS__)
#define __shfl_up(...) __shfl_up_sync(__activemask(), __VA_ARGS__)
#define __shfl_down(...) __shfl_down_sync(__activemask(), __VA_ARGS__)
#define __shfl_xor(...) __shfl_xor_sync(__activemask(), __VA_ARGS__)
#endif
