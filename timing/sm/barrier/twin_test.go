// SPDX-License-Identifier: Apache-2.0

package barrier

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace/tracetest"
)

// A record is what one visit has brought. The slow twin keeps all of them and counts anew each time it is asked
// (PTX ISA 9.7.13.1).
type record struct {
	visit       Visit
	warp        int
	lanes       uint32 // of a part
	instruction uint32
	kind        byte // 'a' has arrived, 'w' waits, 'p' is part of a warp that goes on
	counted     bool // its threads
}

type twin struct {
	running int
	records []record
	counted [Count][]Visit // since the barrier opened last, in their order
}

// count notes that the threads of a visit count now.
func (b *twin) count(v Visit) { b.counted[v.ID] = append(b.counted[v.ID], v) }

func (b *twin) state(id int) (s State, waiting warpset.Set) {
	expected, loose := uint32(0), false
	for _, v := range b.counted[id] {
		expected = v.Expected
		loose = loose || v.Loose
		s.Arrived += int(v.Threads)
	}
	warps := 0
	for _, r := range b.records {
		if r.visit.ID == id {
			switch r.kind {
			case 'w':
				waiting = waiting.With(r.warp)
				warps++
			case 'a':
				warps++
			case 'p':
				s.Apart += bits.OnesCount32(r.lanes)
			}
		}
	}
	s.ID, s.Waiting, s.Threads, s.Expected = id, waiting.Count(), expected > 0, int(expected)
	if loose {
		s.Expected = min(s.Expected, 32*b.running)
	}
	if !s.Threads {
		s.Arrived, s.Expected = warps, b.running
	}
	return s, waiting
}

// open is whether a barrier opens: some have come, and no fewer than it expects.
func (b *twin) open(id int) (waited warpset.Set, ok bool) {
	s, waiting := b.state(id)
	came := slices.ContainsFunc(b.records, func(r record) bool { return r.visit.ID == id && r.kind != 'p' })
	for _, v := range b.counted[id] {
		came = came || v.Threads > 0
	}
	if !came || s.Arrived < s.Expected {
		return waited, false
	}
	b.counted[id] = nil
	b.records = slices.DeleteFunc(b.records, func(r record) bool { return r.visit.ID == id && r.kind != 'p' })
	return waiting, true
}

// part lets lanes wait while their warp goes on. Threads that arrive by themselves count at once where the barrier is for
// a number of them.
func (b *twin) part(v Visit, w int, lanes, instruction uint32) {
	now := v.Expected > 0 && v.Threads > 0
	b.records = append(b.records, record{visit: v, warp: w, lanes: lanes, instruction: instruction, kind: 'p', counted: now})
	if now {
		b.count(v)
	}
}

func (b *twin) meet(w int, lanes uint32) (barriers, waiting, instruction uint32) {
	for _, r := range b.records {
		if r.kind == 'p' && r.warp == w && r.lanes&lanes != 0 {
			barriers |= 1 << r.visit.ID
		}
	}
	for id := range Count {
		if barriers>>id&1 == 0 {
			continue
		}
		at := slices.IndexFunc(b.records, func(r record) bool { return r.kind == 'p' && r.warp == w && r.visit.ID == id })
		first := b.records[at]
		if first.visit.Threads = 32; first.counted {
			first.visit.Threads = 0
		}
		first.kind = 'w'
		b.records = append(b.records, first)
		b.count(first.visit)
	}
	b.records = slices.DeleteFunc(b.records, func(r record) bool {
		gone := r.kind == 'p' && r.warp == w && barriers>>r.visit.ID&1 != 0
		if gone {
			waiting |= r.lanes
			instruction = r.instruction
		}
		return gone
	})
	return barriers, waiting, instruction
}

