// SPDX-License-Identifier: Apache-2.0
#include "graphs.h"
#include "cuda_runtime_api.h"

enum { NODE_LAUNCH, NODE_COPY, NODE_FILL, NODE_HOST, NODE_EMPTY };
struct node {
  int kind;
  size_t index; // in its graph, and in copies of that
  struct function *function;
  struct launch launch;
  uint64_t address, value, width, height, pitch;
  unsigned element;
  unsigned char *arguments;
  struct copy copy;
  void (*host)(void *);
  void *data;
};
struct graph {
  struct node **nodes;
  size_t count;
  struct CUstream_st *origin, **joined;
  size_t joined_count;
  uint64_t number;    // of the capture, while it is under way
  bool broken;        // an operation that a capture may not have was tried
  struct graph *next; // of those that are under way
};

static struct graph *under_way;
static uint64_t captures;

static struct node *add(struct graph *g) {
  struct node **nodes = realloc(g->nodes, (g->count + 1) * sizeof *nodes);
  if (!nodes) return NULL;
  g->nodes = nodes;
  if (!(nodes[g->count] = calloc(1, sizeof **nodes))) return NULL;
  nodes[g->count]->index = g->count;
  return nodes[g->count++];
}

// set gives a node what it does.
static void set(struct node *n, struct node what) {
  what.index = n->index;
  free(n->arguments);
  *n = what;
}

size_t node_count(const struct graph *g) { return g->count; }
struct node *node_at(const struct graph *g, size_t index) { return g->nodes[index]; }
size_t index_of(const struct node *n) { return n->index; }
bool nodes_alike(const struct node *a, const struct node *b) { return a->kind == b->kind && a->function == b->function; }
int add_empty(struct graph *g) {
  struct node *n = add(g);
  if (!n) return cudaErrorMemoryAllocation;
  n->kind = NODE_EMPTY;
  return 0;
}
// take_node moves what the last node of a graph does to a node of another.
void take_node(struct node *to, struct graph *from) {
  struct node *last = from->nodes[--from->count];
  set(to, *last);
  free(last);
}

int capture_launch(struct graph *g, struct function *f, const struct launch *s, const unsigned char *arguments) {
  unsigned char *kept = malloc(f->parameter_bytes ? f->parameter_bytes : 1);
  struct node *n = kept ? add(g) : NULL;
  if (!n) { free(kept); return cudaErrorMemoryAllocation; }
  memcpy(kept, arguments, f->parameter_bytes);
  set(n, (struct node){.kind = NODE_LAUNCH, .function = f, .launch = *s, .arguments = kept});
  return 0;
}

int capture_copy(struct graph *g, const struct copy *c) {
  struct node *n = add(g);
  if (!n) return cudaErrorMemoryAllocation;
  n->kind = NODE_COPY;
  n->copy = *c;
  n->copy.blocking = false;
  return 0;
}

int capture_fill(struct graph *g, uint64_t address, uint64_t value, unsigned element, uint64_t width, uint64_t height, uint64_t pitch) {
  struct node *n = add(g);
  if (!n) return cudaErrorMemoryAllocation;
  set(n, (struct node){.kind = NODE_FILL, .address = address, .value = value, .element = element, .width = width, .height = height, .pitch = pitch});
  return 0;
}

int capture_host(struct graph *g, void (*function)(void *), void *data) {
  struct node *n = add(g);
  if (!n) return cudaErrorMemoryAllocation;
  n->kind = NODE_HOST;
  n->host = function;
  n->data = data;
  return 0;
}

void join_capture(struct graph *g, struct CUstream_st *s) {
  if (s == g->origin) return;
  for (size_t i = 0; i < g->joined_count; i++)
    if (g->joined[i] == s) return;
  struct CUstream_st **joined = realloc(g->joined, (g->joined_count + 1) * sizeof *joined);
  if (!joined) return;
  g->joined = joined;
  joined[g->joined_count++] = s;
}

uint64_t capture_number(const struct graph *g) { return g ? g->number : 0; }

struct graph *capture_of(uint64_t number) {
  struct graph *g = number ? under_way : NULL;
  while (g && g->number != number) g = g->next;
  return g;
}

void break_capture(struct graph *g) { g->broken = true; }

int captured(const struct CUstream_st *s, struct graph **g) {
  *g = s->capture;
  return *g && (*g)->broken ? cudaErrorStreamCaptureInvalidated : 0;
}

// end_capture lets go of all streams.
static void end_capture(struct graph *g) {
  struct graph **at = &under_way;
  while (*at && *at != g) at = &(*at)->next;
  if (*at) *at = g->next;
  g->origin->capture = NULL;
  for (size_t i = 0; i < g->joined_count; i++) g->joined[i]->capture = NULL;
  g->joined_count = 0;
  g->number = 0;
}

