// Streams, events, callbacks, captured graphs, properties, occupancy, printf.
#include "check.h"
#include <cooperative_groups.h>

__global__ void add(int *p, int v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += v; }
template <class T> __global__ void sum(const T *in, T *out, int n) {
  extern __shared__ unsigned char bytes[];
  T *part = (T *)bytes;
  T s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += in[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = part[0];
}
__global__ void warps(int *out) {
  unsigned v = threadIdx.x;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  unsigned votes = __ballot_sync(0xffffffff, threadIdx.x & 1);
  if (threadIdx.x == 0) { out[0] = v; out[1] = __popc(votes); out[2] = __any_sync(1, 0); }
  auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  int w = tile.thread_rank();
  for (int d = tile.size() / 2; d > 0; d /= 2) w += tile.shfl_down(w, d);
  if (threadIdx.x == 9 - 1) out[3] = w;
  if (threadIdx.x == 0) printf("from the device: %d %s %.1f\n", 7, "seven", 7.5);
}

__global__ void meet(int *count, int *seen) {
  cooperative_groups::grid_group all = cooperative_groups::this_grid();
  atomicAdd(count, 1);
  all.sync();
  if (threadIdx.x == 0) seen[blockIdx.x] = *count;
  all.sync();
  if (all.thread_rank() == 0) *count = -1;
}

static void called(void *data) { ++*(int *)data; }

// A graph that is made node by node, copied and changed.
static void byNodes(int *d, int n) {
  cudaGraph_t graph, clone;
  cudaGraphExec_t exec;
  cudaGraphNode_t fill, kernel, back, told;
  int host[2] = {0, 0}, x = 5, y = 6, calls = 0;
  OK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams zero = {};
  zero.dst = d, zero.elementSize = 4, zero.value = 1, zero.width = n, zero.height = 1;
  OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
  void *arguments[] = {&d, &x, &n};
  cudaKernelNodeParams launch = {};
  launch.func = (void *)add, launch.gridDim = dim3(2), launch.blockDim = dim3(256), launch.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &launch));
  OK(cudaGraphAddMemcpyNode1D(&back, graph, &kernel, 1, host, d, sizeof host, cudaMemcpyDeviceToHost));
  cudaHostNodeParams tell = {};
  tell.fn = [](void *p) { ++*(int *)p; }, tell.userData = &calls;
  OK(cudaGraphAddHostNode(&told, graph, nullptr, 0, &tell));
  OK(cudaGraphAddDependencies(graph, &back, &told, 1));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, 0));
  OK(cudaDeviceSynchronize());
  CHECK(host[0] == 6 && host[1] == 6 && calls == 1);
  arguments[1] = &y;
  OK(cudaGraphExecKernelNodeSetParams(exec, kernel, &launch));
  OK(cudaGraphLaunch(exec, 0));
  OK(cudaDeviceSynchronize());
  CHECK(host[0] == 7 && calls == 2);
  OK(cudaGraphClone(&clone, graph)); // which still adds five
  cudaGraphExecUpdateResult result;
  OK(cudaGraphExecUpdate(exec, clone, nullptr, &result));
  OK(cudaGraphDestroy(graph));
  OK(cudaGraphLaunch(exec, 0));
  OK(cudaDeviceSynchronize());
  CHECK(result == cudaGraphExecUpdateSuccess && host[0] == 6 && calls == 3);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(clone));
}

int main() {
  const int n = 512;
  int *d, *h, calls = 0;
  OK(cudaMalloc(&d, n * 4));
  OK(cudaMallocHost(&h, n * 4));
  cudaStream_t a, b;
  cudaEvent_t e, start, stop;
  OK(cudaStreamCreate(&a));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&stop));
  OK(cudaEventRecord(start, a));
  OK(cudaMemsetAsync(d, 0, n * 4, a));
  add<<<2, 256, 0, a>>>(d, 3, n);
  OK(cudaEventRecord(e, a));
  OK(cudaStreamWaitEvent(b, e, 0));
  add<<<2, 256, 0, b>>>(d, 4, n);
  OK(cudaMemcpyAsync(h, d, n * 4, cudaMemcpyDeviceToHost, b));
  OK(cudaLaunchHostFunc(b, called, &calls));
  OK(cudaStreamSynchronize(b));
  OK(cudaEventRecord(stop, a));
  OK(cudaEventSynchronize(stop));
  float ms = -1;
  OK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(ms > 0 && ms < 1000);
  for (int i = 0; i < n; i++) CHECK(h[i] == 7);
  CHECK(calls == 1 && cudaStreamQuery(a) == cudaSuccess && cudaEventQuery(e) == cudaSuccess);

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  add<<<2, 256, 0, a>>>(d, 10, n);
  add<<<2, 256, 0, a>>>(d, 100, n);
  OK(cudaStreamEndCapture(a, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; i++) OK(cudaGraphLaunch(exec, a));
  OK(cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost));
  CHECK(h[0] == 337 && h[n - 1] == 337);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  byNodes(d, n);

  float *f, *out, host[100], total;
  for (int i = 0; i < 100; i++) host[i] = i;
  OK(cudaMalloc(&f, 400));
  OK(cudaMalloc(&out, 4));
  OK(cudaMemcpy(f, host, 400, cudaMemcpyHostToDevice));
  void *arguments[] = {&f, &out, nullptr};
  int count = 100;
  arguments[2] = &count;
  OK(cudaLaunchKernel((const void *)sum<float>, dim3(1), dim3(64), arguments, 64 * sizeof(float), nullptr));
  OK(cudaMemcpy(&total, out, 4, cudaMemcpyDeviceToHost));
  CHECK(total == 4950);
  warps<<<1, 32>>>(d);
  OK(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost));
  CHECK(h[0] == 496 && h[1] == 16 && h[2] == 0 && h[3] == 28);

  OK(cudaMemset(d, 0, 4));
  int *seen = d + 1;
  void *both[] = {&d, &seen};
  OK(cudaLaunchCooperativeKernel((const void *)meet, dim3(6), dim3(64), both, 0, nullptr));
  OK(cudaMemcpy(h, d, 28, cudaMemcpyDeviceToHost));
  CHECK(h[0] == -1);
  for (int i = 1; i <= 6; i++) CHECK(h[i] == 6 * 64);

  int blocks = 0, grid = 0, block = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
  CHECK(blocks == 8);
  OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, add));
  CHECK(block == 1024 && grid == 160);
  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, add));
  CHECK(attributes.maxThreadsPerBlock == 1024 && attributes.numRegs > 0);
  cudaDeviceProp p;
  OK(cudaGetDeviceProperties(&p, 0));
  CHECK(p.multiProcessorCount == 80 && p.warpSize == 32 && p.major == 7);
  OK(cudaStreamDestroy(a));
  OK(cudaStreamDestroy(b));
  puts("ok");
}
