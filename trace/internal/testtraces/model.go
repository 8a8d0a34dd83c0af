// SPDX-License-Identifier: Apache-2.0

// Package testtraces makes traces for tests: small ones that use all of the format, workloads
// that stand for real recordings, and gathers for each lane model. It also makes random
// traces with the plain objects that they must read back as.
package testtraces

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Trace is the model of a trace, kept as plain objects: what a test feeds to a writer and
// expects back from a reader.
type Trace struct {
	Header   trace.Header
	Kernels  []*trace.Kernel
	Launches []Launch
}

// Launch is a launch with the thread blocks that are stored.
type Launch struct {
	trace.Launch
	Blocks []Block
}

// Block is a thread block.
type Block struct {
	ID    uint64
	Warps []Warp
}

// Warp is what a warp did.
type Warp struct {
	Visits   []Visit
	Guards   []uint32
	Accesses []Access
}

// Visit is a visit of a basic block.
type Visit struct{ Block, Mask uint32 }

// Access has the lane addresses of a memory instruction.
type Access struct {
	Mask      uint32
	Addresses [trace.WarpSize]uint64 // zero where not in mask
}

// write feeds the model to a writer, with the warps of a block interleaved.
func (m *Trace) write(w *wtape.Writer) error {
	return m.WriteWith(w, func(warp int, a *Access) { w.Access(warp, a.Mask, &a.Addresses) })
}

// WriteWith is write with another way to record an access.
func (m *Trace) WriteWith(w *wtape.Writer, access func(warp int, a *Access)) error {
	for _, k := range m.Kernels {
		if _, err := w.AddKernel(k); err != nil {
			return err
		}
	}
	for i := range m.Launches {
		l := &m.Launches[i]
		if _, err := w.AddEvent(trace.HostEvent{Kind: trace.EventCopyToDevice, Address: 4096, HostAddress: 1 << 40, Bytes: uint64(100 + i)}); err != nil {
			return err
		}
		if _, err := w.BeginLaunch(l.Launch); err != nil {
			return err
		}
		for j := range l.Blocks {
			l.Blocks[j].write(w, access)
			if err := w.EndBlock(); err != nil {
				return err
			}
		}
		if err := w.EndLaunch(); err != nil {
			return err
		}
	}
	return w.Finish()
}

func (b *Block) write(w *wtape.Writer, access func(warp int, a *Access)) {
	w.BeginBlock(b.ID)
	for warp := range b.Warps {
		for _, v := range b.Warps[warp].Visits {
			w.Visit(warp, v.Block, v.Mask)
		}
	}
	for warp := range b.Warps {
		for _, g := range b.Warps[warp].Guards {
			w.Guard(warp, g)
		}
		for i := range b.Warps[warp].Accesses {
			access(warp, &b.Warps[warp].Accesses[i])
		}
	}
}

// Encode returns the bytes of the model's trace.
func (m *Trace) Encode(t testing.TB, o wtape.Options) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "model", m.Header, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.write(w); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Read reads a whole trace back into a model.
func Read(r *wtape.Reader) (*Trace, error) {
	m := &Trace{Header: r.Header()}
	for i := range r.Kernels() {
		m.Kernels = append(m.Kernels, &r.Kernels()[i])
	}
	for _, l := range r.Launches() {
		m.Launches = append(m.Launches, Launch{Launch: l})
	}
	chunk := wtape.NewChunk()
	for i := range r.Chunks() {
		if err := r.ReadChunk(i, chunk); err != nil {
			return nil, err
		}
		l := &m.Launches[chunk.Launch()]
		for _, id := range chunk.Blocks() {
			b := Block{ID: id}
			for w := range chunk.WarpsPerBlock() {
				b.Warps = append(b.Warps, NewWarp(chunk, m.Kernels[l.Kernel], chunk.Warp(id, w)))
			}
			l.Blocks = append(l.Blocks, b)
		}
	}
	return m, nil
}

// NewWarp walks a warp's path over the instruction table, one instruction at
// a time, and so works out the masks of accesses without the codec's tables.
func NewWarp(c *wtape.Chunk, k *trace.Kernel, w trace.Warp) Warp {
	m := Warp{Guards: append([]uint32(nil), w.Guards...)}
	guards, accesses := w.Guards, w.Accesses
	for v, id := range w.Blocks {
		m.Visits = append(m.Visits, Visit{id, w.Masks[v]})
		b := k.Blocks[id]
		for i := b.First; i < b.First+b.Count; i++ {
			mask := w.Masks[v]
			if k.Instructions[i].Guarded() {
				mask, guards = guards[0], guards[1:]
			}
			if k.Instructions[i].HasAccess() {
				a := Access{Mask: mask}
				c.Addresses(accesses[0], mask, &a.Addresses)
				accesses = accesses[1:]
				m.Accesses = append(m.Accesses, a)
			}
		}
	}
	return m
}

// Diff is empty for equal traces.
func Diff(a, b *Trace) string {
	if reflect.DeepEqual(a, b) {
		return "" // cmp is slow on the many arrays
	}
	return cmp.Diff(a, b, cmp.AllowUnexported(Trace{}, Launch{}, Block{}, Warp{}, Visit{}, Access{}))
}
