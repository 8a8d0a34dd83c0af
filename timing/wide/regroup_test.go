// SPDX-License-Identifier: Apache-2.0

package wide

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/projection"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// chunks calls f for every thread block of the random trace of a seed.
func chunks(t *testing.T, seed uint64, f func(k *trace.Kernel, c *wtape.Chunk, block uint64)) {
	t.Helper()
	r := gputest.Trace(t, gputest.RandomLaunches(rand.New(rand.NewPCG(seed, 5)))...)
	source := gputest.NewSource(r)
	for l := range r.Launches() {
		first, end := source.LaunchChunks(l)
		for i := first; i < end; i++ {
			c, err := source.Acquire(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range c.Blocks() {
				f(&r.Kernels()[r.Launches()[l].Kernel], c, b)
			}
			source.Release(i)
		}
	}
}

// passes reads the passes of a wide warp in step.
type passes struct {
	t       *testing.T
	k       *trace.Kernel
	streams []seam.Stream
}

// next reads a visit of all passes; false at the end of all.
func (p *passes) next() (block uint32, lanes projection.Lanes, ok bool) {
	p.t.Helper()
	for n, s := range p.streams {
		var v seam.Visit
		more := s.Next(&v)
		if n == 0 {
			block, ok = v.BasicBlock, more
		}
		if more != ok || more && v.BasicBlock != block {
			p.t.Fatalf("pass %d is at block %d (%t), the first at %d (%t)", n, v.BasicBlock, more, block, ok)
		}
		lanes[n] = v.Mask
	}
	return block, lanes, ok
}

// instructions reads guards and accesses of a visit and gives what each lane does,
// one line for each guard or access.
func (p *passes) instructions(c *wtape.Chunk, block uint32, lanes projection.Lanes, did map[string]projection.Lanes) {
	p.t.Helper()
	b := &p.k.Blocks[block]
	for i := b.First; i < b.First+b.Count; i++ {
		in, held := &p.k.Instructions[i], lanes
		if in.Guarded() {
			for n, s := range p.streams {
				held[n] = s.Guard()
			}
			note(did, fmt.Sprint("guard ", i), held)
		}
		if in.HasAccess() {
			for n, s := range p.streams {
				a, _ := s.Access()
				var at [trace.WarpSize]uint64
				if held[n] == 0 {
					continue
				}
				c.Addresses(a, held[n], &at)
				for m := held[n]; m != 0; m &= m - 1 {
					l := bits.TrailingZeros32(m)
					var one projection.Lanes
					one[n] = 1 << l
					note(did, fmt.Sprintf("access %d at %x", i, at[l]), one)
				}
			}
		}
	}
}

func note(did map[string]projection.Lanes, what string, lanes projection.Lanes) {
	all := did[what]
	for n := range all {
		all[n] |= lanes[n]
	}
	if !all.Empty() {
		did[what] = all
	}
}

// projected is what instructions gives, by the projection alone.
func projected(k *trace.Kernel, w *projection.Warp, v *projection.Visit) map[string]projection.Lanes {
	did := map[string]projection.Lanes{}
	b := &k.Blocks[v.Block]
	guard, access := 0, 0
	for i := b.First; i < b.First+b.Count; i++ {
		in := &k.Instructions[i]
		if in.Guarded() {
			note(did, fmt.Sprint("guard ", i), w.Guard(v, guard))
			guard++
		}
		if in.HasAccess() {
			var at [projection.MaxWidth]uint64
			lanes := w.Addresses(v, access, &at)
			access++
			for l := range at {
				if lanes.Has(l) {
					var one projection.Lanes
					one[l/32] = 1 << (l % 32)
					note(did, fmt.Sprintf("access %d at %x", i, at[l]), one)
				}
			}
		}
	}
	return did
}

// TestPassesDoWhatTheProjectedWarpDoes: lanes of all passes of a visit, or of
// several where lanes were recorded apart, are those of the projected visit, with
// its guards and addresses.
func TestPassesDoWhatTheProjectedWarpDoes(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 12, 4) {
		for _, n := range []int{1, 2, 4} {
			d := newRegrouping(n)
			chunks(t, seed, func(k *trace.Kernel, c *wtape.Chunk, block uint64) {
				p, err := projection.New(k, n*trace.WarpSize, projection.PostDominator)
				if err != nil {
					t.Fatal(err)
				}
				for h := range d.HardwareWarps(c.WarpsPerBlock()) / n {
					twin := p.Open(c, block, h)
					got := &passes{t: t, k: k}
					for part := range n {
						got.streams = append(got.streams, d.Open(k, c, block, h*n+part))
					}
					var v projection.Visit
					for twin.Next(&v) {
						want, did := projected(k, twin, &v), map[string]projection.Lanes{}
						for left := v.Lanes; !left.Empty(); {
							at, lanes, ok := got.next()
							if !ok || at != v.Block {
								t.Fatalf("seed %d, width %d: at block %d, want %d", seed, 32*n, at, v.Block)
							}
							for i := range lanes {
								left[i] &^= lanes[i]
							}
							got.instructions(c, at, lanes, did)
						}
						if diff := cmp.Diff(want, did); diff != "" {
							t.Fatalf("seed %d, width %d, block %d (-projected +passes):\n%s", seed, 32*n, v.Block, diff)
						}
					}
					if _, _, ok := got.next(); ok {
						t.Fatalf("seed %d, width %d: passes go on after the end", seed, 32*n)
					}
					for _, s := range got.streams {
						s.Close()
					}
					twin.Close()
				}
			})
			if len(d.free) != 1 { // the one that all were
				t.Errorf("%d wide warps were made for one at a time", len(d.free))
			}
		}
	}
}

