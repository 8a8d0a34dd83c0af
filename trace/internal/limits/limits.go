// SPDX-License-Identifier: Apache-2.0

// Package limits has what a reader accepts. A writer stays within all of it, so that a file
// that exceeds a limit is damaged or hostile, and reading costs bounded memory.
package limits

// The limits. docs/trace-format.md lists them, section 5.
const (
	MetadataBytes = 128 << 20 // all of those in a file together, uncompressed

	BlockThreads  = 1 << 16 // threads of one thread block
	ClusterBlocks = 64      // thread blocks of one cluster; devices have up to 16
	KernelBlocks  = 1 << 20 // basic blocks of one kernel

	KernelInstructions = 1 << 18
	KernelOperands     = 1 << 20 // elements of vectors included
	Successors         = 1 << 10 // of one basic block
	Joins              = 16      // of one basic block
	Names              = 1 << 16 // parameters, source files, arguments, digests
	FrameEvents        = 1 << 16 // events of one Timeline message
	TeslaDependences   = 64      // reasons of one kernel
)
