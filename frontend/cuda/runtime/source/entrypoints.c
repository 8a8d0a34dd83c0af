// SPDX-License-Identifier: Apache-2.0
// The driver's functions by their names (CUDA Driver API, "Driver Entry Point Access").
#include "warptape.h"
#include "cuda_runtime_api.h"
#include "cuda.h"
#include <dlfcn.h>

// find gives the driver's function of a name. Programs of this release ask by the plain name, and
// mean what cuda.h makes of it.
static void *find(const char *name) {
  static void *self;
  Dl_info info;
  if (strncmp(name, "cu", 2) || !strncmp(name, "cuda", 4)) return NULL;
  if (!self && dladdr((void *)cuGetProcAddress_v2, &info)) self = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (!self) return NULL;
  char second[128];
  if (snprintf(second, sizeof second, "%s_v2", name) >= (int)sizeof second) return NULL;
  void *f = dlsym(self, second);
  return f ? f : dlsym(self, name);
}

#undef cuGetProcAddress
EXPORT CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags, CUdriverProcAddressQueryResult *result) {
  (void)version; (void)flags;
  if (!name || !function) return CUDA_ERROR_INVALID_VALUE;
  *function = find(name);
  if (result) *result = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
EXPORT CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags) { return cuGetProcAddress_v2(name, function, version, flags, NULL); }

EXPORT cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, enum cudaDriverEntryPointQueryResult *result) {
  CUresult e = cuGetProcAddress_v2(name, function, NEWEST_VERSION, flags, NULL);
  if (result) *result = e ? cudaDriverEntryPointSymbolNotFound : cudaDriverEntryPointSuccess;
  return done(e == CUDA_ERROR_NOT_FOUND && result ? 0 : e == CUDA_ERROR_NOT_FOUND ? cudaErrorSymbolNotFound : (int)e);
}
EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version, unsigned long long flags, enum cudaDriverEntryPointQueryResult *result) {
  (void)version;
  return cudaGetDriverEntryPoint(name, function, flags, result);
}
