// What linked_kernel.cu names, and names of its own that are the same.
__device__ int counter = 100;
static __device__ int hidden = 9;
inline __device__ __noinline__ int both(int x) { return x + 1; }
__device__ int twice(int x) { return 2 * x + hidden + both(x); }
static __global__ void kernel(int *p) { *p = counter + hidden; }
void second(int *p) { kernel<<<1, 1>>>(p); }
__managed__ double elsewhere = 2.5;
__constant__ int fixed;
static __managed__ int own[3] = {4};
extern __managed__ long total;
bool seen(long n) { return total == n && own[0] == 4 && own[2] == 0; }
// A static constructor runs before the files' device code is linked.
__managed__ int early;
static struct Early { Early() { early = 77; } } writes;
