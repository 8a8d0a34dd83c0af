// SPDX-License-Identifier: Apache-2.0

package dump

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/cursor"
	"github.com/warptape/warptape/trace/internal/lanecode"
	"github.com/warptape/warptape/trace/wtape"
)

// Options choose what Write prints; nil is all of them.
type Options struct {
	Launch *int
	Block  *uint64 // linear thread block id
	Warp   *int    // warp of the thread block
	// Line keeps the executions of the instructions of one line, and the visits and
	// warps that have some.
	Line *LineFilter
	// CPU chooses a CPU thread instead of launches; its instructions are printed one a
	// line, those of CPUInstructions only, if that is not nil.
	CPU             *int
	CPUInstructions *trace.Range
	// JSON prints one object a line (docs/trace-tools.md) instead of text.
	JSON bool
}

// Write prints the dynamic part of a trace, one line per basic-block visit and per
// memory instruction (with Line: per instruction of that line). The order is that of
// launch, thread block and warp. Without a choice those of the CPU threads follow.
// The output depends on nothing but the content.
func Write(r *wtape.Reader, out io.Writer, o Options) error {
	if o.Launch != nil && (*o.Launch < 0 || *o.Launch >= len(r.Launches())) {
		return fmt.Errorf("%s: launch %d does not exist: it has %d", r.Name(), *o.Launch, len(r.Launches()))
	}
	d := &writer{r: r, o: &o, out: bufio.NewWriter(out), chunk: wtape.NewChunk(), launch: -1, matches: make([][]bool, len(r.Kernels()))}
	if o.Line != nil {
		matched := false
		for k := range r.Kernels() {
			d.matches[k] = o.Line.match(&r.Kernels()[k])
			matched = matched || slices.Contains(d.matches[k], true)
		}
		if !matched {
			return fmt.Errorf("%s: no kernel has an instruction of line %v: %s", r.Name(), o.Line, describeFiles(r))
		}
	}
	d.text = &text{w: d.out}
	if o.JSON {
		d.text = &jsonForm{w: d.out}
	}
	if o.CPU != nil {
		if *o.CPU < 0 || *o.CPU >= r.CPUThreads() {
			return fmt.Errorf("%s: CPU thread %d does not exist: it has %d", r.Name(), *o.CPU, r.CPUThreads())
		}
		return errors.Join(d.dumpCPU(), d.out.Flush())
	}
	for i := range r.Chunks() {
		if err := d.dumpChunk(i); err != nil {
			return err
		}
	}
	if o.Launch == nil && o.Block == nil && o.Warp == nil && o.Line == nil {
		if err := d.dumpCPU(); err != nil {
			return err
		}
	}
	if !d.found && (o.Block != nil || o.Warp != nil) {
		return fmt.Errorf("%s: holds no such thread block or warp", r.Name())
	}
	return d.out.Flush()
}

// form is how a dump looks.
type form interface {
	launch(number int, l *trace.Launch, k *trace.Kernel)
	warp(launch int, block uint64, warp int)
	visit(number int, basicBlock, mask uint32)
	// instruction is an execution with the lanes that took part; access is nil for
	// one without addresses.
	instruction(index uint32, in *trace.Instruction, mask uint32, c *wtape.Chunk, access *trace.Access)
	// cpu is one instruction of a CPU thread.
	cpu(c *cursor.CPU)
}

type writer struct {
	r       *wtape.Reader
	o       *Options
	out     *bufio.Writer
	text    form
	chunk   *wtape.Chunk
	launch  int      // printed last
	matches [][]bool // by kernel and instruction; nil without a line filter
	found   bool
}

func (d *writer) dumpChunk(i int) error {
	info, o := &d.r.Chunks()[i], d.o
	if o.Launch != nil && *o.Launch != info.Launch || o.Block != nil && (*o.Block < info.FirstBlock || *o.Block > info.LastBlock) {
		return nil
	}
	if err := d.r.ReadChunk(i, d.chunk); err != nil {
		return err
	}
	l := &d.r.Launches()[info.Launch]
	if d.launch != info.Launch {
		d.launch = info.Launch
		d.text.launch(d.launch, l, &d.r.Kernels()[l.Kernel])
	}
	for _, block := range d.chunk.Blocks() {
		if o.Block != nil && *o.Block != block {
			continue
		}
		for warp := range d.chunk.WarpsPerBlock() {
			if o.Warp == nil || *o.Warp == warp {
				d.found = true
				d.dumpWarp(block, warp, l.Kernel)
			}
		}
	}
	return nil
}

