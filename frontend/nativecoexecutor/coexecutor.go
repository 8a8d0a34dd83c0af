// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/cuda/driver"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// Options configure a Coexecutor.
type Options struct {
	Mode contamination.Mode
	// MemoryBytes is the device memory for the program's buffers, LogBytes that for logs;
	// zero means DefaultMemoryBytes and DefaultLogBytes.
	MemoryBytes, LogBytes uint64
	// Unordered says that thread blocks may run in any order, so that what depends on it
	// is labelled: so it is on all devices but the project's own.
	Unordered bool
	// Foreign has the project's own device treated as any other: the rewritten text tells all
	// that is known. It is for tests.
	Foreign bool
	// Keep, if not nil, takes the rewritten PTX of each module.
	Keep io.Writer
	// Change, if not nil, changes the rewritten PTX before it is loaded. It is for tests of
	// devices that run it in another order.
	Change func(text []byte) []byte
	// Alter, if not nil, changes what a warp has logged before it is read. It is for
	// tests of what becomes of wrong logs.
	Alter func(log []byte)
}

// The sizes of memory unless Options say otherwise.
const (
	DefaultMemoryBytes = 1 << 30
	DefaultLogBytes    = 64 << 20
)

// Coexecutor runs kernels on a CUDA device.
type Coexecutor struct {
	device  *driver.Device
	own     bool // the device is the project's own
	options Options
	// arena is where the program's buffers lie, log where cursors and logs are.
	arena, log uint64
	// there has what is known to be in each buffer on the device.
	there map[*memory.Allocation][]byte
	// pieces are the sizes of what Grow has made.
	stateBytes, sharedBytes, productsBytes uint64
	state, shared, products                uint64
	layout                                 uint64
	// heap is where the heap is told from which kernels have memory; cleared says that memory
	// behind the program's buffers was made zero.
	heap, heapBytes uint64
	cleared         bool
	// images is where the table of OpenCL's images is.
	images, imagesBytes uint64
	textures            textures
	// Counts of what was done, for reports.
	Counts Counts
}

// Counts tell what a Coexecutor did.
type Counts struct {
	Launches, Waves, Repeated uint64
	// Segmented are the launches that ran by segments where straight through cannot be.
	Segmented uint64
	// Divided are the thread blocks that went on by segments, because their logs had no
	// room straight through.
	Divided  uint64
	LogBytes uint64
}

// maxLayout is the number of variables of a kernel whose places the device tells.
const maxLayout = 4096

// New takes memory of a device.
func New(d *driver.Device, o Options) (*Coexecutor, error) {
	if o.MemoryBytes == 0 {
		o.MemoryBytes = DefaultMemoryBytes
	}
	if o.LogBytes == 0 {
		o.LogBytes = DefaultLogBytes
	}
	o.Unordered = o.Unordered || !d.Own()
	c := &Coexecutor{device: d, own: d.Own() && !o.Foreign, options: o, there: map[*memory.Allocation][]byte{}}
	for _, part := range []struct {
		to   *uint64
		n    uint64
		what string
	}{{&c.arena, o.MemoryBytes, "buffers"}, {&c.log, o.LogBytes, "the log"}, {&c.layout, 16 * maxLayout, "the log"}} {
		var err error
		if *part.to, err = d.Allocate(part.n); err != nil {
			return nil, fmt.Errorf("%d bytes of %s for %s: %w", part.n, d.Name(), part.what, err)
		}
	}
	return c, nil
}

// GlobalBase and GlobalEnd are where buffers lie.
func (c *Coexecutor) GlobalBase() uint64 { return c.arena }
func (c *Coexecutor) GlobalEnd() uint64  { return c.arena + c.options.MemoryBytes }

// module is what a kernel was rewritten to, without the other kernels of its module, from
// its first launch on.
type module struct {
	loaded    *driver.Module
	rewritten *contamination.Result
	control   uint64
}

// Load prepares a kernel. What cannot be contaminated is refused; what can by segments only
// runs by segments.
func (c *Coexecutor) Load(k *contaminator.Kernel) (coexecution.Program, error) {
	mode := c.options.Mode
	err := c.check(k, mode)
	if err != nil && mode == contamination.Straight && c.check(k, contamination.Segments) == nil {
		mode, err = contamination.Segments, nil
	}
	if err != nil {
		return nil, err
	}
	if c.options.Unordered && mode == contamination.Straight {
		c.label(k)
	}
	return c.newProgram(k, mode), nil
}

func (c *Coexecutor) check(k *contaminator.Kernel, mode contamination.Mode) error {
	if err := contamination.Check(mode, k); err != nil {
		return err
	}
	if err := c.checkMaps(k); err != nil {
		return err
	}
	if err := c.checkProvided(k); err != nil {
		return err
	}
	if mode == contamination.Segments {
		return c.checkBarriers(k)
	}
	return errors.Join(c.checkFrames(k), c.checkFunctions(k))
}

