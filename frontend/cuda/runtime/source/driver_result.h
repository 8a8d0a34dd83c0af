// SPDX-License-Identifier: Apache-2.0
// What functions of the driver API that ask the runtime's share.
#pragma once
#include "warptape.h"
#include "cuda_runtime_api.h"
#include "cuda.h"

// result gives the driver's number of what a call of the runtime gives. It leaves the runtime's
// last error as it was: errors of the driver's calls are not the runtime's.
#define result(call) ({ int before_ = kept_error(); int error_ = (int)(call); restore_error(before_); driver_error(error_); })

// driver_error gives the driver's number of an error of the runtime: most are the same.
static inline CUresult driver_error(int e) {
  switch (e) {
  case cudaErrorInvalidConfiguration: case cudaErrorInvalidPitchValue: case cudaErrorInvalidMemcpyDirection: return CUDA_ERROR_INVALID_VALUE;
  case cudaErrorInvalidSymbol: case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_NOT_FOUND;
  case cudaErrorInvalidDevicePointer: case cudaErrorInvalidChannelDescriptor: case cudaErrorInvalidTexture: return CUDA_ERROR_INVALID_VALUE;
  }
  return (CUresult)e;
}
