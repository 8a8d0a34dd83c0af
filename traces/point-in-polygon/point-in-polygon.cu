// Points in a polygon, by the crossing numbers of horizontal rays. The macros are the
// parameters that an auto-tuner turns; what stands here is what make compiles.
#ifndef BLOCK_SIZE_X
#define BLOCK_SIZE_X 64 // threads of a thread block
#endif
#ifndef TILE_SIZE
#define TILE_SIZE 4 // points of a thread, BLOCK_SIZE_X apart
#endif
#ifndef BETWEEN_METHOD
#define BETWEEN_METHOD 0 // how a point is found to lie between the ends of an edge
#endif
#ifndef USE_METHOD
#define USE_METHOD 0 // what a crossing does to the result
#endif
// How often the loop over the edges is unrolled: as the vendor's compiler does it. Its
// branches back are a quarter, a half or one an edge in the cards' rows.
#if TILE_SIZE <= 2
#define UNROLL 4
#elif TILE_SIZE <= 6
#define UNROLL 2
#else
#define UNROLL 1
#endif
#ifndef VERTICES
#define VERTICES 600
#endif

__constant__ float2 polygon[VERTICES];

// Whether the height p lies between the heights b and c of an edge's ends.
__device__ __forceinline__ int between(float p, float b, float c) {
#if BETWEEN_METHOD == 0
  return (b > p) != (c > p);
#elif BETWEEN_METHOD == 1
  return (b <= p && c > p) || (c <= p && b > p);
#elif BETWEEN_METHOD == 2
  return p - b == 0.0f || (p - b) * (p - c) < 0.0f;
#elif BETWEEN_METHOD == 3
  return (p - b) * (p - c) < 0.0f || p - b == 0.0f;
#else
#error "BETWEEN_METHOD is 0 to 3"
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE_X) point_in_polygon(int *inside, const float2 *points, int n) {
  int first = int(blockIdx.x) * BLOCK_SIZE_X * TILE_SIZE + int(threadIdx.x);
  if (first >= n)
    return;
  float2 p[TILE_SIZE];
  int crossings[TILE_SIZE];
#pragma unroll
  for (int t = 0; t < TILE_SIZE; t++) {
    crossings[t] = 0;
    p[t] = {0.0f, 0.0f};
    if (first + BLOCK_SIZE_X * t < n)
      p[t] = points[first + BLOCK_SIZE_X * t];
  }
  int k = VERTICES - 1;
#pragma unroll UNROLL
  for (int j = 0; j < VERTICES; k = j++) {
    float2 a = polygon[j], b = polygon[k];
    float slope = (b.x - a.x) / (b.y - a.y);
#pragma unroll
    for (int t = 0; t < TILE_SIZE; t++) {
      int crosses = between(p[t].y, a.y, b.y) && p[t].x < slope * (p[t].y - a.y) + a.x;
#if USE_METHOD == 0
      if (crosses)
        crossings[t] = !crossings[t];
#elif USE_METHOD == 1
      crossings[t] += crosses;
#elif USE_METHOD == 2
      if (crosses)
        crossings[t]++;
#else
#error "USE_METHOD is 0 to 2"
#endif
    }
  }
#pragma unroll
  for (int t = 0; t < TILE_SIZE; t++) {
    if (first + BLOCK_SIZE_X * t < n)
      inside[first + BLOCK_SIZE_X * t] = crossings[t] & 1;
  }
}
