// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Measure looks at every recorded warp instruction of a trace, and finds the expanded
// addresses and predicates to be the recorded ones.
func TestMeasureLooksAtEveryRecordedInstruction(t *testing.T) {
	for _, name := range []string{"saxpy", "needle", "transpose", "reduction"} {
		r, err := wtape.Open(filepath.Join("..", "..", "traces", "recorded", name+".wtape"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		list, err := Measure(r, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var sum Coverage
		for i := range list {
			sum.Add(&list[i])
		}
		if want := r.Totals().WarpInstructions; sum.WarpInstructions != want {
			t.Errorf("%s: %d warp instructions are looked at, %d recorded", name, sum.WarpInstructions, want)
		}
		if sum.AffineLoads == 0 || sum.AffineLoads > sum.Loads || sum.Removed == 0 || sum.Removed > sum.WarpInstructions || sum.Expansions == [4]uint64{} {
			t.Errorf("%s: %+v", name, sum)
		}
	}
}

// A guarded step counts for the threads for which the guard holds: the expanded addresses
// are the recorded ones, and others are not taken for them.
func TestAGuardedStepIsDoneByItsThreads(t *testing.T) {
	for _, negated := range []bool{false, true} {
		for step, wrong := range map[uint64]bool{64: false, 0: true} {
			if _, err := Measure(guardedTrace(t, negated, step), Options{}); (err != nil) != wrong {
				t.Errorf("negated %v: lanes that go on by %d: %v", negated, step, err)
			}
		}
	}
}

// Each guarded access has a guard of its own, which is compared with the recorded one of its place.
func TestEachGuardedAccessHasItsGuard(t *testing.T) {
	for _, wrong := range []int{-1, 0, 1, 2} {
		if _, err := Measure(guardsTrace(t, wrong), Options{}); (err != nil) != (wrong >= 0) {
			t.Errorf("recorded guard %d is another: %v", wrong, err)
		}
	}
}

// guardsTrace is a run of a kernel with three loads, of the threads below 8, 16 and 24. One of them may be recorded wrongly.
func guardsTrace(t *testing.T, wrong int) *wtape.Reader {
	t.Helper()
	base, tid, address, x := reg("base", 0, 1), reg("tid", 1, 1), reg("a", 2, 1), reg("x", 3, 1)
	pointer := op("ld.param", "u32", trace.ClassLoad, base, param("A"))
	pointer.Space, pointer.LaneBytes = trace.SpaceParam, 4
	list := []trace.Instruction{pointer, op("mov", "u32", trace.ClassMove, tid, specialRegister("tid.x")), op("mad.lo", "u32", trace.ClassIntMad, address, tid, imm(4), base)}
	for i := range 3 {
		below := predicate(fmt.Sprint("p", i), uint16(i))
		load := op("ld.global", "u32", trace.ClassLoad, x, at(address))
		load.Space, load.LaneBytes, load.Guard = trace.SpaceGlobal, 4, trace.Guard{Present: true, Register: below}
		list = append(list, op("setp.lt", "u32", trace.ClassIntAdd, trace.Operand{Kind: trace.OperandRegister, Register: below}, tid, imm(int64(8*(i+1)))), load)
	}
	list = append(list, trace.Instruction{Opcode: "ret", Class: trace.ClassExit})
	k := &trace.Kernel{Name: "guards", RegistersPerThread: 4, Params: []trace.Param{{Name: "A", Bytes: 4}}, Instructions: list}
	k.Blocks = []trace.BasicBlock{{Count: uint32(len(list)), PostDominator: trace.NoBlock}}
	return runOnce(t, k, func(w *wtape.Writer) {
		w.Visit(0, 0, ^uint32(0))
		w.AccessStrided(0, ^uint32(0), 0, 0)
		for i := range 3 {
			guard := uint32(1)<<(8*(i+1)) - 1
			if i == wrong {
				guard &^= 2
			}
			w.Guard(0, guard)
			w.AccessStrided(0, guard, 4096, 4)
		}
	})
}

// guardedTrace is a run of a kernel in which the threads below 16, or the others, go on by
// 64 bytes before they load; step is what is recorded.
func guardedTrace(t *testing.T, negated bool, step uint64) *wtape.Reader {
	t.Helper()
	base, tid, address, x, below := reg("base", 0, 1), reg("tid", 1, 1), reg("a", 2, 1), reg("x", 3, 1), predicate("p", 0)
	pointer := op("ld.param", "u32", trace.ClassLoad, base, param("A"))
	pointer.Space, pointer.LaneBytes = trace.SpaceParam, 4
	load := op("ld.global", "u32", trace.ClassLoad, x, at(address))
	load.Space, load.LaneBytes = trace.SpaceGlobal, 4
	further := op("add", "u32", trace.ClassIntAdd, address, address, imm(64))
	further.Guard = trace.Guard{Present: true, Register: below, Negated: negated}
	k := &trace.Kernel{Name: "guarded", RegistersPerThread: 4, Params: []trace.Param{{Name: "A", Bytes: 4}}, Instructions: []trace.Instruction{
		pointer, op("mov", "u32", trace.ClassMove, tid, specialRegister("tid.x")),
		op("mad.lo", "u32", trace.ClassIntMad, address, tid, imm(4), base),
		op("setp.lt", "u32", trace.ClassIntAdd, trace.Operand{Kind: trace.OperandRegister, Register: below}, tid, imm(16)),
		further, load, {Opcode: "ret", Class: trace.ClassExit},
	}}
	k.Blocks = []trace.BasicBlock{{Count: uint32(len(k.Instructions)), PostDominator: trace.NoBlock}}
	guard := uint32(0xffff)
	if negated {
		guard = ^guard
	}
	var lanes [trace.WarpSize]uint64
	for i := range lanes {
		lanes[i] = 4096 + 4*uint64(i) + step*uint64(guard>>i&1)
	}
	r := runOnce(t, k, func(w *wtape.Writer) {
		w.Visit(0, 0, ^uint32(0))
		w.Guard(0, guard)
		w.AccessStrided(0, ^uint32(0), 0, 0)
		w.Access(0, ^uint32(0), &lanes)
	})
	if !CompileWith(k, Options{}).Fates[4].Affine {
		t.Fatal("the guarded step is not affine")
	}
	return r
}

// runOnce records a launch of a kernel with one warp, whose argument is an address, 4096.
func runOnce(t *testing.T, k *trace.Kernel, record func(w *wtape.Writer)) *wtape.Reader {
	t.Helper()
	launch := trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}, Arguments: binary.LittleEndian.AppendUint32(nil, 4096)}
	return runLaunch(t, k, launch, func(w *wtape.Writer, _ int) { record(w) })
}

// runLaunch records a launch of a kernel, each of its thread blocks by a function.
func runLaunch(t *testing.T, k *trace.Kernel, launch trace.Launch, record func(w *wtape.Writer, block int)) *wtape.Reader {
	t.Helper()
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, k.Name, trace.Header{Tool: "test"}, wtape.Options{})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	number, err := w.AddKernel(k)
	check(err)
	launch.Kernel = number
	_, err = w.BeginLaunch(launch)
	check(err)
	for b := range int(launch.Grid.Count()) {
		w.BeginBlock(uint64(b))
		record(w, b)
		check(w.EndBlock())
	}
	check(w.EndLaunch())
	check(w.Finish())
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	check(err)
	return r
}

