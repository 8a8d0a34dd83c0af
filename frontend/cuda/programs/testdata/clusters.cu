// Thread block clusters: sizes by the source and by the launch, the barrier, shared memory of other
// thread blocks, graphs, occupancy, and launches that are refused. The host computes each result.
#include <cooperative_groups.h>
#include <string>
#include <vector>
#include "check.h"
namespace cg = cooperative_groups;

// describe tells where each thread is, for 14 numbers a thread.
template <int X, int Y> __global__ void __cluster_dims__(X, Y) describe(int *out) {
  cg::cluster_group c = cg::this_cluster();
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x, *to = out + 14 * (block * blockDim.x + threadIdx.x);
  to[0] = c.num_blocks(), to[1] = c.block_rank(), to[2] = c.num_threads(), to[3] = c.thread_rank();
  dim3 d = c.dim_blocks(), i = c.block_index(), t = c.thread_index(), n = __clusterGridDimInClusters(), at = __clusterIdx();
  to[4] = d.x + 100 * d.y + 10000 * d.z, to[5] = i.x, to[6] = i.y, to[7] = i.z;
  to[8] = t.x, to[9] = t.y, to[10] = n.x + 100 * n.y + 10000 * n.z, to[11] = at.x, to[12] = at.y;
  to[13] = __clusterDimIsSpecified();
}

template <int X, int Y> static void describes(dim3 grid) {
  const int threads = 40, blocks = grid.x * grid.y * grid.z;
  int *out;
  OK(cudaMallocManaged(&out, 14 * threads * blocks * sizeof *out));
  describe<X, Y><<<grid, threads>>>(out);
  OK(cudaDeviceSynchronize());
  for (int z = 0, b = 0; z < (int)grid.z; z++)
    for (int y = 0; y < (int)grid.y; y++)
      for (int x = 0; x < (int)grid.x; x++, b++)
        for (int t = 0; t < threads; t++) {
          const int *got = out + 14 * (b * threads + t), rank = y % Y * X + x % X;
          CHECK(got[0] == X * Y && got[1] == rank && got[2] == X * Y * threads && got[3] == rank * threads + t);
          CHECK(got[4] == X + 100 * Y + 10000 && got[5] == x % X && got[6] == y % Y && got[7] == 0);
          CHECK(got[8] == x % X * threads + t && got[9] == y % Y);
          CHECK(got[10] == (int)grid.x / X + 100 * ((int)grid.y / Y) + 10000 * (int)grid.z && got[11] == x / X && got[12] == y / Y && got[13] == 1);
        }
  OK(cudaFree(out));
}

// counts is a histogram whose bins are spread over the thread blocks of a cluster.
__global__ void counts(const unsigned *in, int n, unsigned *bins, int each) {
  extern __shared__ unsigned mine[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < each; i += blockDim.x) mine[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned bin = in[i] % (each * cluster.num_blocks());
    atomicAdd(cluster.map_shared_rank(mine, bin / each) + bin % each, 1u);
  }
  cluster.sync(); // no thread block leaves while another one counts in it
  for (int i = threadIdx.x; i < each; i += blockDim.x) atomicAdd(&bins[cluster.block_rank() * each + i], mine[i]);
}

// turned reads what the neighbour wrote between arriving and waiting.
__global__ void turned(int *out) {
  __shared__ int value;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) value = 1000 + blockIdx.x;
  auto token = cluster.barrier_arrive();
  int own = blockIdx.x; // work that needs no one
  cluster.barrier_wait(static_cast<cg::cluster_group::arrival_token &&>(token));
  unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  int *there = cluster.map_shared_rank(&value, next);
  if (threadIdx.x == 0) out[blockIdx.x] = *there + 10000 * (cluster.query_shared_rank(there) == next) + 100000 * own;
  cluster.sync();
}

static cudaLaunchAttribute sized(unsigned x, unsigned y, unsigned z) {
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeClusterDimension;
  a.val.clusterDim.x = x, a.val.clusterDim.y = y, a.val.clusterDim.z = z;
  return a;
}

