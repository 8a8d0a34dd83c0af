// SPDX-License-Identifier: Apache-2.0
// Attributes of streams (CUDA Runtime API, "Stream Management"): hints, which are taken and given
// back. A recording does not have them, and a replay's caches do not follow them (D229).
#include "warptape.h"
#include "cuda_runtime_api.h"

EXPORT cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID a, const cudaStreamAttrValue *v) {
  struct CUstream_st *s = stream_of(handle);
  if (!v) return done(cudaErrorInvalidValue);
  switch ((int)a) {
  case cudaStreamAttributeAccessPolicyWindow: {
    const struct cudaAccessPolicyWindow *w = &v->accessPolicyWindow;
    bool good = w->hitRatio >= 0 && w->hitRatio <= 1 && w->hitProp <= cudaAccessPropertyPersisting && w->missProp <= cudaAccessPropertyStreaming;
    if (!good) return done(cudaErrorInvalidValue);
    if (w->num_bytes) name_missing("the access policy window of a stream", "it is taken without effect, and the caches of a replay do not follow it", __builtin_return_address(0));
    s->window.base = w->base_ptr;
    s->window.bytes = w->num_bytes;
    s->window.ratio = w->hitRatio;
    s->window.hit = (int)w->hitProp;
    s->window.miss = (int)w->missProp;
    return 0;
  }
  case cudaStreamAttributeSynchronizationPolicy:
    if (v->syncPolicy < cudaSyncPolicyAuto || v->syncPolicy > cudaSyncPolicyBlockingSync) return done(cudaErrorInvalidValue);
    s->sync = (int)v->syncPolicy;
    return 0;
  }
  return done(cudaErrorInvalidValue);
}

EXPORT cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID a, cudaStreamAttrValue *v) {
  struct CUstream_st *s = stream_of(handle);
  if (!v) return done(cudaErrorInvalidValue);
  switch ((int)a) {
  case cudaStreamAttributeAccessPolicyWindow:
    v->accessPolicyWindow = (struct cudaAccessPolicyWindow){s->window.base, s->window.bytes, s->window.ratio, (enum cudaAccessProperty)s->window.hit, (enum cudaAccessProperty)s->window.miss};
    return 0;
  case cudaStreamAttributeSynchronizationPolicy:
    v->syncPolicy = s->sync ? (enum cudaSynchronizationPolicy)s->sync : cudaSyncPolicyAuto;
    return 0;
  }
  return done(cudaErrorInvalidValue);
}

EXPORT cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  struct CUstream_st *t = stream_of(to), *f = stream_of(from);
  t->window = f->window;
  t->sync = f->sync;
  return 0;
}

EXPORT cudaError_t cudaCtxResetPersistingL2Cache(void) { return 0; }
