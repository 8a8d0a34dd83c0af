// Breadth-first search, one level a launch, one vertex a thread. The graph is
// in compressed sparse rows: the neighbours of v are
// columns[offsets[v]] ... columns[offsets[v+1]-1].
#define UNVISITED (-1)

// Vertices at distance depth visit their neighbours. Several threads may find
// the same vertex: all of them write the same distance. *changed becomes 1
// when a vertex was found, so that the host knows whether to go on.
extern "C" __global__ void bfs_level(const int *__restrict__ offsets, const int *__restrict__ columns, int *distance,
                                     int *changed, int depth, int vertices) {
  int v = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (v >= vertices || distance[v] != depth)
    return;
  int end = offsets[v + 1];
#pragma unroll 1
  for (int edge = offsets[v]; edge < end; edge++) {
    int neighbour = columns[edge];
    if (distance[neighbour] == UNVISITED) {
      distance[neighbour] = depth + 1;
      *changed = 1;
    }
  }
}
