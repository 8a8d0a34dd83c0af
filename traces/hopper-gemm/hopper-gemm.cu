// A matrix product in the way of sm_90. C = A*B' with A (m x k) and B (n x k) of half
// precision, row-major, and C (m x n) of single precision. The thread blocks of a cluster
// make parts of C that lie one below the other, 128 x 128 each. One warp of each loads
// slices by tensor maps, in 128-byte swizzle, into a ring of shared memory: all rows
// of A that its own block needs, and its share of the rows of B for all blocks of the
// cluster. Two warpgroups multiply them, 64 rows each. Mbarriers tell which stages
// of the ring are full, and which are empty in all blocks. Parts beyond the matrices
// read as zeros and are not written.

enum { ROWS = 128, COLUMNS = 128, SLICE = 64, STAGES = 4, CONSUMERS = 256, THREADS = CONSUMERS + 128 };
enum { A_BYTES = ROWS * SLICE * 2, B_BYTES = COLUMNS * SLICE * 2, STAGE_BYTES = A_BYTES + B_BYTES };

struct __attribute__((aligned(64))) tensor_map {
  unsigned char opaque[128];
};

__device__ __forceinline__ unsigned shared_address(const void *p) {
  return (unsigned)(unsigned long long)(__attribute__((address_space(3))) const void *)p;
}

__device__ __forceinline__ void barrier_init(unsigned barrier, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

// Arrives at the barrier of a block of the cluster, at the same address as our own.
__device__ __forceinline__ void barrier_arrive(unsigned barrier, unsigned block) {
  asm volatile("{\n\t"
               ".reg .b32 there;\n\t"
               "mapa.shared::cluster.u32 there, %0, %1;\n\t"
               "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n\t"
               "}" ::"r"(barrier), "r"(block) : "memory");
}

__device__ __forceinline__ void barrier_expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity) {
  asm volatile("{\n\t"
               ".reg .pred done;\n\t"
               "$again_%=:\n\t"
               "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n\t"
               "@!done bra.uni $again_%=;\n\t"
               "}" ::"r"(barrier), "r"(parity) : "memory");
}

__device__ __forceinline__ void load_box(unsigned to, const tensor_map *map, unsigned x, unsigned y, unsigned barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
                   "r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");
}

// The box goes to the same address in all blocks of the mask, and its bytes to their barriers.
__device__ __forceinline__ void load_shared_box(unsigned to, const tensor_map *map, unsigned x, unsigned y, unsigned barrier,
                                                unsigned short blocks) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
               "[%0], [%1, {%2, %3}], [%4], %5;" ::
                   "r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(blocks) : "memory");
}

__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ __forceinline__ unsigned cluster_blocks() {
  unsigned blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  return blocks;
}

__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Rows of 128 bytes under the 128-byte swizzle; eight of them are 1024 bytes.
__device__ __forceinline__ unsigned long long descriptor(unsigned at) {
  return (unsigned long long)(at >> 4 & 0x3fff) | 1ull << 16 | (1024ull >> 4) << 32 | 1ull << 62;
}

#define SUM8(v, i) "+f"(v[i]), "+f"(v[i + 1]), "+f"(v[i + 2]), "+f"(v[i + 3]), "+f"(v[i + 4]), "+f"(v[i + 5]), "+f"(v[i + 6]), "+f"(v[i + 7])

__device__ __forceinline__ void multiply(float (&sum)[64], unsigned long long a, unsigned long long b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, 1, 1, 1, 0, 0;"
      : SUM8(sum, 0), SUM8(sum, 8), SUM8(sum, 16), SUM8(sum, 24), SUM8(sum, 32), SUM8(sum, 40), SUM8(sum, 48), SUM8(sum, 56)
      : "l"(a), "l"(b));
}

