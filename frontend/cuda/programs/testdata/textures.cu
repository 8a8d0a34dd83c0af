// Texture references and objects, arrays and surfaces.
#include "check.h"
#include <cuda.h>
#include <cmath>

texture<float, 1, cudaReadModeElementType> line;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> picture;
surface<void, 2> canvas;

__global__ void fetch(float *out, int n) { int i = threadIdx.x; if (i < n) out[i] = tex1Dfetch(line, i) + tex2D(picture, i + 0.5f, 1.5f).y; }
__global__ void object(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 1.0f, 0.5f); }
__global__ void paint(cudaSurfaceObject_t s) {
  float v = surf2Dread<float>(s, threadIdx.x * 4, threadIdx.y);
  surf2Dwrite(v * 2, s, threadIdx.x * 4, threadIdx.y);
}

// What a texture cannot do is refused, and nothing else is read in its place.
static void refuses(cudaResourceDesc line, cudaArray_t plane) {
  cudaResourceDesc r = line;
  cudaTextureDesc t = {};
  cudaTextureObject_t made;
  auto refused = [&] { return cudaCreateTextureObject(&made, &r, &t, nullptr) == cudaErrorNotSupported && cudaGetLastError() == cudaErrorNotSupported; };
  auto taken = [&] { return cudaCreateTextureObject(&made, &r, &t, nullptr) == cudaSuccess && cudaDestroyTextureObject(made) == cudaSuccess; };
  r.res.array.array = plane; // two rows
  t.readMode = cudaReadModeNormalizedFloat;
  t.addressMode[1] = cudaAddressModeBorder;
  CHECK(taken());
  t.borderColor[2] = 0.5f;
  CHECK(refused());
  t.addressMode[1] = cudaAddressModeClamp; // no border is read
  t.addressMode[2] = cudaAddressModeBorder; // and the array has no third dimension
  CHECK(taken());
  t.sRGB = 1;
  CHECK(refused());
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = nullptr;
  r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  r.res.pitch2D.width = 9;
  r.res.pitch2D.height = 2;
  t.sRGB = 0;
  const size_t pitches[] = {32, 36, 48};
  for (size_t pitch : pitches) { // too short for the row, or no multiple of the device's 32
    r.res.pitch2D.pitchInBytes = pitch;
    CHECK(cudaCreateTextureObject(&made, &r, &t, nullptr) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
  }
}

// Rows with gaps, and an address mode for each dimension.
const int wide = 6, high = 5;
texture<float, cudaTextureType2D, cudaReadModeElementType> rows;
__global__ void sample(cudaTextureObject_t t, const float2 *at, float *out) { out[threadIdx.x] = tex2D<float>(t, at[threadIdx.x].x, at[threadIdx.x].y); }
__global__ void sampleRows(const float2 *at, float *out) { out[threadIdx.x] = tex2D(rows, at[threadIdx.x].x, at[threadIdx.x].y); }

// place is where an address mode finds a texel of a side of n; -1 on the border.
static int place(cudaTextureAddressMode mode, bool normalized, int at, int n) {
  if (mode == cudaAddressModeBorder) return at < 0 || at >= n ? -1 : at;
  if (normalized && mode == cudaAddressModeWrap) return (at + 100 * n) % n;
  if (normalized && mode == cudaAddressModeMirror) { int m = (at + 100 * n) % (2 * n); return m < n ? m : 2 * n - 1 - m; }
  return at < 0 ? 0 : at >= n ? n - 1 : at;
}

// same compares what a kernel has read with texels that are looked up here.
static void same(const float (*texels)[wide], const cudaTextureDesc &t, const float2 *at, const float *out, int n) {
  for (int i = 0; i < n; i++) {
    double x = at[i].x * (t.normalizedCoords ? wide : 1), y = at[i].y * (t.normalizedCoords ? high : 1);
    bool linear = t.filterMode == cudaFilterModeLinear;
    double left = std::floor(linear ? x - 0.5 : x), top = std::floor(linear ? y - 0.5 : y), want = 0;
    double a = linear ? x - 0.5 - left : 0, b = linear ? y - 0.5 - top : 0;
    for (int corner = 0; corner < 4; corner++) {
      int u = place(t.addressMode[0], t.normalizedCoords, (int)left + corner % 2, wide), v = place(t.addressMode[1], t.normalizedCoords, (int)top + corner / 2, high);
      if (u >= 0 && v >= 0) want += (corner % 2 ? a : 1 - a) * (corner / 2 ? b : 1 - b) * texels[v][u];
    }
    CHECK(std::fabs(out[i] - want) <= 1e-4 * want);
  }
}

static void pitched() {
  const int n = 64;
  float texels[high][wide], out[n], *memory, *o;
  float2 at[n], *places;
  for (int i = 0; i < wide * high; i++) texels[i / wide][i % wide] = i * i % 31 + 1;
  size_t pitch;
  OK(cudaMallocPitch(&memory, &pitch, sizeof texels[0], high));
  CHECK(pitch > sizeof texels[0]);
  OK(cudaMemset(memory, 0x47, pitch * high)); // what lies in the gaps is never read
  OK(cudaMemcpy2D(memory, pitch, texels, sizeof texels[0], sizeof texels[0], high, cudaMemcpyHostToDevice));
  OK(cudaMalloc(&places, sizeof at));
  OK(cudaMalloc(&o, sizeof out));
  cudaTextureDesc t = {};
  for (int k = 0; k < 64; k++) {
    t.addressMode[0] = (cudaTextureAddressMode)(k % 4);
    t.addressMode[1] = (cudaTextureAddressMode)(k / 4 % 4);
    t.filterMode = k & 16 ? cudaFilterModeLinear : cudaFilterModePoint;
    t.normalizedCoords = k >> 5;
    for (int i = 0; i < n; i++) { // odd 32nds of a texel, three sides wide
      float x = (2 * (i * 37 % 300) - 201) / 32.0f, y = (2 * (i * 91 % 250) - 151) / 32.0f;
      at[i] = t.normalizedCoords ? make_float2(x / wide, y / high) : make_float2(x, y);
    }
    OK(cudaMemcpy(places, at, sizeof at, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = wide;
    r.res.pitch2D.height = high;
    r.res.pitch2D.pitchInBytes = pitch;
    cudaTextureObject_t object;
    OK(cudaCreateTextureObject(&object, &r, &t, nullptr));
    sample<<<1, n>>>(object, places, o);
    OK(cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost));
    same(texels, t, at, out, n);
    OK(cudaDestroyTextureObject(object));

    rows.addressMode[0] = t.addressMode[0];
    rows.addressMode[1] = t.addressMode[1];
    rows.filterMode = t.filterMode;
    rows.normalized = t.normalizedCoords;
    OK(cudaBindTexture2D(nullptr, rows, memory, wide, high, pitch));
    sampleRows<<<1, n>>>(places, o);
    OK(cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost));
    same(texels, t, at, out, n);

    CUDA_RESOURCE_DESC dr = {};
    CUDA_TEXTURE_DESC dt = {};
    dr.resType = CU_RESOURCE_TYPE_PITCH2D;
    dr.res.pitch2D.devPtr = (CUdeviceptr)memory;
    dr.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
    dr.res.pitch2D.numChannels = 1;
    dr.res.pitch2D.width = wide;
    dr.res.pitch2D.height = high;
    dr.res.pitch2D.pitchInBytes = pitch;
    dt.addressMode[0] = (CUaddress_mode)t.addressMode[0];
    dt.addressMode[1] = (CUaddress_mode)t.addressMode[1];
    dt.filterMode = (CUfilter_mode)t.filterMode;
    dt.flags = t.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0;
    CUtexObject driver;
    CHECK(cuTexObjectCreate(&driver, &dr, &dt, nullptr) == CUDA_SUCCESS);
    sample<<<1, n>>>(driver, places, o);
    OK(cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost));
    same(texels, t, at, out, n);
    CHECK(cuTexObjectDestroy(driver) == CUDA_SUCCESS);
  }
  CHECK(cudaBindTexture2D(nullptr, rows, memory, wide, high, 16) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
  OK(cudaFree(memory));
}

// halves reads numbers of half precision, which a texture gives as single precision.
__global__ void pairs(cudaTextureObject_t t, float2 *out) { out[threadIdx.x] = tex2D<float2>(t, threadIdx.x + 1.0f, 0.5f); }
static void halves() {
  const int n = 4;
  const unsigned short texels[2 * n] = {0x3c00, 0xc000, 0x4000, 0x3800, 0x4400, 0xb400, 0x4800, 0x0400};
  float2 out[n - 1], *o;
  cudaArray_t array;
  cudaChannelFormatDesc desc = cudaCreateChannelDescHalf2();
  OK(cudaMallocArray(&array, &desc, n, 1));
  OK(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels, sizeof texels, 1, cudaMemcpyHostToDevice));
  OK(cudaMalloc(&o, sizeof out));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array;
  cudaTextureDesc t = {};
  t.filterMode = cudaFilterModeLinear;
  t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t object;
  OK(cudaCreateTextureObject(&object, &r, &t, nullptr));
  pairs<<<1, n - 1>>>(object, o);
  OK(cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost));
  const float first[] = {1.5f, 3, 6}, second[] = {-0.75f, 0.125f, -0.125f + 0x1p-15f};
  for (int i = 0; i < n - 1; i++) CHECK(out[i].x == first[i] && out[i].y == second[i]);
  OK(cudaDestroyTextureObject(object));
  OK(cudaFreeArray(array));
  OK(cudaFree(o));
}

