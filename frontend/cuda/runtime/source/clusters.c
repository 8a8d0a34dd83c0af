// SPDX-License-Identifier: Apache-2.0
// Thread block clusters (CUDA C++ Programming Guide, "Thread Block Clusters"): what a launch may
// ask for, and how many fit on the device.
#include "warptape.h"
#include "cuda_runtime_api.h"

// PORTABLE_CLUSTER is the size that each device with clusters takes. Larger ones need an attribute of the kernel.
enum { PORTABLE_CLUSTER = 8, LARGEST_CLUSTER = 16 };

static uint64_t blocks_of(struct extent e) { return (uint64_t)e.x * e.y * e.z; }

// cluster_of is the size of a launch's clusters, of ones without any.
static struct extent cluster_of(const struct function *f, const struct launch *s) {
  if (blocks_of(s->cluster)) return s->cluster;
  if (f->cluster[0]) return (struct extent){(unsigned)f->cluster[0], (unsigned)f->cluster[1], (unsigned)f->cluster[2]};
  return (struct extent){1, 1, 1};
}

static int wrong(const struct function *f, int error, const char *what) {
  fflush(stdout);
  fprintf(stderr, "warptape: kernel %s is not launched: %s\n", f->name, what);
  return error;
}

int check_cluster(const struct function *f, const struct launch *s) {
  struct extent c = s->cluster;
  bool asked = c.x || c.y || c.z, fixed = f->cluster[0] != 0;
  if (!asked && !fixed) return 0;
  if (device()->property[DEVICE_MAJOR] < CLUSTER_CAPABILITY)
    return wrong(f, cudaErrorNotSupported, "clusters need compute capability 9.0; --arch h100 has it");
  if (asked && fixed && (c.x != f->cluster[0] || c.y != f->cluster[1] || c.z != f->cluster[2]))
    return wrong(f, cudaErrorInvalidClusterSize, "its __cluster_dims__ are other than those of the launch");
  c = cluster_of(f, s);
  if (asked && !blocks_of(s->cluster)) return wrong(f, cudaErrorInvalidClusterSize, "a dimension of its cluster is zero");
  uint64_t n = blocks_of(c), most = f->larger_clusters ? LARGEST_CLUSTER : PORTABLE_CLUSTER;
  if (c.x > LARGEST_CLUSTER || c.y > LARGEST_CLUSTER || c.z > LARGEST_CLUSTER || n > most)
    return wrong(f, cudaErrorInvalidClusterSize, "a cluster has at most 8 thread blocks, or 16 with cudaFuncAttributeNonPortableClusterSizeAllowed");
  if (f->most_cluster && n > f->most_cluster) return wrong(f, cudaErrorInvalidClusterSize, "its launch bounds allow fewer thread blocks in a cluster");
  if (s->grid.x % c.x || s->grid.y % c.y || s->grid.z % c.z)
    return wrong(f, cudaErrorInvalidConfiguration, "its grid is no multiple of its cluster in each dimension");
  if (s->cooperative && n > 1) return wrong(f, cudaErrorNotSupported, "a cooperative launch in clusters is not supported; launch it without one of the two");
  return 0;
}

// first_of_gpc is the first SM of a graphics processing cluster (GPC). Pairs of SMs are divided as
// evenly as they go, as replays do.
static uint64_t first_of_gpc(uint64_t gpc, uint64_t sms, uint64_t gpcs) {
  uint64_t unit = sms % 2 || gpcs > sms / 2 ? 1 : 2;
  return gpc * (sms / unit) / gpcs * unit;
}

// active_clusters counts the clusters that fit at the same time, when each lies in one GPC. Each
// thread block has an SM of its own, or they share all of the GPC's.
int active_clusters(int *clusters, struct function *f, const struct launch *s) {
  struct launch one = *s;
  one.grid = cluster_of(f, s); // occupancy does not ask for the grid
  int blocks = 0, e = check_cluster(f, &one);
  if (!e) e = occupancy(f, (int)blocks_of(s->block), s->shared, &blocks);
  if (e) return e;
  uint64_t sms = device()->property[DEVICE_MULTIPROCESSORS], gpcs = device()->property[DEVICE_GPCS], n = blocks_of(one.grid), fit = 0;
  if (gpcs > sms) gpcs = sms;
  for (uint64_t g = 0; g < gpcs; g++) {
    uint64_t of = first_of_gpc(g + 1, sms, gpcs) - first_of_gpc(g, sms, gpcs), room = of * (uint64_t)blocks / n;
    fit += of < n && room > 1 ? 1 : room;
  }
  *clusters = (int)fit;
  return 0;
}

int potential_cluster(int *size, struct function *f, const struct launch *s) {
  for (unsigned n = LARGEST_CLUSTER; n > 0; n /= 2) {
    struct launch of = *s;
    of.cluster = (struct extent){n, 1, 1};
    int clusters = 0;
    if (n > PORTABLE_CLUSTER && !f->larger_clusters) continue;
    if (f->most_cluster && n > f->most_cluster) continue;
    int e = active_clusters(&clusters, f, &of);
    if (e) return e;
    if (clusters > 0) { *size = (int)n; return 0; }
  }
  return cudaErrorInvalidValue;
}
