// SPDX-License-Identifier: Apache-2.0

package host

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/frontend/host/array"
	"github.com/warptape/warptape/frontend/host/pcg"
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
		a.DrawInts(pcg.New(5, 6), low, span)
		g := pcg.New(5, 6)
		for i := range a.Len() {
			g = g.Next()
			if got, want := a.Int(i), low+int64(below(g, span)); got != want {
				t.Fatalf("%v: number %d is %d, want %d", typ, i, got, want)
			}
		}
	}
}

// TestManyFloatsAreDrawnAsOneIs: each is drawn as it has always been, by the standard library's generator.
func TestManyFloatsAreDrawnAsOneIs(t *testing.T) {
	low, high := -2.7, 1e9/3
	space := array.NewSpace(1 << 20)
	for _, typ := range []array.Type{array.F32, array.F64} {
		a, err := array.New(space, typ, 1000)
		if err != nil {
			t.Fatal(err)
		}
		a.DrawFloats(pcg.New(5, 6), low, high, unitBits)
		g := rand.NewPCG(5, 6)
		for i := range a.Len() {
			want := low + float64((high-low)*unit(g))
			if typ == array.F32 {
				want = float64(float32(want))
			}
			if got := a.Float(i); got != want {
				t.Fatalf("%v: number %d is %v, want %v", typ, i, got, want)
			}
		}
	}
}

func unit(g *rand.PCG) float64 { return float64(g.Uint64()>>40) / (1 << 24) }

// TestQuadrantsWithoutBranchesAreThoseOfComparisons has probabilities with ends at, above and below what 24
// bits tell apart, empty quadrants, and ones that take all.
func TestQuadrantsWithoutBranchesAreThoseOfComparisons(t *testing.T) {
	const levels, edges = 20, 2000
	for _, p := range [][3]float64{
		{0.57, 0.19, 0.19}, {0.25, 0.25, 0.25}, {1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 0, 1},
		{1.0 / (1 << 24), 0.5, 0.5 - 1.0/(1<<24)}, {0.3, 1e-9, 1e-9}, {5e-324, 0.5, 0.25},
	} {
		a, ab, abc := p[0], p[0]+p[1], p[0]+p[1]+p[2]
		q, g, twin := newQuadrants(a, ab, abc), pcg.New(1, 2), rand.NewPCG(1, 2)
		for i := range edges {
			var from, to, wantFrom, wantTo int32
			g, from, to = q.edge(g, levels)
			for range levels {
				wantFrom, wantTo = wantFrom<<1, wantTo<<1
				switch u := unit(twin); {
				case u < a:
				case u < ab:
					wantTo |= 1
				case u < abc:
					wantFrom |= 1
				default:
					wantFrom, wantTo = wantFrom|1, wantTo|1
				}
			}
			if from != wantFrom || to != wantTo {
				t.Fatalf("edge %d of %v is %d, %d, want %d, %d", i, p, from, to, wantFrom, wantTo)
			}
		}
	}
}

// A threshold is exact: the last number below it and the first one that is not.
func TestQuadrantsEndWhereProbabilitiesDo(t *testing.T) {
	for _, p := range []float64{0, 0.25, 0.57, 0.76, 1, 1e-30, 0.1, 1 - 1e-12} {
		end := newQuadrants(p, p, p)[0]
		for _, k := range []uint64{0, end - 1, end, end + 1} {
			if k < 1<<unitBits && (k < end) != (float64(k)/(1<<unitBits) < p) {
				t.Errorf("%d of 2^24 is on the wrong side of %v", k, p)
			}
		}
	}
}
