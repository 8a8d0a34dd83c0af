// SPDX-License-Identifier: Apache-2.0

package chains

import (
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

func general(number uint16, words uint8) trace.Operand {
	return trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{File: trace.FileGeneral, Number: number, Words: words}}
}

// Words of global memory are moved, of one to four bytes, without a guard and without an order that others see.
func TestWhatIsAWordOfGlobalMemory(t *testing.T) {
	for _, c := range []struct {
		in   trace.Instruction
		want bool
	}{
		{trace.Instruction{Space: trace.SpaceGlobal, LaneBytes: 4}, true},
		{trace.Instruction{Space: trace.SpaceGlobal, LaneBytes: 1}, true},
		{trace.Instruction{Space: trace.SpaceGlobal, LaneBytes: 4, Modifiers: []string{"nc", "ca"}}, true},
		{trace.Instruction{Space: trace.SpaceGlobal, LaneBytes: 0}, false},
		{trace.Instruction{Space: trace.SpaceGlobal, LaneBytes: 5}, false},
		{trace.Instruction{Space: trace.SpaceGlobal, LaneBytes: 8}, false},
		{trace.Instruction{Space: trace.SpaceShared, LaneBytes: 4}, false},
		{trace.Instruction{Space: trace.SpaceLocal, LaneBytes: 4}, false},
		{trace.Instruction{Space: trace.SpaceGeneric, LaneBytes: 4}, false},
		{trace.Instruction{Space: trace.SpaceGlobal, LaneBytes: 4, Guard: trace.Guard{Present: true}}, false},
		{trace.Instruction{Space: trace.SpaceGlobal, LaneBytes: 4, Modifiers: []string{"nc", "volatile"}}, false},
		{trace.Instruction{Space: trace.SpaceGlobal, LaneBytes: 4, Modifiers: []string{"relaxed"}}, false},
		{trace.Instruction{Space: trace.SpaceGlobal, LaneBytes: 4, Modifiers: []string{"acquire"}}, false},
		{trace.Instruction{Space: trace.SpaceGlobal, LaneBytes: 4, Modifiers: []string{"release"}}, false},
		{trace.Instruction{Space: trace.SpaceGlobal, LaneBytes: 4, Modifiers: []string{"mmio"}}, false},
	} {
		if got := global(&c.in); got != c.want {
			t.Errorf("%v of %d bytes, %v, guarded %t: %t", c.in.Space, c.in.LaneBytes, c.in.Modifiers, c.in.Guard.Present, got)
		}
	}
}

// The ALU at a memory partition has operations of single precision and integers, on registers of 32 bits, with one result.
func TestWhatThePartitionsCompute(t *testing.T) {
	operation := func(class trace.OpClass, destinations uint8, operands ...trace.Operand) trace.Instruction {
		return trace.Instruction{Class: class, Destinations: destinations, Operands: operands}
	}
	one, wide, constant := general(1, 1), general(2, 2), trace.Operand{Kind: trace.OperandImmediate, Value: 3}
	guarded := operation(trace.ClassIntAdd, 1, one, one, one)
	guarded.Guard.Present = true
	for _, c := range []struct {
		what string
		in   trace.Instruction
		want bool
	}{
		{"a sum", operation(trace.ClassIntAdd, 1, one, one, constant), true},
		{"a fused product", operation(trace.ClassF32Fma, 1, one, one, one, one), true},
		{"a conversion", operation(trace.ClassConvert, 1, one, one), true},
		{"a division", operation(trace.ClassF32Div, 1, one, one, one), false},
		{"double precision", operation(trace.ClassF64Add, 1, one, one, one), false},
		{"a wide result", operation(trace.ClassIntAdd, 1, wide, one, one), false},
		{"a wide first operand", operation(trace.ClassIntAdd, 1, one, wide, one), false},
		{"a wide last operand", operation(trace.ClassConvert, 1, one, one, wide), false},
		{"two results", operation(trace.ClassIntAdd, 2, one, one, one), false},
		{"no result", operation(trace.ClassIntAdd, 0, one, one), false},
		{"a guard", guarded, false},
	} {
		if got := new(finder).computes(&c.in); got != c.want {
			t.Errorf("%s: %t", c.what, got)
		}
	}
}

// Lines of 128 bytes that a warp's lanes take of global, local and texture memory, counted by hand. A generic address counts
// by where it lies. A word may lie in two lines.
func TestRequestsOfAnAccessByHand(t *testing.T) {
	strided := func(base uint64, stride int32) trace.Access {
		return trace.Access{Base: base, Stride: stride, Lanes: -1}
	}
	for _, c := range []struct {
		access trace.Access
		space  trace.Space
		bytes  uint8
		mask   uint32
		want   uint64
	}{
		{strided(1<<20, 4), trace.SpaceGlobal, 4, ^uint32(0), 1},
		{strided(1<<20+4, 4), trace.SpaceGlobal, 4, ^uint32(0), 2},
		{strided(1<<20+4, 4), trace.SpaceGlobal, 4, 0x7fffffff, 1},
		{strided(1<<20, 128), trace.SpaceGlobal, 4, ^uint32(0), 32},
		{strided(1<<20, 128), trace.SpaceGlobal, 4, 0x11, 2},
		{strided(1<<20, 0), trace.SpaceTexture, 4, ^uint32(0), 1},
		{strided(1<<20+126, 128), trace.SpaceLocal, 4, 3, 3}, // the second line holds the end of one and the beginning of the other
		{strided(1<<20, 4), trace.SpaceGlobal, 0, ^uint32(0), 1},
		{strided(1<<20, 4), trace.SpaceShared, 4, ^uint32(0), 0},
		{strided(1<<20, 4), trace.SpaceGlobal, 4, 0, 0},
		{strided(1<<40, 4), trace.SpaceGeneric, 4, ^uint32(0), 1},
		{strided(trace.LocalWindowBase+256, 128), trace.SpaceGeneric, 4, 7, 3},
		{strided(trace.SharedWindowBase+256, 4), trace.SpaceGeneric, 4, ^uint32(0), 0},
		{strided(trace.ConstWindowBase+256, 4), trace.SpaceGeneric, 4, ^uint32(0), 0},
	} {
		in := trace.Instruction{Class: trace.ClassLoad, Space: c.space, LaneBytes: c.bytes}
		if got := new(measure).requests(wtape.NewChunk(), c.access, &in, c.mask); got != c.want {
			t.Errorf("%v at %#x by %d, lanes %#x: %d lines, want %d", c.space, c.access.Base, c.access.Stride, c.mask, got, c.want)
		}
	}
	// Lanes of one access lie in shared and in global memory by turns.
	chunk, in := wtape.NewChunk(), trace.Instruction{Class: trace.ClassLoad, Space: trace.SpaceGeneric, LaneBytes: 4}
	var addresses [trace.WarpSize]uint64
	for l := range addresses {
		addresses[l] = []uint64{trace.SharedWindowBase, 1 << 40}[l%2] + uint64(l)*64
	}
	if got := new(measure).requests(chunk, chunk.AddLanes(^uint32(0), &addresses), &in, ^uint32(0)); got != trace.WarpSize/2 {
		t.Errorf("half of the lanes lie in shared memory: %d lines, want %d", got, trace.WarpSize/2)
	}
}
