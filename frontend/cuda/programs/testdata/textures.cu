// Texture references and objects, arrays and surfaces.
#include "check.h"

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
  t.normalizedCoords = 1;
  t.readMode = cudaReadModeNormalizedFloat;
  t.addressMode[1] = cudaAddressModeClamp; // beside wrap
  CHECK(refused());
  t.normalizedCoords = 0; // texels that are counted know no wrap, so both are clamp
  CHECK(taken());
  t.addressMode[1] = cudaAddressModeBorder;
  CHECK(refused());
  t.addressMode[0] = cudaAddressModeBorder; // and the third dimension does not matter
  CHECK(taken());
  t.borderColor[2] = 0.5f;
  CHECK(refused());
  t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp; // no border is read
  CHECK(taken());
  t.sRGB = 1;
  CHECK(refused());
  picture.addressMode[1] = cudaAddressModeBorder;
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<uchar4>();
  CHECK(cudaBindTextureToArray(picture, plane, desc) == cudaErrorNotSupported && cudaGetLastError() == cudaErrorNotSupported);
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
  puts("ok");
}