func (b *twin) came(w int) (barriers uint32) {
	for i := range b.records {
		r := &b.records[i]
		if r.kind != 'p' || r.warp != w || r.counted || r.visit.Expected == 0 {
			continue
		}
		r.counted = true
		if barriers>>r.visit.ID&1 == 0 {
			v := r.visit
			v.Threads = 32
			b.count(v)
		}
		barriers |= 1 << r.visit.ID
	}
	return barriers
}

func (b *twin) freed(id int) (gone []record) {
	b.records = slices.DeleteFunc(b.records, func(r record) bool {
		leaves := r.kind == 'p' && r.visit.ID == id && r.counted
		if leaves {
			gone = append(gone, r)
		}
		return leaves
	})
	return gone
}

func (b *twin) leave(w int) {
	b.running--
	b.records = slices.DeleteFunc(b.records, func(r record) bool { return r.warp == w && r.kind != 'a' })
}

// Random visits of random thread blocks open the same barriers for the same warps as a list of all visits does.
func TestBarriersAsTheListOfTheirVisits(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 400, 100) {
		random := rand.New(rand.NewPCG(seed, 7))
		walk(t, seed, random)
	}
}

func walk(t *testing.T, seed uint64, random *rand.Rand) {
	t.Helper()
	warps := 1 + random.IntN(5)
	b, slow := block(warps), &twin{running: warps}
	left := warpset.Set{}
	for step := range 60 {
		w := random.IntN(warps)
		if left.Has(w) {
			continue
		}
		v := Visit{ID: []int{0, 3, Cluster}[random.IntN(3)], Loose: random.IntN(4) == 0}
		if random.IntN(2) == 0 {
			v.Expected = uint32(16 * (1 + random.IntN(2*warps+1)))
		}
		lanes, instruction := random.Uint32()|1, random.Uint32()
		if random.IntN(3) > 0 {
			v.Threads = uint32(1 + random.IntN(32))
		}
		switch random.IntN(8) {
		case 0:
			b.Arrive(v)
			slow.records = append(slow.records, record{visit: v, warp: w, kind: 'a'})
			slow.count(v)
		case 1, 2:
			if _, waits := b.State(w); waits {
				continue
			}
			b.Wait(v, w)
			slow.records = append(slow.records, record{visit: v, warp: w, kind: 'w'})
			slow.count(v)
		case 3, 4:
			b.Part(v, w, lanes, instruction)
			slow.part(v, w, lanes, instruction)
		case 5:
			if _, waits := b.State(w); waits {
				continue
			}
			barriers, waiting, at := b.Meet(w, lanes)
			if wantBarriers, wantLanes, wantAt := slow.meet(w, lanes); barriers != wantBarriers || waiting != wantLanes || at != wantAt {
				t.Fatalf("seed %d, step %d: warp %d meets at %#x with %#x, instruction %d, want %#x, %#x, %d", seed, step, w, barriers, waiting, at, wantBarriers, wantLanes, wantAt)
			}
		case 6:
			if barriers, want := b.Came(w), slow.came(w); barriers != want {
				t.Fatalf("seed %d, step %d: warp %d came to %#x, want %#x", seed, step, w, barriers, want)
			}
		case 7:
			if random.IntN(4) == 0 {
				b.Leave(w)
				slow.leave(w)
				left.Add(w)
			}
		}
		compare(t, seed, step, b, slow)
	}
}

