// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace"
)

// However runs fall, side by side or apart, they lie in the grid one after the other and
// hold as many thread blocks as are wanted.
func TestRunsHoldAsManyThreadBlocksAsAreWanted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	joined := 0
	for range 3000 {
		p := Policy{Run: 1 + rng.Uint64N(9), Seed: rng.Uint64()}
		grid := 1 + rng.Uint64N(200)
		n := 1 + rng.Uint64N(grid)
		c := p.systematic(3, grid, n)
		stored, end := uint64(0), uint64(0)
		for i, r := range c.runs {
			if r.First < end || i > 0 && r.First == end || r.Blocks == 0 || r.First+r.Blocks > grid {
				t.Fatalf("%d of %d thread blocks in runs of %d: run %d is %+v after %d", n, grid, p.Run, i, r, end)
			}
			end = r.First + r.Blocks
			stored += r.Blocks
		}
		if stored != n {
			t.Fatalf("%d of %d thread blocks in runs of %d: %d are stored in %+v", n, grid, p.Run, stored, c.runs)
		}
		if uint64(len(c.runs)) < max(1, n/p.Run) && n < grid {
			joined++
		}
	}
	if joined == 0 {
		t.Error("no runs were ever side by side")
	}
}

// Lanes one after the other change line, and address, as often as counted one by one.
func TestScatteredAccessesCountTheirChanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	for range 500 {
		var addresses [trace.WarpSize]uint64
		for l := range addresses {
			addresses[l] = rng.Uint64N(6) * 32
		}
		mask := rng.Uint32() | 1<<rng.IntN(32)
		var list []uint64
		for l, a := range addresses {
			if mask>>l&1 != 0 {
				list = append(list, a)
			}
		}
		lines, distinct := 1, 1
		for i := 1; i < len(list); i++ {
			if list[i] != list[i-1] {
				distinct++
			}
			if list[i]/128 != list[i-1]/128 {
				lines++
			}
		}
		if gotLines, gotDistinct := scattered(mask, &addresses); gotLines != lines || gotDistinct != distinct {
			t.Fatalf("%d lines and %d addresses of %v, want %d and %d", gotLines, gotDistinct, list, lines, distinct)
		}
	}
}

// This is the Bayesian information criterion (Schwarz 1978) of spherical clusters.
// Half of the spread in every element of n points is worth n times half the elements
// times ln 2. A cluster more costs half of its parameters times ln n.
func TestTheScoreWeighsSpreadAgainstClusters(t *testing.T) {
	const n = 1000
	wide, narrow := bayesianScore(n, 3, 64*n*signatureElements), bayesianScore(n, 3, 32*n*signatureElements)
	if got, want := narrow-wide, n*signatureElements/2.0*math.Ln2; math.Abs(got-want) > 1e-3*want {
		t.Errorf("half of the spread is worth %g, want %g", got, want)
	}
	more := bayesianScore(n, 4, 64*n*signatureElements)
	if got, want := wide-more, (signatureElements+1)/2.0*math.Log(n); math.Abs(got-want) > 1e-9*want {
		t.Errorf("a cluster more costs %g, want %g", got, want)
	}
}
