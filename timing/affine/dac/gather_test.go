// SPDX-License-Identifier: Apache-2.0

package dac_test

import (
	"math"
	"testing"

	"github.com/warptape/warptape/timing/affine/dac"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// unevenKernel is a kernel whose first thread blocks, so many, load long words a thread, and
// the others short ones.
func unevenKernel(first, long, short int) *trace.Kernel {
	k := copyKernel()
	p := trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{File: trace.FilePredicate, Words: 1, Virtual: "p"}}
	load := k.Instructions[7]
	k.Instructions = append(k.Instructions[:7],
		op("setp", []string{"lt"}, "u32", trace.ClassIntAdd, p, k.Instructions[1].Operands[0], trace.Operand{Kind: trace.OperandImmediate, Value: int64(first)}),
		trace.Instruction{Opcode: "bra", Class: trace.ClassBranch, Guard: trace.Guard{Present: true, Register: p.Register}, Operands: []trace.Operand{{Kind: trace.OperandBlock, Value: 2}}})
	k.Blocks[0].Count, k.Blocks[0].Successors = uint32(len(k.Instructions)), []uint32{1, 2}
	for _, n := range []int{short, long} {
		at := uint32(len(k.Instructions))
		for range n {
			k.Instructions = append(k.Instructions, load)
		}
		k.Instructions = append(k.Instructions, trace.Instruction{Opcode: "ret", Class: trace.ClassExit})
		k.Blocks = append(k.Blocks, trace.BasicBlock{First: at, Count: uint32(n + 1), PostDominator: trace.NoBlock})
	}
	return k
}

// unevenTrace records the kernel.
func unevenTrace(t *testing.T, blocks, warps, first, long, short int) *wtape.Reader {
	t.Helper()
	return record(t, unevenKernel(first, long, short), blocks, warps, bufferBase, func(w *wtape.Writer, b int) {
		n, path := short, uint32(1)
		if b < first {
			n, path = long, 2
		}
		for i := range warps {
			w.Visit(i, 0, math.MaxUint32)
			w.AccessStrided(i, math.MaxUint32, 0, 0)
			w.Visit(i, path, math.MaxUint32)
			for range n {
				w.AccessStrided(i, math.MaxUint32, uint64(bufferBase+128*(b*warps+i)), 4)
			}
		}
	})
}

// gathering is a machine of so many SMs and places on each.
func gathering(t *testing.T, sms, places int) (*arch.Machine, *dac.Section) {
	t.Helper()
	m := load(t, "gtx480-15+dac")
	m.GPU.SMs, m.SM.MaxBlocks = sms, places
	return m, m.Section(dac.Key).(*dac.Section)
}

// An affine warp whose queues are small goes in step with its thread blocks until nearly
// their end. The second thread block of each SM comes late and misses the first batch. When
// the affine warp is free, the first is about to end. All later batches therefore have
// both, however long the second has waited by then.
func TestBatchesBecomeWholeAgain(t *testing.T) {
	const sms, rounds = 15, 4
	m, s := gathering(t, sms, 2)
	s.GatherCycles = 4 // a thread block is placed each cycle, on an SM each fifteen
	s.TupleEntries, s.AddressEntries, s.PredicateEntries = 1, m.SM.MaxWarps, m.SM.MaxWarps
	res := run(t, unevenTrace(t, 2*sms*rounds, 24, 0, 1, 60), m)[0]
	if n := count(t, &res, "dac_batches"); n > sms*(rounds+2) {
		t.Errorf("%d batches of %d thread blocks on %d SMs with two places", n, 2*sms*rounds, sms)
	}
}

// A whole batch has all thread blocks that an SM runs at a time: it begins when none of the
// one before is left. On each SM one runs for long by itself, after the affine warp is free.
func TestWholeBatchesWaitForAllOfTheOneBefore(t *testing.T) {
	const sms, places, rounds = 15, 3, 6
	k := unevenKernel(sms, 60, 2)
	for i := k.Blocks[2].First; i < k.Blocks[2].First+60; i++ {
		k.Instructions[i].Space = trace.SpaceShared // which stays with the warps
	}
	tape := record(t, k, places*sms*rounds, 8, bufferBase, func(w *wtape.Writer, b int) {
		n, path := 2, uint32(1)
		if b < sms {
			n, path = 60, 2
		}
		for i := range 8 {
			w.Visit(i, 0, math.MaxUint32)
			w.AccessStrided(i, math.MaxUint32, 0, 0)
			w.Visit(i, path, math.MaxUint32)
			for range n {
				address := uint64(bufferBase + 128*(b*8+i))
				if path == 2 {
					address = 128
				}
				w.AccessStrided(i, math.MaxUint32, address, 4)
			}
		}
	})
	batches := map[string]uint64{}
	for _, batch := range []string{"gathered", "whole"} {
		m, s := gathering(t, sms, places)
		s.Batch = batch
		res := run(t, tape, m)[0]
		batches[batch] = count(t, &res, "dac_batches")
	}
	if batches["whole"] > sms*(rounds+1) || batches["gathered"] < 5*batches["whole"]/4 {
		t.Errorf("%v batches of %d thread blocks on %d SMs with %d places each", batches, places*sms*rounds, sms, places)
	}
}

