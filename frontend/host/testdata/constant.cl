/* Pointers to constant memory: given to a kernel, chosen between, passed on to a
 * function. Compiled to constant.O0.ptx and constant.O3.ptx by
 *   clang-19 -x cl -cl-std=CL1.2 --target=nvptx64--nvidiacl -Xclang -finclude-default-header -S -O0
 *     -Xclang -target-cpu -Xclang sm_70 -Xclang -target-feature -Xclang +ptx63
 *     -Xclang -mlink-builtin-bitcode -Xclang nvptx64--nvidiacl.bc constant.cl
 */
__attribute__((noinline)) static float at(__constant float *w, int i) { return w[i]; }

__kernel void weigh(__global float *y, __constant float *w, __global const float *x, int n, __constant int *step) {
	int i = get_global_id(0);
	float s = 0;
	for (int j = 0; j < n; j++)
		s += at(w, j) * x[i + j * step[0]];
	y[i] = s;
}

__kernel void choose(__global float *y, __constant float *a, __constant float *b) {
	int i = get_global_id(0);
	__constant float *p = i & 1 ? a : b;
	y[i] = p[i / 2];
}
