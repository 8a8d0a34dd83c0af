// Searches in a B+ tree, one query a thread block: the threads compare the
// query with all keys of a node at once (Fix, Wilkes and Skadron, "Accelerating
// braided B+ tree searches on a GPU with CUDA", 2011).
//
// A node has order + 1 keys, ascending, and as many children. Child i of an
// inner node has the keys from keys[i] up to below keys[i+1]; child i of a leaf
// is the number of the record with the key keys[i]. The first key of an inner
// node is the smallest integer, and the keys behind the last one the largest.
// Blocks have `order` threads, trees `levels` levels above the leaves.

// The node on the way to the key that the thread's part of `keys` decides on.
__device__ __forceinline__ void descend(const int *__restrict__ keys, const int *__restrict__ children, int node,
                                        int *next, int key, int stride) {
  int at = node * stride + int(threadIdx.x);
  if (keys[at] <= key && key < keys[at + 1])
    *next = children[at];
}

// The values of the records that have the keys; answers of others are left.
// node[b] is where the search of block b is: at first the root.
extern "C" __global__ void find(const int *__restrict__ keys, const int *__restrict__ children,
                                const int *__restrict__ values, int *node, int *next, const int *__restrict__ queries,
                                int *answers, int levels) {
  int stride = int(blockDim.x) + 1, b = int(blockIdx.x);
#pragma unroll 1
  for (int level = 0; level < levels; level++) {
    descend(keys, children, node[b], &next[b], queries[b], stride);
    __syncthreads();
    if (threadIdx.x == 0)
      node[b] = next[b];
    __syncthreads();
  }
  int at = node[b] * stride + int(threadIdx.x);
  if (keys[at] == queries[b])
    answers[b] = values[children[at]];
}

// The records with keys from a first to a last one, both of which must be in
// the tree: the number of the first record, and how many there are. Other
// answers are left.
extern "C" __global__ void find_range(const int *__restrict__ keys, const int *__restrict__ children, int *firstNode,
                                      int *firstNext, int *lastNode, int *lastNext, const int *__restrict__ firstKeys,
                                      const int *__restrict__ lastKeys, int *records, int *counts, int levels) {
  int stride = int(blockDim.x) + 1, b = int(blockIdx.x);
#pragma unroll 1
  for (int level = 0; level < levels; level++) {
    descend(keys, children, firstNode[b], &firstNext[b], firstKeys[b], stride);
    descend(keys, children, lastNode[b], &lastNext[b], lastKeys[b], stride);
    __syncthreads();
    if (threadIdx.x == 0) {
      firstNode[b] = firstNext[b];
      lastNode[b] = lastNext[b];
    }
    __syncthreads();
  }
  int at = firstNode[b] * stride + int(threadIdx.x);
  if (keys[at] == firstKeys[b])
    records[b] = children[at];
  __syncthreads();
  at = lastNode[b] * stride + int(threadIdx.x);
  if (keys[at] == lastKeys[b] && records[b] >= 0)
    counts[b] = children[at] - records[b] + 1;
}