// checkMaps refuses copies by tensor maps where a map is not what a recording has: what it is made
// of is opaque, and each driver's own (cuTensorMapEncodeTiled).
func (c *Coexecutor) checkMaps(k *contaminator.Kernel) error {
	if c.own {
		return nil
	}
	for i := range k.PTX.Body {
		if in := &k.PTX.Body[i]; in.Bulk() && in.Mods.Has(ptx.ModTensor) || in.Op == ptx.OpTensormap {
			return fmt.Errorf("%s: %s cannot be contaminated: the tensor maps of a recording are not those of %s, whose driver makes them anew", in.Position, mnemonic(in), c.device.Name())
		}
	}
	return nil
}

func (c *Coexecutor) newProgram(k *contaminator.Kernel, mode contamination.Mode) *program {
	p := &program{coexecutor: c, mode: mode, kernel: k, constants: map[*memory.Allocation][]byte{}, segments: map[int]int{}, room: firstRoom,
		needs: needsOf(k.PTX.Body), samplings: samplingsOf(k.PTX.Body), waits: waitsForBarriers(k), allocates: contamination.Allocates(k), images: contamination.Images(k)}
	for i := range k.PTX.Body {
		p.sites = append(p.sites, contamination.SiteOf(k, i))
	}
	return p
}

// checkFrames refuses local variables of functions where their places are not known: on
// devices that are not the project's own, and in recursions, whose frames have the registers
// of the log as well.
func (c *Coexecutor) checkFrames(k *contaminator.Kernel) error {
	for _, u := range k.Units[1:] {
		if c.own && !u.Recursive {
			continue
		}
		for _, v := range u.PTX.Variables {
			if v.Space == ptx.SpaceLocal {
				return fmt.Errorf("%s: kernel %s cannot be contaminated: where local variable %s of function %s lies is known to the device only; compile so that the function is inlined",
					v.Position, k.PTX.Name, v.Name, u.PTX.Function.Name)
			}
		}
	}
	return nil
}

// checkFunctions refuses calls through pointers where tables of them in memory have the
// recording's addresses of functions, which are not the device's.
func (c *Coexecutor) checkFunctions(k *contaminator.Kernel) error {
	if c.own {
		return nil
	}
	for i := range k.PTX.Body {
		in := &k.PTX.Body[i]
		if in.Op != ptx.OpCall || in.Operands[1].Function != nil {
			continue
		}
		for _, v := range k.PTX.Module.Variables {
			if slices.ContainsFunc(v.Relocations, func(r ptx.Relocation) bool { return r.Function != nil }) {
				return fmt.Errorf("%s: %s cannot be contaminated straight through: variable %s has addresses of functions, which the device gives anew", in.Position, mnemonic(in), v.Name)
			}
		}
	}
	return nil
}

// driverFunctions are those that drivers provide ("PTX Writer's Guide to Interoperability",
// chapter on system calls; recalled and not looked up).
var driverFunctions = []string{"vprintf", "malloc", "free", "__assertfail"}

// checkProvided refuses calls of functions that the project's own device provides, and no driver does.
func (c *Coexecutor) checkProvided(k *contaminator.Kernel) error {
	if c.own {
		return nil
	}
	for i := range k.PTX.Body {
		in := &k.PTX.Body[i]
		if f := in.Called(); f != nil && !f.Defined && !contamination.Provides(f) && !slices.Contains(driverFunctions, f.Name) {
			return fmt.Errorf("%s: %s cannot be contaminated: no driver has function %s; link the library that has it (libdevice, libclc), or record by the interpreter", in.Position, mnemonic(in), f.Name)
		}
	}
	return nil
}

// label says in the trace that results of atomics are those of one run.
func (c *Coexecutor) label(k *contaminator.Kernel) {
	for i := range k.PTX.Body {
		in := &k.PTX.Body[i]
		if f := in.Called(); f != nil && !f.Defined && f.Name == "malloc" {
			k.Static.TimingDependent = append(k.Static.TimingDependent,
				fmt.Sprintf("malloc at line %d gave addresses in the order in which threads asked on %s", in.Line, c.device.Name()))
		}
		if in.WaitsAtMbarrier() {
			k.Static.TimingDependent = append(k.Static.TimingDependent,
				fmt.Sprintf("%s at line %d waited as often as it had to on %s", mnemonic(in), in.Line, c.device.Name()))
		}
		if k.Static.Instructions[i].Class == trace.ClassAtomic && in.Destinations > 0 && in.Operands[0].Kind != ptx.OperandSink {
			k.Static.TimingDependent = append(k.Static.TimingDependent,
				fmt.Sprintf("%s at line %d gave what it gave in the order in which thread blocks ran on %s", in.Op, in.Line, c.device.Name()))
		}
	}
}

// ErrDevice is behind errors of the device: the trace of what had finished holds.
var ErrDevice = errors.New("the recording on the device failed")

func deviceError(k *contaminator.Kernel, err error) error {
	return fmt.Errorf("%w: kernel %s: %w", ErrDevice, k.PTX.Name, err)
}
