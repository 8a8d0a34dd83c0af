// The driver's interface as libcu++ of release 3 uses it: its functions by their names, pools,
// pointers, libraries, streams and graphs.
#include <cuda.h>
#include <cstring>
#include <string>
#include <vector>
#include "check.h"
#define DRIVER(call) do { CUresult error_ = (call); if (error_ != CUDA_SUCCESS) { printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, (int)error_); exit(1); } } while (0)
#define FAILS(call, error) CHECK((call) == (error) && cudaGetLastError() == cudaSuccess)

#ifdef RELEASE // that programs see
static_assert(CUDA_VERSION == RELEASE && CUDART_VERSION == RELEASE && __CUDACC_VER_MAJOR__ == RELEASE / 1000, "the release of CUDA");
__global__ void whether(const __grid_constant__ int n, int *is) { *is = __isGridConstant(&n) + 2 * __isGridConstant(is); }
#else
__global__ void whether(const int n, int *is) { *is = 1; }
#endif

static const char text[] = R"(.version 7.0
.target sm_50
.address_size 64
.global .u32 bias = 5;
.visible .entry fill(.param .u64 to, .param .u32 n) {
  .reg .b64 %d<4>; .reg .b32 %r<6>; .reg .pred %p1;
  ld.param.u64 %d1, [to]; ld.param.u32 %r1, [n]; cvta.to.global.u64 %d1, %d1;
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r2, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r2, %r1; @%p1 ret;
  mul.wide.u32 %d2, %r2, 4; add.u64 %d1, %d1, %d2; ld.global.u32 %r5, [bias]; add.u32 %r5, %r5, %r2; st.global.u32 [%d1], %r5;
  ret;
})";
enum { N = 500 };
static __managed__ int shared_by_both = 3;
static void check(CUdeviceptr p, int bias) {
  std::vector<int> got(N);
  DRIVER(cuMemcpyDtoH(got.data(), p, N * sizeof(int)));
  for (int i = 0; i < N; i++) CHECK(got[i] == i + bias);
}

static CUdeviceptr pools(CUstream stream, CUmemoryPool own) {
  CUmemoryPool pool, now;
  CUmemPoolProps wanted = {};
  FAILS(cuMemPoolCreate(&pool, &wanted), CUDA_ERROR_INVALID_VALUE);
  DRIVER(cuDeviceGetDefaultMemPool(&pool, 0));
  FAILS(cuDeviceGetDefaultMemPool(&pool, 1), CUDA_ERROR_INVALID_DEVICE);
  DRIVER(cuDeviceSetMemPool(0, own));
  DRIVER(cuDeviceGetMemPool(&now, 0));
  CHECK(now == own && own != pool);
  CUdeviceptr a, b;
  DRIVER(cuMemAllocAsync(&a, N * sizeof(int), stream));
  DRIVER(cuMemAllocFromPoolAsync(&b, 4096, pool, stream));
  FAILS(cuMemAllocFromPoolAsync(&b, 0, pool, stream), CUDA_ERROR_INVALID_VALUE);
  cuuint64_t used = 0, held = 0, threshold = 77;
  DRIVER(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &held));
  CHECK(used >= N * sizeof(int) && held >= 4096);
  DRIVER(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  DRIVER(cuMemPoolSetAccess(own, &access, 1));
  DRIVER(cuMemPoolGetAccess(&flags, own, &access.location));
  CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  DRIVER(cuMemPoolTrimTo(own, 0));
  DRIVER(cuMemFreeAsync(b, stream));
  DRIVER(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &held));
  CHECK(held == 0);
  return a;
}

