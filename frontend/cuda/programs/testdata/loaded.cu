// What loads.cu loads: a kernel, a variable and a constant.
__device__ int sum = 1000;
__constant__ int factor = 1;
extern "C" __global__ void scale(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  p[i] *= factor;
  atomicAdd(&sum, p[i]);
}
