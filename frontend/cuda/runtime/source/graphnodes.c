// SPDX-License-Identifier: Apache-2.0
// Graphs that a program makes node by node. A node is what a stream would capture of the
// call that does the same. Nodes are carried out in the order in which they were added,
// which is one that their dependencies allow.
#include "graphs.h"
#include "driver_result.h"

// added gives the node that a call has captured. One that had nothing to do is empty.
static cudaError_t added(cudaGraphNode_t *node, cudaGraph_t graph, size_t before, cudaError_t e) {
  struct graph *g = (struct graph *)graph;
  if (!e && node_count(g) == before) e = add_empty(g);
  if (!e) *node = (cudaGraphNode_t)node_at(g, before);
  return done(e);
}

static cudaError_t launch(const struct cudaKernelNodeParams *p, struct graph *g) {
  struct CUstream_st capturing = {.capture = g};
  if (!p->func || p->extra) return cudaErrorInvalidValue;
  return cudaLaunchKernel(p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, &capturing);
}

EXPORT cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, const struct cudaKernelNodeParams *p) {
  (void)after; (void)n;
  if (!node || !graph || !p) return done(cudaErrorInvalidValue);
  size_t before = node_count((struct graph *)graph);
  return added(node, graph, before, launch(p, (struct graph *)graph));
}

CUresult launch_function(CUfunction handle, const struct launch *s, void *stream, void **parameters, void **extra);
EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n, const CUDA_KERNEL_NODE_PARAMS *p) {
  (void)after; (void)n;
  if (!node || !graph || !p || (!p->func && !p->kern)) return CUDA_ERROR_INVALID_VALUE;
  struct launch shape = {.grid = {p->gridDimX, p->gridDimY, p->gridDimZ}, .block = {p->blockDimX, p->blockDimY, p->blockDimZ}, .shared = p->sharedMemBytes};
  struct CUstream_st capturing = {.capture = (struct graph *)graph};
  size_t before = node_count((struct graph *)graph);
  CUresult e = launch_function(p->func ? p->func : (CUfunction)p->kern, &shape, &capturing, p->kernelParams, p->extra);
  return result(added(node, graph, before, (cudaError_t)e));
}
EXPORT CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID a, const CUkernelNodeAttrValue *v) {
  (void)node; (void)a; (void)v;
  name_missing("cuGraphKernelNodeSetAttribute", "a launch with attributes can be captured by a stream", __builtin_return_address(0));
  return CUDA_ERROR_NOT_SUPPORTED;
}

EXPORT cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, const struct cudaMemcpy3DParms *p) {
  (void)after; (void)n;
  if (!node || !graph || !p) return done(cudaErrorInvalidValue);
  struct CUstream_st capturing = {.capture = (struct graph *)graph};
  size_t before = node_count((struct graph *)graph);
  return added(node, graph, before, cudaMemcpy3DAsync(p, &capturing));
}

EXPORT cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  (void)after; (void)n;
  if (!node || !graph) return done(cudaErrorInvalidValue);
  struct CUstream_st capturing = {.capture = (struct graph *)graph};
  size_t before = node_count((struct graph *)graph);
  return added(node, graph, before, cudaMemcpyAsync(to, from, bytes, kind, &capturing));
}

EXPORT cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, const struct cudaMemsetParams *p) {
  (void)after; (void)n;
  if (!node || !graph || !p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)) return done(cudaErrorInvalidValue);
  struct CUstream_st capturing = {.capture = (struct graph *)graph};
  size_t before = node_count((struct graph *)graph);
  lock();
  int e = connected();
  if (!e) e = do_fill(&capturing, (uint64_t)p->dst, p->value, p->elementSize, p->width, p->height, p->pitch, false);
  unlock();
  return added(node, graph, before, e);
}

EXPORT cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, const struct cudaHostNodeParams *p) {
  (void)after; (void)n;
  if (!node || !graph || !p || !p->fn) return done(cudaErrorInvalidValue);
  struct CUstream_st capturing = {.capture = (struct graph *)graph};
  size_t before = node_count((struct graph *)graph);
  return added(node, graph, before, cudaLaunchHostFunc(&capturing, p->fn, p->userData));
}

EXPORT cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n) {
  (void)after; (void)n;
  if (!node || !graph) return done(cudaErrorInvalidValue);
  return added(node, graph, node_count((struct graph *)graph), 0);
}

EXPORT cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n) {
  if (!graph || (n && (!from || !to))) return done(cudaErrorInvalidValue);
  for (size_t i = 0; i < n; i++)
    if (index_of((struct node *)from[i]) >= index_of((struct node *)to[i])) return UNSUPPORTED("add nodes in the order in which they depend on each other");
  return 0;
}

EXPORT cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  if (!clone || !graph) return done(cudaErrorInvalidValue);
  *clone = (cudaGraph_t)copy_graph((struct graph *)graph);
  return done(*clone ? 0 : cudaErrorMemoryAllocation);
}

// retarget gives a kernel's node other parameters.
static cudaError_t retarget(struct node *node, const struct cudaKernelNodeParams *p) {
  struct graph *aside = new_graph();
  if (!aside) return cudaErrorMemoryAllocation;
  cudaError_t e = launch(p, aside);
  if (!e && nodes_alike(node, node_at(aside, 0))) take_node(node, aside); else if (!e) e = cudaErrorInvalidValue;
  drop_graph(aside);
  return e;
}
EXPORT cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *p) {
  return done(node && p ? retarget((struct node *)node, p) : cudaErrorInvalidValue);
}
EXPORT cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *p) {
  struct graph *g = (struct graph *)exec;
  if (!g || !node || !p || index_of((struct node *)node) >= node_count(g)) return done(cudaErrorInvalidValue);
  return done(retarget(node_at(g, index_of((struct node *)node)), p));
}

// cudaGraphExecUpdate gives an executable graph the parameters of another one with the same
// nodes. Releases before 12 have a node and a result as the last two parameters.
EXPORT cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *failed, enum cudaGraphExecUpdateResult *result) {
  struct graph *g = (struct graph *)exec;
  if (!g || !graph) return done(cudaErrorInvalidValue);
  if (failed) *failed = NULL;
  struct graph *c = copy_graph((struct graph *)graph);
  if (!c) return done(cudaErrorMemoryAllocation);
  bool alike = node_count(c) == node_count(g);
  for (size_t i = 0; alike && i < node_count(g); i++) alike = nodes_alike(node_at(g, i), node_at(c, i));
  if (alike) while (node_count(c) > 0) take_node(node_at(g, node_count(c) - 1), c);
  drop_graph(c);
  if (result) *result = alike ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateError;
  return done(alike ? 0 : cudaErrorGraphExecUpdateFailure);
}
