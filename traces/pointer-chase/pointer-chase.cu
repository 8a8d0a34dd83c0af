// Walks along a linked list: every load has the address that the one before it
// brought. The first `lanes` lanes of every warp walk, each from its own node.
// A node is a link to the next one, alone in `stride` words.
extern "C" __global__ void chase(const unsigned *__restrict__ links, const unsigned *__restrict__ starts,
                                 unsigned *__restrict__ ends, unsigned stride, unsigned steps, unsigned lanes,
                                 unsigned warps) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lane = thread % warpSize, warp = thread / warpSize;
  if (lane >= lanes || warp >= warps)
    return;
  unsigned walk = warp * lanes + lane;
  unsigned node = starts[walk];
#pragma unroll 1
  for (unsigned step = 0; step < steps; step++)
    node = links[node * stride];
  ends[walk] = node;
}
