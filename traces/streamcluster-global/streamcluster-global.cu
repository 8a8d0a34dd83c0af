// Clustering of points by facility location, as in clustering of data streams
// (O'Callaghan and others, "Streaming-data algorithms for high-quality
// clustering", ICDE 2002): what it would gain to make one more point a centre.
//
// Products and sums are fused where fmaf says so and nowhere else, which fixes
// every bit of the result.
#pragma clang fp contract(off)

// A point's weight, and its cost: the weight times the square of the distance to
// its centre.
struct __attribute__((aligned(8))) Point {
  float weight, cost;
};

// What moving one point would change, given the square of its distance to the
// candidate: a point that would be cheaper there is marked in switches, and the
// saving (negative) goes to the last of the `stride` elements that the point has
// in work; otherwise what moving it would cost (as a negative number) goes to the
// element of its centre's number.
__device__ __forceinline__ void change(const Point *__restrict__ points, const int *__restrict__ centre,
                                       const int *__restrict__ numberOfCentre, float *__restrict__ work,
                                       unsigned char *__restrict__ switches, int point, float distance, int stride) {
  Point p = points[point];
  float cost = distance * p.weight;
  float *changes = work + point * stride;
  if (cost < p.cost) {
    switches[point] = 1;
    changes[stride - 1] += cost - p.cost;
  } else {
    changes[numberOfCentre[centre[point]]] += p.cost - cost;
  }
}

// What point `candidate` as a centre would change, one point a thread.
// Coordinates lie one dimension behind the other; those of the candidate are read
// where they are, for each dimension. The loop is as it is written.
extern "C" __global__ void compute_cost(const Point *__restrict__ points, const int *__restrict__ centre,
                                        const int *__restrict__ numberOfCentre, const float *__restrict__ coordinates,
                                        float *__restrict__ work, unsigned char *__restrict__ switches, int count,
                                        int dimensions, int candidate, int stride) {
  int point = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (point >= count)
    return;
  float distance = 0.0f;
#pragma unroll 1
  for (int d = 0; d < dimensions; d++) {
    float difference = coordinates[d * count + point] - coordinates[d * count + candidate];
    distance = fmaf(difference, difference, distance);
  }
  change(points, centre, numberOfCentre, work, switches, point, distance, stride);
}

// The same, with the loop as the compiler unrolls it.
extern "C" __global__ void compute_cost_unrolled(const Point *__restrict__ points, const int *__restrict__ centre,
                                                 const int *__restrict__ numberOfCentre,
                                                 const float *__restrict__ coordinates, float *__restrict__ work,
                                                 unsigned char *__restrict__ switches, int count, int dimensions,
                                                 int candidate, int stride) {
  int point = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (point >= count)
    return;
  float distance = 0.0f;
  for (int d = 0; d < dimensions; d++) {
    float difference = coordinates[d * count + point] - coordinates[d * count + candidate];
    distance = fmaf(difference, difference, distance);
  }
  change(points, centre, numberOfCentre, work, switches, point, distance, stride);
}
