// Tensor maps: boxes of a matrix that bulk copies bring to shared memory and take back, also beyond
// its edges and by swizzles. The driver's function comes by its name, as the runtime gives it.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>
#include <vector>
#include "check.h"

static_assert(CUDA_VERSION >= 12000 && CUDART_VERSION == CUDA_VERSION, "tensor maps came with release 12");
constexpr int Width = 32, Height = 8; // of a box
typedef float Element;

__device__ static unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// moved brings a box to shared memory, doubles it, and stores it through another map. plain gets
// the box as it lies in shared memory.
__global__ void moved(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, float *plain, int x, int y) {
  __shared__ alignas(1024) Element box[Height * Width];
  __shared__ alignas(8) unsigned long long barrier;
  if (threadIdx.x == 0) {
    if (__isGridConstant(box)) plain[0] = -1; // which no place of shared memory is
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(box)), "l"(&from), "r"(x), "r"(y),
                 "r"(shared_address(&barrier)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"((int)sizeof box) : "memory");
  }
  asm volatile("{\n\t.reg .pred done;\nagain:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n\t@!done bra again;\n\t}" ::"r"(shared_address(&barrier)) : "memory");
  for (int i = threadIdx.x; i < Width * Height; i += blockDim.x) {
    plain[i] = box[i];
    box[i] *= 2;
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to), "r"(x), "r"(y), "r"(shared_address(box)) : "memory");
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// What nvcc takes: a value in dynamic shared memory, and several of a class with a constructor.
struct Counted { int n; __device__ Counted() { n = 7; } };
template <int N> struct Room { int first[N]; float last; };
template <int N> __global__ void rooms(float *out) {
  extern __shared__ Room<N> room;
  __shared__ Counted one, two;
  room.first[threadIdx.x % N] = threadIdx.x % N;
  if (threadIdx.x == 0) one.n = 1, two.n = 2, room.last = 0.5f;
  __syncthreads();
  if (threadIdx.x < N) out[threadIdx.x] = (float)(room.first[threadIdx.x] + one.n + 10 * two.n) + room.last;
}

static void several() {
  float *out;
  OK(cudaMallocManaged(&out, 8 * sizeof *out));
  rooms<3><<<1, 32, sizeof(Room<3>)>>>(out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 3; i++) CHECK(out[i] == i + 21.5f);
  rooms<8><<<1, 32, sizeof(Room<8>)>>>(out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 8; i++) CHECK(out[i] == i + 21.5f);
  OK(cudaFree(out));
}

static PFN_cuTensorMapEncodeTiled_v12000 encode;

