// SPDX-License-Identifier: Apache-2.0

package coexecution

import (
	"io"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// MaxBlockThreads is the largest number of threads of a thread block, that of compute
// capability 2.0 and later.
const MaxBlockThreads = 1024

// MaxSharedBytes is more than any GPU gives to a thread block (227 KiB).
const MaxSharedBytes = memory.MaxSharedBytes

// MaxWarps is the largest number of warps of a thread block.
const MaxWarps = MaxBlockThreads / trace.WarpSize

// LaunchState is what all warps of a launch have in common.
type LaunchState struct {
	Grid, Block trace.Dim3
	// Cluster is the size of clusters in thread blocks.
	Cluster trace.Dim3
	// Arguments is the parameter space.
	Arguments []byte
	// SharedBytes is the size of a thread block's shared memory with its
	// dynamic part, DynamicShared that of the dynamic part.
	SharedBytes   uint64
	DynamicShared uint32
	// ID counts the launches of the device from 1 (%gridid).
	ID uint64
	// Environment are the driver's registers (%envreg0 to %envreg31).
	Environment [32]uint32
	// CheckShared asks for faults on reads of unwritten shared memory, Recording
	// for guard masks and accesses in the records.
	CheckShared, Recording bool

	// Cooperative thread blocks of the whole grid run at the same time, as those of a
	// cluster do.
	Cooperative bool

	Memory *memory.Memory
	// Addresses of the module's variables, and output what kernels print to, nil for
	// nowhere.
	Addresses map[*ptx.Variable]uint64
	Output    io.Writer
	Watch     *Watch
	// Clock counts the warp instructions of the launch (%clock).
	Clock uint64
	// Footprint watches global memory while blocks run at the same time; nil else.
	// claimant is the running block's name there.
	Footprint *Footprint
	Claimant  uint32
}

// BlockState is what the warps of a thread block have in common.
type BlockState struct {
	Index trace.Dim3
	// Shared is the thread block's shared memory, zeroed at its start.
	Shared []byte
	// Initialised has a bit per byte of Shared that was written; nil unless
	// LaunchState.CheckShared.
	Initialised []uint64
	// Cluster has the blocks of the cluster by rank; nil for a block that is one by
	// itself. rank is the block's own, ended that all its threads have ended.
	Cluster []*BlockState
	Rank    int
	Ended   bool
	// Warpgroups are those of the block, for wgmma.
	Warpgroups [MaxWarps / WarpgroupWarps]Warpgroup
	// Races looks for races; nil unless Options ask for it.
	Races *RaceChecker
}

// VariableAddress is the space-relative address of a .global or .const
// variable of the kernel's module.
func (l *LaunchState) VariableAddress(v *ptx.Variable) uint64 {
	return memory.SpaceRelative(v.Space, l.Addresses[v])
}

// Thread gives the index of the n-th thread of a block.
func (l *LaunchState) Thread(n int) trace.Dim3 {
	x, y := int(l.Block.X), int(l.Block.Y)
	return trace.Dim3{X: uint32(n % x), Y: uint32(n / x % y), Z: uint32(n / (x * y))}
}
