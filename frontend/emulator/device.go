// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"io"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/interpreter"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/trace"
)

// Options configure a Device.
type Options struct {
	// Coexecutor runs segments; nil takes the interpreter.
	Coexecutor coexecution.Coexecutor
	// MaxInstructions is the number of warp instructions that one launch may
	// execute before it is stopped with a FaultBudget; zero means no limit.
	MaxInstructions uint64
	// GlobalBytes limits global memory; zero means DefaultGlobalBytes.
	GlobalBytes uint64
	// GlobalStore, if not nil, gives the bytes of global memory.
	GlobalStore memory.Store
	// CheckShared makes reads of shared memory that no thread of the block has
	// written a fault. It costs time on every shared access.
	CheckShared bool
	// CheckRaces reports accesses to shared memory that no barrier orders, after
	// the launch that had them. It costs more time still.
	// With it, Warn takes stores by which lanes of a warp write different values to one
	// place; nil drops them.
	CheckRaces bool
	Warn       func(error)
	// CheckGlobalRaces does the same for global memory, between the threads of
	// each thread block.
	CheckGlobalRaces bool
	// CheckBounds keeps buffers BoundsGap apart, so that an access a little beyond one is a fault
	// and does not reach the next. Addresses are other ones than without.
	CheckBounds bool
	// Turn is how many basic blocks a warp executes before the next one of its thread block
	// has its turn; zero lets it go on until it waits. Results of programs without races do
	// not depend on it.
	Turn int
	// Watch, if not nil, writes what one thread of each launch computes.
	Watch *coexecution.Watch
	// Workers is the number of cores that run the thread blocks of a launch; zero
	// means one. Results, traces and faults do not depend on it. Recorder,
	// Progress and Output are only ever used by one goroutine at a time. Checks for
	// races and Watch make it one core.
	Workers int
	// MinTogether is the number of warp instructions that a launch must have for several
	// cores to run it; zero means 262144.
	MinTogether uint64
	// LogBytes is the memory of the records of thread blocks that run in turns, as those of
	// clusters and of cooperative launches do; zero means DefaultLogBytes. The recorder
	// counts what does not fit, or the launch fails: see LargeRecorder.
	LogBytes int64
	// Output takes what kernels print; nil drops it.
	Output io.Writer
}

// BoundsGap is the number of bytes between buffers with Options.CheckBounds: more than a row of most
// matrices.
const BoundsGap = 1 << 20

// DefaultGlobalBytes is the size of global memory unless Options say otherwise.
const DefaultGlobalBytes = 4 << 30

// defaultMinTogether is about ten milliseconds of one core: another one has to begin with
// memory that is not in its caches, and to watch what it touches.
const defaultMinTogether = 1 << 18

// Device is an emulated GPU: memory, loaded modules and the scheduler that
// runs launches. It is not safe for concurrent use.
type Device struct {
	*memory.Memory
	options  Options
	launches uint64
}

// NewDevice makes a device with empty memory.
func NewDevice(opts Options) *Device {
	if opts.Coexecutor == nil {
		opts.Coexecutor = interpreter.Interpreter{}
	}
	if opts.GlobalBytes == 0 {
		opts.GlobalBytes = DefaultGlobalBytes
	}
	if opts.LogBytes == 0 {
		opts.LogBytes = DefaultLogBytes
	}
	if opts.MinTogether == 0 {
		opts.MinTogether = defaultMinTogether
	}
	d := &Device{Memory: memory.New(opts.GlobalBytes), options: opts}
	if n, ok := opts.Coexecutor.(coexecution.Native); ok {
		d.Global.Within(n.GlobalBase(), n.GlobalEnd())
		d.options.Workers = 1 // the device has workers of its own
	}
	d.Global.Store = opts.GlobalStore
	if opts.CheckBounds {
		d.Global.Gap = BoundsGap
	}
	return d
}

// WarpSize is the number of lanes that the device runs together.
const WarpSize = trace.WarpSize
