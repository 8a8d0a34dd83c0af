// SPDX-License-Identifier: Apache-2.0
// Options of the driver's compiler, and its linker (CUDA Driver API, "Module Management"). The
// linker takes one input: PTX is linked where it is loaded.
#include "warptape.h"
#include "driver_jit.h"

void jit_options(struct jit *j, unsigned n, CUjit_option *o, void **v) {
  *j = (struct jit){0};
  for (unsigned i = 0; i < n && o && v; i++) {
    if (o[i] == CU_JIT_ERROR_LOG_BUFFER) j->error = v[i];
    if (o[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) j->error_bytes = (uint32_t)(uintptr_t)v[i], j->error_size = &v[i];
    if (o[i] == CU_JIT_INFO_LOG_BUFFER) j->info = v[i];
    if (o[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) j->info_bytes = (uint32_t)(uintptr_t)v[i], j->info_size = &v[i];
    if (o[i] == CU_JIT_WALL_TIME) memset(&v[i], 0, sizeof(float)); // milliseconds; nothing is compiled
  }
  if (!j->error) j->error_bytes = 0;
  if (!j->info) j->info_bytes = 0;
  if (j->error_bytes) j->error[0] = 0;
  if (j->info_bytes) j->info[0] = 0;
}

// jit_done gives back how many bytes of each log have text.
void jit_done(struct jit *j) {
  if (j->error_size) *j->error_size = (void *)(uintptr_t)(j->error_bytes ? strlen(j->error) : 0);
  if (j->info_size) *j->info_size = (void *)0;
}

struct CUlinkState_st {
  struct jit jit;
  char *image;
  size_t bytes;
};

static CUresult fail(CUlinkState l, CUresult e, const char *why) {
  if (l->jit.error_bytes) snprintf(l->jit.error, l->jit.error_bytes, "%s", why);
  return e;
}

EXPORT CUresult cuLinkCreate_v2(unsigned n, CUjit_option *o, void **v, CUlinkState *made) {
  if (!made || (n && (!o || !v))) return CUDA_ERROR_INVALID_VALUE;
  CUlinkState l = calloc(1, sizeof *l);
  if (!l) return CUDA_ERROR_OUT_OF_MEMORY;
  jit_options(&l->jit, n, o, v);
  *made = l;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuLinkAddData_v2(CUlinkState l, CUjitInputType type, void *data, size_t n, const char *name, unsigned options, CUjit_option *o, void **v) {
  (void)name;
  if (!l || !data || !n || (options && (!o || !v))) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY) {
    if (type == CU_JIT_INPUT_CUBIN) return fail(l, CUDA_ERROR_NO_BINARY_FOR_GPU, "the input is machine code (SASS), which does not run here: link its PTX");
    return fail(l, CUDA_ERROR_NOT_SUPPORTED, "the linker takes PTX and fat binaries");
  }
  if (l->image) return fail(l, CUDA_ERROR_NOT_SUPPORTED, "the linker takes one input: compile the files with -rdc=true, or load a module for each");
  char *image = calloc(n + 1, 1); // PTX may come without the zero byte behind it
  if (!image) return CUDA_ERROR_OUT_OF_MEMORY;
  memcpy(image, data, n);
  CUmodule m;
  CUresult e = n < 16 || image_bytes(image) > n ? CUDA_ERROR_INVALID_IMAGE : load_with_log(&m, image, &l->jit);
  if (e) {
    free(image);
    return e;
  }
  l->image = image;
  l->bytes = n + 1;
  return cuModuleUnload(m); // it was loaded to see whether it can be
}

EXPORT CUresult cuLinkAddFile_v2(CUlinkState l, CUjitInputType type, const char *path, unsigned options, CUjit_option *o, void **v) {
  if (!l || !path) return CUDA_ERROR_INVALID_VALUE;
  char *data;
  size_t n;
  CUresult e = read_file(path, &data, &n);
  if (e) return e;
  e = cuLinkAddData_v2(l, type, data, n, path, options, o, v);
  free(data);
  return e;
}

EXPORT CUresult cuLinkComplete(CUlinkState l, void **image, size_t *bytes) {
  if (!l || !image) return CUDA_ERROR_INVALID_VALUE;
  if (!l->image) return fail(l, CUDA_ERROR_INVALID_IMAGE, "nothing was added to the linker");
  jit_done(&l->jit);
  *image = l->image;
  if (bytes) *bytes = l->bytes;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuLinkDestroy(CUlinkState l) {
  if (!l) return CUDA_ERROR_INVALID_VALUE;
  free(l->image);
  free(l);
  return CUDA_SUCCESS;
}
