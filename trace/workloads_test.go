package trace

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// Programs that record what well-known kernels do, instruction by instruction as
// a compiler lays them out. They stand for real recordings in size and speed tests.

type workload struct {
	name   string
	kernel *Kernel
	record func(w *Writer) error
	limit  float64 // bytes per warp instruction that the format promises
}

func workloads() []workload {
	return []workload{
		{"saxpy", saxpyKernel(), recordSaxpy, 1},
		{"transpose", transposeKernel(), recordTranspose, 1},
		{"sgemm", sgemmKernel(), recordSgemm, 1},
		{"bfs", bfsKernel(), recordBFS, 3},
	}
}

// encodeWorkload returns the whole trace of a workload.
func encodeWorkload(t testing.TB, wl workload, o Options) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, wl.name, Header{Tool: "test"}, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.AddKernel(wl.kernel); err != nil {
		t.Fatal(err)
	}
	if err := wl.record(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// layOut builds a kernel from basic blocks given as strings: one letter per
// instruction (a arithmetic, l load, s store, b barrier, j branch, x exit; upper
// case L, S for predicated ones), and successors.
func layOut(name string, blocks ...laidBlock) *Kernel {
	classes := map[rune]OpClass{'a': ClassIntAdd, 'f': ClassF32Fma, 'l': ClassLoad, 's': ClassStore, 'b': ClassBarrier, 'j': ClassBranch, 'x': ClassExit}
	opcodes := map[rune]string{'a': "add", 'f': "fma", 'l': "ld", 's': "st", 'b': "bar", 'j': "bra", 'x': "ret"}
	k := &Kernel{Name: name, File: name + ".ptx"}
	for _, b := range blocks {
		k.Blocks = append(k.Blocks, BasicBlock{First: uint32(len(k.Instructions)), Count: uint32(len(b.code)), Successors: b.successors, PostDominator: NoBlock})
		for _, c := range b.code {
			in := Instruction{Line: uint32(len(k.Instructions) + 1)}
			lower := c | 0x20
			in.Class, in.Opcode = classes[lower], opcodes[lower]
			if in.Class.IsMemory() {
				in.Space, in.LaneBytes = SpaceGlobal, 4
			}
			if c != lower {
				in.Guard = Guard{Present: true, Register: Register{File: FilePredicate, Words: 1}}
			}
			k.Instructions = append(k.Instructions, in)
		}
	}
	return k
}

type laidBlock struct {
	code       string
	successors []uint32
}

const allLanes = ^uint32(0)

func saxpyKernel() *Kernel {
	return layOut("saxpy", laidBlock{"aaaaaaj", []uint32{1, 2}}, laidBlock{"aaallfaas", []uint32{2}}, laidBlock{"x", nil})
}

func recordSaxpy(w *Writer) error {
	const n = 1<<20 - 100
	if _, err := w.BeginLaunch(Launch{Grid: Dim3{4096, 1, 1}, Block: Dim3{256, 1, 1}}); err != nil {
		return err
	}
	for block := range uint64(4096) {
		w.BeginBlock(block)
		for warp := range 8 {
			first := block*256 + uint64(warp)*32
			w.Visit(warp, 0, allLanes)
			if first < n {
				mask := allLanes
				if n-first < 32 {
					mask = 1<<(n-first) - 1
				}
				w.Visit(warp, 1, mask)
				var x, y [WarpSize]uint64
				for l := range uint64(WarpSize) {
					x[l], y[l] = 0x7f0000000000+4*(first+l), 0x7f0010000000+4*(first+l)
				}
				w.Access(warp, mask, &x)
				w.Access(warp, mask, &y)
				w.Access(warp, mask, &y)
			}
			w.Visit(warp, 2, allLanes)
		}
		if err := w.EndBlock(); err != nil {
			return err
		}
	}
	return w.EndLaunch()
}

func transposeKernel() *Kernel {
	return layOut("transpose", laidBlock{"aaaaaaalsb", []uint32{1}}, laidBlock{"aaaalsx", nil})
}

// recordTranspose is the tiled transpose of a 1024x1024 matrix, 16x16 threads.
func recordTranspose(w *Writer) error {
	if _, err := w.BeginLaunch(Launch{Grid: Dim3{64, 64, 1}, Block: Dim3{16, 16, 1}}); err != nil {
		return err
	}
	for block := range uint64(64 * 64) {
		bx, by := block%64*16, block/64*16
		w.BeginBlock(block)
		for warp := range 8 {
			var in, out, store, load [WarpSize]uint64
			for l := range uint64(WarpSize) {
				tx, ty := l%16, uint64(warp)*2+l/16
				in[l] = 0x7f0000000000 + 4*((by+ty)*1024+bx+tx)
				out[l] = 0x7f0010000000 + 4*((bx+ty)*1024+by+tx)
				store[l], load[l] = 4*(ty*17+tx), 4*(tx*17+ty)
			}
			w.Visit(warp, 0, allLanes)
			w.Access(warp, allLanes, &in)
			w.Access(warp, allLanes, &store)
			w.Visit(warp, 1, allLanes)
			w.Access(warp, allLanes, &load)
			w.Access(warp, allLanes, &out)
		}
		if err := w.EndBlock(); err != nil {
			return err
		}
	}
	return w.EndLaunch()
}

func sgemmKernel() *Kernel {
	inner := ""
	for range 16 {
		inner += "llf"
	}
	return layOut("sgemm", laidBlock{"aaaaaaaaaa", []uint32{1}}, laidBlock{"aallssb", []uint32{2}},
		laidBlock{inner + "aab", []uint32{3}}, laidBlock{"aj", []uint32{1, 4}}, laidBlock{"aaasx", nil})
}

// recordSgemm multiplies 256x256 matrices in 16x16 tiles of shared memory.
func recordSgemm(w *Writer) error {
	const n = 256
	if _, err := w.BeginLaunch(Launch{Grid: Dim3{n / 16, n / 16, 1}, Block: Dim3{16, 16, 1}}); err != nil {
		return err
	}
	for block := range uint64(n / 16 * n / 16) {
		bx, by := block%(n/16)*16, block/(n/16)*16
		w.BeginBlock(block)
		for warp := range 8 {
			at := func(address func(tx, ty uint64) uint64) {
				var a [WarpSize]uint64
				for l := range uint64(WarpSize) {
					a[l] = address(l%16, uint64(warp)*2+l/16)
				}
				w.Access(warp, allLanes, &a)
			}
			w.Visit(warp, 0, allLanes)
			for k := uint64(0); k < n; k += 16 {
				w.Visit(warp, 1, allLanes)
				at(func(tx, ty uint64) uint64 { return 0x7f0000000000 + 4*((by+ty)*n+k+tx) })
				at(func(tx, ty uint64) uint64 { return 0x7f0010000000 + 4*((k+ty)*n+bx+tx) })
				at(func(tx, ty uint64) uint64 { return 4 * (ty*16 + tx) })
				at(func(tx, ty uint64) uint64 { return 1024 + 4*(ty*16+tx) })
				w.Visit(warp, 2, allLanes)
				for i := range uint64(16) {
					at(func(tx, ty uint64) uint64 { return 4 * (ty*16 + i) })
					at(func(tx, ty uint64) uint64 { return 1024 + 4*(i*16+tx) })
				}
				w.Visit(warp, 3, allLanes)
			}
			w.Visit(warp, 4, allLanes)
			at(func(tx, ty uint64) uint64 { return 0x7f0020000000 + 4*((by+ty)*n+bx+tx) })
		}
		if err := w.EndBlock(); err != nil {
			return err
		}
	}
	return w.EndLaunch()
}

// bfsKernel is one level of breadth-first search, a thread per node: if the node
// is in the frontier, loop over its edges and label neighbours without a label.
func bfsKernel() *Kernel {
	return layOut("bfs",
		laidBlock{"aaaaaaj", []uint32{1, 7}},  // node < nodes
		laidBlock{"aalaj", []uint32{2, 7}},    // level[node] == current
		laidBlock{"aallaj", []uint32{3, 7}},   // first and last edge
		laidBlock{"aalaalaj", []uint32{4, 5}}, // neighbour, its level: without label?
		laidBlock{"aasas", []uint32{5}},       // level[neighbour] = next; changed = 1
		laidBlock{"aaj", []uint32{3, 6}},      // more edges
		laidBlock{"a", []uint32{7}},
		laidBlock{"x", nil})
}

func recordBFS(w *Writer) error {
	const nodes, degree = 32768, 8
	rng := rand.New(rand.NewPCG(7, 7))
	first := make([]int, nodes+1)
	var edges []int
	for n := range nodes {
		for range rng.IntN(2 * degree) {
			edges = append(edges, rng.IntN(nodes))
		}
		first[n+1] = len(edges)
	}
	level := make([]int, nodes)
	level[0] = 1
	for current, changed := 1, true; changed; current++ {
		changed = false
		if _, err := w.BeginLaunch(Launch{Grid: Dim3{nodes / 256, 1, 1}, Block: Dim3{256, 1, 1}}); err != nil {
			return err
		}
		for block := range nodes / 256 {
			w.BeginBlock(uint64(block))
			for warp := range 8 {
				if bfsWarp(w, warp, block*256+warp*32, current, level, first, edges) {
					changed = true
				}
			}
			if err := w.EndBlock(); err != nil {
				return err
			}
		}
		if err := w.EndLaunch(); err != nil {
			return err
		}
	}
	return nil
}

func bfsWarp(w *Writer, warp, node, current int, level, first, edges []int) (changed bool) {
	access := func(mask uint32, base uint64, index func(lane int) int) {
		var a [WarpSize]uint64
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			a[l] = base + 4*uint64(index(l))
		}
		w.Access(warp, mask, &a)
	}
	self := func(l int) int { return node + l }
	w.Visit(warp, 0, allLanes)
	w.Visit(warp, 1, allLanes)
	access(allLanes, 0x7f0000000000, self)
	var frontier uint32
	for l := range WarpSize {
		if level[node+l] == current && first[node+l] < first[node+l+1] {
			frontier |= 1 << l
		}
	}
	if frontier != 0 {
		w.Visit(warp, 2, frontier)
		access(frontier, 0x7f0001000000, self)
		access(frontier, 0x7f0001000004, self)
	}
	active := frontier
	for i := 0; active != 0; i++ {
		w.Visit(warp, 3, active)
		access(active, 0x7f0002000000, func(l int) int { return first[node+l] + i })
		neighbour := func(l int) int { return edges[first[node+l]+i] }
		access(active, 0x7f0000000000, neighbour)
		var fresh, more uint32
		for m := active; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if level[neighbour(l)] == 0 {
				fresh |= 1 << l
			}
			if first[node+l]+i+1 < first[node+l+1] {
				more |= 1 << l
			}
		}
		if fresh != 0 {
			changed = true
			w.Visit(warp, 4, fresh)
			access(fresh, 0x7f0000000000, neighbour)
			access(fresh, 0x7f0003000000, func(int) int { return 0 })
			for m := fresh; m != 0; m &= m - 1 {
				level[neighbour(bits.TrailingZeros32(m))] = current + 1
			}
		}
		w.Visit(warp, 5, active)
		active = more
	}
	if frontier != 0 {
		w.Visit(warp, 6, frontier)
	}
	w.Visit(warp, 7, allLanes)
	return changed
}

func TestWorkloadsStayWithinTheirSize(t *testing.T) {
	for _, wl := range workloads() {
		data := encodeWorkload(t, wl, Options{})
		r, err := NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("%s: %v", wl.name, err)
		}
		if err := Verify(r); err != nil {
			t.Errorf("%s: %v", wl.name, err)
		}
		info, err := Info(r)
		if err != nil {
			t.Fatalf("%s: %v", wl.name, err)
		}
		size := fmt.Sprintf("%s: %d warp instructions, %.4f bytes each; raw columns %+v", wl.name,
			info.Totals.WarpInstructions, info.BytesPerWarpInstruction, info.RawBytes)
		if info.BytesPerWarpInstruction > wl.limit {
			t.Errorf("%s, want at most %g", size, wl.limit)
		}
		t.Log(size)
	}
}
