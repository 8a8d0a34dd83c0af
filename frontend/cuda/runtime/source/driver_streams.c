// SPDX-License-Identifier: Apache-2.0
// What the driver API says of streams, and of the device's resources (CUDA Driver API, "Stream
// Management" and "Green Contexts").
#include "driver_result.h"

EXPORT CUresult cuStreamGetPriority(CUstream s, int *priority) { return priority ? result(cudaStreamGetPriority((cudaStream_t)s, priority)) : CUDA_ERROR_INVALID_VALUE; }
EXPORT CUresult cuStreamGetFlags(CUstream s, unsigned *flags) { return flags ? result(cudaStreamGetFlags((cudaStream_t)s, flags)) : CUDA_ERROR_INVALID_VALUE; }
EXPORT CUresult cuStreamGetId(CUstream s, unsigned long long *id) {
  if (!id) return CUDA_ERROR_INVALID_VALUE;
  *id = stream_of(s)->id;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuStreamGetCtx(CUstream s, CUcontext *c) { (void)s; return c ? cuCtxGetCurrent(c) : CUDA_ERROR_INVALID_VALUE; }
EXPORT CUresult cuStreamGetDevice(CUstream s, CUdevice *d) { (void)s; return d ? cuCtxGetDevice(d) : CUDA_ERROR_INVALID_VALUE; }
EXPORT CUresult cuStreamAddCallback(CUstream s, CUstreamCallback f, void *data, unsigned flags) { return result(cudaStreamAddCallback((cudaStream_t)s, (cudaStreamCallback_t)f, data, flags)); }
EXPORT CUresult cuStreamIsCapturing(CUstream s, CUstreamCaptureStatus *status) {
  enum cudaStreamCaptureStatus is;
  if (!status) return CUDA_ERROR_INVALID_VALUE;
  CUresult e = result(cudaStreamIsCapturing((cudaStream_t)s, &is));
  if (!e) *status = (CUstreamCaptureStatus)is;
  return e;
}

EXPORT CUresult cuDeviceGetDevResource(CUdevice d, CUdevResource *r, CUdevResourceType type) {
  if (!r || type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_VALUE;
  if (d) return CUDA_ERROR_INVALID_DEVICE;
  lock();
  int e = connected();
  memset(r, 0, sizeof *r);
  r->type = type;
  if (!e) r->sm.smCount = (unsigned)device()->property[DEVICE_MULTIPROCESSORS];
  unlock();
  return result(e);
}
