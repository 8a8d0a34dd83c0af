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
	_, err = w.BeginLaunch(trace.Launch{Kernel: number, Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}, Arguments: binary.LittleEndian.AppendUint32(nil, 4096)})
	check(err)
	w.BeginBlock(0)
	record(w)
	check(w.EndBlock())
	check(w.EndLaunch())
	check(w.Finish())
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	check(err)
	return r
}
