// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/cuda/driver"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
)

// program is a kernel on the device.
type program struct {
	coexecutor *Coexecutor
	mode       contamination.Mode
	module     module
	constants  map[*memory.Allocation][]byte // what is known to be in them on the device
	kernel     *contaminator.Kernel
	sites      []contamination.Site
	samplings  map[int]*sampling // by instruction
	needs      textureNeeds
	// Of the rewritten module: the kernel, and the segments by their first statements.
	rewritten *contamination.Kernel
	function  *driver.Function
	segments  map[int]int
	numbers   []int // by instruction

	launch *coexecution.LaunchState
	// Of parameters that point to constant memory: the buffers there, and the launch's arguments with
	// their offsets in the place of the recording's addresses.
	buffers   []constantBuffer
	arguments []byte
	places    places
	// together is the size of the clusters that the module was rewritten for.
	together [3]uint32
	// room is the size of a warp's log. wave has the logs of the thread blocks from first
	// on.
	room  uint64
	wave  [][]byte // by warp
	first uint64
	warps int
	// By segments: the first of the thread blocks whose states are on the device, and whose
	// turn it is.
	current uint64
	turn    turn
	groups  []group
	stride  uint64 // by segments: bytes of a thread's state with frames
	// By segments of kernels with mbarriers: the thread block's shared memory, and how
	// many waits have failed since it changed.
	waits  bool
	mirror []byte
	failed int
	// divided is the same kernel by segments, for thread blocks whose logs have no room:
	// dividedBlock is the last of them in the launch. dirty says that memory has not been
	// taken from the device since.
	divided      *program
	dividedBlock uint64
	dirty        bool
	// quiet says that a kernel that prints does not: its launch is to find how much it logs.
	quiet bool
	// allocates says that the kernel has memory from the heap, whose state is heap.
	allocates bool
	heap      heapState
	// images says that the kernel calls OpenCL's image functions.
	images bool
	// pointers are addresses of constants in global memory.
	pointers []pointer
}

const noBlock = ^uint64(0)

const firstRoom = 16 << 10

// NewContext makes the reader of one warp's log.
func (p *program) NewContext() coexecution.Context { return &context{loaded: p, program: p} }

// BeginLaunch takes memory to the device, and the module if it is not there.
func (p *program) BeginLaunch(l *coexecution.LaunchState) error {
	if l.CheckShared || l.Watch != nil {
		return deviceError(p.kernel, fmt.Errorf("checks and watches need the interpreter"))
	}
	p.coexecutor.Counts.Launches++
	if p.mode != p.coexecutor.options.Mode {
		p.coexecutor.Counts.Segmented++
	}
	return p.begin(l)
}

// begin makes the device ready for a launch.
func (p *program) begin(l *coexecution.LaunchState) error {
	p.launch, p.wave, p.first = l, nil, 0
	p.warps = int((l.Block.Count() + 31) / 32)
	p.current, p.turn, p.dividedBlock, p.dirty = noBlock, turn{}, noBlock, false
	if err := p.coexecutor.upload(l.Memory); err != nil {
		return deviceError(p.kernel, err)
	}
	if p.function == nil || p.together != p.cluster() {
		if err := p.load(); err != nil {
			return err
		}
	}
	for _, v := range p.kernel.PTX.Module.Variables {
		if v.Space == ptx.SpaceConst {
			if err := p.writeConstant(v); err != nil {
				return deviceError(p.kernel, err)
			}
		}
	}
	if err := p.placeConstants(); err != nil {
		return deviceError(p.kernel, err)
	}
	if err := p.prepareTextures(); err != nil {
		return deviceError(p.kernel, err)
	}
	if err := errors.Join(p.givePointers(), p.writeHeap(), p.writeImages()); err != nil {
		return deviceError(p.kernel, err)
	}
	p.places = places{}
	if p.mode == contamination.Segments {
		return p.makeRoom()
	}
	return nil
}