__device__ __forceinline__ void produce(const tensor_map *a, const tensor_map *b, unsigned ring, unsigned full, unsigned empty,
                                        unsigned slices) {
  unsigned rank = cluster_rank(), blocks = cluster_blocks(), share = COLUMNS / blocks;
  unsigned short all = (1u << blocks) - 1;
  for (unsigned p = 0; p < slices; p++) {
    unsigned stage = p % STAGES, round = p / STAGES;
    barrier_wait(empty + 8 * stage, (round & 1) ^ 1);
    barrier_expect(full + 8 * stage, STAGE_BYTES);
    unsigned to = ring + stage * STAGE_BYTES;
    load_box(to, a, p * SLICE, blockIdx.y * ROWS, full + 8 * stage);
    load_shared_box(to + A_BYTES + rank * share * SLICE * 2, b, p * SLICE, blockIdx.x * COLUMNS + rank * share, full + 8 * stage, all);
  }
}

// The products of all four warps of a group are done when those of one are.
__device__ __forceinline__ void release(unsigned empty, unsigned slice) {
  if (threadIdx.x % 128 < cluster_blocks())
    barrier_arrive(empty + 8 * (slice % STAGES), threadIdx.x % 128);
}

// The products of a slice go on while those of the one before end.
__device__ __forceinline__ void consume(float (&sum)[64], unsigned ring, unsigned full, unsigned empty, unsigned slices) {
  unsigned group = threadIdx.x / 128;
  for (unsigned p = 0; p < slices; p++) {
    unsigned stage = p % STAGES, round = p / STAGES;
    barrier_wait(full + 8 * stage, round & 1);
    unsigned a = ring + stage * STAGE_BYTES + group * 64 * SLICE * 2, b = ring + stage * STAGE_BYTES + A_BYTES;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (unsigned q = 0; q < SLICE; q += 16)
      multiply(sum, descriptor(a + 2 * q), descriptor(b + 2 * q));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    if (p > 0)
      release(empty, p - 1);
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// The tensor maps stay where the launch put them: this compiler knows no
// __grid_constant__, and would copy what it takes the address of.
#define PARAMETER(number)                                                                                                      \
  ({                                                                                                                           \
    const tensor_map *p;                                                                                                       \
    asm("cvta.param.u64 %0, hopper_gemm_param_" #number ";" : "=l"(p));                                                        \
    p;                                                                                                                         \
  })

extern "C" __global__ __launch_bounds__(THREADS) void hopper_gemm(const tensor_map, const tensor_map, float *c, unsigned m,
                                                                  unsigned n, unsigned k) {
  extern __shared__ __attribute__((aligned(1024))) unsigned char memory[];
  __shared__ __attribute__((aligned(8))) unsigned long long barriers[2 * STAGES];
  unsigned full = shared_address(barriers), empty = full + 8 * STAGES, ring = shared_address(memory);
  unsigned slices = (k + SLICE - 1) / SLICE;
  if (threadIdx.x == 0) {
    for (unsigned i = 0; i < STAGES; i++) {
      barrier_init(full + 8 * i, 1);
      barrier_init(empty + 8 * i, CONSUMERS / 128 * cluster_blocks());
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_sync();
  if (threadIdx.x >= CONSUMERS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x == CONSUMERS)
      produce(PARAMETER(0), PARAMETER(1), ring, full, empty, slices);
    __syncwarp();
    cluster_sync();
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  float sum[64];
#pragma unroll
  for (int i = 0; i < 64; i++)
    sum[i] = 0.0f;
  consume(sum, ring, full, empty, slices);
  cluster_sync(); // No block ends before the others' last arrivals at its barriers.
  unsigned row = blockIdx.y * ROWS + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
  unsigned column = blockIdx.x * COLUMNS + threadIdx.x % 4 * 2;
#pragma unroll
  for (int i = 0; i < 64; i++) {
    unsigned r = row + i / 2 % 2 * 8, s = column + i / 4 * 8 + i % 2;
    if (r < m && s < n)
      c[r * n + s] = sum[i];
  }
}