// A number below zero, made wider without its sign, is another one than its tuple's. What it decides may be wrong, too:
// the recorded addresses are taken, and counted, whether it chooses by a predicate, a guard or as the larger one.
func TestWhatAWrappedValueDecidesMayBeWrong(t *testing.T) {
	base, tid, r, d, a, x, p := reg("base", 0, 2), reg("tid", 2, 1), reg("r", 3, 1), reg("d", 4, 2), reg("a", 6, 2), reg("x", 8, 1), predicate("p", 0)
	operand := trace.Operand{Kind: trace.OperandRegister, Register: p}
	pointer := op("ld.param", "u64", trace.ClassLoad, base, param("A"))
	pointer.Space, pointer.LaneBytes = trace.SpaceParam, 8
	load := op("ld.global", "u32", trace.ClassLoad, x, at(a))
	load.Space, load.LaneBytes = trace.SpaceGlobal, 4
	guarded := func(negated bool) trace.Instruction {
		in := op("add", "s64", trace.ClassIntAdd, a, a, imm(64))
		in.Guard = trace.Guard{Present: true, Negated: negated, Register: p}
		return in
	}
	compare := op("setp.gt", "s64", trace.ClassIntAdd, operand, imm(1<<17), d) // of the threads from 16 on; of all, by tuples
	start := op("mov", "u64", trace.ClassMove, a, base)
	for what, c := range map[string]struct {
		instructions []trace.Instruction
		offset       func(lane int) uint64
	}{
		"selp":            {[]trace.Instruction{compare, op("selp", "s64", trace.ClassIntAdd, a, imm(64), imm(256), operand), op("add", "s64", trace.ClassIntAdd, a, a, base)}, func(lane int) uint64 { return map[bool]uint64{true: 64, false: 256}[lane >= 16] }},
		"a guard":         {[]trace.Instruction{compare, start, guarded(false)}, func(lane int) uint64 { return map[bool]uint64{true: 64, false: 0}[lane >= 16] }},
		"a negated guard": {[]trace.Instruction{compare, start, guarded(true)}, func(lane int) uint64 { return map[bool]uint64{true: 0, false: 64}[lane >= 16] }},
		"max": {[]trace.Instruction{op("max", "s64", trace.ClassIntAdd, a, d, imm(100)), op("add", "s64", trace.ClassIntAdd, a, a, base)}, func(lane int) uint64 {
			return max(uint64(4)*uint64(uint32(lane-16)), 100)
		}},
	} {
		list := append([]trace.Instruction{
			pointer, op("mov", "u32", trace.ClassMove, tid, specialRegister("tid.x")), op("sub", "u32", trace.ClassIntAdd, r, tid, imm(16)), op("mul.wide", "u32", trace.ClassIntMul, d, r, imm(4)),
		}, c.instructions...)
		list = append(list, load, trace.Instruction{Opcode: "ret", Class: trace.ClassExit})
		k := &trace.Kernel{Name: "wrapped", RegistersPerThread: 9, Params: []trace.Param{{Name: "A", Bytes: 8}}, Instructions: list}
		k.Blocks = []trace.BasicBlock{{Count: uint32(len(list)), PostDominator: trace.NoBlock}}
		if f := Compile(k).Fates[len(list)-2]; f.Enqueue != Data {
			t.Fatalf("%s: the load stays with the warps: %s", what, f.Reason)
		}
		coverage, err := Measure(runOnce(t, k, func(w *wtape.Writer) {
			w.Visit(0, 0, ^uint32(0))
			w.AccessStrided(0, ^uint32(0), 0, 0)
			if k.Instructions[6].Guard.Present {
				w.Guard(0, map[bool]uint32{false: 0xffff0000, true: 0xffff}[k.Instructions[6].Guard.Negated])
			}
			var lanes [trace.WarpSize]uint64
			for i := range lanes {
				lanes[i] = 4096 + c.offset(i)
			}
			w.Access(0, ^uint32(0), &lanes)
		}), Options{})
		if err != nil || coverage[0].Wrapped == 0 {
			t.Errorf("%s: %v, %+v", what, err, coverage)
		}
	}
}
