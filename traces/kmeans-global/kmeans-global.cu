// Clustering by k-means (Lloyd, "Least squares quantization in PCM", 1982): the
// part that goes over all points, with the centres in global memory. A
// two-dimensional grid has room for more than 65535 thread blocks; a thread has
// one point.
#define FLOAT_MAX 3.402823466e38f

__device__ __forceinline__ int point_of_thread() {
  return int((blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x);
}

// From points one behind the other to features one behind the other, so that
// the threads of a warp read consecutive elements in what follows.
extern "C" __global__ void invert_mapping(const float *__restrict__ in, float *__restrict__ out, int points,
                                          int features) {
  int point = point_of_thread();
  if (point >= points)
    return;
#pragma unroll 1
  for (int feature = 0; feature < features; feature++)
    out[feature * points + point] = in[point * features + feature];
}

// One feature's part of the square of the distance.
__device__ __forceinline__ float and_feature(const float *__restrict__ in, const float *__restrict__ centres, int points,
                                             int features, int point, int cluster, int feature, float distance) {
  float difference = in[feature * points + point] - centres[cluster * features + feature];
  return fmaf(difference, difference, distance);
}

// The nearest centre of each point, by the square of the distance: the loop over
// features as it is written.
extern "C" __global__ void kmeans_point(const float *__restrict__ in, const float *__restrict__ centres,
                                        int *__restrict__ membership, int points, int features, int clusters) {
  int point = point_of_thread();
  if (point >= points)
    return;
  float least = FLOAT_MAX;
  int nearest = 0;
#pragma unroll 1
  for (int cluster = 0; cluster < clusters; cluster++) {
    float distance = 0.0f;
#pragma unroll 1
    for (int feature = 0; feature < features; feature++)
      distance = and_feature(in, centres, points, features, point, cluster, feature, distance);
    if (distance < least) {
      least = distance;
      nearest = cluster;
    }
  }
  membership[point] = nearest;
}

// The same, with the loop over features as the compiler unrolls it.
extern "C" __global__ void kmeans_point_unrolled(const float *__restrict__ in, const float *__restrict__ centres,
                                                 int *__restrict__ membership, int points, int features,
                                                 int clusters) {
  int point = point_of_thread();
  if (point >= points)
    return;
  float least = FLOAT_MAX;
  int nearest = 0;
#pragma unroll 1
  for (int cluster = 0; cluster < clusters; cluster++) {
    float distance = 0.0f;
    for (int feature = 0; feature < features; feature++)
      distance = and_feature(in, centres, points, features, point, cluster, feature, distance);
    if (distance < least) {
      least = distance;
      nearest = cluster;
    }
  }
  membership[point] = nearest;
}
