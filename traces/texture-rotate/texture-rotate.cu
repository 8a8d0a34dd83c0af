// An image rotated around its centre. Every thread makes one pixel: it turns the
// pixel's place back and reads the source there, through a texture with
// normalised coordinates that repeats the image and filters between four texels.

extern "C" __global__ void texture_rotate(float *out, cudaTextureObject_t image, int width, int height, float cosine,
                                          float sine) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  // The centre of pixel (x, y), seen from the image's centre.
  float u = float(x) + 0.5f - 0.5f * float(width);
  float v = float(y) + 0.5f - 0.5f * float(height);
  float s = (u * cosine - v * sine) / float(width) + 0.5f;
  float t = (v * cosine + u * sine) / float(height) + 0.5f;
  out[y * width + x] = tex2D(image, s, t);
}