static CUresult mapped(CUtensorMap *m, void *p, CUtensorMapDataType type, cuuint64_t width, cuuint64_t height, cuuint64_t pitch, CUtensorMapSwizzle s) {
  cuuint64_t sizes[] = {width, height}, strides[] = {pitch};
  cuuint32_t box[] = {Width, Height}, ones[] = {1, 1};
  return encode(m, type, 2, p, sizes, strides, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, s, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

// converted loads words by a map of an element type, which rounds or flushes them.
static void converted(CUtensorMapDataType type, const unsigned (&words)[4], const unsigned (&want)[4]) {
  unsigned *in;
  float *out, *plain;
  OK(cudaMallocManaged(&in, Width * Height * sizeof *in));
  OK(cudaMallocManaged(&out, Width * Height * sizeof *out));
  OK(cudaMallocManaged(&plain, Width * Height * sizeof *plain));
  for (int i = 0; i < Width * Height; i++) in[i] = words[i % 4];
  CUtensorMap from, to;
  CHECK(mapped(&from, in, type, Width, Height, Width * sizeof *in, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_SUCCESS);
  CHECK(mapped(&to, out, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, Width, Height, Width * sizeof *in, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_SUCCESS);
  moved<<<1, 64>>>(from, to, plain, 0, 0);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < Width * Height; i++) CHECK(((unsigned *)plain)[i] == want[i % 4]);
  OK(cudaFree(in));
  OK(cudaFree(out));
  OK(cudaFree(plain));
}

static void conversions() {
  const unsigned words[] = {0x3f803000, 0xbf801000, 0x807fffff, 0x7f800000}; // two ties, a subnormal number, infinity
  converted(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, words, words);
  converted(CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, words, {0x3f803000, 0xbf801000, 0x80000000, 0x7f800000});
  converted(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, words, {0x3f804000, 0xbf800000, 0x80800000, 0x7f800000});
  converted(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, words, {0x3f804000, 0xbf800000, 0x80000000, 0x7f800000});
}

static void box_at(int x, int y, int width, int height, CUtensorMapSwizzle swizzle) {
  const int pitch = 64; // of floats
  float *in, *out, *plain;
  OK(cudaMallocManaged(&in, pitch * height * sizeof *in));
  OK(cudaMallocManaged(&out, pitch * height * sizeof *out));
  OK(cudaMallocManaged(&plain, Width * Height * sizeof *plain));
  for (int i = 0; i < pitch * height; i++) in[i] = (float)(i + 1), out[i] = -1;
  CUtensorMap from, to;
  CHECK(mapped(&from, in, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, width, height, pitch * sizeof *in, swizzle) == CUDA_SUCCESS);
  CHECK(mapped(&to, in, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, width, height, pitch * sizeof *in, swizzle) == CUDA_SUCCESS);
  CHECK(cuTensorMapReplaceAddress(&to, out) == CUDA_SUCCESS);
  moved<<<1, 64>>>(from, to, plain, x, y);
  OK(cudaDeviceSynchronize());
  for (int r = 0; r < Height; r++)
    for (int c = 0; c < Width; c++) {
      bool inside = x + c >= 0 && x + c < width && y + r >= 0 && y + r < height;
      float want = inside ? (float)((y + r) * pitch + x + c + 1) : 0;
      int at = r * Width + c; // of a span of 128 bytes, pieces of 16 change places by the row
      if (swizzle == CU_TENSOR_MAP_SWIZZLE_128B) at ^= r % 8 << 2;
      CHECK(plain[at] == want);
    }
  for (int r = 0; r < height; r++)
    for (int c = 0; c < pitch; c++) {
      bool inside = c < width && c >= x && c < x + Width && r >= y && r < y + Height;
      CHECK(out[r * pitch + c] == (inside ? 2 * in[r * pitch + c] : -1));
    }
  OK(cudaFree(in));
  OK(cudaFree(out));
  OK(cudaFree(plain));
}

int main() {
  several();
  cudaDriverEntryPointQueryResult found;
  OK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", (void **)&encode, cudaEnableDefault, &found));
  CHECK(found == cudaDriverEntryPointSuccess && encode);
  void *nothing = &found;
  OK(cudaGetDriverEntryPoint("cuNoSuchFunction", &nothing, cudaEnableDefault, &found));
  CHECK(found == cudaDriverEntryPointSymbolNotFound && !nothing);
  PFN_cuMemAlloc allocate; // the plain name is that of the present form
  CHECK(cuGetProcAddress("cuMemAlloc", (void **)&allocate, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, NULL) == CUDA_SUCCESS && allocate == &cuMemAlloc);
  for (CUtensorMapSwizzle s : {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_128B}) {
    box_at(0, 0, 64, 16, s);
    box_at(16, 5, 64, 16, s);
    box_at(-4, -3, 60, 16, s);
    box_at(48, 12, 60, 14, s);
  }
  conversions();
  float *p;
  CUtensorMap m;
  OK(cudaMalloc(&p, 4096));
  int driver, runtime;
  OK(cudaDriverGetVersion(&driver));
  OK(cudaRuntimeGetVersion(&runtime));
  CHECK(driver >= CUDART_VERSION && runtime >= CUDART_VERSION);
  CHECK(mapped(&m, p + 1, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 32, 8, 128, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
  CHECK(mapped(&m, p, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 30, 8, 120, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
  CHECK(mapped(&m, p, (CUtensorMapDataType)(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ + 1), 32, 8, 128, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);
  CHECK(mapped(&m, p, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 32, 8, 128, CU_TENSOR_MAP_SWIZZLE_64B) == CUDA_ERROR_INVALID_VALUE);
  printf("ok\n");
}
