package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"github.com/warptape/warptape/trace/internal/lanecode"
)

// DumpOptions choose what Dump prints; nil is all of them.
type DumpOptions struct {
	Launch *int
	Block  *uint64 // linear thread block id
	Warp   *int    // warp of the thread block
	// Line keeps the executions of the instructions of one line, and the visits and
	// warps that have some.
	Line *LineFilter
	// CPU chooses a CPU thread instead of launches; its instructions are printed one a
	// line, those of CPUInstructions only, if that is not nil.
	CPU             *int
	CPUInstructions *Range
	// JSON prints one object a line (docs/trace-tools.md) instead of text.
	JSON bool
}

// Dump prints the dynamic part of a trace, one line per basic-block visit and per
// memory instruction (with Line: per instruction of that line), in the order of
// launch, thread block and warp; without a choice also those of the CPU threads after
// them. The output depends on nothing but the content.
func (r *Reader) Dump(out io.Writer, o DumpOptions) error {
	if o.Launch != nil && (*o.Launch < 0 || *o.Launch >= len(r.launches)) {
		return fmt.Errorf("%s: launch %d does not exist: it has %d", r.name, *o.Launch, len(r.launches))
	}
	d := &dumper{r: r, o: &o, out: bufio.NewWriter(out), chunk: NewChunk(), launch: -1, matches: make([][]bool, len(r.kernels))}
	if o.Line != nil {
		matched := false
		for k := range r.kernels {
			d.matches[k] = o.Line.match(&r.kernels[k])
			matched = matched || slices.Contains(d.matches[k], true)
		}
		if !matched {
			return fmt.Errorf("%s: no kernel has an instruction of line %v: %s", r.name, o.Line, r.describeFiles())
		}
	}
	d.text = &dumpText{w: d.out}
	if o.JSON {
		d.text = &dumpJSON{w: d.out}
	}
	if o.CPU != nil {
		if *o.CPU < 0 || *o.CPU >= r.CPUThreads() {
			return fmt.Errorf("%s: CPU thread %d does not exist: it has %d", r.name, *o.CPU, r.CPUThreads())
		}
		return errors.Join(d.dumpCPU(), d.out.Flush())
	}
	for i := range r.index.chunks {
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
		return fmt.Errorf("%s: holds no such thread block or warp", r.name)
	}
	return d.out.Flush()
}

// dumpForm is how a dump looks.
type dumpForm interface {
	launch(number int, l *Launch, k *Kernel)
	warp(launch int, block uint64, warp int)
	visit(number int, basicBlock, mask uint32)
	// instruction is an execution with the lanes that took part; access is nil for
	// one without addresses.
	instruction(index uint32, in *Instruction, mask uint32, c *Chunk, access *Access)
	// cpu is one instruction of a CPU thread.
	cpu(c *cpuCursor)
}

type dumper struct {
	r       *Reader
	o       *DumpOptions
	out     *bufio.Writer
	text    dumpForm
	chunk   *Chunk
	launch  int      // printed last
	matches [][]bool // by kernel and instruction; nil without a line filter
	found   bool
}

func (d *dumper) dumpChunk(i int) error {
	info, o := &d.r.index.chunks[i], d.o
	if o.Launch != nil && *o.Launch != info.Launch || o.Block != nil && (*o.Block < info.FirstBlock || *o.Block > info.LastBlock) {
		return nil
	}
	if err := d.r.ReadChunk(i, d.chunk); err != nil {
		return err
	}
	l := &d.r.launches[info.Launch]
	if d.launch != info.Launch {
		d.launch = info.Launch
		d.text.launch(d.launch, l, &d.r.kernels[l.Kernel])
	}
	for _, block := range d.chunk.blocks {
		if o.Block != nil && *o.Block != block {
			continue
		}
		for warp := range d.chunk.warps {
			if o.Warp == nil || *o.Warp == warp {
				d.found = true
				d.dumpWarp(block, warp, l.Kernel)
			}
		}
	}
	return nil
}

func (d *dumper) dumpWarp(block uint64, warp, kernel int) {
	k, matches := &d.r.kernels[kernel], d.matches[kernel]
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

// dumpText is the form for people.
type dumpText struct{ w *bufio.Writer }

func (t *dumpText) launch(number int, l *Launch, k *Kernel) {
	fmt.Fprintf(t.w, "launch %d kernel %s grid %d,%d,%d block %d,%d,%d\n", number, k.Name,
		l.Grid.X, l.Grid.Y, l.Grid.Z, l.Block.X, l.Block.Y, l.Block.Z)
}

func (t *dumpText) warp(_ int, block uint64, warp int) {
	fmt.Fprintf(t.w, "thread block %d warp %d\n", block, warp)
}

func (t *dumpText) visit(_ int, basicBlock, mask uint32) {
	fmt.Fprintf(t.w, "  visit block %d lanes %08x\n", basicBlock, mask)
}

func (t *dumpText) instruction(index uint32, in *Instruction, mask uint32, c *Chunk, access *Access) {
	fmt.Fprintf(t.w, "    %d %s lanes %08x", index, describeInstruction(in), mask)
	switch {
	case access != nil && in.Class == ClassBulk && mask != 0:
		var b BulkCopy
		c.Bulk(*access, &b)
		t.w.WriteString(b.String())
	case access != nil:
		t.w.WriteString(describeAccess(c, *access, mask))
	}
	t.w.WriteByte('\n')
}

// describeInstruction is opcode, suffixes and PTX line.
func describeInstruction(in *Instruction) string {
	return fmt.Sprintf("%s line %d", in.Name(), in.Line)
}

// Name is the opcode with its modifiers and types: "ld.global.u32".
func (in *Instruction) Name() string {
	return strings.Join(slices.Concat([]string{in.Opcode}, in.Modifiers, in.Types), ".")
}

// describeAccess prints a stride as such and other addresses lane by lane.
func describeAccess(c *Chunk, a Access, mask uint32) string {
	var addresses [WarpSize]uint64
	c.Addresses(a, mask, &addresses)
	if mask == 0 {
		return " no address"
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
