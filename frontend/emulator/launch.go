// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"context"
	"fmt"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Recorder receives the trace of a launch: thread blocks in ascending order,
// inside a block the visits of each warp in the order of execution. Each visit
// is followed by the guard masks and the accesses of its instructions.
type Recorder interface {
	BeginBlock(block uint64)
	Visit(warp int, basicBlock, mask uint32)
	Guard(warp int, mask uint32)
	Access(warp int, mask uint32, addresses *[32]uint64)
	AccessStrided(warp int, mask uint32, base uint64, stride int64)
	EndBlock() error
}

// PatternRecorder is a Recorder that also takes accesses of lanes that lie as they did
// before; base is the address of the lowest lane.
type PatternRecorder interface {
	Recorder
	AccessPattern(warp int, base uint64, p *wtape.AccessPattern)
}

// LaunchRequest asks for one execution of a kernel.
type LaunchRequest struct {
	Kernel      *LoadedKernel
	Grid, Block trace.Dim3
	// Cluster is the size of clusters in thread blocks; zeros mean what the kernel
	// requires, or clusters of one.
	Cluster trace.Dim3
	// Cooperative thread blocks take turns over the whole grid, so that all can wait for
	// each other; at most 8192 may.
	Cooperative bool
	// DynamicShared is the size in bytes of the extern shared arrays.
	DynamicShared uint32
	// Arguments is the packed parameter space (5.1.6), ParamBytes long.
	Arguments []byte
	// Environment is what the kernel reads in the driver's registers (10.27).
	Environment [32]uint32
	// Recorder takes the trace; nil executes without recording.
	Recorder Recorder
	// Context cancels the launch; nil means never.
	Context context.Context
	// Progress, if not nil, is told the number of finished thread blocks.
	Progress func(blocks uint64)
	// Only, if not nil, are the thread blocks that are executed, in ascending order and
	// apart; the others are passed over. It does not go with clusters.
	Only []trace.Range
}

// maxCooperativeBlocks bounds the thread blocks of a cooperative launch: all have their
// registers and shared memory at the same time.
const maxCooperativeBlocks = 1 << 13

// LaunchResult says how much a launch did.
type LaunchResult struct {
	ThreadBlocks, Warps, Visits, WarpInstructions uint64
}

// Limits of a launch, those of compute capability 7.0 and later.
const (
	maxBlockZ = 64
	maxGridX  = 1<<31 - 1
	maxGridYZ = 1<<16 - 1
)

// Launch executes a kernel over its whole grid, as if thread blocks ran in
// ascending order (x fastest) one after the other: see Options.Workers. A fault of
// the kernel comes back as *Fault.
func (d *Device) Launch(l LaunchRequest) (LaunchResult, error) {
	if err := l.check(); err != nil {
		return LaunchResult{}, fmt.Errorf("launch of kernel %s: %w", l.Kernel.contaminated.PTX.Name, err)
	}
	d.launches++
	s := d.schedulerOf(&l)
	native, ok := l.Kernel.program.(coexecution.NativeProgram)
	if !ok {
		err := s.run()
		s.warn()
		if err != nil {
			return s.result, err
		}
		result, races := s.result, s.block.Races.Err()
		s.leave()
		return result, races
	}
	if err := native.BeginLaunch(s.launch); err != nil {
		return s.result, err
	}
	return s.result, native.EndLaunch(s.launch, s.run())
}

// warn tells of what the checks found that ends no launch.
func (s *scheduler) warn() {
	if s.block.Races == nil || s.device.options.Warn == nil {
		return
	}
	for _, w := range s.block.Races.Warnings() {
		s.device.options.Warn(w)
	}
}

func (l *LaunchRequest) check() error {
	k := l.Kernel.contaminated.PTX
	if err := checkGrid(l.Grid); err != nil {
		return err
	}
	if err := checkBlock(l.Block, k); err != nil {
		return err
	}
	if err := l.checkCluster(); err != nil {
		return err
	}
	if err := l.checkOnly(); err != nil {
		return err
	}
	if n := uint32(len(l.Arguments)); n != l.Kernel.paramBytes {
		return fmt.Errorf("%d bytes of arguments, but its parameters take %d", n, l.Kernel.paramBytes)
	}
	if n := l.Kernel.sharedBytes(l.DynamicShared); n > coexecution.MaxSharedBytes {
		return fmt.Errorf("%d bytes of shared memory; a thread block has at most %d", n, coexecution.MaxSharedBytes)
	}
	return nil
}

func checkGrid(g trace.Dim3) error {
	if g.X == 0 || g.Y == 0 || g.Z == 0 || g.X > maxGridX || g.Y > maxGridYZ || g.Z > maxGridYZ {
		return fmt.Errorf("grid (%d,%d,%d) is outside 1..(%d,%d,%d)", g.X, g.Y, g.Z, maxGridX, maxGridYZ, maxGridYZ)
	}
	return nil
}

func checkBlock(b trace.Dim3, k *ptx.Kernel) error {
	if b.X == 0 || b.Y == 0 || b.Z == 0 || b.X > coexecution.MaxBlockThreads || b.Y > coexecution.MaxBlockThreads || b.Z > maxBlockZ || b.Count() > coexecution.MaxBlockThreads {
		return fmt.Errorf("thread block (%d,%d,%d) is outside 1..(%d,%d,%d) or has more than %d threads",
			b.X, b.Y, b.Z, coexecution.MaxBlockThreads, coexecution.MaxBlockThreads, maxBlockZ, coexecution.MaxBlockThreads)
	}
	if want := k.RequiredThreads; want != [3]uint32{} && want != [3]uint32{b.X, b.Y, b.Z} {
		return fmt.Errorf("thread block (%d,%d,%d), but .reqntid demands (%d,%d,%d)", b.X, b.Y, b.Z, want[0], want[1], want[2])
	}
	if k.MaxThreads != 0 && b.Count() > uint64(k.MaxThreads) {
		return fmt.Errorf("thread block of %d threads, but .maxntid allows %d", b.Count(), k.MaxThreads)
	}
	return nil
}

// sharedBytes is the size of a thread block's shared memory.
func (k *LoadedKernel) sharedBytes(dynamic uint32) uint64 {
	c := k.contaminated
	return memory.AlignUp(c.SharedBytes, uint64(max(c.DynamicSharedAlign, 1))) + uint64(dynamic)
}
