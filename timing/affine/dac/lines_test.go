// SPDX-License-Identifier: Apache-2.0

package dac_test

import (
	"math"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// A line is asked for when a byte of it is accessed. Bytes four apart that end with the
// last of a line are in that line alone, words there reach into the next.
func TestLinesAreThoseOfTheBytesThatAreAccessed(t *testing.T) {
	const blocks, warps, base = 6, 4, bufferBase + 3
	for bytes, lines := range map[uint8]uint64{1: 1, 4: 2} {
		kernel := copyKernel()
		kernel.Instructions[7].LaneBytes, kernel.Instructions[8].LaneBytes = bytes, bytes
		r := record(t, kernel, blocks, warps, base, func(w *wtape.Writer, b int) {
			for i := range warps {
				w.Visit(i, 0, math.MaxUint32)
				w.AccessStrided(i, math.MaxUint32, 0, 0)
				for range 2 {
					w.AccessStrided(i, math.MaxUint32, base+uint64(128*(b*warps+i)), 4)
				}
			}
		})
		res := run(t, r, load(t, "gtx480-15+dac"))[0]
		for name, want := range map[string]uint64{"dac_early_requests": lines * blocks * warps, "dac_address_steps": 2 * lines * blocks * warps} {
			if got := count(t, &res, name); got != want {
				t.Errorf("%d bytes a thread: %s is %d, want %d", bytes, name, got, want)
			}
		}
	}
}

// localKernel loads so many bytes of local memory.
func localKernel(bytes uint8) *trace.Kernel {
	address, word := register("address", 0, 2), register("x", 2, 2)
	in := op("ld", []string{"local"}, "u64", trace.ClassLoad, word, trace.Operand{Kind: trace.OperandAddress, HasBase: true, Register: address.Register})
	in.Space, in.LaneBytes = trace.SpaceLocal, bytes
	list := []trace.Instruction{
		op("mov", nil, "u64", trace.ClassMove, address, trace.Operand{Kind: trace.OperandImmediate, Value: 8}),
		in,
		{Opcode: "ret", Class: trace.ClassExit},
	}
	return &trace.Kernel{
		Name: "local", Instructions: list, Params: []trace.Param{{Name: "p", Bytes: 8}}, RegistersPerThread: 4, LocalBytes: 16,
		Blocks: []trace.BasicBlock{{Count: uint32(len(list)), PostDominator: trace.NoBlock}},
	}
}

// Local memory is a line a word of a warp, of the warp's own. A load takes a step a word
// and one request, which brings all its lines; the load itself finds them.
func TestALocalLoadIsAskedForOnceWithAllItsLines(t *testing.T) {
	const blocks, warps = 15, 4
	for bytes, lines := range map[uint8]uint64{4: 1, 8: 2} {
		r := record(t, localKernel(bytes), blocks, warps, bufferBase, func(w *wtape.Writer, b int) {
			for i := range warps {
				w.Visit(i, 0, math.MaxUint32)
				w.AccessStrided(i, math.MaxUint32, 8, 0)
			}
		})
		res := run(t, r, load(t, "gtx480-15+dac"))[0]
		for name, want := range map[string]uint64{
			"dac_address_steps": lines * blocks * warps, "dac_early_requests": blocks * warps, "dac_unlocked_requests": 0,
			"l1_read_misses": lines * blocks * warps, "l1_read_hits": lines * blocks * warps,
		} {
			if got := count(t, &res, name); got != want {
				t.Errorf("%d bytes a thread: %s is %d, want %d", bytes, name, got, want)
			}
		}
	}
}

// An index of 32 bits that is made wider behind a subtraction below zero is not what the
// affine warp computes. For the loads and stores of such warps the recorded addresses are
// used, and counted, once each, whichever batch they are in; no other warp's index wraps around.
func TestIndexesThatWrapAroundAreCounted(t *testing.T) {
	const blocks, warps = 15, 2
	for _, wrapping := range []int{1, warps * (blocks - 4)} {
		less := 32*(wrapping-1) + 1 // the first lane of the last of them, or all
		kernel := copyKernel()
		index := kernel.Instructions[4].Operands[0]
		list := append([]trace.Instruction(nil), kernel.Instructions[:5]...)
		list = append(list, op("add", nil, "u32", trace.ClassIntAdd, index, index, trace.Operand{Kind: trace.OperandImmediate, Value: int64(-less)}))
		kernel.Instructions = append(list, kernel.Instructions[5:]...)
		kernel.Blocks[0].Count++
		r := record(t, kernel, blocks, warps, bufferBase, func(w *wtape.Writer, b int) {
			for i := range warps {
				w.Visit(i, 0, math.MaxUint32)
				w.AccessStrided(i, math.MaxUint32, 0, 0)
				var lanes [32]uint64
				for lane := range lanes {
					lanes[lane] = bufferBase + 4*uint64(uint32(32*(b*warps+i)+lane-less))
				}
				w.Access(i, math.MaxUint32, &lanes)
				w.Access(i, math.MaxUint32, &lanes)
			}
		})
		for _, sms := range []int{15, 1} {
			m, _ := gathering(t, sms, 2)
			res := run(t, r, m)[0]
			if got := count(t, &res, "dac_wrapped"); got != 2*uint64(wrapping) {
				t.Errorf("%d SMs: %d addresses differ where the values of %d warps have wrapped around, want 2 each", sms, got, wrapping)
			}
			if n := count(t, &res, "dac_batches"); sms == 1 && n < blocks/2 {
				t.Errorf("%d batches of %d thread blocks", n, blocks)
			}
		}
	}
}
