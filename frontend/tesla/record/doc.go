// SPDX-License-Identifier: Apache-2.0

// Package record executes a kernel of the configurable Tesla-like GPGPU and writes its
// trace. That has basic blocks with post-dominators, the path and masks of every warp,
// the addresses of its accesses, and what only its machine needs (trace.Tesla).
//
// Addresses are in bytes: a word of shared or constant memory has four. What the kernel
// would do otherwise in another configuration is written with the reason.
package record
