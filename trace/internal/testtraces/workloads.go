// SPDX-License-Identifier: Apache-2.0

package testtraces

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Programs that record what well-known kernels do, instruction by instruction as
// a compiler lays them out. They stand for real recordings in size and speed tests.

// Recorder takes the launches of a workload; a Writer is one.
type Recorder interface {
	BeginLaunch(l trace.Launch, after ...int) (int, error)
	BeginBlock(block uint64)
	Visit(warp int, block, mask uint32)
	Access(warp int, mask uint32, addresses *[trace.WarpSize]uint64)
	EndBlock() error
	EndLaunch() error
}

// Workload is one of them.
type Workload struct {
	Name   string
	Kernel *trace.Kernel
	Record func(w Recorder) error
	Limit  float64 // bytes per warp instruction that the format promises
}

// Workloads are all of them.
func Workloads() []Workload {
	return []Workload{
		{"saxpy", SaxpyKernel(), recordSaxpy, 1},
		{"transpose", transposeKernel(), recordTranspose, 1},
		{"sgemm", sgemmKernel(), recordSgemm, 1},
		{"bfs", BFSKernel(), recordBFS, 3},
	}
}

// Encode returns the whole trace of a workload.
func Encode(t testing.TB, wl Workload, o wtape.Options) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, wl.Name, trace.Header{Tool: "test"}, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.AddKernel(wl.Kernel); err != nil {
		t.Fatal(err)
	}
	if err := wl.Record(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// LayOut builds a kernel from basic blocks given as strings, and successors. A
// string has one letter per instruction: a arithmetic, l load, s store, b barrier,
// j branch, x exit. Upper case L and S are predicated ones.
func LayOut(name string, blocks ...LaidBlock) *trace.Kernel {
	classes := map[rune]trace.OpClass{'a': trace.ClassIntAdd, 'f': trace.ClassF32Fma, 'l': trace.ClassLoad, 's': trace.ClassStore, 'b': trace.ClassBarrier, 'j': trace.ClassBranch, 'x': trace.ClassExit}
	opcodes := map[rune]string{'a': "add", 'f': "fma", 'l': "ld", 's': "st", 'b': "bar", 'j': "bra", 'x': "ret"}
	k := &trace.Kernel{Name: name, File: name + ".ptx"}
	for _, b := range blocks {
		k.Blocks = append(k.Blocks, trace.BasicBlock{First: uint32(len(k.Instructions)), Count: uint32(len(b.Code)), Successors: b.Successors, PostDominator: trace.NoBlock})
		for _, c := range b.Code {
			in := trace.Instruction{Line: uint32(len(k.Instructions) + 1)}
			lower := c | 0x20
			in.Class, in.Opcode = classes[lower], opcodes[lower]
			if in.Class.IsMemory() {
				in.Space, in.LaneBytes = trace.SpaceGlobal, 4
			}
			if c != lower {
				in.Guard = trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate, Words: 1}}
			}
			k.Instructions = append(k.Instructions, in)
		}
	}
	return k
}

// LaidBlock is a basic block as LayOut takes it.
type LaidBlock struct {
	Code       string
	Successors []uint32
}

// AllLanes is the mask of a whole warp.
const AllLanes = ^uint32(0)

// SaxpyKernel is y = a*x + y.
func SaxpyKernel() *trace.Kernel {
	return LayOut("saxpy", LaidBlock{"aaaaaaj", []uint32{1, 2}}, LaidBlock{"aaallfaas", []uint32{2}}, LaidBlock{"x", nil})
}

func recordSaxpy(w Recorder) error {
	const n = 1<<20 - 100
	if _, err := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 4096, Y: 1, Z: 1}, Block: trace.Dim3{X: 256, Y: 1, Z: 1}}); err != nil {
		return err
	}
	for block := range uint64(4096) {
		w.BeginBlock(block)
		for warp := range 8 {
			first := block*256 + uint64(warp)*32
			w.Visit(warp, 0, AllLanes)
			if first < n {
				mask := AllLanes
				if n-first < 32 {
					mask = 1<<(n-first) - 1
				}
				w.Visit(warp, 1, mask)
				var x, y [trace.WarpSize]uint64
				for l := range uint64(trace.WarpSize) {
					x[l], y[l] = 0x7f0000000000+4*(first+l), 0x7f0010000000+4*(first+l)
				}
				w.Access(warp, mask, &x)
				w.Access(warp, mask, &y)
				w.Access(warp, mask, &y)
			}
			w.Visit(warp, 2, AllLanes)
		}
		if err := w.EndBlock(); err != nil {
			return err
		}
	}
	return w.EndLaunch()
}

func transposeKernel() *trace.Kernel {
	return LayOut("transpose", LaidBlock{"aaaaaaalsb", []uint32{1}}, LaidBlock{"aaaalsx", nil})
}

