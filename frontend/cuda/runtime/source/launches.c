// SPDX-License-Identifier: Apache-2.0
// Launches with attributes (CUDA Runtime API, "cudaLaunchKernelExC"; CUDA Driver API, "cuLaunchKernelEx").
// The attributes of both have the same numbers and values.
#include "warptape.h"
#include "cuda_runtime_api.h"
#include "cuda.h"

CUresult launch_function(CUfunction f, const struct launch *s, void *stream, void **parameters, void **extra);

// attributes are what a launch asks for besides its shape.
struct attributes {
  struct CUevent_st *events[2]; // recorded behind the launch
  size_t event_count;
};

static int take_attribute(const cudaLaunchAttribute *a, struct launch *s, struct attributes *of, void *place) {
  switch ((int)a->id) {
  case cudaLaunchAttributeIgnore: return 0;
  case cudaLaunchAttributeCooperative: s->cooperative = a->val.cooperative != 0; return 0;
  case cudaLaunchAttributeClusterDimension:
    s->cluster = (struct extent){a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z};
    return s->cluster.x && s->cluster.y && s->cluster.z ? 0 : cudaErrorInvalidClusterSize;
  case cudaLaunchAttributeAccessPolicyWindow:
    if (a->val.accessPolicyWindow.num_bytes) name_missing("the access policy window of a launch", "it is taken without effect, and the caches of a replay do not follow it", place);
    return 0;
  // An event that may be recorded while the kernel runs is recorded behind it, which its rules allow.
  case cudaLaunchAttributeProgrammaticEvent:
  case cudaLaunchAttributeLaunchCompletionEvent: {
    struct CUevent_st *e = a->id == cudaLaunchAttributeProgrammaticEvent ? a->val.programmaticEvent.event : a->val.launchCompletionEvent.event;
    if (!e || of->event_count == 2) return cudaErrorInvalidValue;
    of->events[of->event_count++] = e;
    return 0;
  }
  // Kernels do not overlap here, and all have the same caches, priority and domain of memory.
  case cudaLaunchAttributeSynchronizationPolicy: case cudaLaunchAttributeClusterSchedulingPolicyPreference:
  case cudaLaunchAttributeProgrammaticStreamSerialization: case cudaLaunchAttributePriority: case cudaLaunchAttributeMemSyncDomainMap:
  case cudaLaunchAttributeMemSyncDomain: case cudaLaunchAttributePreferredClusterDimension: case cudaLaunchAttributePreferredSharedMemoryCarveout: return 0;
  case cudaLaunchAttributeDeviceUpdatableKernelNode: return unsupported("a kernel node that the device updates", "update the node by cudaGraphExecKernelNodeSetParams", place);
  }
  return cudaErrorInvalidValue;
}

static int take_attributes(const cudaLaunchAttribute *list, unsigned n, struct launch *s, struct attributes *of, void *place) {
  if (n && !list) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < n; i++) {
    int e = take_attribute(&list[i], s, of, place);
    if (e) return e;
  }
  return 0;
}

static int record_events(const struct attributes *of, void *stream) {
  int e = 0;
  lock();
  for (size_t i = 0; i < of->event_count && !e; i++) e = do_record(stream, of->events[i]);
  unlock();
  return e;
}

// runtime_launch and driver_launch take the configurations of the two interfaces.
static int runtime_launch(const cudaLaunchConfig_t *c, struct launch *s, struct attributes *of, void *place) {
  if (!c) return cudaErrorInvalidValue;
  *s = (struct launch){.grid = {c->gridDim.x, c->gridDim.y, c->gridDim.z}, .block = {c->blockDim.x, c->blockDim.y, c->blockDim.z}, .shared = c->dynamicSmemBytes};
  return take_attributes(c->attrs, c->numAttrs, s, of, place);
}
static int driver_launch(const CUlaunchConfig *c, struct launch *s, struct attributes *of, void *place) {
  if (!c) return cudaErrorInvalidValue;
  *s = (struct launch){.grid = {c->gridDimX, c->gridDimY, c->gridDimZ}, .block = {c->blockDimX, c->blockDimY, c->blockDimZ}, .shared = c->sharedMemBytes};
  return take_attributes(c->attrs, c->numAttrs, s, of, place);
}

EXPORT cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *f, void **arguments) {
  struct launch s;
  struct attributes of = {0};
  int e = runtime_launch(c, &s, &of, __builtin_return_address(0));
  if (!e) e = launch_symbol(f, &s, arguments, c->stream);
  if (!e) e = record_events(&of, c->stream);
  return done(e);
}

EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **parameters, void **extra) {
  struct launch s;
  struct attributes of = {0};
  int e = driver_launch(c, &s, &of, __builtin_return_address(0));
  if (e) return (CUresult)e;
  CUresult r = launch_function(f, &s, c->hStream, parameters, extra);
  return r ? r : (CUresult)record_events(&of, c->hStream);
}
EXPORT CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *c, CUfunction f, void **parameters, void **extra) { return cuLaunchKernelEx(c, f, parameters, extra); }

// counting counts clusters, or finds their size, for a launch of a kernel.
typedef int counting(int *n, struct function *f, const struct launch *s);

static cudaError_t count_of_symbol(counting *count, int *n, const void *host, const cudaLaunchConfig_t *c, void *place) {
  struct function *f = NULL;
  struct launch s;
  struct attributes of = {0};
  int e = runtime_launch(c, &s, &of, place);
  lock();
  if (!e) e = connected();
  if (!e) e = function_of(host, &f);
  if (!e) e = count(n, f, &s);
  unlock();
  return done(e);
}
static CUresult count_of_function(counting *count, int *n, CUfunction f, const CUlaunchConfig *c, void *place) {
  struct launch s;
  struct attributes of = {0};
  int e = f ? driver_launch(c, &s, &of, place) : cudaErrorInvalidValue;
  return (CUresult)(e ? e : count(n, (struct function *)f, &s));
}
#define PLACE __builtin_return_address(0)
EXPORT cudaError_t cudaOccupancyMaxActiveClusters(int *n, const void *f, const cudaLaunchConfig_t *c) { return count_of_symbol(active_clusters, n, f, c, PLACE); }
EXPORT cudaError_t cudaOccupancyMaxPotentialClusterSize(int *n, const void *f, const cudaLaunchConfig_t *c) { return count_of_symbol(potential_cluster, n, f, c, PLACE); }
EXPORT CUresult cuOccupancyMaxActiveClusters(int *n, CUfunction f, const CUlaunchConfig *c) { return count_of_function(active_clusters, n, f, c, PLACE); }
EXPORT CUresult cuOccupancyMaxPotentialClusterSize(int *n, CUfunction f, const CUlaunchConfig *c) { return count_of_function(potential_cluster, n, f, c, PLACE); }
