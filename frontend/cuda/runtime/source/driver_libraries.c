// SPDX-License-Identifier: Apache-2.0
// Libraries (CUDA Driver API, "Library Management"): modules that belong to no context. There is
// one context, so that a library is its module, and a kernel of it its function.
#include "driver_result.h"

static CUmodule module_of(CUlibrary l) { return (CUmodule)l; }

EXPORT CUresult cuLibraryLoadData(CUlibrary *l, const void *code, CUjit_option *o, void **v, unsigned n, CUlibraryOption *lo, void **lv, unsigned ln) {
  (void)lo; (void)lv; (void)ln; // nothing here depends on them
  return cuModuleLoadDataEx((CUmodule *)l, code, n, o, v);
}
EXPORT CUresult cuLibraryLoadFromFile(CUlibrary *l, const char *file, CUjit_option *o, void **v, unsigned n, CUlibraryOption *lo, void **lv, unsigned ln) {
  (void)o; (void)v; (void)n; (void)lo; (void)lv; (void)ln;
  return cuModuleLoad((CUmodule *)l, file);
}
EXPORT CUresult cuLibraryUnload(CUlibrary l) { return cuModuleUnload(module_of(l)); }
EXPORT CUresult cuLibraryGetModule(CUmodule *m, CUlibrary l) {
  if (!m) return CUDA_ERROR_INVALID_VALUE;
  *m = module_of(l);
  return l ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
EXPORT CUresult cuLibraryGetKernel(CUkernel *k, CUlibrary l, const char *name) { return cuModuleGetFunction((CUfunction *)k, module_of(l), name); }
EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *p, size_t *n, CUlibrary l, const char *name) { return cuModuleGetGlobal_v2(p, n, module_of(l), name); }
EXPORT CUresult cuLibraryGetManaged(CUdeviceptr *p, size_t *n, CUlibrary l, const char *name) {
  (void)p; (void)n; (void)l; (void)name;
  name_missing("cuLibraryGetManaged", "__managed__ variables of the program itself are shared; those of a library that it loads are not", __builtin_return_address(0));
  return CUDA_ERROR_NOT_SUPPORTED;
}

EXPORT CUresult cuKernelGetFunction(CUfunction *f, CUkernel k) {
  if (!f) return CUDA_ERROR_INVALID_VALUE;
  *f = (CUfunction)k;
  return k ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
EXPORT CUresult cuKernelGetLibrary(CUlibrary *l, CUkernel k) {
  if (!l) return CUDA_ERROR_INVALID_VALUE;
  if (!k) return CUDA_ERROR_INVALID_HANDLE;
  *l = (CUlibrary)(((struct function *)k)->module + 1); // as a module is its number
  return CUDA_SUCCESS;
}
EXPORT CUresult cuKernelGetName(const char **name, CUkernel k) {
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  if (!k) return CUDA_ERROR_INVALID_HANDLE;
  *name = ((struct function *)k)->name;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuFuncGetName(const char **name, CUfunction f) { return cuKernelGetName(name, (CUkernel)f); }
EXPORT CUresult cuKernelGetAttribute(int *v, CUfunction_attribute a, CUkernel k, CUdevice d) {
  if (!v) return CUDA_ERROR_INVALID_VALUE;
  return d ? CUDA_ERROR_INVALID_DEVICE : !k ? CUDA_ERROR_INVALID_HANDLE : cuFuncGetAttribute(v, a, (CUfunction)k);
}
EXPORT CUresult cuKernelSetAttribute(CUfunction_attribute a, int v, CUkernel k, CUdevice d) {
  return d ? CUDA_ERROR_INVALID_DEVICE : !k ? CUDA_ERROR_INVALID_HANDLE : cuFuncSetAttribute((CUfunction)k, a, v);
}
