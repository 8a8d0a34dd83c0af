// SPDX-License-Identifier: Apache-2.0

package dac_test

import (
	"math"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/affine/dac"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// barrierKernel is the copy with a barrier before the load, and in front of that a chain of roots
// that the warps compute.
func barrierKernel(readOnly bool) *trace.Kernel {
	k := copyKernel()
	root := register("root", 11, 1)
	var before []trace.Instruction
	for range 40 {
		before = append(before, op("sqrt", []string{"approx"}, "f32", trace.ClassSpecial, root, root))
	}
	before = append(before, op("bar", []string{"sync"}, "", trace.ClassBarrier, trace.Operand{Kind: trace.OperandImmediate}))
	before[len(before)-1].Destinations = 0
	if readOnly {
		k.Instructions[7].Modifiers = []string{"global", "nc"}
	}
	k.Instructions = append(append(append([]trace.Instruction{}, k.Instructions[:7]...), before...), k.Instructions[7:]...)
	first := uint32(7 + len(before)) // a barrier ends its block
	k.Blocks = []trace.BasicBlock{{Count: first, Successors: []uint32{1}, PostDominator: 1}, {First: first, Count: uint32(len(k.Instructions)) - first, PostDominator: trace.NoBlock}}
	k.RegistersPerThread = 12
	return k
}

// D187: a barrier that a thread block has not passed holds loads of memory that threads share. Read-only loads
// are asked for while the warps are before it, so that their data are there behind it. With
// "expansion" it holds them, too.
func TestABarrierHoldsLoadsThatCouldConflict(t *testing.T) {
	const blocks, warps = 2, 2
	cycles := func(readOnly bool, barrier string) uint64 {
		r := record(t, barrierKernel(readOnly), blocks, warps, bufferBase, func(w *wtape.Writer, b int) {
			for i := range warps {
				w.Visit(i, 0, math.MaxUint32)
				w.AccessStrided(i, math.MaxUint32, 0, 0)
				w.Visit(i, 1, math.MaxUint32)
				for range 2 {
					w.AccessStrided(i, math.MaxUint32, bufferBase+uint64(128*(b*warps+i)), 4)
				}
			}
		})
		m := load(t, "gtx480-15+dac")
		m.GPU.SMs = 1
		m.Section(dac.Key).(*dac.Section).Barrier = barrier
		return cyclesOf(t, r, m)
	}
	held, early := cycles(false, "requests"), cycles(true, "requests")
	if all := cycles(true, "expansion"); all != held {
		t.Errorf("with all expansion held a read-only load ends in cycle %d, another one in %d", all, held)
	}
	plain := load(t, "gtx480-15")
	latency := uint64(plain.L1.LatencyCycles + plain.DRAM.TCL) // of much less than a miss
	if early+latency > held {
		t.Errorf("a read-only load behind the barrier ends in cycle %d, one that could conflict in %d", early, held)
	}
}

func cyclesOf(t *testing.T, r *wtape.Reader, m *arch.Machine) uint64 {
	t.Helper()
	return uint64(run(t, r, m)[0].Total.Cycles)
}

// Before a replay it is known that nothing of a kernel is decoupled, and why.
func TestAKernelThatIsNotDecoupledIsToldBeforeTheReplay(t *testing.T) {
	m := load(t, "gtx480-15+dac")
	loads := copyKernel()
	if idle, err := gpu.Idle(m, []trace.Kernel{*loads}); err != nil || len(idle) > 0 {
		t.Errorf("the copy: %q, %v", idle, err)
	}
	none := &trace.Kernel{Name: "none", Instructions: []trace.Instruction{{Opcode: "ret", Class: trace.ClassExit}}, Blocks: []trace.BasicBlock{{Count: 1, PostDominator: trace.NoBlock}}}
	if idle, err := gpu.Idle(m, []trace.Kernel{*none}); err != nil || len(idle) != 1 || !strings.HasPrefix(idle[0], "dac has nothing to do for this trace: kernel none is not decoupled: ") {
		t.Errorf("a kernel that only ends: %q, %v", idle, err)
	}
}
