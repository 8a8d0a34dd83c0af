// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"context"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// run replays a launch on a machine whose memory takes a constant time.
func run(t testing.TB, m *arch.Machine, w seam.Watcher, l gputest.Launch) (*wtape.Reader, *gpu.Run) {
	t.Helper()
	tape := gputest.Trace(t, l)
	g, err := gpu.New(m, options(w))
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.Replay(context.Background(), gputest.NewSource(tape), nil)
	if err != nil {
		t.Fatal(err)
	}
	return tape, r
}

// wide makes the registers of an operand two words.
func wide(k *gputest.Kernel, operand int) {
	k.Instructions[len(k.Instructions)-1].Operands[operand].Register.Words = 2
}

// TestAnInstructionWaitsForTheRegistersThatItReadsAndWrites: when the second
// instruction reads the first's result (RAW) or writes the same register (WAW), it
// issues in the cycle in which that result is there. Otherwise it issues in the next
// cycle after the first. A register that the first only reads is no hazard where
// operands are read in order. The third, which is independent, follows at once: the
// program ends an addition later.
func TestAnInstructionWaitsForTheRegistersThatItReadsAndWrites(t *testing.T) {
	const apart, compute, memory = 1, addition, access
	predicate := trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{File: trace.FilePredicate, Number: 3, Words: 1}}
	for name, c := range map[string]struct {
		program func(k *gputest.Kernel)
		wait    clock.Cycle // from the first issue to the second
		stalls  counters.ID
	}{
		"nothing in common":            {func(k *gputest.Kernel) { k.Op(trace.ClassF32Fma, 1, 2).Op(trace.ClassIntAdd, 3, 4) }, apart, counters.StallCompute},
		"both read":                    {func(k *gputest.Kernel) { k.Op(trace.ClassF32Fma, 1, 2).Op(trace.ClassIntAdd, 3, 2) }, apart, counters.StallCompute},
		"read after write":             {func(k *gputest.Kernel) { k.Op(trace.ClassF32Fma, 1, 2).Op(trace.ClassIntAdd, 3, 1) }, compute, counters.StallCompute},
		"second source after write":    {func(k *gputest.Kernel) { k.Op(trace.ClassF32Fma, 1, 2).Op(trace.ClassIntAdd, 3, 4, 1) }, compute, counters.StallCompute},
		"write after write":            {func(k *gputest.Kernel) { k.Op(trace.ClassF32Fma, 1, 2).Op(trace.ClassIntAdd, 1, 3) }, compute, counters.StallCompute},
		"write after read":             {func(k *gputest.Kernel) { k.Op(trace.ClassF32Fma, 1, 2).Op(trace.ClassIntAdd, 2, 3) }, apart, counters.StallCompute},
		"read after load":              {func(k *gputest.Kernel) { k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntAdd, 3, 1) }, memory, counters.StallMemory},
		"write after load":             {func(k *gputest.Kernel) { k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntAdd, 1, 3) }, memory, counters.StallMemory},
		"address overwritten":          {func(k *gputest.Kernel) { k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntAdd, 2, 3) }, apart, counters.StallMemory},
		"address computed":             {func(k *gputest.Kernel) { k.Op(trace.ClassF32Fma, 1, 2).Load(trace.SpaceGlobal, 3, 1) }, compute, counters.StallCompute},
		"value stored":                 {func(k *gputest.Kernel) { k.Op(trace.ClassF32Fma, 1, 2).Store(trace.SpaceGlobal, 3, 1) }, compute, counters.StallCompute},
		"loaded and stored":            {func(k *gputest.Kernel) { k.Load(trace.SpaceGlobal, 1, 2).Store(trace.SpaceGlobal, 3, 1) }, memory, counters.StallMemory},
		"a word of two":                {func(k *gputest.Kernel) { k.Op(trace.ClassF32Fma, 4, 2); wide(k, 0); k.Op(trace.ClassIntAdd, 3, 5) }, compute, counters.StallCompute},
		"the next register":            {func(k *gputest.Kernel) { k.Op(trace.ClassF32Fma, 4, 2); wide(k, 0); k.Op(trace.ClassIntAdd, 3, 6) }, apart, counters.StallCompute},
		"one of two words":             {func(k *gputest.Kernel) { k.Op(trace.ClassF32Fma, 5, 2).Op(trace.ClassIntAdd, 3, 4); wide(k, 1) }, compute, counters.StallCompute},
		"a register of another word":   {func(k *gputest.Kernel) { k.Op(trace.ClassF32Fma, 70, 2).Op(trace.ClassIntAdd, 3, 70) }, compute, counters.StallCompute},
		"the same bit of another word": {func(k *gputest.Kernel) { k.Op(trace.ClassF32Fma, 70, 2).Op(trace.ClassIntAdd, 3, 6) }, apart, counters.StallCompute},
		"a guard": {func(k *gputest.Kernel) {
			k.Op(trace.ClassIntAdd, 1, 2)
			k.Instructions[0].Operands[0] = predicate
			k.Op(trace.ClassIntAdd, 4, 5).Guarded(3)
		}, compute, counters.StallCompute},
		"another guard": {func(k *gputest.Kernel) {
			k.Op(trace.ClassIntAdd, 1, 2)
			k.Instructions[0].Operands[0] = predicate
			k.Op(trace.ClassIntAdd, 4, 5).Guarded(2)
		}, apart, counters.StallCompute},
	} {
		k := gputest.NewKernel("pair")
		c.program(k)
		second := k.Instructions[1].Class
		k.Op(trace.ClassF32Fma, 20, 21).Exit()
		// The last to end: the third, an addition behind the second, or an access.
		ends := firstIssue + c.wait + 1 + addition
		if second.IsMemory() {
			ends = max(ends, firstIssue+c.wait+access)
		}
		if k.Instructions[0].Class == trace.ClassLoad {
			ends = max(ends, firstIssue+access)
		}
		r := one(t, gputest.Machine(), k)
		if got, want := r.Cycles, ends+1; got != want {
			t.Errorf("%s: %d cycles, want %d", name, got, want)
		}
		if got := r.Total[c.stalls]; got != uint64(c.wait-1) {
			t.Errorf("%s: %d slots %s, want %d", name, got, counters.Declared(c.stalls).Name, c.wait-1)
		}
	}
}