// recordTranspose is the tiled transpose of a 1024x1024 matrix, 16x16 threads.
func recordTranspose(w Recorder) error {
	if _, err := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 64, Y: 64, Z: 1}, Block: trace.Dim3{X: 16, Y: 16, Z: 1}}); err != nil {
		return err
	}
	for block := range uint64(64 * 64) {
		bx, by := block%64*16, block/64*16
		w.BeginBlock(block)
		for warp := range 8 {
			var in, out, store, load [trace.WarpSize]uint64
			for l := range uint64(trace.WarpSize) {
				tx, ty := l%16, uint64(warp)*2+l/16
				in[l] = 0x7f0000000000 + 4*((by+ty)*1024+bx+tx)
				out[l] = 0x7f0010000000 + 4*((bx+ty)*1024+by+tx)
				store[l], load[l] = 4*(ty*17+tx), 4*(tx*17+ty)
			}
			w.Visit(warp, 0, AllLanes)
			w.Access(warp, AllLanes, &in)
			w.Access(warp, AllLanes, &store)
			w.Visit(warp, 1, AllLanes)
			w.Access(warp, AllLanes, &load)
			w.Access(warp, AllLanes, &out)
		}
		if err := w.EndBlock(); err != nil {
			return err
		}
	}
	return w.EndLaunch()
}

func sgemmKernel() *trace.Kernel {
	inner := ""
	for range 16 {
		inner += "llf"
	}
	return LayOut("sgemm", LaidBlock{"aaaaaaaaaa", []uint32{1}}, LaidBlock{"aallssb", []uint32{2}},
		LaidBlock{inner + "aab", []uint32{3}}, LaidBlock{"aj", []uint32{1, 4}}, LaidBlock{"aaasx", nil})
}

// recordSgemm multiplies 256x256 matrices in 16x16 tiles of shared memory.
func recordSgemm(w Recorder) error {
	const n = 256
	if _, err := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: n / 16, Y: n / 16, Z: 1}, Block: trace.Dim3{X: 16, Y: 16, Z: 1}}); err != nil {
		return err
	}
	for block := range uint64(n / 16 * n / 16) {
		bx, by := block%(n/16)*16, block/(n/16)*16
		w.BeginBlock(block)
		for warp := range 8 {
			at := func(address func(tx, ty uint64) uint64) {
				var a [trace.WarpSize]uint64
				for l := range uint64(trace.WarpSize) {
					a[l] = address(l%16, uint64(warp)*2+l/16)
				}
				w.Access(warp, AllLanes, &a)
			}
			w.Visit(warp, 0, AllLanes)
			for k := uint64(0); k < n; k += 16 {
				w.Visit(warp, 1, AllLanes)
				at(func(tx, ty uint64) uint64 { return 0x7f0000000000 + 4*((by+ty)*n+k+tx) })
				at(func(tx, ty uint64) uint64 { return 0x7f0010000000 + 4*((k+ty)*n+bx+tx) })
				at(func(tx, ty uint64) uint64 { return 4 * (ty*16 + tx) })
				at(func(tx, ty uint64) uint64 { return 1024 + 4*(ty*16+tx) })
				w.Visit(warp, 2, AllLanes)
				for i := range uint64(16) {
					at(func(tx, ty uint64) uint64 { return 4 * (ty*16 + i) })
					at(func(tx, ty uint64) uint64 { return 1024 + 4*(i*16+tx) })
				}
				w.Visit(warp, 3, AllLanes)
			}
			w.Visit(warp, 4, AllLanes)
			at(func(tx, ty uint64) uint64 { return 0x7f0020000000 + 4*((by+ty)*n+bx+tx) })
		}
		if err := w.EndBlock(); err != nil {
			return err
		}
	}
	return w.EndLaunch()
}

// BFSKernel is one level of breadth-first search, a thread per node: if the node
// is in the frontier, loop over its edges and label neighbours without a label.
func BFSKernel() *trace.Kernel {
	return LayOut("bfs",
		LaidBlock{"aaaaaaj", []uint32{1, 7}},  // node < nodes
		LaidBlock{"aalaj", []uint32{2, 7}},    // level[node] == current
		LaidBlock{"aallaj", []uint32{3, 7}},   // first and last edge
		LaidBlock{"aalaalaj", []uint32{4, 5}}, // neighbour, its level: without label?
		LaidBlock{"aasas", []uint32{5}},       // level[neighbour] = next; changed = 1
		LaidBlock{"aaj", []uint32{3, 6}},      // more edges
		LaidBlock{"a", []uint32{7}},
		LaidBlock{"x", nil})
}

func recordBFS(w Recorder) error {
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
		if _, err := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: nodes / 256, Y: 1, Z: 1}, Block: trace.Dim3{X: 256, Y: 1, Z: 1}}); err != nil {
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

func bfsWarp(w Recorder, warp, node, current int, level, first, edges []int) (changed bool) {
	access := func(mask uint32, base uint64, index func(lane int) int) {
		var a [trace.WarpSize]uint64
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			a[l] = base + 4*uint64(index(l))
		}
		w.Access(warp, mask, &a)
	}
	self := func(l int) int { return node + l }
	w.Visit(warp, 0, AllLanes)
	w.Visit(warp, 1, AllLanes)
	access(AllLanes, 0x7f0000000000, self)
	var frontier uint32
	for l := range trace.WarpSize {
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
	w.Visit(warp, 7, AllLanes)
	return changed
}
