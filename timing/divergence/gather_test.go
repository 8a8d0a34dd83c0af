// SPDX-License-Identifier: Apache-2.0

package divergence

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/projection"
	"github.com/warptape/warptape/trace/wtape"
)

// Lanes at one distance have a stride wherever the lowest one is, and others have none. Strides have 32 bits, and the least of these is none.
func TestLanesAtOneDistanceAreStrided(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 33))
	for _, stride := range []int64{0, 4, -4, 12, -7, 1 << 20, math.MaxInt32, -math.MaxInt32, math.MinInt32, math.MaxInt32 + 1, 1 << 40} {
		for range 50 {
			lanes := r.Uint32() & r.Uint32()
			var g Gatherer
			for i := range g.Addresses { // what other lanes have is of no consequence
				g.Addresses[i] = r.Uint64()
			}
			for m := lanes; m != 0; m &= m - 1 {
				i := bits.TrailingZeros32(m)
				g.Addresses[i] = 1<<45 + uint64(stride*int64(i))
			}
			a, chunk := g.Access(lanes)
			fits := stride == int64(int32(stride)) && stride != math.MinInt32
			if several := bits.OnesCount32(lanes) > 1; several && fits != (chunk == nil) || several && fits && int64(a.Stride) != stride || !several && chunk != nil {
				t.Errorf("stride %d of lanes %08x: %+v, strided %v", stride, lanes, a, chunk == nil)
			}
			checkAccess(t, &g, lanes, a, chunk)
			if bits.OnesCount32(lanes) < 3 {
				continue
			}
			last := 31 - bits.LeadingZeros32(lanes)
			g.Addresses[last]++
			if a, chunk = g.Access(lanes); chunk == nil {
				t.Errorf("lane %d of %08x lies elsewhere, and the stride is %d", last, lanes, a.Stride)
			}
			checkAccess(t, &g, lanes, a, chunk)
		}
	}
}

// checkAccess holds an access to the addresses of its lanes.
func checkAccess(t *testing.T, g *Gatherer, lanes uint32, a trace.Access, chunk *wtape.Chunk) {
	t.Helper()
	var at [trace.WarpSize]uint64
	if chunk == nil {
		chunk = wtape.NewChunk() // a stride needs none of it
	}
	chunk.Addresses(a, lanes, &at)
	for m := lanes; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros32(m); at[i] != g.Addresses[i] {
			t.Fatalf("lane %d of %08x at %#x, want %#x", i, lanes, at[i], g.Addresses[i])
		}
	}
}

// A chunk of gathered accesses is full with a page of them, and what it has stays when another takes its place.
func TestAFullChunkOfGatheredAccessesStays(t *testing.T) {
	var g Gatherer
	var first *wtape.Chunk
	for n := range gathered + 2 {
		for i := range g.Addresses {
			g.Addresses[i] = uint64(i*i + n)
		}
		_, chunk := g.Access(7)
		if first == nil {
			first = chunk
		}
		if (chunk == first) != (n < gathered) {
			t.Fatalf("access %d lies in the first chunk: %v; it has room for %d", n, chunk == first, gathered)
		}
	}
	if first.LaneSets() != gathered {
		t.Errorf("the first chunk has %d accesses", first.LaneSets())
	}
}

// Several guards and accesses at a time are those that come one by one.
func TestSeveralGuardsAndAccessesAreThoseOneByOne(t *testing.T) {
	k := gputest.NewKernel("k")
	k.Load(trace.SpaceGlobal, 1, 2).Guarded(0).Store(trace.SpaceGlobal, 2, 1).Guarded(1).Load(trace.SpaceGlobal, 3, 4).Exit()
	r := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) { w.VisitGuarded(0, w.Lanes, 0xff) }})
	c := wtape.NewChunk()
	if err := r.ReadChunk(0, c); err != nil {
		t.Fatal(err)
	}
	open := func() *recorded { return new(postDominator).Open(nil, c, 0, 0).(*recorded) }
	want := c.Warp(0, 0)
	if len(want.Guards) != 2 || len(want.Accesses) != 3 {
		t.Fatalf("%d guards and %d accesses", len(want.Guards), len(want.Accesses))
	}
	for n := range 3 {
		s := open()
		if got := append(slices.Clone(s.Guards(min(n, 2))), s.Guards(2-min(n, 2))...); !slices.Equal(got, want.Guards) {
			t.Errorf("%d guards and then the rest: %x, want %x", n, got, want.Guards)
		}
		if got := append(slices.Clone(s.Accesses(n)), s.Accesses(3-n)...); !slices.Equal(got, want.Accesses) {
			t.Errorf("%d accesses and then the rest: %v, want %v", n, got, want.Accesses)
		}
		s = open()
		s.Guards(1)
		s.Accesses(n)
		if g := s.Guard(); g != want.Guards[1] {
			t.Errorf("behind one guard comes %x", g)
		}
		if a, _ := s.Access(); a != want.Accesses[n] {
			t.Errorf("behind %d accesses comes %v", n, a)
		}
	}
}

// All policies here are for SIMT cores; one that names another kind is for those alone.
func TestPoliciesAreForTheirCores(t *testing.T) {
	if got, want := NamesFor(arch.SIMTCore), []string{"pdom", projection.Serial.String(), projection.SerialRounds.String()}; !slices.Equal(got, want) {
		t.Errorf("for SIMT cores there are %q, want %q", got, want)
	}
	if got := NamesFor("another"); len(got) != 0 {
		t.Errorf("for cores of another kind there are %q", got)
	}
	if p := (&Policy{Core: "another"}); p.CoreKind() != "another" {
		t.Errorf("the policy of another core is of %q", p.CoreKind())
	}
}
