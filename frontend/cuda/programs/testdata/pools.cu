// Memory pools, attributes of streams, and copies of rows by the driver's interface.
#include <cuda.h>
#include <vector>
#include "check.h"
#define FAILS(call, error) CHECK((call) == (error) && cudaGetLastError() == (error))

__global__ void count(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i; }

static unsigned long long number(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  unsigned long long v = 0;
  OK(cudaMemPoolGetAttribute(pool, attribute, &v));
  return v;
}

static void pools(cudaStream_t stream) {
  cudaMemPool_t pool, own, now;
  cudaMemPoolProps wanted = {};
  FAILS(cudaMemPoolCreate(&own, &wanted), cudaErrorInvalidValue);
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location.type = cudaMemLocationTypeDevice;
  wanted.location.id = 1;
  FAILS(cudaMemPoolCreate(&own, &wanted), cudaErrorInvalidDevice);
  wanted.location.id = 0;
  OK(cudaMemPoolCreate(&own, &wanted));
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  OK(cudaDeviceGetMemPool(&now, 0));
  CHECK(now == pool && pool != own);
  FAILS(cudaDeviceGetDefaultMemPool(&pool, 1), cudaErrorInvalidDevice);
  int *a, *b, *c, n = 1000, on = 0;
  OK(cudaMallocAsync(&a, n * sizeof *a, stream));
  OK(cudaMallocFromPoolAsync(&b, n * sizeof *b, own, stream));
  OK(cudaMallocAsync(&c, 2 * n * sizeof *c, own, stream));
  CHECK(number(pool, cudaMemPoolAttrUsedMemCurrent) >= n * sizeof *a && number(own, cudaMemPoolAttrUsedMemCurrent) >= 3 * n * sizeof *a);
  count<<<4, 256, 0, stream>>>(b, n);
  std::vector<int> got(n);
  OK(cudaMemcpyAsync(got.data(), b, n * sizeof *b, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  for (int i = 0; i < n; i++) CHECK(got[i] == i);
  unsigned long long most = number(own, cudaMemPoolAttrUsedMemHigh), zero = 0, one = 1;
  OK(cudaFreeAsync(c, stream));
  CHECK(number(own, cudaMemPoolAttrUsedMemHigh) == most && number(own, cudaMemPoolAttrUsedMemCurrent) < most);
  FAILS(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &one), cudaErrorInvalidValue);
  OK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &zero));
  CHECK(number(own, cudaMemPoolAttrUsedMemHigh) == number(own, cudaMemPoolAttrUsedMemCurrent));
  OK(cudaMemPoolSetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &on));
  on = 5;
  OK(cudaMemPoolGetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &on));
  CHECK(on == 0);
  cudaMemAccessDesc access = {wanted.location, cudaMemAccessFlagsProtReadWrite};
  OK(cudaMemPoolSetAccess(own, &access, 1));
  access.location.id = 1;
  FAILS(cudaMemPoolSetAccess(own, &access, 1), cudaErrorInvalidDevice);
  OK(cudaDeviceSetMemPool(0, own));
  OK(cudaMallocAsync(&c, 64, stream));
  CHECK(number(own, cudaMemPoolAttrUsedMemCurrent) >= n * sizeof *b + 64);
  OK(cudaMemPoolTrimTo(own, 0));
  OK(cudaMemPoolDestroy(own)); // the memory stays until it is freed
  OK(cudaDeviceGetMemPool(&now, 0));
  CHECK(now == pool);
  FAILS(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
  count<<<4, 256, 0, stream>>>(b, n);
  OK(cudaFreeAsync(b, stream));
  OK(cudaFreeAsync(c, stream));
  OK(cudaFree(a));
  CHECK(number(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
}

static void attributes(cudaStream_t stream) {
  cudaStreamAttrValue v = {}, w = {};
  cudaStream_t other;
  OK(cudaStreamGetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &v));
  CHECK(v.syncPolicy == cudaSyncPolicyAuto);
  v.accessPolicyWindow = {&v, 4096, 0.5f, cudaAccessPropertyPersisting, cudaAccessPropertyPersisting};
  FAILS(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &v), cudaErrorInvalidValue);
  v.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  OK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &v));
  OK(cudaStreamCreate(&other));
  OK(cudaStreamCopyAttributes(other, stream));
  OK(cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &w));
  CHECK(w.accessPolicyWindow.base_ptr == &v && w.accessPolicyWindow.num_bytes == 4096 && w.accessPolicyWindow.hitProp == cudaAccessPropertyPersisting);
  FAILS(cudaStreamSetAttribute(stream, (cudaStreamAttrID)77, &v), cudaErrorInvalidValue);
  OK(cudaCtxResetPersistingL2Cache());
  OK(cudaStreamDestroy(other));
}

