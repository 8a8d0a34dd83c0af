// SPDX-License-Identifier: Apache-2.0
// Tensor maps (CUDA Driver API, "Tensor Map Object Management"): a kernel takes one as a parameter,
// and bulk copies move boxes of the tensor. The recorder checks and encodes them.
#include "warptape.h"
#include "cuda.h"

enum { MAX_RANK = 5 };
// The driver's element types by their numbers in tensormap.replace (PTX ISA 9.7.9.26), where .f32.ftz comes before .f64; -1 for none.
static int element_of(CUtensorMapDataType t) {
  if (t == CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ) return 8;
  if (t == CU_TENSOR_MAP_DATA_TYPE_FLOAT64 || t == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16) return (int)t + 1;
  return t <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ ? (int)t : -1;
}

struct tensor {
  CUtensorMapDataType type;
  cuuint32_t rank;
  void *address;
  const cuuint64_t *sizes, *strides;
  const cuuint32_t *element_strides;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapFloatOOBfill fill;
};

static void put_list32(struct buffer *m, const cuuint32_t *list, unsigned n) {
  put64(m, n);
  for (unsigned i = 0; i < n; i++) put64(m, list[i]);
}
static void put_list64(struct buffer *m, const cuuint64_t *list, unsigned n) {
  put64(m, n);
  for (unsigned i = 0; i < n; i++) put64(m, list[i]);
}
static void put_corner(struct buffer *m, const int *list, unsigned n) {
  put64(m, n);
  for (unsigned i = 0; i < n; i++) put64(m, (uint64_t)(int64_t)list[i]);
}

static CUresult refused(const char *what) {
  fflush(stdout);
  fprintf(stderr, "warptape: a tensor map is refused: %s\n", what);
  return CUDA_ERROR_INVALID_VALUE;
}

// encode asks the recorder. box has the lengths of a box; without a corner, as many as dimensions.
static CUresult encode(CUtensorMap *map, const struct tensor *t, const cuuint32_t *box, const int *lower, const int *upper) {
  if (!map || (uintptr_t)map % 64 || !t->sizes || !t->element_strides || !box) return refused("an argument lacks, or the map is not aligned to 64 bytes");
  if (t->rank < 1 || t->rank > MAX_RANK || (t->rank > 1 && !t->strides)) return refused("a tensor has 1 to 5 dimensions, and strides for all but the first");
  if (element_of(t->type) < 0) return refused("there is no such element type");
  if (t->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) return refused("interleaved layouts are not supported");
  struct buffer m = {0}, r = {0};
  put64(&m, (uint64_t)element_of(t->type));
  put64(&m, (uint64_t)t->swizzle);
  put64(&m, t->fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
  put64(&m, lower != NULL);
  put64(&m, (uint64_t)t->address);
  put_list64(&m, t->sizes, t->rank);
  put_list64(&m, t->strides, t->rank - 1);
  put_list32(&m, box, lower ? 2 : t->rank);
  put_list32(&m, t->element_strides, t->rank);
  put_corner(&m, lower, lower ? t->rank - 2 : 0);
  put_corner(&m, upper, lower ? t->rank - 2 : 0);
  lock();
  int e = connected();
  if (e) release(&m); else e = ask(MESSAGE_TENSOR_MAP, &m, &r);
  unlock();
  size_t n = 0;
  const void *bytes = e ? NULL : take_bytes(&r, &n);
  if (!e && (!bytes || n != sizeof *map)) e = ERROR_UNKNOWN;
  if (!e) memcpy(map, bytes, n);
  release(&r);
  return (CUresult)e;
}

EXPORT CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
                                       const cuuint32_t *element_strides, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill) {
  (void)l2; // a hint, which caches of a replay do not follow
  struct tensor t = {type, rank, address, sizes, strides, element_strides, interleave, swizzle, fill};
  return encode(map, &t, box, NULL, NULL);
}

EXPORT CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *sizes, const cuuint64_t *strides, const int *lower, const int *upper,
                                        cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *element_strides, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill) {
  (void)l2;
  if (rank < 3 || !lower || !upper) return refused("im2col mode needs 3 to 5 dimensions, and both corners");
  struct tensor t = {type, rank, address, sizes, strides, element_strides, interleave, swizzle, fill};
  return encode(map, &t, (cuuint32_t[]){channels, pixels}, lower, upper);
}

// The address stands at byte 16 of a map, as the recorder lays it out (package memory).
enum { MAP_ADDRESS = 16 };
EXPORT CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
  if (!map || (uintptr_t)address % 16) return refused("the tensor's address is no multiple of 16");
  memcpy((unsigned char *)map + MAP_ADDRESS, &address, sizeof address);
  return 0;
}