// A thread block that is the last of its launch does not wait for those that still run:
// their places stay free, and no other one comes. The long one runs as long without it.
func TestBatchDoesNotWaitForThreadBlocksThatNeverCome(t *testing.T) {
	var cycles [2]uint64
	for i := range cycles {
		m, s := gathering(t, 1, 3)
		s.GatherShare = 100 // for ever
		s.TupleEntries, s.AddressEntries = 1024, 65536
		res := run(t, unevenTrace(t, 3+i, 1, 1, 1000, 10), m)[0]
		cycles[i] = uint64(res.Launches[0].Cycles)
	}
	if cycles[1] > cycles[0]+400 {
		t.Errorf("%d cycles with a thread block that begins alongside the long one, %d without it", cycles[1], cycles[0])
	}
}

// tailTrace records thread blocks of a warp that copy a word a thread. The affine warp goes on behind the last of their
// enqueues: it makes the address of a store that no thread comes to, in so many instructions.
func tailTrace(t *testing.T, blocks, tail int) *wtape.Reader {
	t.Helper()
	k := copyKernel()
	tid, address, word, end := k.Instructions[2].Operands[0], k.Instructions[6].Operands[0], k.Instructions[7].Operands[0], k.Instructions[9]
	other := register("other", 11, 2)
	p := trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{File: trace.FilePredicate, Words: 1, Virtual: "p"}}
	k.Instructions = append(k.Instructions[:9], op("setp", []string{"lt"}, "s32", trace.ClassIntAdd, p, tid, trace.Operand{Kind: trace.OperandImmediate}))
	for n := range tail {
		from := other
		if n == 0 {
			from = address
		}
		k.Instructions = append(k.Instructions, op("add", nil, "s64", trace.ClassIntAdd, other, from, trace.Operand{Kind: trace.OperandImmediate, Value: 4}))
	}
	store := op("st", []string{"global"}, "u32", trace.ClassStore, trace.Operand{Kind: trace.OperandAddress, HasBase: true, Register: other.Register}, word)
	store.Space, store.LaneBytes, store.Destinations = trace.SpaceGlobal, 4, 0
	first := uint32(len(k.Instructions) + 1)
	k.Instructions = append(k.Instructions, trace.Instruction{Opcode: "bra", Class: trace.ClassBranch, Guard: trace.Guard{Present: true, Register: p.Register}}, end, store, end)
	k.Blocks = []trace.BasicBlock{
		{Count: first, Successors: []uint32{1, 2}, PostDominator: trace.NoBlock},
		{First: first, Count: 1, PostDominator: trace.NoBlock},
		{First: first + 1, Count: 2, PostDominator: trace.NoBlock},
	}
	k.RegistersPerThread = 13
	return record(t, k, blocks, 1, bufferBase, func(w *wtape.Writer, b int) {
		w.Visit(0, 0, math.MaxUint32)
		w.AccessStrided(0, math.MaxUint32, 0, 0)
		for range 2 {
			w.AccessStrided(0, math.MaxUint32, uint64(bufferBase+128*b), 4)
		}
		w.Visit(0, 1, math.MaxUint32)
	})
}

// A thread block that is alone in its batch stays until the affine warp has ended. The next one takes its place
// then. So the affine warp's last instructions are paid for each thread block; it issues one a cycle at most.
func TestTheLastThreadBlockOfABatchWaitsForTheAffineWarp(t *testing.T) {
	const blocks, tail = 4, 150
	var cycles [2]uint64
	for n := range cycles {
		m, _ := gathering(t, 1, 1)
		res := run(t, tailTrace(t, blocks, (n+1)*tail), m)[0]
		if n := count(t, &res, "dac_batches"); n != blocks {
			t.Errorf("%d batches of %d thread blocks", n, blocks)
		}
		cycles[n] = uint64(res.Total.Cycles)
	}
	if more := cycles[1] - cycles[0]; more < blocks*tail {
		t.Errorf("%d instructions more in each of %d thread blocks take %d cycles", tail, blocks, more)
	}
}
