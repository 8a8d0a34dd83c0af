// SPDX-License-Identifier: Apache-2.0

package host

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/frontend/host/array"
)

// TestManyIntegersAreDrawnAsOneIs: inputs of all recordings depend on it.
func TestManyIntegersAreDrawnAsOneIs(t *testing.T) {
	const low, span = -3, 100
	space := array.NewSpace(1 << 20)
	for _, typ := range []array.Type{array.I8, array.I16, array.I32, array.I64} {
		a, err := array.New(space, typ, 1000)
		if err != nil {
			t.Fatal(err)
		}
		a.DrawInts(rand.NewPCG(5, 6), low, span)
		g := rand.NewPCG(5, 6)
		for i := range a.Len() {
			if got, want := a.Int(i), low+int64(below(g, span)); got != want {
				t.Fatalf("%v: number %d is %d, want %d", typ, i, got, want)
			}
		}
	}
}
