// A kernel calls what no file has, and the program looks at no error.
extern __device__ int missing(int);
__global__ void kernel(int *p) { *p = missing(3); }
int main() {
  int *p;
  cudaMalloc(&p, 4);
  kernel<<<1, 1>>>(p);
  cudaDeviceSynchronize();
}