// rows copies rows of 40 bytes from the middle of rows of 64, to a device, an array and back.
static void rows() {
  unsigned char from[8][64], back[6][64] = {};
  for (int y = 0; y < 8; y++) for (int x = 0; x < 64; x++) from[y][x] = (unsigned char)(8 * y + x);
  CUdeviceptr p;
  size_t pitch;
  CUarray array;
  CUDA_ARRAY_DESCRIPTOR shape = {20, 8, CU_AD_FORMAT_UNSIGNED_INT16, 1};
  CHECK(cuMemAllocPitch(&p, &pitch, 40, 6, 4) == CUDA_SUCCESS && cuArrayCreate(&array, &shape) == CUDA_SUCCESS);
  CUDA_MEMCPY2D c = {};
  c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = from, c.srcPitch = 64, c.srcXInBytes = 4, c.srcY = 2;
  c.dstMemoryType = CU_MEMORYTYPE_DEVICE, c.dstDevice = p, c.dstPitch = pitch, c.WidthInBytes = 40, c.Height = 6;
  CHECK(cuMemcpy2D(&c) == CUDA_SUCCESS);
  c = {};
  c.srcMemoryType = CU_MEMORYTYPE_DEVICE, c.srcDevice = p, c.srcPitch = pitch;
  c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = array, c.dstY = 1, c.WidthInBytes = 40, c.Height = 6;
  CHECK(cuMemcpy2DAsync(&c, NULL) == CUDA_SUCCESS);
  c = {};
  c.srcMemoryType = CU_MEMORYTYPE_ARRAY, c.srcArray = array, c.srcY = 1, c.srcXInBytes = 8;
  c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = back, c.dstPitch = 64, c.dstXInBytes = 3, c.WidthInBytes = 32, c.Height = 6;
  CHECK(cuMemcpy2DUnaligned(&c) == CUDA_SUCCESS);
  for (int y = 0; y < 6; y++) for (int x = 0; x < 64; x++) CHECK(back[y][x] == (x >= 3 && x < 35 ? from[y + 2][x - 3 + 4 + 8] : 0));
  CHECK(cuMemcpy2D(NULL) == CUDA_ERROR_INVALID_VALUE);
}

// A program that maps memory itself learns that the device has no such, and can take another way.
static void mapped() {
  int has = 7;
  CUmemAllocationProp wanted = {};
  CUmemGenericAllocationHandle handle;
  CUdeviceptr p;
  size_t n;
  CHECK(cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0) == CUDA_SUCCESS && has == 0);
  CHECK(cuMemGetAllocationGranularity(&n, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(cuMemAddressReserve(&p, 1 << 21, 0, 0, 0) == CUDA_ERROR_NOT_SUPPORTED && cuMemCreate(&handle, 1 << 21, &wanted, 0) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(cudaGetLastError() == cudaSuccess); // errors of the driver's interface are not the runtime's
}

int main() {
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  pools(stream);
  attributes(stream);
  rows();
  mapped();
  printf("ok\n");
}