static void pointers(CUdeviceptr p, CUmemoryPool own) {
  CUmemorytype type;
  CUdeviceptr base = 0, at = 0;
  size_t bytes = 0;
  int managed = 7, mapped = 7, ordinal = 7;
  CUmemoryPool pool;
  CUcontext context, current;
  void *host = &host, *pinned;
  DRIVER(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 40));
  DRIVER(cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
  CHECK(type == CU_MEMORYTYPE_DEVICE && pool == own);
  CUpointer_attribute list[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_MAPPED, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
    CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_HOST_POINTER, CU_POINTER_ATTRIBUTE_CONTEXT};
  void *to[] = {&base, &bytes, &managed, &mapped, &ordinal, &at, &host, &context};
  DRIVER(cuPointerGetAttributes(8, list, to, p + 40));
  DRIVER(cuCtxGetCurrent(&current));
  CHECK(base == p && bytes >= N * sizeof(int) && managed == 0 && mapped == 1 && ordinal == 0 && at == p + 40 && host == NULL && context == current);
  DRIVER(cuMemAllocHost(&pinned, 100));
  DRIVER(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)pinned));
  CHECK(type == CU_MEMORYTYPE_HOST);
  DRIVER(cuMemFreeHost(pinned));
  DRIVER(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, (CUdeviceptr)&shared_by_both));
  CHECK(managed == 1);
  int local = 0; // of which the device knows nothing
  FAILS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&local), CUDA_ERROR_INVALID_VALUE);
  DRIVER(cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, (CUdeviceptr)&local));
  DRIVER(cuPointerGetAttributes(8, list, to, (CUdeviceptr)&local));
  CHECK(mapped == 0 && base == 0 && bytes == 0 && managed == 0 && ordinal == -2 && host == NULL && context == NULL);
}

