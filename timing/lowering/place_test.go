// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/evaluate"
	"github.com/warptape/warptape/timing/lowering/loweringtest"
	"github.com/warptape/warptape/trace"
)

// tiles reads eight words of one array and eight of another, whose places are given.
func tiles(t *testing.T, first, second uint32) *trace.Kernel {
	text := "mov.u32 r1, first\nmov.u32 r2, second\nmov.u32 r8, 0\n"
	for n := range 8 {
		text += fmt.Sprintf("ld.shared.u32 r%d, [r1+%d]\nld.shared.u32 r%d, [r2+%d]\nld.shared.u32 r%d, [second+%d]\n", 100+n, 4*n, 200+n, 4*n, 300+n, 64+4*n)
	}
	for n := range 8 {
		text += fmt.Sprintf("add.u32 r8, r8, r%d\nadd.u32 r8, r8, r%d\nadd.u32 r8, r8, r%d\n", 100+n, 200+n, 300+n)
	}
	k := loweringtest.Assemble(t, text+"st.shared.u32 [first+4], r8\nst.shared.u32 [first], r8")
	k.SharedBytes = max(first, second) + 256
	k.SharedVariables = []trace.SharedVariable{{Name: "first", Offset: first, Bytes: 32}, {Name: "second", Offset: second, Bytes: 96}}
	return k
}

// Accesses to several arrays are joined as far as their places are aligned, those of each array
// apart; where a trace does not say where they lie, they are not. Behind a register the sum counts,
// whose least aligned part decides.
func TestAccessesOfSeveralArraysAreJoinedByTheirPlaces(t *testing.T) {
	for _, c := range []struct {
		first, second uint32
		placed        bool
		accesses      int
	}{
		{0, 32, true, 2 + 2 + 2 + 1},
		{0, 40, true, 2 + 4 + 3 + 1},
		{8, 48, true, 4 + 2 + 2 + 1},
		{4, 64, true, 8 + 2 + 2 + 2},
		{0, 32, false, 26},
	} {
		k := tiles(t, c.first, c.second)
		if !c.placed {
			k.SharedVariables = nil
		}
		for _, generation := range []string{"volta", "turing", "hopper"} {
			l, err := lowering.Lower(k, lowering.Target{Generation: lowering.Generations[generation], File: 65536, Threads: 2048, Unit: 256, Predicate: true}, lowering.Budget{})
			if err != nil {
				t.Fatal(err)
			}
			accesses := 0
			for i := range l.Kernel.Instructions {
				if l.Kernel.Instructions[i].Class.IsMemory() {
					accesses++
				}
			}
			if accesses != c.accesses {
				t.Errorf("%+v on %s: %d accesses", c, generation, accesses)
			}
			rng := rand.New(rand.NewPCG(1, 20))
			for range 5 {
				if err := evaluate.Check(k, l, evaluate.Path(k, rng, 10)); err != nil {
					t.Errorf("%+v on %s: %v", c, generation, err)
				}
			}
		}
	}
}
