// SPDX-License-Identifier: Apache-2.0

package testtraces

import (
	"bytes"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Small is a few hundred bytes that use every part of the format: two
// kernels, guards, irregular and strided addresses, a launch without thread
// blocks, a partial warp, events.
func Small(t testing.TB, o wtape.Options) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "small", trace.Header{Tool: "test", Arguments: map[string]string{"n": "40"}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := RecordSmall(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// SmallKernel has guards, operands, source files and parameters.
func SmallKernel() *trace.Kernel {
	k := LayOut("guarded", LaidBlock{"aLl", []uint32{0, 1}}, LaidBlock{"sx", nil})
	k.Instructions[0].Operands = []trace.Operand{
		{Kind: trace.OperandRegister, Register: trace.Register{Number: 3, Words: 2, Virtual: "%rd1"}},
		{Kind: trace.OperandAddress, HasBase: true, Register: trace.Register{Number: 7, Words: 1}, Value: -8},
		{Kind: trace.OperandVector, Elements: []trace.Operand{{Kind: trace.OperandSink}, {Kind: trace.OperandImmediate, Value: -1}}},
	}
	k.Instructions[0].Destinations = 1
	k.SourceFiles = map[uint32]string{2: "b.cu", 1: "a.cu"}
	k.Params = []trace.Param{{Name: "x", Type: "u64", Bytes: 8, Align: 8}}
	k.TimingDependent = []string{"line 3: reads %clock"}
	return k
}

// RecordSmall records what Small holds.
func RecordSmall(w *wtape.Writer) error {
	for _, k := range []*trace.Kernel{SaxpyKernel(), SmallKernel()} {
		if _, err := w.AddKernel(k); err != nil {
			return err
		}
	}
	if _, err := w.AddEvent(trace.HostEvent{Kind: trace.EventCopyToDevice, Address: 256, HostAddress: 512, Bytes: 160}); err != nil {
		return err
	}
	if _, err := w.BeginLaunch(trace.Launch{Kernel: 0, Grid: trace.Dim3{X: 0, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}}); err != nil {
		return err
	}
	if err := w.EndLaunch(); err != nil {
		return err
	}
	for range 2 {
		if err := recordSmallLaunch(w); err != nil {
			return err
		}
	}
	_, err := w.AddEvent(trace.HostEvent{Kind: trace.EventSynchronize, AllStreams: true, After: []int{0, 1}})
	return err
}

func recordSmallLaunch(w *wtape.Writer) error {
	l := trace.Launch{Kernel: 1, Grid: trace.Dim3{X: 3, Y: 1, Z: 1}, Block: trace.Dim3{X: 40, Y: 1, Z: 1}, Arguments: []byte{1, 2, 3, 4, 5, 6, 7, 8}}
	if _, err := w.BeginLaunch(l); err != nil {
		return err
	}
	for block := range l.Grid.Count() {
		w.BeginBlock(block)
		for warp, lanes := range []uint32{AllLanes, 0xff} {
			var odd, line [trace.WarpSize]uint64
			for lane := range uint64(trace.WarpSize) {
				odd[lane] = 4096 + 4*(lane*lane*7%61) + block*64
				line[lane] = 8192 + 4*lane + block*160 + uint64(warp)*128
			}
			for visit := range 2 {
				w.Visit(warp, 0, lanes)
				guard := lanes & 0x55555555 << visit
				w.Guard(warp, guard)
				w.Access(warp, guard, &odd)
				w.Access(warp, lanes, &line)
			}
			w.Visit(warp, 1, lanes)
			w.Access(warp, lanes, &line)
		}
		if err := w.EndBlock(); err != nil {
			return err
		}
	}
	return w.EndLaunch()
}

// FunctionsKernel has two functions behind it, and variables in shared memory.
func FunctionsKernel() *trace.Kernel {
	k := &trace.Kernel{Name: "k", File: "k.ptx", Blocks: []trace.BasicBlock{{Count: 2, PostDominator: trace.NoBlock}, {First: 2, Count: 3, PostDominator: trace.NoBlock}, {First: 5, Count: 1, PostDominator: trace.NoBlock}}}
	for i := range 6 {
		k.Instructions = append(k.Instructions, trace.Instruction{Opcode: "op", Class: trace.ClassIntAdd, Line: uint32(i + 10)})
	}
	k.Functions = []trace.Function{{Name: "f", First: 2, Count: 3, FirstLine: 1, Source: ".func f()"}, {Name: "g", First: 5, Count: 1, FirstLine: 4}}
	k.SharedBytes = 48
	k.SharedVariables = []trace.SharedVariable{{Name: "a", Bytes: 20}, {Name: "b", Offset: 32, Bytes: 16}, {Name: "added", Offset: 48}}
	return k
}
