// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// FuzzReplayOfOddTraces replays legal traces of kernels that no compiler would
// write: whatever the trace package accepts must replay, or be refused with an
// error that is not a bug's.
func FuzzReplayOfOddTraces(f *testing.F) {
	f.Add(uint8(trace.ClassLoad), uint8(trace.SpaceGeneric), uint8(4), uint16(3), uint8(2), uint8(trace.OperandRegister), int64(-1), uint64(1)<<63, int32(-4), uint16(33), uint8(2), uint32(100), uint32(20), uint32(0xf0f0))
	f.Add(uint8(trace.ClassAtomic), uint8(trace.SpaceShared), uint8(255), uint16(65535), uint8(255), uint8(trace.OperandAddress), int64(5), uint64(0), int32(1<<30), uint16(1024), uint8(1), uint32(0), uint32(0), uint32(1))
	f.Add(uint8(trace.ClassBarrier), uint8(0), uint8(0), uint16(0), uint8(0), uint8(trace.OperandImmediate), int64(-7), uint64(0), int32(0), uint16(97), uint8(3), uint32(1<<31), uint32(255), uint32(0))
	f.Add(uint8(trace.ClassStore), uint8(trace.SpaceLocal), uint8(16), uint16(9), uint8(1), uint8(trace.OperandSink), int64(0), uint64(0x8000_0000), int32(7), uint16(64), uint8(1), uint32(8), uint32(8), uint32(0xffffffff))
	f.Add(uint8(trace.ClassTexture), uint8(trace.SpaceTexture), uint8(4), uint16(9), uint8(1), uint8(trace.OperandRegister), int64(0), uint64(0x1234), int32(128), uint16(64), uint8(1), uint32(8), uint32(8), uint32(0xffffffff))
	machines := load(f, "gtx480")
	f.Fuzz(func(t *testing.T, class, space, laneBytes uint8, number uint16, words, kind uint8, value int64, base uint64, stride int32, threads uint16, blocks uint8, shared, registers, mask uint32) {
		if threads > 1024 || blocks > 8 {
			return
		}
		reg := trace.Register{Number: number, Words: words}
		odd := trace.Instruction{
			Opcode: "odd", Class: trace.OpClass(class), Space: trace.Space(space), LaneBytes: laneBytes, Destinations: 1,
			Operands: []trace.Operand{
				{Kind: trace.OperandRegister, Register: reg},
				{Kind: trace.OperandKind(kind), Register: reg, Value: value, HasBase: true},
				{Kind: trace.OperandImmediate, Value: value},
			},
		}
		k := &trace.Kernel{Name: "odd", SharedBytes: shared, RegistersPerThread: registers, LocalBytes: shared % 4096}
		k.Instructions = []trace.Instruction{odd, {Opcode: "exit", Class: trace.ClassExit}}
		k.Blocks = []trace.BasicBlock{{Count: 1, PostDominator: trace.NoBlock}, {First: 1, Count: 1, PostDominator: trace.NoBlock}}
		data, err := recordOdd(k, int(threads), int(blocks), mask, base, int64(stride))
		if err != nil {
			return // the trace package refuses it
		}
		r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Run(context.Background(), r, machines, Options{WatchdogCycles: 100_000}); err != nil && strings.Contains(err.Error(), "BUG:") {
			t.Fatal(err)
		}
	})
}

// recordOdd records a kernel of two basic blocks: every warp executes the first
// with the lanes in mask, then with all, then the second.
func recordOdd(k *trace.Kernel, threads, blocks int, mask uint32, base uint64, stride int64) ([]byte, error) {
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "odd", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	id, err := w.AddKernel(k)
	if err != nil {
		return nil, err
	}
	l := trace.Launch{Kernel: id, Grid: trace.Dim3{X: uint32(blocks), Y: 1, Z: 1}, Block: trace.Dim3{X: uint32(threads), Y: 1, Z: 1}}
	if _, err := w.BeginLaunch(l); err != nil {
		return nil, err
	}
	for b := range uint64(blocks) {
		w.BeginBlock(b)
		for i := range l.Warps() {
			lanes := gputest.Full
			if left := threads - trace.WarpSize*i; left < trace.WarpSize {
				lanes = 1<<left - 1
			}
			for _, m := range []uint32{lanes & mask, lanes} {
				if m == 0 {
					continue
				}
				w.Visit(i, 0, m)
				if k.Instructions[0].Class.IsMemory() {
					w.AccessStrided(i, m, base, stride)
				}
			}
			w.Visit(i, 1, lanes)
		}
		if err := w.EndBlock(); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.EndLaunch(), w.Finish()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