int main() {
  const int n = 8;
  float host[n], out[n], *d, *o;
  uchar4 texels[2][n];
  for (int i = 0; i < n; i++) { host[i] = i; texels[0][i] = make_uchar4(0, 0, 0, 0); texels[1][i] = make_uchar4(0, 255, 0, 0); }
  OK(cudaMalloc(&d, sizeof host));
  OK(cudaMalloc(&o, sizeof out));
  OK(cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice));
  OK(cudaBindTexture(0, line, d, sizeof host));
  cudaArray *array;
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<uchar4>();
  OK(cudaMallocArray(&array, &desc, n, 2));
  OK(cudaMemcpyToArray(array, 0, 0, texels, sizeof texels, cudaMemcpyHostToDevice));
  OK(cudaBindTextureToArray(picture, array, desc));
  fetch<<<1, 32>>>(o, n);
  OK(cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) CHECK(out[i] == i + 1);
  OK(cudaUnbindTexture(line));

  cudaArray_t plane;
  cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  OK(cudaMallocArray(&plane, &floats, n, 1, cudaArraySurfaceLoadStore));
  OK(cudaMemcpy2DToArray(plane, 0, 0, host, sizeof host, sizeof host, 1, cudaMemcpyHostToDevice));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = plane;
  cudaTextureDesc t = {};
  t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp;
  t.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture;
  OK(cudaCreateTextureObject(&texture, &r, &t, nullptr));
  object<<<1, n - 1>>>(texture, o);
  OK(cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n - 1; i++) CHECK(out[i] == i + 0.5f); // between two texels
  refuses(r, array);
  cudaSurfaceObject_t s;
  OK(cudaCreateSurfaceObject(&s, &r));
  paint<<<1, dim3(n, 1)>>>(s);
  OK(cudaMemcpy2DFromArray(out, sizeof out, plane, 0, 0, sizeof out, 1, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) CHECK(out[i] == 2 * i);
  OK(cudaFreeArray(plane));
  OK(cudaMallocArray(&r.res.array.array, &floats, n, 1)); // for textures alone
  CHECK(cudaCreateSurfaceObject(&s, &r) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
  OK(cudaFreeArray(r.res.array.array));
  r.res.array.array = nullptr;
  CHECK(cudaCreateSurfaceObject(&s, &r) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaCreateTextureObject(&texture, &r, &t, nullptr) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
  pitched();
  halves();
  puts("ok");
}
