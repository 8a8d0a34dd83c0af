// SPDX-License-Identifier: Apache-2.0

package divergence_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/projection"
	"github.com/warptape/warptape/trace/wtape"
)

// gathered is what a warp's stream gives: guards, and the addresses of accesses.
type gathered struct {
	visits    []seam.Visit
	guards    []uint32
	addresses [][trace.WarpSize]uint64
}

// drive reads a stream to its end. Ahead says that each visit is taken before the guards and accesses of the one in front of it.
func drive(s seam.Stream, c *wtape.Chunk, plan *projection.Plan, ahead bool) (g gathered) {
	take := func(v seam.Visit) {
		for range plan.Guards(v.BasicBlock) {
			g.guards = append(g.guards, s.Guard())
		}
		for range plan.Accesses(v.BasicBlock) {
			a, chunk := s.Access()
			if chunk == nil {
				chunk = c
			}
			var at [trace.WarpSize]uint64
			chunk.Addresses(a, v.Mask, &at)
			g.addresses = append(g.addresses, at)
		}
	}
	var v seam.Visit
	for s.Next(&v) {
		g.visits = append(g.visits, v)
		if n := len(g.visits); !ahead {
			take(v)
		} else if n > 1 {
			take(g.visits[n-2])
		}
	}
	if n := len(g.visits); ahead && n > 0 {
		take(g.visits[n-1])
	}
	return g
}

// A stream gives what the trace has that such warps would have left, whether it is read a visit at a time or one ahead. It may be one that
// another warp has left at any place.
func TestStreamsAreReadAheadAndUsedAgain(t *testing.T) {
	for policy, rule := range map[string]projection.Rule{"serial": projection.Serial, "serial-rounds": projection.SerialRounds} {
		p, err := divergence.Policies.Lookup(policy)
		if err != nil {
			t.Fatal(err)
		}
		accesses := 0
		for seed := range uint64(12) {
			r := rand.New(rand.NewPCG(seed, 34))
			tape := gputest.Trace(t, divergent(r))
			other := rewritten(t, tape, rule)
			k := &tape.Kernels()[0]
			plan, c, w, d := projection.NewPlan(k), wtape.NewChunk(), wtape.NewChunk(), p.New()
			if err := tape.ReadChunk(0, c); err != nil {
				t.Fatal(err)
			}
			if err := other.ReadChunk(0, w); err != nil {
				t.Fatal(err)
			}
			for h := range c.WarpsPerBlock() {
				block := c.Blocks()[h%len(c.Blocks())]
				warp := w.Warp(block, h)
				for _, ahead := range []bool{false, true} {
					s := d.Open(k, c, block, h)
					got := drive(s, c, plan, ahead)
					s.Close()
					if !slices.Equal(got.guards, warp.Guards) || len(got.visits) != len(warp.Blocks) || len(got.addresses) != len(warp.Accesses) {
						t.Fatalf("%s, seed %d, warp %d, ahead %v: guards %x, want %x; %d visits and %d accesses, want %d and %d",
							policy, seed, h, ahead, got.guards, warp.Guards, len(got.visits), len(got.addresses), len(warp.Blocks), len(warp.Accesses))
					}
					for e := range warp.Executed(k) {
						if e.Access == nil || !e.In.Class.IsMemory() {
							continue
						}
						var want [trace.WarpSize]uint64
						w.Addresses(*e.Access, e.Mask, &want)
						for m := e.Mask; m != 0; m &= m - 1 {
							if i := bits.TrailingZeros32(m); got.addresses[0][i] != want[i] {
								t.Fatalf("%s, seed %d, warp %d, ahead %v: lane %d at %#x, want %#x", policy, seed, h, ahead, i, got.addresses[0][i], want[i])
							}
						}
						got.addresses = got.addresses[1:]
						accesses++
					}
					// Left in the middle of it all.
					s = d.Open(k, c, block, h)
					var v seam.Visit
					for range r.IntN(1 + len(got.visits)) {
						if s.Next(&v); plan.Guards(v.BasicBlock) > 0 {
							s.Guard()
						}
						if plan.Accesses(v.BasicBlock) > 0 {
							s.Access()
						}
					}
					s.Close()
				}
			}
		}
		if accesses < 100 {
			t.Errorf("%s: %d accesses", policy, accesses)
		}
	}
}