// compare asks for all states, opens what opens, and frees what it frees.
func compare(t *testing.T, seed uint64, step int, b *Block, slow *twin) {
	t.Helper()
	for w := range 5 {
		s, ok := b.State(w)
		at := slices.IndexFunc(slow.records, func(r record) bool { return r.kind == 'w' && r.warp == w })
		if ok != (at >= 0) {
			t.Fatalf("seed %d, step %d: warp %d waits: %v", seed, step, w, ok)
		}
		first := Count
		for _, r := range slow.records {
			if r.kind == 'w' && r.warp == w {
				first = min(first, r.visit.ID)
			}
		}
		if !ok {
			continue
		}
		if want, _ := slow.state(first); s != want {
			t.Fatalf("seed %d, step %d: warp %d is at %+v, want %+v", seed, step, w, s, want)
		}
	}
	for id := range Count {
		waited, ok := b.Open(id)
		if want, opened := slow.open(id); ok != opened || waited != want {
			t.Fatalf("seed %d, step %d: barrier %d opens %v for %v, want %v for %v", seed, step, id, ok, waited, opened, want)
		}
		if !ok {
			continue
		}
		for _, want := range slow.freed(id) {
			if w, lanes, ok := b.Freed(id); !ok || w != want.warp || lanes != want.lanes {
				t.Fatalf("seed %d, step %d: barrier %d frees lanes %#x of warp %d (%v), want %#x of %d", seed, step, id, lanes, w, ok, want.lanes, want.warp)
			}
		}
		if w, _, ok := b.Freed(id); ok {
			t.Fatalf("seed %d, step %d: barrier %d frees lanes of warp %d, which have not been counted", seed, step, id, w)
		}
	}
	if parted := slices.ContainsFunc(slow.records, func(r record) bool { return r.kind == 'p' }); b.Parted() != parted {
		t.Fatalf("seed %d, step %d: lanes are apart: %v", seed, step, b.Parted())
	}
}

// The port hears of each barrier once, with the last access before it, in phase after phase.
func TestThePortHearsOfEachBarrierOnce(t *testing.T) {
	b := block(2)
	for round := range 4 {
		first := b.Issued()
		if b.Opened() {
			t.Fatalf("round %d: told with an access to hand", round)
		}
		second := b.Issued()
		if b.Handed(second) {
			t.Errorf("round %d: told by an access behind the barrier", round)
		}
		third := b.Issued()
		if !b.Handed(first) {
			t.Errorf("round %d: not told by the last access before the barrier", round)
		}
		if b.Handed(third) {
			t.Errorf("round %d: told twice", round)
		}
	}
}

// However many barriers open while accesses are on their way, the port hears of each when it has been handed all that came
// before it, and not earlier. It heard of a second one before the first, and of the first behind later accesses.
func TestThePortHearsOfABarrierBehindAllBeforeIt(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 37))
		b := block(2)
		type access struct {
			phase  uint8
			number int
		}
		var underWay []access
		var untold []int // of each barrier the port has not heard of: the accesses issued before it
		issued := 0
		oldest := func() int { // the number of the first access under way
			first := issued
			for _, a := range underWay {
				first = min(first, a.number)
			}
			return first
		}
		for step := range 400 {
			var tell, want bool
			switch {
			case random.IntN(3) == 0:
				tell, want = b.Opened(), len(underWay) == 0
				if !want {
					untold = append(untold, issued)
				}
			case len(underWay) == 0 || random.IntN(2) == 0 && len(underWay) < 150:
				underWay = append(underWay, access{b.Issued(), issued})
				issued++
			default:
				i := random.IntN(min(len(underWay), 1+random.IntN(4)))
				a := underWay[i]
				underWay = slices.Delete(underWay, i, i+1)
				tell = b.Handed(a.phase)
				still := slices.DeleteFunc(slices.Clone(untold), func(before int) bool { return before <= oldest() })
				want = len(still) < len(untold)
				untold = still
			}
			if tell != want {
				t.Fatalf("seed %d, step %d: told %v, want %v", seed, step, tell, want)
			}
		}
	}
}

// With accesses of more phases than there are numbers the port hears late of some barriers, and of none early.
func TestMorePhasesThanNumbersAreToldLate(t *testing.T) {
	b := block(1)
	var list []uint8
	for range 3 * phases {
		list = append(list, b.Issued())
		if b.Opened() {
			t.Fatal("told with accesses under way")
		}
	}
	for i, phase := range list {
		if tell := b.Handed(phase); tell != (i < phases-1 || i == len(list)-1) {
			t.Fatalf("access %d handed: told %v", i, tell)
		}
	}
}
