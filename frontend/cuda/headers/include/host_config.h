// SPDX-License-Identifier: Apache-2.0
// clang's wrapper of the CUDA headers includes a file of this name before its warp functions.
#ifndef __HOST_CONFIG_H__
#define __HOST_CONFIG_H__
#ifdef __CUDA__
// Clang's shuffles of old releases get other names, so that warptape_after.h and programs have theirs.
#define __shfl __warptape_clang_shfl
#define __shfl_up __warptape_clang_shfl_up
#define __shfl_down __warptape_clang_shfl_down
#define __shfl_xor __warptape_clang_shfl_xor
#endif
#endif