// TestOnePassIsTheRecordedWarp where it was recorded under post-dominators.
func TestOnePassIsTheRecordedWarp(t *testing.T) {
	k := gputest.NewKernel("straight")
	k.Load(trace.SpaceGlobal, 1, 1).Guarded(0)
	k.Op(trace.ClassIntAdd, 2, 1).Exit()
	r := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 3, Threads: 70, Record: gputest.StraightLine})
	source := gputest.NewSource(r)
	policy, err := divergence.Policies.Lookup("pdom")
	if err != nil {
		t.Fatal(err)
	}
	recorded, one := policy.New(), newRegrouping(1)
	c, err := source.Acquire(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range c.Blocks() {
		for h := range recorded.HardwareWarps(c.WarpsPerBlock()) {
			a, z := recorded.Open(&r.Kernels()[0], c, b, h), one.Open(&r.Kernels()[0], c, b, h)
			var v, w seam.Visit
			for a.Next(&v) {
				more := z.Next(&w)
				want, _ := a.Access()
				if got, _ := z.Access(); !more || v != w || a.Guard() != z.Guard() || got != want {
					t.Fatalf("block %d, warp %d: %+v, recorded %+v", b, h, w, v)
				}
			}
			if z.Next(&w) {
				t.Fatalf("block %d, warp %d: goes on with %+v", b, h, w)
			}
		}
	}
}

// A pass that waits for all threads goes on, with all that wait, when the visit comes
// behind the barrier of the wide warp, and not before. One that waits by itself goes on
// with those of its lanes that the visit has.
func TestAPassResumesWithTheWideWarp(t *testing.T) {
	for _, c := range []struct {
		gathers, resumes bool
		of, waiting      uint32 // lanes of the visit, and those that wait
		lanes            uint32
		came             bool
	}{
		{true, false, 0xff, 0xf, 0, false}, {true, false, 0, allLanes, 0, false}, {true, true, 0, allLanes, allLanes, true},
		{false, false, 0xff, 0xf0f, 0xf, false}, {false, true, 0, 0xf, 0, true},
	} {
		s := &pass{of: new(warp), part: 1, at: 3, gathers: c.gathers}
		v := &s.of.visits[2]
		v.resumes, v.from[1].Lanes = c.resumes, c.of
		if lanes, came := s.Resumes(c.waiting); lanes != c.lanes || came != c.came {
			t.Errorf("%+v: lanes %#x, came %v", c, lanes, came)
		}
		if want := c.gathers && !c.resumes; s.gathers != want {
			t.Errorf("%+v: still waits for all: %v", c, s.gathers)
		}
	}
}

// A thread block has as many wide warps as hold its warps of 32. Each of their passes is a warp of the machine, also where nothing is in it.
func TestAThreadBlockHasThePassesOfItsWideWarps(t *testing.T) {
	for passes := 1; passes <= 4; passes++ {
		for recorded := 1; recorded <= 64; recorded++ {
			wide := 0
			for wide*passes < recorded {
				wide++
			}
			if got := newRegrouping(passes).HardwareWarps(recorded); got != wide*passes {
				t.Errorf("%d warps in passes of %d are %d, want %d", recorded, passes, got, wide*passes)
			}
		}
	}
}
