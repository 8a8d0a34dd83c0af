// A file that has neither kernels nor variables.
__device__ int thrice(int x) { return 3 * x; }
