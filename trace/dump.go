package trace

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"
)

// DumpOptions choose what Dump prints; nil is all of them.
type DumpOptions struct {
	Launch *int
	Block  *uint64 // linear thread block id
	Warp   *int    // warp of the thread block
}

// Dump prints the dynamic part of a trace as text, one line per basic-block visit
// and per memory instruction, in the order of launch, thread block and warp. The
// text depends on nothing but the content.
func (r *Reader) Dump(out io.Writer, o DumpOptions) error {
	w := bufio.NewWriter(out)
	if o.Launch != nil && (*o.Launch < 0 || *o.Launch >= len(r.launches)) {
		return fmt.Errorf("%s: launch %d does not exist: it has %d", r.name, *o.Launch, len(r.launches))
	}
	chunk := NewChunk()
	found := false
	launch := -1
	for i := range r.index.chunks {
		info := &r.index.chunks[i]
		if o.Launch != nil && *o.Launch != info.Launch || o.Block != nil && (*o.Block < info.FirstBlock || *o.Block > info.LastBlock) {
			continue
		}
		if err := r.ReadChunk(i, chunk); err != nil {
			return err
		}
		if launch != info.Launch {
			launch = info.Launch
			r.dumpLaunch(w, launch)
		}
		found = r.dumpChunk(w, chunk, &o) || found
	}
	if !found && (o.Block != nil || o.Warp != nil) {
		return fmt.Errorf("%s: holds no such thread block or warp", r.name)
	}
	return w.Flush()
}

func (r *Reader) dumpLaunch(w *bufio.Writer, launch int) {
	l := &r.launches[launch]
	fmt.Fprintf(w, "launch %d kernel %s grid %d,%d,%d block %d,%d,%d\n", launch, r.kernels[l.Kernel].Name,
		l.Grid.X, l.Grid.Y, l.Grid.Z, l.Block.X, l.Block.Y, l.Block.Z)
}

func (r *Reader) dumpChunk(w *bufio.Writer, c *Chunk, o *DumpOptions) (found bool) {
	kernel := &r.kernels[r.launches[c.launch].Kernel]
	for _, block := range c.blocks {
		if o.Block != nil && *o.Block != block {
			continue
		}
		for warp := range c.warps {
			if o.Warp == nil || *o.Warp == warp {
				found = true
				fmt.Fprintf(w, "thread block %d warp %d\n", block, warp)
				dumpWarp(w, c, kernel, c.Warp(block, warp))
			}
		}
	}
	return found
}

func dumpWarp(w *bufio.Writer, c *Chunk, k *Kernel, warp Warp) {
	guards, accesses := warp.Guards, warp.Accesses
	for v, id := range warp.Blocks {
		fmt.Fprintf(w, "  visit block %d lanes %08x\n", id, warp.Masks[v])
		b := &k.Blocks[id]
		for i := b.First; i < b.First+b.Count; i++ {
			in := &k.Instructions[i]
			mask := warp.Masks[v]
			if in.Guarded() {
				mask, guards = guards[0], guards[1:]
			}
			switch {
			case in.Class.IsMemory():
				fmt.Fprintf(w, "    %d %s lanes %08x%s\n", i, describeInstruction(in), mask, describeAccess(c, accesses[0], mask))
				accesses = accesses[1:]
			case in.Guarded() && mask != warp.Masks[v]:
				fmt.Fprintf(w, "    %d %s lanes %08x\n", i, describeInstruction(in), mask)
			}
		}
	}
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
	if base, stride, ok := detectStride(mask, &addresses); ok {
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
