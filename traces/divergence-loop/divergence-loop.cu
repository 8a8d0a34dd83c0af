// A loop whose number of trips every lane reads from memory: lanes that are done
// wait until the last lane of their warp is. A trip is one step of a linear
// congruential generator (the constants are of Knuth and Lewis, as printed in
// Numerical Recipes).
extern "C" __global__ void loop(const int *__restrict__ trips, unsigned *__restrict__ state, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned x = state[i];
  int count = trips[i];
#pragma unroll 1
  for (int trip = 0; trip < count; trip++)
    x = x * 1664525u + 1013904223u;
  state[i] = x;
}
