// What linked_kernel.cu names, and names of its own that are the same.
__device__ int counter = 100;
static __device__ int hidden = 9;
inline __device__ __noinline__ int both(int x) { return x + 1; }
__device__ int twice(int x) { return 2 * x + hidden + both(x); }
static __global__ void kernel(int *p) { *p = counter + hidden; }
void second(int *p) { kernel<<<1, 1>>>(p); }
