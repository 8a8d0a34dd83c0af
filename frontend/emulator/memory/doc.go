// SPDX-License-Identifier: Apache-2.0

// Package memory is what a device remembers from launch to launch: buffers in global
// and constant memory, and the textures and tensor maps that describe them.
//
// A Memory is two heaps of allocations, whose addresses are never given out twice, in
// the address map of package trace. Textures read texels as samplers do; a TensorMap
// has the layout that kernels carry in their parameters. What a kernel, a warp or a lane
// is, the package does not know.
package memory
