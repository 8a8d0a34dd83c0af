package trace

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The model of a trace, kept as plain objects: what a test feeds to a writer and
// expects back from a reader.
type modelTrace struct {
	header   Header
	kernels  []*Kernel
	launches []modelLaunch
}

type modelLaunch struct {
	Launch
	blocks []modelBlock
}

type modelBlock struct {
	id    uint64
	warps []modelWarp
}

type modelWarp struct {
	visits   []modelVisit
	guards   []uint32
	accesses []modelAccess
}

type modelVisit struct{ block, mask uint32 }

type modelAccess struct {
	mask      uint32
	addresses [WarpSize]uint64 // zero where not in mask
}

// write feeds the model to a writer, with the warps of a block interleaved.
func (m *modelTrace) write(w *Writer) error {
	return m.writeWith(w, func(warp int, a *modelAccess) { w.Access(warp, a.mask, &a.addresses) })
}

// writeWith is write with another way to record an access.
func (m *modelTrace) writeWith(w *Writer, access func(warp int, a *modelAccess)) error {
	for _, k := range m.kernels {
		if _, err := w.AddKernel(k); err != nil {
			return err
		}
	}
	for i := range m.launches {
		l := &m.launches[i]
		if _, err := w.AddEvent(HostEvent{Kind: EventCopyToDevice, Address: 4096, HostAddress: 1 << 40, Bytes: uint64(100 + i)}); err != nil {
			return err
		}
		if _, err := w.BeginLaunch(l.Launch); err != nil {
			return err
		}
		for j := range l.blocks {
			l.blocks[j].write(w, access)
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

func (b *modelBlock) write(w *Writer, access func(warp int, a *modelAccess)) {
	w.BeginBlock(b.id)
	for warp := range b.warps {
		for _, v := range b.warps[warp].visits {
			w.Visit(warp, v.block, v.mask)
		}
	}
	for warp := range b.warps {
		for _, g := range b.warps[warp].guards {
			w.Guard(warp, g)
		}
		for i := range b.warps[warp].accesses {
			access(warp, &b.warps[warp].accesses[i])
		}
	}
}

// encode returns the bytes of the model's trace.
func (m *modelTrace) encode(t testing.TB, o Options) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, "model", m.header, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.write(w); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// readModel reads a whole trace back into a model.
func readModel(r *Reader) (*modelTrace, error) {
	m := &modelTrace{header: r.Header()}
	for i := range r.Kernels() {
		m.kernels = append(m.kernels, &r.Kernels()[i])
	}
	for _, l := range r.Launches() {
		m.launches = append(m.launches, modelLaunch{Launch: l})
	}
	chunk := NewChunk()
	for i := range r.Chunks() {
		if err := r.ReadChunk(i, chunk); err != nil {
			return nil, err
		}
		l := &m.launches[chunk.Launch()]
		for _, id := range chunk.Blocks() {
			b := modelBlock{id: id}
			for w := range chunk.WarpsPerBlock() {
				b.warps = append(b.warps, newModelWarp(chunk, m.kernels[l.Kernel], chunk.Warp(id, w)))
			}
			l.blocks = append(l.blocks, b)
		}
	}
	return m, nil
}

// newModelWarp walks a warp's path over the instruction table, one instruction at
// a time, and so works out the masks of accesses without the codec's tables.
func newModelWarp(c *Chunk, k *Kernel, w Warp) modelWarp {
	m := modelWarp{guards: append([]uint32(nil), w.Guards...)}
	guards, accesses := w.Guards, w.Accesses
	for v, id := range w.Blocks {
		m.visits = append(m.visits, modelVisit{id, w.Masks[v]})
		b := k.Blocks[id]
		for i := b.First; i < b.First+b.Count; i++ {
			mask := w.Masks[v]
			if k.Instructions[i].Guarded() {
				mask, guards = guards[0], guards[1:]
			}
			if k.Instructions[i].Class.IsMemory() {
				a := modelAccess{mask: mask}
				c.Addresses(accesses[0], mask, &a.addresses)
				accesses = accesses[1:]
				m.accesses = append(m.accesses, a)
			}
		}
	}
	return m
}

func diffModels(a, b *modelTrace) string {
	if reflect.DeepEqual(a, b) {
		return "" // cmp is slow on the many arrays
	}
	return cmp.Diff(a, b, cmp.AllowUnexported(modelTrace{}, modelLaunch{}, modelBlock{}, modelWarp{}, modelVisit{}, modelAccess{}))
}

// randomModel makes an arbitrary legal trace: random kernels, paths, masks and
// guards, and every kind of address pattern.
func randomModel(seed uint64) *modelTrace {
	g := &modelMaker{rand.New(rand.NewPCG(seed, 1))}
	m := &modelTrace{header: Header{Tool: "test", Seed: seed, Sampling: "some", Arguments: map[string]string{"b": "2", "a": "1"}}}
	for range 1 + g.IntN(3) {
		m.kernels = append(m.kernels, g.kernel())
	}
	for range 1 + g.IntN(4) {
		m.launches = append(m.launches, g.launch(m.kernels))
	}
	return m
}

type modelMaker struct{ *rand.Rand }

func (g *modelMaker) kernel() *Kernel {
	k := &Kernel{Name: fmt.Sprintf("kernel%d", g.IntN(100)), File: "test.ptx"}
	blocks := 1 + g.IntN(8)
	for range blocks {
		b := BasicBlock{First: uint32(len(k.Instructions)), Count: uint32(1 + g.IntN(6)), PostDominator: NoBlock}
		for range g.IntN(3) {
			b.Successors = append(b.Successors, uint32(g.IntN(blocks)))
		}
		k.Blocks = append(k.Blocks, b)
		for range b.Count {
			k.Instructions = append(k.Instructions, g.instruction(len(k.Instructions)))
		}
	}
	return k
}

func (g *modelMaker) instruction(line int) Instruction {
	classes := []OpClass{ClassIntAdd, ClassF32Fma, ClassLoad, ClassStore, ClassAtomic, ClassBranch, ClassExit}
	in := Instruction{Opcode: "op", Class: classes[g.IntN(len(classes))], Line: uint32(line)}
	if in.Class.IsMemory() {
		in.Space, in.LaneBytes = SpaceGlobal, uint8(1<<g.IntN(4))
	}
	if g.IntN(3) == 0 {
		in.Guard = Guard{Present: true, Register: Register{File: FilePredicate, Words: 1}}
	}
	return in
}

func (g *modelMaker) launch(kernels []*Kernel) modelLaunch {
	l := modelLaunch{Launch: Launch{
		Kernel: g.IntN(len(kernels)),
		Grid:   Dim3{uint32(g.IntN(20)), uint32(1 + g.IntN(3)), 1},
		Block:  Dim3{uint32(1 + g.IntN(100)), uint32(1 + g.IntN(2)), 1},
	}}
	k := kernels[l.Kernel]
	shared := g.path(k)
	sampled := g.IntN(3) == 0
	for id := range l.Grid.Count() {
		if sampled && g.IntN(2) == 0 {
			continue
		}
		b := modelBlock{id: id}
		for w := range l.Warps() {
			path := shared
			if g.IntN(3) == 0 {
				path = g.path(k)
			}
			b.warps = append(b.warps, g.warp(k, path, l.fullMask(w), id*uint64(l.Warps())+uint64(w)))
		}
		l.blocks = append(l.blocks, b)
	}
	return l
}

func (g *modelMaker) path(k *Kernel) []uint32 {
	var path []uint32
	for range g.IntN(12) {
		path = append(path, uint32(g.IntN(len(k.Blocks))))
	}
	return path
}

func (g *modelMaker) warp(k *Kernel, path []uint32, lanes uint32, number uint64) modelWarp {
	var m modelWarp
	mask := lanes
	for _, id := range path {
		if g.IntN(3) == 0 {
			mask = g.part(lanes)
		}
		if mask == 0 {
			mask = lanes
		}
		m.visits = append(m.visits, modelVisit{id, mask})
		b := k.Blocks[id]
		for i := b.First; i < b.First+b.Count; i++ {
			in := &k.Instructions[i]
			active := mask
			if in.Guarded() {
				if g.IntN(2) == 0 {
					active = g.part(mask)
				}
				m.guards = append(m.guards, active)
			}
			if in.Class.IsMemory() {
				m.accesses = append(m.accesses, g.access(active, uint64(i)<<20+number*128, i))
			}
		}
	}
	return m
}

func (g *modelMaker) part(mask uint32) uint32 {
	switch g.IntN(4) {
	case 0:
		return 0
	case 1:
		return mask & -mask
	}
	return mask & g.Uint32()
}

// access makes regular, tiled, wrapping and random patterns, per instruction
// mostly the same one.
func (g *modelMaker) access(mask uint32, base uint64, instruction uint32) modelAccess {
	a := modelAccess{mask: mask}
	kind := int(instruction % 6)
	if g.IntN(8) == 0 {
		kind = g.IntN(6)
	}
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		lane := uint64(l)
		switch kind {
		case 0:
			a.addresses[l] = base + 4*lane
		case 1: // rows of a 16x16 tile
			a.addresses[l] = base + lane%16*4 + lane/16*4096
		case 2: // wraps around 2^64
			a.addresses[l] = base - 1<<30 - 8*lane
		case 3:
			a.addresses[l] = g.Uint64()
		case 4: // a stride that needs more than 32 bits
			a.addresses[l] = base + lane<<33
		case 5:
			a.addresses[l] = 1<<20 + uint64(g.IntN(1000))*4
		}
	}
	return a
}