static void libraries(CUdeviceptr p, CUstream stream) {
  CUlibrary library, back;
  CUkernel kernel;
  CUmodule module;
  CUfunction function;
  CUdeviceptr bias;
  size_t bytes;
  const char *name;
  int threads = 0, value = 9, n = N;
  DRIVER(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
  DRIVER(cuLibraryGetKernel(&kernel, library, "fill"));
  FAILS(cuLibraryGetKernel(&kernel, library, "nothing"), CUDA_ERROR_NOT_FOUND);
  DRIVER(cuLibraryGetGlobal(&bias, &bytes, library, "bias"));
  CHECK(bytes == 4);
  DRIVER(cuMemcpyHtoD(bias, &value, 4));
  DRIVER(cuKernelGetFunction(&function, kernel));
  DRIVER(cuKernelGetName(&name, kernel));
  DRIVER(cuKernelGetLibrary(&back, kernel));
  DRIVER(cuLibraryGetModule(&module, library));
  CHECK(!strcmp(name, "fill") && back == library);
  CHECK(function == (CUfunction)kernel);
  DRIVER(cuModuleGetFunction(&function, module, "fill"));
  DRIVER(cuFuncGetName(&name, function));
  CHECK(!strcmp(name, "fill"));
  DRIVER(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
  CHECK(threads == 1024);
  DRIVER(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, kernel, 0));
  void *arguments[] = {&p, &n};
  DRIVER(cuLaunchKernel((CUfunction)kernel, 2, 1, 1, 256, 1, 1, 0, stream, arguments, NULL));
  DRIVER(cuStreamSynchronize(stream));
  check(p, 9);
  FAILS(cuLibraryGetManaged(&bias, &bytes, library, "bias"), CUDA_ERROR_NOT_SUPPORTED);

  // A graph of the kernel, twice.
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CUgraphNode first, second;
  OK(cudaGraphCreate(&graph, 0));
  CUDA_KERNEL_NODE_PARAMS node = {};
  node.kern = kernel, node.gridDimX = 2, node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1, node.blockDimX = 256, node.kernelParams = arguments;
  DRIVER(cuGraphAddKernelNode(&first, graph, NULL, 0, &node));
  node.kern = NULL;
  FAILS(cuGraphAddKernelNode(&second, graph, &first, 1, &node), CUDA_ERROR_INVALID_VALUE);
  node.func = function;
  DRIVER(cuGraphAddKernelNode(&second, graph, &first, 1, &node));
  value = 21;
  DRIVER(cuMemcpyHtoD(bias, &value, 4));
  OK(cudaGraphInstantiate(&executable, graph, NULL, NULL, 0));
  OK(cudaGraphLaunch(executable, stream));
  DRIVER(cuStreamSynchronize(stream));
  check(p, 21);
  DRIVER(cuLibraryUnload(library));
  FAILS(cuLibraryLoadData(&library, "no text", NULL, NULL, 0, NULL, NULL, 0), CUDA_ERROR_INVALID_PTX);
}

static void called(CUstream, CUresult status, void *data) { *(int *)data = status == CUDA_SUCCESS ? 1 : -1; }
static void streams(CUstream stream) {
  int priority = 9, seen = 0;
  unsigned flags = 9;
  unsigned long long one = 0, other = 0;
  CUstream second;
  CUstreamCaptureStatus status;
  CUcontext context, current;
  CUdevice device = 9;
  DRIVER(cuStreamCreateWithPriority(&second, CU_STREAM_NON_BLOCKING, 0));
  DRIVER(cuStreamGetPriority(second, &priority));
  DRIVER(cuStreamGetFlags(second, &flags));
  DRIVER(cuStreamGetId(stream, &one));
  DRIVER(cuStreamGetId(second, &other));
  DRIVER(cuStreamGetCtx(second, &context));
  DRIVER(cuStreamGetDevice(second, &device));
  DRIVER(cuCtxGetCurrent(&current));
  CHECK(priority == 0 && flags == CU_STREAM_NON_BLOCKING && one != other && context == current && device == 0);
  DRIVER(cuStreamAddCallback(stream, called, &seen, 0));
  DRIVER(cuStreamSynchronize(stream));
  CHECK(seen == 1);
  DRIVER(cuStreamIsCapturing(second, &status));
  CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
  cudaGraph_t graph;
  OK(cudaStreamBeginCapture((cudaStream_t)second, cudaStreamCaptureModeGlobal));
  DRIVER(cuStreamIsCapturing(second, &status));
  CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  OK(cudaStreamEndCapture((cudaStream_t)second, &graph));
  DRIVER(cuStreamDestroy(second));
  CUdevResource resource;
  int sms;
  DRIVER(cuDeviceGetDevResource(0, &resource, CU_DEV_RESOURCE_TYPE_SM));
  DRIVER(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  CHECK((int)resource.sm.smCount == sms && sms > 0);
  FAILS(cuDeviceGetDevResource(0, &resource, CU_DEV_RESOURCE_TYPE_INVALID), CUDA_ERROR_INVALID_VALUE);
  int width = 0, pitch = 0, mipmap = 9, node = 9;
  OK(cudaDeviceGetAttribute(&width, cudaDevAttrMaxSurface2DWidth, 0));
  OK(cudaDeviceGetAttribute(&pitch, cudaDevAttrMaxTexture2DLinearPitch, 0));
  OK(cudaDeviceGetAttribute(&mipmap, cudaDevAttrMaxTexture2DMipmappedWidth, 0));
  OK(cudaDeviceGetAttribute(&node, cudaDevAttrNumaId, 0));
  CHECK(width == 131072 && pitch == 2097120 && mipmap == 0 && node == -1);
}

// waits is a kernel that may begin before the launch in front of it ends.
__global__ void waits(int *p) {
  cudaGridDependencySynchronize();
  p[threadIdx.x] += 1;
  cudaTriggerProgrammaticLaunchCompletion();
}

int main() {
  CUstream stream;
  CUmemoryPool own;
  CUmemPoolProps wanted = {};
  DRIVER(cuInit(0));
  DRIVER(cuStreamCreate(&stream, 0));
  wanted.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, wanted.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  DRIVER(cuMemPoolCreate(&own, &wanted));
  CUdeviceptr p = pools(stream, own);
  pointers(p, own);
  libraries(p, stream);
  streams(stream);
  waits<<<1, 64, 0, (cudaStream_t)stream>>>((int *)p);
  waits<<<1, 64, 0, (cudaStream_t)stream>>>((int *)p);
  int got[64];
  OK(cudaMemcpyAsync(got, (void *)p, sizeof got, cudaMemcpyDeviceToHost, (cudaStream_t)stream));
  DRIVER(cuStreamSynchronize(stream));
  for (int i = 0; i < 64; i++) CHECK(got[i] == i + 21 + 2);
  whether<<<1, 1, 0, (cudaStream_t)stream>>>(3, (int *)p);
  OK(cudaMemcpyAsync(got, (void *)p, 4, cudaMemcpyDeviceToHost, (cudaStream_t)stream));
  DRIVER(cuStreamSynchronize(stream));
  CHECK(got[0] == 0 || got[0] == 1); // an argument may be copied before; what a pointer points to is none
  DRIVER(cuMemFreeAsync(p, stream));
  DRIVER(cuMemPoolDestroy(own));
  for (const char *name : {"cuLibraryLoadData", "cuMemPoolCreate", "cuPointerGetAttribute", "cuStreamGetId", "cuGraphAddKernelNode", "cuDeviceGetDevResource"}) {
    void *f = NULL;
    CHECK(cuGetProcAddress(name, &f, 12040, CU_GET_PROC_ADDRESS_DEFAULT, NULL) == CUDA_SUCCESS && f);
  }
  printf("ok\n");
}