// EndLaunch takes memory back. Straight through, that was done after each wave.
func (p *program) EndLaunch(l *coexecution.LaunchState, failed error) error {
	p.wave = nil
	if failed != nil || p.mode == contamination.Straight && !p.dirty {
		return failed
	}
	if err := p.download(); err != nil {
		return deviceError(p.kernel, err)
	}
	return nil
}

// download takes memory back from the device.
func (p *program) download() error {
	if err := p.coexecutor.download(p.launch.Memory); err != nil {
		return err
	}
	p.takePointers()
	return p.takeTextures()
}

// load rewrites and loads the kernel, at its first launch: the addresses of variables are
// known then.
func (p *program) load() error {
	c := p.coexecutor
	globals := map[*ptx.Variable]uint64{}
	for v, address := range p.launch.Addresses {
		if v.Space == ptx.SpaceGlobal {
			globals[v] = address
		}
	}
	r, err := contamination.Rewrite([]*contaminator.Kernel{p.kernel}, contamination.Options{Mode: p.mode, Globals: globals, Alone: true, Cluster: p.cluster()})
	if err != nil {
		return err
	}
	if c.options.Keep != nil {
		if _, err := c.options.Keep.Write(r.Text); err != nil {
			return err
		}
	}
	if c.options.Change != nil {
		r.Text = c.options.Change(r.Text)
	}
	if err := p.Unload(); err != nil { // it was loaded for clusters of another size
		return err
	}
	loaded, err := c.device.Load(r.Text)
	if err != nil {
		return deviceError(p.kernel, mapped(err, p.kernel.PTX.Module.File, r.Lines))
	}
	p.module, p.together, p.constants = module{loaded: loaded, rewritten: r}, p.cluster(), map[*memory.Allocation][]byte{}
	if p.module.control, err = loaded.Symbol(r.Control); err != nil {
		return deviceError(p.kernel, err)
	}
	p.numbers = make([]int, len(p.kernel.PTX.Body))
	for i := range p.numbers {
		p.numbers[i] = r.Of(&p.kernel.PTX.Body[i])
	}
	for id := range p.kernel.Segments {
		p.segments[p.numbers[p.kernel.Segments[id].First]] = id
	}
	p.rewritten = r.Kernels[0]
	if p.function, err = loaded.Function(p.kernel.PTX.Name); err != nil {
		return deviceError(p.kernel, err)
	}
	if err := p.readPointers(); err != nil {
		return deviceError(p.kernel, err)
	}
	return nil
}

// lineNumber finds lines in what drivers say: "ptxas application ptx input, line 12; ..."
var lineNumber = regexp.MustCompile(`(line |\.ptx:)(\d+)`)

// mapped is a driver's refusal with the lines of the file as it was before.
func mapped(err error, file string, lines []int) error {
	e, ok := err.(*driver.Error)
	if !ok {
		return err
	}
	e.Log = MapLines(e.Log, file, lines)
	return e
}

// MapLines adds to the lines that a driver's log names which lines of the file before
// contamination they are, or belong to.
func MapLines(log, file string, lines []int) string {
	return lineNumber.ReplaceAllStringFunc(log, func(s string) string {
		n, err := strconv.Atoi(lineNumber.FindStringSubmatch(s)[2])
		if err != nil || n < 1 || n > len(lines) {
			return s
		}
		return fmt.Sprintf("%s (%s:%d before contamination)", s, file, lines[n-1])
	})
}

// writeConstant brings a variable in constant memory up to date. Addresses that the device gives
// stay as its driver has put them there.
func (p *program) writeConstant(v *ptx.Variable) error {
	a := p.launch.Memory.Constant.Below(p.launch.Addresses[v])
	if a == nil || bytes.Equal(p.constants[a], a.Data) {
		return nil
	}
	at, err := p.module.loaded.Symbol(v.Name)
	if err != nil {
		return err
	}
	p.constants[a] = bytes.Clone(a.Data)
	from := uint64(0)
	for _, r := range v.Relocations {
		if !p.anew(&r) {
			continue
		}
		if r.Offset > from {
			if err := p.coexecutor.device.Write(at+from, a.Data[from:r.Offset]); err != nil {
				return err
			}
		}
		from = r.Offset + uint64(v.Type.Bytes())
	}
	if from >= uint64(len(a.Data)) {
		return nil
	}
	return p.coexecutor.device.Write(at+from, a.Data[from:])
}