func (d *writer) dumpWarp(block uint64, warp, kernel int) {
	k, matches := &d.r.Kernels()[kernel], d.matches[kernel]
	if matches == nil {
		d.text.warp(d.launch, block, warp)
	}
	path, printed := d.chunk.Warp(block, warp), matches == nil
	visited := -1
	for e := range path.Executed(k) {
		lanes := path.Masks[e.Visit]
		plain := e.Access == nil && e.Mask == lanes // the visit says all of it
		if matches != nil && !matches[e.Index] {
			continue
		}
		if !printed {
			d.text.warp(d.launch, block, warp)
			printed = true
		}
		if visited != e.Visit {
			d.text.visit(e.Visit, path.Blocks[e.Visit], lanes)
			visited = e.Visit
		}
		if matches != nil || !plain {
			d.text.instruction(e.Index, e.In, e.Mask, d.chunk, e.Access)
		}
	}
}

// text is the form for people.
type text struct{ w *bufio.Writer }

func (t *text) launch(number int, l *trace.Launch, k *trace.Kernel) {
	fmt.Fprintf(t.w, "launch %d kernel %s grid %d,%d,%d block %d,%d,%d", number, k.Name,
		l.Grid.X, l.Grid.Y, l.Grid.Z, l.Block.X, l.Block.Y, l.Block.Z)
	if c := l.Cluster; c.Count() > 1 {
		fmt.Fprintf(t.w, " cluster %d,%d,%d", c.X, c.Y, c.Z)
	}
	t.w.WriteByte('\n')
}

func (t *text) warp(_ int, block uint64, warp int) {
	fmt.Fprintf(t.w, "thread block %d warp %d\n", block, warp)
}

func (t *text) visit(_ int, basicBlock, mask uint32) {
	fmt.Fprintf(t.w, "  visit block %d lanes %08x\n", basicBlock, mask)
}

func (t *text) instruction(index uint32, in *trace.Instruction, mask uint32, c *wtape.Chunk, access *trace.Access) {
	fmt.Fprintf(t.w, "    %d %s lanes %08x", index, DescribeInstruction(in), mask)
	switch {
	case access != nil && in.Class == trace.ClassBulk && mask != 0:
		var b trace.BulkCopy
		c.Bulk(*access, &b)
		t.w.WriteString(b.String())
	case in.Values && mask != 0:
		t.w.WriteString(" " + barrierOf(c, *access, mask).String())
	case access != nil && !in.Values:
		t.w.WriteString(DescribeAccess(c, *access, mask))
		t.w.WriteString(describeNumbers(in, c, *access, mask))
	}
	t.w.WriteByte('\n')
}

// DescribeInstruction is opcode, suffixes and PTX line.
func DescribeInstruction(in *trace.Instruction) string {
	return fmt.Sprintf("%s line %d", in.Name(), in.Line)
}

// DescribeAccess prints a stride as such and other addresses lane by lane.
func DescribeAccess(c *wtape.Chunk, a trace.Access, mask uint32) string {
	var addresses [trace.WarpSize]uint64
	c.Addresses(a, mask, &addresses)
	if mask == 0 {
		return " no address"
	}
	for i := range addresses {
		addresses[i] = trace.AddressOf(addresses[i])
	}
	if base, stride, ok := lanecode.DetectStride(mask, &addresses); ok {
		if mask&(mask-1) == 0 {
			return fmt.Sprintf(" address 0x%x", base)
		}
		return fmt.Sprintf(" base 0x%x stride %d", base, stride)
	}
	var s strings.Builder
	s.WriteString(" addresses")
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		fmt.Fprintf(&s, " %d:0x%x", l, addresses[l])
	}
	return s.String()
}
