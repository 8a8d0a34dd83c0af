// SPDX-License-Identifier: Apache-2.0

package evaluate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/evaluate"
	"github.com/warptape/warptape/timing/lowering/ir"
)

// conjunctions are kernels with c = a && b, where b is compared under a alone.
func conjunctions() (list []string) {
	for n := range 12 {
		list = append(list, fmt.Sprintf("1 2/2: ld.param.u64 d1, [first]; ld.global.u32 r1, [d1]; ld.global.u32 r2, [d1+4]; setp.lt.s32 p1, r1, %d; mov.pred p3, %d; bra 2\n", n, n%2)+
			"2: setp.lt.s32 p3, r2, 9\n"+
			": selp.b32 r3, r1, r2, p3; st.global.u32 [d1+8], r3; exit")
	}
	return list
}

// The comparison of c = a && b is one operation that takes a in. It is right on all ways that a thread
// can take, and wrong on one past b where a holds.
func TestConjunctionsAreRight(t *testing.T) {
	for _, text := range conjunctions() {
		for _, generation := range []string{"fermi", "turing"} {
			k, l := lowered(t, text, generation)
			if !combines(l) {
				t.Fatalf("%s: no comparison takes a predicate in: %s", generation, text)
			}
			for seed := range uint64(20) {
				if err := evaluate.Check(k, l, evaluate.Path(k, rand.New(rand.NewPCG(seed, 26)), 12)); err != nil {
					t.Errorf("%s, way %d: %v: %s", generation, seed, err, text)
				}
			}
		}
	}
}

// combines reports whether an operation takes a predicate in.
func combines(l *lowering.Lowered) bool {
	for _, b := range l.Function.Blocks {
		for i := 0; b != nil && i < len(b.Ops); i++ {
			if b.Ops[i].Combine != ir.Alone {
				return true
			}
		}
	}
	return false
}