static void histogram(unsigned cluster, cudaStream_t stream) {
  const int n = 5000, blocks = 16, each = 24;
  unsigned *in, *bins;
  OK(cudaMallocManaged(&in, n * sizeof *in));
  OK(cudaMallocManaged(&bins, each * 16 * sizeof *bins));
  std::vector<unsigned> want(each * 16);
  for (int i = 0; i < n; i++) {
    in[i] = i * 2654435761u >> 7;
    want[in[i] % (each * cluster)]++;
  }
  for (int i = 0; i < each * 16; i++) bins[i] = 0;
  cudaLaunchAttribute attributes[2] = {sized(cluster, 1, 1)};
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks, config.blockDim = 96, config.dynamicSmemBytes = each * sizeof(unsigned), config.stream = stream;
  config.attrs = attributes, config.numAttrs = 2;
  int clusters = 0;
  OK(cudaOccupancyMaxActiveClusters(&clusters, counts, &config));
  CHECK(clusters > 0);
  cudaStreamCaptureStatus capturing;
  OK(cudaStreamIsCapturing(stream, &capturing));
  OK(cudaLaunchKernelEx(&config, counts, in, n, bins, each)); // in is no const unsigned *
  if (stream) { // a graph has the size of clusters, too
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaLaunchKernelEx(&config, counts, in, n, bins, each));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
  }
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < each * 16; i++) CHECK(bins[i] == want[i] * (stream ? 2 : 1));
  OK(cudaFree(in));
  OK(cudaFree(bins));
}

static cudaError_t launched(unsigned grid, cudaLaunchAttribute a) {
  int *out;
  cudaLaunchConfig_t config = {};
  OK(cudaMalloc(&out, 64 * sizeof *out));
  config.gridDim = grid, config.blockDim = 32, config.attrs = &a, config.numAttrs = 1;
  cudaError_t e = cudaLaunchKernelEx(&config, turned, out);
  cudaGetLastError();
  OK(cudaFree(out));
  return e;
}

static void refusals() {
  CHECK(launched(9, sized(3, 1, 1)) == cudaSuccess);
  CHECK(launched(8, sized(3, 1, 1)) == cudaErrorInvalidConfiguration);
  CHECK(launched(16, sized(16, 1, 1)) == cudaErrorInvalidClusterSize);
  CHECK(launched(8, sized(8, 0, 1)) == cudaErrorInvalidClusterSize);
  OK(cudaFuncSetAttribute(turned, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK(launched(16, sized(16, 1, 1)) == cudaSuccess);
  CHECK(launched(32, sized(32, 1, 1)) == cudaErrorInvalidClusterSize);
  int *out;
  OK(cudaMalloc(&out, 14 * 32 * 4 * sizeof *out));
  describe<2, 2><<<3, 32>>>(out); // no multiple of the clusters in the source
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  cudaFuncAttributes a;
  OK(cudaFuncGetAttributes(&a, describe<4, 2>));
  CHECK(a.requiredClusterWidth == 4 && a.requiredClusterHeight == 2 && a.requiredClusterDepth == 1);
  OK(cudaFree(out));
}

// active tells how many clusters of each size fit at the same time, one thread block an SM.
static void active() {
  const int bytes = 200 << 10;
  OK(cudaFuncSetAttribute(counts, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  OK(cudaFuncSetAttribute(counts, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (unsigned n : {1, 2, 3, 4, 8, 16}) {
    cudaLaunchAttribute a = sized(n, 1, 1);
    cudaLaunchConfig_t config = {};
    config.gridDim = 48, config.blockDim = 128, config.dynamicSmemBytes = bytes, config.attrs = &a, config.numAttrs = 1;
    int clusters = -1;
    OK(cudaOccupancyMaxActiveClusters(&clusters, counts, &config));
    printf("%d ", clusters);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  cudaDeviceProp p;
  int launches = -1;
  OK(cudaGetDeviceProperties(&p, 0));
  OK(cudaDeviceGetAttribute(&launches, cudaDevAttrClusterLaunch, 0));
  CHECK(launches == p.clusterLaunch && launches == (p.major >= 9));
  if (argc > 1 && std::string(argv[1]) == "old") {
    CHECK(launched(8, sized(2, 1, 1)) == cudaErrorNotSupported);
    printf("ok\n");
    return 0;
  }
  if (argc > 1 && std::string(argv[1]) == "active") return active(), 0;
  describes<2, 1>(dim3(6, 2, 1));
  describes<2, 2>(dim3(4, 4, 3));
  describes<1, 4>(dim3(3, 4, 1));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  for (unsigned cluster : {1, 2, 4, 8}) {
    histogram(cluster, 0);
    histogram(cluster, stream);
  }
  int *out;
  OK(cudaMallocManaged(&out, 8 * sizeof *out));
  cudaLaunchAttribute a = sized(4, 1, 1);
  cudaLaunchConfig_t config = {};
  config.gridDim = 8, config.blockDim = 64, config.attrs = &a, config.numAttrs = 1;
  OK(cudaLaunchKernelEx(&config, turned, out));
  OK(cudaDeviceSynchronize());
  for (int b = 0; b < 8; b++) CHECK(out[b] == 1000 + b / 4 * 4 + (b + 1) % 4 + 10000 + 100000 * b);
  int size = 0;
  OK(cudaOccupancyMaxPotentialClusterSize(&size, turned, &config));
  CHECK(size == 8);
  refusals();
  printf("ok\n");
}
