// Times of events: a kernel with twice the work takes about twice as long.
#include "check.h"
__global__ void work(float *x, int n) {
  float v = threadIdx.x;
  for (int i = 0; i < n; i++) v = v * 1.0001f + 0.5f;
  x[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
static float time(float *x, int n) {
  cudaEvent_t begin, end;
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  OK(cudaEventRecord(begin));
  work<<<2, 128>>>(x, n);
  OK(cudaEventRecord(end));
  OK(cudaEventSynchronize(end));
  float ms;
  OK(cudaEventElapsedTime(&ms, begin, end));
  return ms;
}
int main() {
  float *x;
  OK(cudaMalloc(&x, 256 * sizeof *x));
  float once = time(x, 4000), twice = time(x, 8000);
  CHECK(twice > once);
  printf("%.6f %.6f\n", once, twice);
}
