// Training of a neural network with one hidden layer: the two steps that go
// over all weights between the input units and the hidden units.
//
// weights[(i + 1) * (hidden + 1) + j + 1] is the weight between input unit i and
// hidden unit j; row 0 is the bias of the hidden units, column 0 is unused.
// Units are numbered likewise: unit 0 of a layer is the constant 1 of the bias.
// A thread block has one row of threads for each of ROWS input units and one
// column for each hidden unit.
#define ROWS 16
#define HIDDEN 16
#define RATE 0.3f
#define MOMENTUM 0.3f

// Partial sums of the hidden units' inputs: sums[block * HIDDEN + j] adds up
// unit * weight over the block's input units, by a tree in shared memory. The
// weights are overwritten with the tree's nodes: who needs them copies them in
// again, as the original application does.
extern "C" __global__ void __launch_bounds__(ROWS *HIDDEN)
    layer_forward(const float *__restrict__ units, float *__restrict__ weights, float *__restrict__ sums, int inputs) {
  __shared__ float unit[ROWS];
  __shared__ float node[ROWS][HIDDEN];
  int tx = int(threadIdx.x), ty = int(threadIdx.y);
  int row = int(blockIdx.y) * ROWS + ty + 1;
  int at = row * (HIDDEN + 1) + tx + 1;
  if (tx == 0)
    unit[ty] = row <= inputs ? units[row] : 0.0f;
  __syncthreads();
  node[ty][tx] = row <= inputs ? weights[at] : 0.0f;
  __syncthreads();
  node[ty][tx] = node[ty][tx] * unit[ty];
  __syncthreads();
#pragma unroll 1
  for (int width = 2; width <= ROWS; width *= 2) {
    if (ty % width == 0)
      node[ty][tx] += node[ty + width / 2][tx];
    __syncthreads();
  }
  if (row <= inputs)
    weights[at] = node[ty][tx];
  // The first column of threads writes, one sum a thread.
  if (tx == 0)
    sums[blockIdx.y * HIDDEN + ty] = node[0][ty];
}

// Gradient step with momentum: change = RATE * delta * unit + MOMENTUM * (last
// change). delta[j + 1] is the error of hidden unit j.
extern "C" __global__ void __launch_bounds__(ROWS *HIDDEN)
    adjust_weights(const float *__restrict__ delta, const float *__restrict__ units, float *__restrict__ weights,
                   float *__restrict__ last, int inputs) {
  int tx = int(threadIdx.x), ty = int(threadIdx.y);
  int row = int(blockIdx.y) * ROWS + ty + 1;
  int at = row * (HIDDEN + 1) + tx + 1;
  if (row <= inputs) {
    float change = RATE * delta[tx + 1] * units[row] + MOMENTUM * last[at];
    weights[at] += change;
    last[at] = change;
  }
  if (blockIdx.y == 0 && ty == 0) {
    float change = RATE * delta[tx + 1] + MOMENTUM * last[tx + 1];
    weights[tx + 1] += change;
    last[tx + 1] = change;
  }
}
