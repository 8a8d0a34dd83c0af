// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"io"

	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/ptx"
)

// Options say how to run a host program. The zero value runs its default size
// without recording.
type Options struct {
	// Size is one of Program.Sizes; empty means DefaultSize, or the first.
	Size string
	// Set overrides parameters of the size by name. A value is a Starlark
	// expression of the parameter's type: "1<<20".
	Set map[string]string
	// Seed selects the random numbers.
	Seed uint64
	// Out takes what the program prints; nil discards it.
	Out io.Writer
	// Sink takes the trace; nil runs without recording.
	Sink Sink
	// Coexecutor runs the kernels' segments; nil takes the emulator's interpreter.
	Coexecutor coexecution.Coexecutor
	// Compile makes PTX of the CUDA C that gpu.module(macros=...) names; nil refuses it.
	Compile func(ctx context.Context, s *KernelSource) (*CompiledKernel, error)
	// Workers is the number of cores that run the thread blocks of a launch; zero
	// means one. The trace and the results do not depend on it. Checks for races
	// and Watch make it one core.
	Workers int
	// MinTogether is that of emulator.Options.
	MinTogether uint64
	// Observe, if not nil, is called for every launch instead of run and calls run
	// itself, once: so it sees the device's memory before and after.
	Observe func(l *LaunchView, run func() error) error
	// Progress, if not nil, is told after every thread block.
	Progress func(Progress)
	// MaxInstructions is the number of warp instructions that one launch may
	// execute; zero means no limit.
	MaxInstructions uint64
	// MaxSteps bounds the host program's own work in Starlark steps; array
	// operations and calls to the device cost many. Zero means DefaultMaxSteps.
	MaxSteps uint64
	// MaxBytes bounds the memory of the program's arrays, and separately that
	// of everything else it holds; zero means DefaultMaxBytes.
	MaxBytes uint64
	// Watch, if not nil, writes what one thread of each launch computes.
	Watch *coexecution.Watch
	// Strict refuses modules that use what their own .version or .target does not
	// have, or that have no kernel; else Result.ModuleWarnings lists that.
	Strict bool
	// CheckShared reports reads of shared memory that no thread has written.
	CheckShared bool
	// CheckRaces reports accesses to shared memory that no barrier orders.
	CheckRaces bool
	// CheckGlobalRaces does so for global memory, inside each thread block.
	CheckGlobalRaces bool
	// CheckBounds keeps buffers apart, so that accesses a little beyond one are faults.
	CheckBounds bool
}

// The limits of a host program unless Options say otherwise: a program that
// loops for ever is stopped after about a minute.
const (
	DefaultMaxSteps = 1 << 31
	DefaultMaxBytes = 2 << 30
)

// LaunchView is what Options.Observe sees of a launch.
type LaunchView struct {
	Device *emulator.Device
	// Module has the kernel.
	Module  *ptx.Module
	Kernel  string
	Request emulator.LaunchRequest
}

// Progress tells how far a run has come.
type Progress struct {
	// Kernel is the name of the kernel that runs, Launch counts launches from 1.
	Kernel string
	Launch int
	// Blocks of TotalBlocks thread blocks of this launch have finished.
	Blocks, TotalBlocks uint64
	// WarpInstructions were executed by the launches before this one.
	WarpInstructions uint64
}

// Result sums up a run.
type Result struct {
	Launches                                      int
	ThreadBlocks, Warps, Visits, WarpInstructions uint64
	// Checks is the number of checks that held. A run with a check that did not
	// hold returns an error.
	Checks int
	// Warnings are about kernels whose path depends on timing.
	Warnings []string
	// RaceWarnings are stores by which lanes of a warp write different values to one
	// place, which CheckRaces and CheckGlobalRaces find.
	RaceWarnings []error
	// ModuleWarnings are about what modules use besides their .version and .target,
	// in the order in which they were loaded.
	ModuleWarnings []ptx.Warning
}