void leave_capture(struct CUstream_st *s) {
  struct graph *g = s->capture;
  if (!g) return;
  g->broken = true;
  if (g->origin == s) {
    end_capture(g);
    drop_graph(g);
    return;
  }
  for (size_t i = 0; i < g->joined_count; i++)
    if (g->joined[i] == s) g->joined[i--] = g->joined[--g->joined_count];
}

struct graph *new_graph(void) { return calloc(1, sizeof(struct graph)); }

void drop_graph(struct graph *g) {
  for (size_t i = 0; i < g->count; i++) {
    free(g->nodes[i]->arguments);
    free(g->nodes[i]);
  }
  free(g->nodes);
  free(g->joined);
  free(g);
}

// copy_graph gives a graph with the same nodes, NULL without memory.
struct graph *copy_graph(const struct graph *g) {
  struct graph *c = new_graph();
  for (size_t i = 0; c && i < g->count; i++) {
    struct node *from = g->nodes[i], *n = add(c), what = *from;
    if (n && from->kind == NODE_LAUNCH) {
      size_t bytes = from->function->parameter_bytes;
      if ((what.arguments = malloc(bytes ? bytes : 1))) memcpy(what.arguments, from->arguments, bytes); else n = NULL;
    }
    if (!n) { drop_graph(c); return NULL; }
    set(n, what);
  }
  return c;
}

EXPORT cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  (void)mode;
  if ((uintptr_t)stream <= 2) return done(cudaErrorStreamCaptureUnsupported);
  lock();
  int e = stream->capture ? cudaErrorIllegalState : 0;
  if (!e && !(stream->capture = new_graph())) e = cudaErrorMemoryAllocation;
  if (!e) {
    struct graph *g = stream->capture;
    g->origin = stream;
    g->number = ++captures;
    g->next = under_way;
    under_way = g;
  }
  unlock();
  return done(e);
}

EXPORT cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  lock();
  struct graph *g = stream_of(stream)->capture;
  int e = !g ? cudaErrorIllegalState : g->origin != stream ? cudaErrorStreamCaptureUnmatched : 0;
  if (!e) {
    end_capture(g);
    *graph = NULL;
    if (g->broken) {
      e = cudaErrorStreamCaptureInvalidated;
      drop_graph(g);
    } else *graph = (cudaGraph_t)g;
  }
  unlock();
  return done(e);
}

EXPORT cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
  struct graph *g;
  *status = captured(stream_of(stream), &g) ? cudaStreamCaptureStatusInvalidated : g ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return 0;
}
EXPORT cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) { (void)mode; return 0; }

EXPORT cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
  (void)flags;
  struct graph *g = new_graph();
  if (!g) return done(cudaErrorMemoryAllocation);
  *graph = (cudaGraph_t)g;
  return 0;
}

EXPORT cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  (void)flags;
  if (!exec || !graph) return done(cudaErrorInvalidValue);
  struct graph *c = copy_graph((struct graph *)graph); // later changes of the graph are not the executable's
  if (!c) return done(cudaErrorMemoryAllocation);
  *exec = (cudaGraphExec_t)c;
  return 0;
}
// The name had five parameters once, of which the last three took a log.
EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
EXPORT cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) { (void)exec; (void)stream; return 0; }
EXPORT cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  struct graph *g = (struct graph *)graph;
  if (nodes)
    for (size_t i = 0; i < *count && i < g->count; i++) nodes[i] = (cudaGraphNode_t)g->nodes[i];
  *count = g->count;
  return 0;
}

static int play(struct node *n, cudaStream_t stream) {
  switch (n->kind) {
  case NODE_LAUNCH: return do_launch(stream, n->function, &n->launch, n->arguments);
  case NODE_COPY: return do_copy(stream, &n->copy);
  case NODE_FILL: return do_fill(stream, n->address, n->value, n->element, n->width, n->height, n->pitch, false);
  case NODE_HOST: return do_host(stream, n->host, n->data);
  default: return 0;
  }
}

EXPORT cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  if (!exec) return done(cudaErrorInvalidValue);
  lock();
  struct graph *g = (struct graph *)exec;
  int e = 0;
  for (size_t i = 0; i < g->count && !e; i++) e = play(g->nodes[i], stream);
  unlock();
  return done(e);
}

EXPORT cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { drop_graph((struct graph *)exec); return 0; }
EXPORT cudaError_t cudaGraphDestroy(cudaGraph_t graph) { drop_graph((struct graph *)graph); return 0; }
