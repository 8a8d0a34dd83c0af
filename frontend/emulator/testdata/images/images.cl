// Kernels over images, for external_image_test.go. images.ptx is what clang makes:
//
//	clang-19 -x cl -cl-std=CL1.2 --target=nvptx64--nvidiacl -Xclang -finclude-default-header -S -O2 \
//	  -Xclang -target-cpu -Xclang sm_70 -Xclang -target-feature -Xclang +ptx63 images.cl -o images.ptx
#define X ((int)(__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x()))
#define Y ((int)(__nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_ntid_y() + __nvvm_read_ptx_sreg_tid_y()))

__constant sampler_t texels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void transpose_image(__read_only image2d_t in, __write_only image2d_t out) {
  float4 a = read_imagef(in, texels, (int2)(X, Y));
  float4 b = read_imagef(in, texels, (float2)(X + 0.5f, Y + 0.5f));
  write_imagef(out, (int2)(Y, X), a + b);
}

__kernel void integers(__read_only image2d_t u, __read_only image2d_t s, __write_only image2d_t u_out, __write_only image2d_t s_out) {
  write_imageui(u_out, (int2)(X, Y), read_imageui(u, texels, (int2)(X, Y)) * 3);
  write_imagei(s_out, (int2)(X, Y), read_imagei(s, texels, (int2)(X, Y)) * 3);
}

__kernel void sample_image(__read_only image2d_t in, sampler_t s, __global const float2 *at, __global float4 *out) {
  out[X] = read_imagef(in, s, at[X]);
}

__kernel void fetch_kinds(__read_only image3d_t volume, __read_only image1d_t line, __read_only image2d_array_t layers,
                          __read_only image1d_array_t lines, __read_only image1d_buffer_t cells, __global float *out) {
  out[5 * X] = read_imagef(volume, texels, (int4)(X, 1, 2, 0)).x;
  out[5 * X + 1] = read_imagef(line, texels, X).x;
  out[5 * X + 2] = read_imagef(layers, texels, (int4)(X, 1, 1, 0)).x;
  out[5 * X + 3] = read_imagef(lines, texels, (int2)(X, 2)).x;
  out[5 * X + 4] = read_imagef(cells, X).x;
}

__kernel void queries(__read_only image2d_t flat, __read_only image3d_t volume, __read_only image2d_array_t layers, __global int *out) {
  out[0] = get_image_width(flat), out[1] = get_image_height(flat);
  out[2] = get_image_channel_data_type(flat), out[3] = get_image_channel_order(flat);
  int4 d = get_image_dim(volume);
  out[4] = d.x, out[5] = d.y, out[6] = d.z, out[7] = get_image_depth(volume);
  out[8] = (int)get_image_array_size(layers), out[9] = get_image_dim(flat).y;
}

__kernel void to_bytes(__write_only image2d_t out, __global const float4 *values) {
  write_imagef(out, (int2)(X, 0), values[X]);
}