// anew reports whether an address in an initial value is another one on the device. By segments a
// function's address is a number that the kernel compares.
func (p *program) anew(r *ptx.Relocation) bool {
	if r.Function != nil {
		return p.mode == contamination.Straight && !p.coexecutor.own
	}
	return r.Symbol.Space != ptx.SpaceGlobal
}

// upload takes to the device what the host has written.
func (c *Coexecutor) upload(m *memory.Memory) error {
	for _, a := range m.Global.Allocations {
		if a.Freed {
			delete(c.there, a)
			continue
		}
		if !a.Contains(a.Base, a.Bytes) || a.Base < c.GlobalBase() || a.Base+a.Bytes > c.GlobalEnd() {
			return fmt.Errorf("buffer %s does not fit into the %d bytes that the device has for buffers", a.Name, c.options.MemoryBytes)
		}
		if bytes.Equal(c.there[a], a.Data) {
			continue
		}
		if err := c.device.Write(a.Base, a.Data); err != nil {
			return err
		}
		c.there[a] = append(c.there[a][:0], a.Data...)
	}
	return nil
}

// restore makes memory on the device what it was when it was last looked at.
func (c *Coexecutor) restore(m *memory.Memory) error {
	for _, a := range m.Global.Allocations {
		if !a.Freed {
			if err := c.device.Write(a.Base, a.Data); err != nil {
				return err
			}
		}
	}
	return nil
}

// download takes memory back from the device.
func (c *Coexecutor) download(m *memory.Memory) error {
	for _, a := range m.Global.Allocations {
		if a.Freed {
			continue
		}
		if err := c.device.Read(a.Data, a.Base); err != nil {
			return err
		}
		c.there[a] = append(c.there[a][:0], a.Data...)
	}
	return nil
}

// control writes the control block of a launch.
func (p *program) control(first uint64, logs uint64) error {
	l, b := p.launch, make([]byte, contamination.ControlBytes)
	put64 := func(at int, v uint64) { binary.LittleEndian.PutUint64(b[at:], v) }
	put32 := func(at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
	put64(contamination.ControlCursors, p.coexecutor.log)
	put64(contamination.ControlLog, logs)
	put32(contamination.ControlRoom, uint32(p.room))
	put32(contamination.ControlWarps, uint32(p.warps))
	put64(contamination.ControlFirst, first)
	put32(contamination.ControlGrid, l.Grid.X)
	put32(contamination.ControlGrid+4, l.Grid.Y)
	put32(contamination.ControlGrid+8, l.Grid.Z)
	put32(contamination.ControlDynamic, l.DynamicShared)
	put64(contamination.ControlLayout, p.coexecutor.layout)
	put64(contamination.ControlState, p.coexecutor.state+p.turn.held*p.blockStates())
	put32(contamination.ControlRunWarp, uint32(p.turn.warp))
	put32(contamination.ControlRunLanes, p.turn.lanes)
	put64(contamination.ControlRunShared, p.coexecutor.shared+(p.turn.held-p.turn.rank)*p.blockShared())
	put64(contamination.ControlTextures, p.coexecutor.textures.table)
	put32(contamination.ControlHandles, p.coexecutor.textures.handles)
	put32(contamination.ControlStride, uint32(p.stride))
	put32(contamination.ControlRunBlock, uint32(p.turn.rank))
	put32(contamination.ControlRunProducts, p.turn.products)
	put32(contamination.ControlRunKept, uint32(p.turn.kept))
	put32(contamination.ControlKeptBytes, uint32(p.blockShared()))
	put64(contamination.ControlProducts, p.coexecutor.products)
	put32(contamination.ControlRunStops, p.turn.stops)
	put64(contamination.ControlHeap, p.coexecutor.heap)
	put64(contamination.ControlImages, p.coexecutor.images)
	if p.quiet {
		put32(contamination.ControlQuiet, 1)
	}
	return p.coexecutor.device.Write(p.module.control, b)
}
