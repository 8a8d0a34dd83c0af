// Fast Fourier transform of many rows of complex numbers: Stockham's algorithm
// with radix 2, which needs no reordering of its input or output (Govindaraju
// and others, "High performance discrete Fourier transforms on graphics
// processors", SC 2008).
#define PI 3.14159274f

// One stage: joins transforms of length `joined` in pairs. Thread j of a row
// has one butterfly; blockIdx.x is the row.
extern "C" __global__ void fft_stage(const float2 *__restrict__ in, float2 *__restrict__ out, int length, int joined) {
  int j = int(blockIdx.y * blockDim.x + threadIdx.x);
  int half = length / 2;
  if (j >= half)
    return;
  const float2 *row = in + blockIdx.x * unsigned(length);
  int k = j & (joined - 1);
  float angle = -PI * (float(k) / float(joined));
  float cosine = __cosf(angle), sine = __sinf(angle);
  float2 a = row[j], b = row[j + half];
  float2 turned = {b.x * cosine - b.y * sine, b.x * sine + b.y * cosine};
  float2 *to = out + blockIdx.x * unsigned(length) + (j - k) * 2 + k;
  to[0] = {a.x + turned.x, a.y + turned.y};
  to[joined] = {a.x - turned.x, a.y - turned.y};
}
