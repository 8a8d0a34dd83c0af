// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator/memory"
)

// Kernels that call malloc and free have memory from the host's heap, behind the program's
// buffers (see contamination.HeapNext). The host tells the device what there is, and takes over
// what kernels have asked for when it takes memory back.

// heapState is what the host knows of the heap on the device.
type heapState struct {
	next, used uint64
	// freed are the pieces that the wave or segment at hand has freed: its log may have
	// accesses from before.
	freed map[*memory.Allocation]bool
}

// heapEntry is where the table has a piece.
func (c *Coexecutor) heapEntry(base uint64) uint64 {
	return contamination.HeapTable + (base-c.GlobalBase())/contamination.HeapAlign*4
}

// writeHeap makes the heap on the device that of the host.
func (p *program) writeHeap() error {
	if !p.allocates {
		return nil
	}
	c, m := p.coexecutor, p.launch.Memory
	size := memory.AlignUp(c.heapEntry(c.GlobalEnd())+4, 16)
	if err := c.hold(&c.heap, &c.heapBytes, size); err != nil {
		return err
	}
	if err := c.device.Clear(c.heap, size); err != nil {
		return err
	}
	p.heap = heapState{next: m.Global.Next(contamination.HeapAlign), used: m.HeapUsed, freed: map[*memory.Allocation]bool{}}
	if !c.device.Own() && !c.cleared { // what it gives is zero, as the interpreter's is
		if err := c.device.Clear(p.heap.next, c.GlobalEnd()-p.heap.next); err != nil {
			return err
		}
		c.cleared = true
	}
	words := make([]byte, contamination.HeapTable)
	for at, v := range map[int]uint64{contamination.HeapNext: p.heap.next, contamination.HeapEnd: c.GlobalEnd(), contamination.HeapUsed: m.HeapUsed,
		contamination.HeapLimit: memory.KernelHeapBytes, contamination.HeapBase: c.GlobalBase()} {
		binary.LittleEndian.PutUint64(words[at:], v)
	}
	if err := c.device.Write(c.heap, words); err != nil {
		return err
	}
	for _, a := range m.Global.Allocations {
		if a.FromKernel && !a.Freed {
			if err := c.device.Write(c.heap+c.heapEntry(a.Base), binary.LittleEndian.AppendUint32(nil, uint32(a.Bytes))); err != nil {
				return err
			}
		}
	}
	return nil
}

// clearHeap makes memory zero that a run which has not happened has had from the heap.
func (p *program) clearHeap() error {
	if !p.allocates {
		return nil
	}
	words := make([]byte, contamination.HeapTable)
	if err := p.coexecutor.device.Read(words, p.coexecutor.heap); err != nil {
		return err
	}
	next := min(binary.LittleEndian.Uint64(words[contamination.HeapNext:]), p.coexecutor.GlobalEnd())
	if next > p.heap.next {
		if err := p.coexecutor.device.Clear(p.heap.next, next-p.heap.next); err != nil {
			return err
		}
	}
	return p.writeHeap()
}

// takeHeap makes the host's heap that of the device.
func (p *program) takeHeap() error {
	if !p.allocates {
		return nil
	}
	c, words := p.coexecutor, make([]byte, contamination.HeapTable)
	if err := c.device.Read(words, c.heap); err != nil {
		return err
	}
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(words[at:]) }
	clear(p.heap.freed)
	if at := word(contamination.HeapWrong); at != 0 {
		return fmt.Errorf("%s: free of 0x%x, which no malloc of a kernel gave, or which was freed before", p.callsOf("free"), at)
	}
	if word(contamination.HeapFull) != 0 {
		return fmt.Errorf("%s: malloc has no room in the %d bytes that the device has for buffers; give it more (--gpu-memory)", p.callsOf("malloc"), c.options.MemoryBytes)
	}
	next, used := word(contamination.HeapNext), word(contamination.HeapUsed)
	if next == p.heap.next && used == p.heap.used {
		return nil
	}
	if next < p.heap.next || next > c.GlobalEnd() {
		return &contamination.ErrLog{What: fmt.Sprintf("its heap goes on at 0x%x", next)}
	}
	table := make([]byte, c.heapEntry(next)-contamination.HeapTable)
	if err := c.device.Read(table, c.heap+contamination.HeapTable); err != nil {
		return err
	}
	if err := p.takeTable(table); err != nil {
		return err
	}
	p.heap.next, p.heap.used, p.launch.Memory.HeapUsed = next, used, used
	return nil
}

// takeTable makes buffers of the pieces that are new, and frees those that kernels have freed.
func (p *program) takeTable(table []byte) error {
	c, m := p.coexecutor, p.launch.Memory
	for at := 0; at < len(table); at += 4 {
		entry := binary.LittleEndian.Uint32(table[at:])
		if entry == 0 {
			continue
		}
		base := c.GlobalBase() + uint64(at)/4*contamination.HeapAlign
		a := m.Global.Below(base)
		if base >= p.heap.next {
			var err error
			if a, err = m.AllocateFor(p.kernel.PTX.Name, uint64(entry&^contamination.HeapFreed)); err != nil {
				return err
			}
		}
		if a == nil || a.Base != base || !a.FromKernel {
			return &contamination.ErrLog{What: fmt.Sprintf("its heap has a piece at 0x%x", base)}
		}
		if entry&contamination.HeapFreed != 0 && !a.Freed {
			if err := m.Global.Release(base); err != nil {
				return err
			}
			p.heap.freed[a] = true
		}
	}
	return nil
}

// lives reports whether bytes of global memory are in a buffer, or in one that was freed by what
// has just run.
func (p *program) lives(at, n uint64) bool {
	a := p.launch.Memory.Global.Below(at)
	return a != nil && a.Contains(at, n) && (!a.Freed || p.heap.freed[a])
}

// callsOf names the calls of a function that the device provides.
func (p *program) callsOf(name string) string {
	var list []string
	for i := range p.kernel.PTX.Body {
		if f := p.kernel.PTX.Body[i].Called(); f != nil && f.Name == name {
			list = append(list, p.kernel.PTX.Body[i].Position.String())
		}
	}
	return strings.Join(list, ", ")
}
