// SPDX-License-Identifier: Apache-2.0

package tinycache

import (
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// behind is the port behind: it notes what it is given and answers when told.
type behind struct {
	seam.Port
	ready bool
	got   []seam.MemoryAccess
}

func (b *behind) Ready(clock.Cycle) bool        { return b.ready }
func (b *behind) PendingWrites(int) int         { return 0 }
func (b *behind) Cycle(clock.Cycle) clock.Cycle { return clock.Never }
func (b *behind) Barrier(clock.Cycle, int)      {}
func (b *behind) Fence(clock.Cycle, int)        {}
func (b *behind) BlockEnd(clock.Cycle, int, int) {
}

func (b *behind) Issue(_ clock.Cycle, a *seam.MemoryAccess) {
	c := *a
	c.Lines = slices.Clone(a.Lines)
	b.got = append(b.got, c)
}

// listener is the SM.
type listener struct{ completed []uint32 }

func (l *listener) Complete(_ clock.Cycle, token uint32) { l.completed = append(l.completed, token) }
func (l *listener) Fetched(clock.Cycle, uint64)          {}
func (l *listener) WriteDone(clock.Cycle, int)           {}
func (l *listener) Wake()                                {}

func testSection() *Section {
	return &Section{Enabled: true, Entries: 4, Ways: 2, LineBytes: 32, LatencyCycles: 1, Policy: "bypass_none", QueueEntries: 8}
}

// bench is a port between the two.
type bench struct {
	*port
	behind   *behind
	listener *listener
	set      *counters.Set
	now      clock.Cycle
}

func newBench(s *Section) *bench {
	b := &bench{behind: &behind{ready: true}, listener: &listener{}, set: new(counters.Set)}
	b.port = newPort(s, 4, 0, b.listener, b.set)
	b.own = new(seam.Path).Tokens()
	b.port.Port = b.behind
	return b
}

// do issues an access and lets it go through; what the port behind got since.
func (b *bench) do(a seam.MemoryAccess) []seam.MemoryAccess {
	for !b.Ready(b.now) {
		b.step()
	}
	b.port.Issue(b.now, &a)
	return b.settle()
}

func (b *bench) step() {
	b.now++
	b.Cycle(b.now)
}

func (b *bench) settle() []seam.MemoryAccess {
	for range 8 {
		b.step()
	}
	for b.out.Len() > 0 {
		b.step()
	}
	got := b.behind.got
	b.behind.got = nil
	return got
}

func scattered(class trace.OpClass, space trace.Space, bytes uint8, mask uint32, addresses *[32]uint64, token uint32) seam.MemoryAccess {
	chunk := wtape.NewChunk()
	return seam.MemoryAccess{
		Class: class, Space: space, LaneBytes: bytes, Mask: mask, Token: token,
		Access: chunk.AddLanes(mask, addresses), Chunk: chunk,
	}
}

func strided(class trace.OpClass, space trace.Space, base uint64, stride int32, token uint32) seam.MemoryAccess {
	return seam.MemoryAccess{Class: class, Space: space, LaneBytes: 4, Mask: ^uint32(0), Token: token, Access: trace.Access{Base: base, Stride: stride, Lanes: -1}}
}

func TestMissesOfLanesCoalesceAndHitsNeedNothingBehind(t *testing.T) {
	b := newBench(testSection())
	got := b.do(strided(trace.ClassLoad, trace.SpaceGlobal, 4096, 4, 7))
	if len(got) != 1 || len(got[0].Lines) != 4 || got[0].Moves != 32 {
		t.Fatalf("32 lanes of 4 bytes fetch %+v", got)
	}
	for i, l := range got[0].Lines {
		if l.Address != 4096+uint64(i)*32 || l.HalfWords != 0xffff {
			t.Errorf("line %d is %+v", i, l)
		}
	}
	if again := b.do(strided(trace.ClassLoad, trace.SpaceGlobal, 4096, 4, 8)); len(again) != 0 || len(b.listener.completed) != 0 {
		t.Errorf("a load of lines on their way fetches %+v, completed %v", again, b.listener.completed)
	}
	b.Complete(b.now, got[0].Token)
	if !slices.Equal(b.listener.completed, []uint32{7, 8}) {
		t.Errorf("the fill completes %v", b.listener.completed)
	}
	if hit := b.do(strided(trace.ClassLoad, trace.SpaceGlobal, 4096, 4, 9)); len(hit) != 0 || b.listener.completed[2] != 9 {
		t.Errorf("a hit asks for %+v, completed %v", hit, b.listener.completed)
	}
	if b.inFlight() != 0 || b.set[firstCounter+countLineFill] != 32 || b.set[firstCounter+countCoalescedFill] != 4 {
		t.Errorf("%d in flight, %d line fills, %d coalesced", b.inFlight(), b.set[firstCounter+countLineFill], b.set[firstCounter+countCoalescedFill])
	}
}

func TestDirtyHalfWordsOfLanesAreMergedAtABarrier(t *testing.T) {
	b := newBench(testSection())
	halves := strided(trace.ClassStore, trace.SpaceShared, 62, 2, seam.NoToken)
	halves.LaneBytes = 2
	if got := b.do(halves); len(got) != 0 {
		t.Fatalf("a write miss asks for %+v", got)
	}
	b.Barrier(b.now, 0)
	got := b.settle()
	if len(got) != 1 || got[0].Space != trace.SpaceShared || len(got[0].Lines) != 3 {
		t.Fatalf("a barrier writes back %+v", got)
	}
	want := []seam.LinePart{{Address: 32, HalfWords: 0x8000}, {Address: 64, HalfWords: 0xffff}, {Address: 96, HalfWords: 0x7fff}} // by address
	if diff := cmp.Diff(want, got[0].Lines); diff != "" {
		t.Error(diff)
	}
	b.Barrier(b.now, 0)
	if again := b.settle(); len(again) != 0 {
		t.Errorf("a second barrier writes back %+v", again)
	}
}

func TestWhatMustNotBeCachedGoesPastBehindItsLine(t *testing.T) {
	for name, a := range map[string]seam.MemoryAccess{
		"atomic":    {Class: trace.ClassAtomic, LaneBytes: 4, Token: 3},
		"byte":      {Class: trace.ClassStore, LaneBytes: 1, Token: seam.NoToken},
		"cg load":   {Class: trace.ClassLoad, LaneBytes: 4, Bypass: true, Token: 3},
		"unaligned": {Class: trace.ClassLoad, LaneBytes: 16, Token: 3},
	} {
		b := newBench(testSection())
		b.do(strided(trace.ClassStore, trace.SpaceGlobal, 4096, 4, seam.NoToken))
		a.Space, a.Mask, a.Access = trace.SpaceGlobal, 3, trace.Access{Base: 4096 + 24, Stride: 4, Lanes: -1}
		got := b.do(a)
		// Lanes 0 and 1 hold words 0 and 1 of the line.
		if len(got) != 2 || len(got[0].Lines) != 1 || got[0].Lines[0] != (seam.LinePart{Address: 4096, HalfWords: 0b1111}) {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		if got[1].Class != a.Class || got[1].Lines != nil || got[1].Token != a.Token {
			t.Errorf("%s went past as %+v", name, got[1])
		}
	}
	b := newBench(testSection())
	for _, space := range []trace.Space{trace.SpaceLocal, trace.SpaceConst, trace.SpaceParam, trace.SpaceTexture} {
		if got := b.do(strided(trace.ClassLoad, space, 0, 4, 5)); len(got) != 1 || got[0].Lines != nil {
			t.Errorf("space %v: %+v", space, got)
		}
	}
}

// slowCache is a lane's cache as a list of lines, the last used one last.
type slowCache struct {
	lines []*slowEntry
}

type slowEntry struct {
	slowLine
	key     uint64
	pending bool
}

// twin is the slow obvious twin of the port: lane by lane, half-word by half-word.
type twin struct {
	s      *Section
	caches [lanes]slowCache
	// What an access makes: half-words written back, lines fetched.
	wrote   map[string]uint64
	fetched map[string]int
	past    uint32
	tally   tally
}

// tally counts what the twin does, by the names of counters.
type tally map[string]uint64

// check compares the counters of a port.
func (y tally) check(t *testing.T, seed uint64, set *counters.Set) {
	t.Helper()
	for id := range set {
		name := counters.Declared(counters.ID(id)).Name
		if got := set[id]; got != y[name] {
			t.Errorf("seed %d: %s is %d, counted one by one %d", seed, name, got, y[name])
		}
		delete(y, name)
	}
	if len(y) > 0 {
		t.Errorf("seed %d: without a counter: %v", seed, y)
	}
}

func (w *twin) name(space trace.Space, address uint64) string {
	return fmt.Sprintf("%v:%x", space, address/uint64(w.s.LineBytes)*uint64(w.s.LineBytes))
}

func (w *twin) set(key uint64) uint64 { return key % uint64(w.s.Entries/w.s.Ways) }

func (w *twin) remove(lane int, e *slowEntry, name string) {
	c := &w.caches[lane]
	c.lines = slices.DeleteFunc(c.lines, func(x *slowEntry) bool { return x == e })
	if dirty := e.replace(); dirty != 0 {
		w.wrote[name] |= dirty
		w.tally["tinycache_line_evictions"]++
	}
}

// place makes room; false when every line of the set is on its way.
func (w *twin) place(lane int, e *slowEntry, nameOf func(*slowEntry) string) bool {
	c := &w.caches[lane]
	var same []*slowEntry
	for _, x := range c.lines {
		if w.set(x.key) == w.set(e.key) {
			same = append(same, x)
		}
	}
	if len(same) == w.s.Ways {
		i := slices.IndexFunc(same, func(x *slowEntry) bool { return !x.pending })
		if i < 0 {
			w.tally["tinycache_unallocated"]++
			return false
		}
		w.remove(lane, same[i], nameOf(same[i]))
	}
	c.lines = append(c.lines, e)
	return true
}

func (w *twin) access(b *bench, a *seam.MemoryAccess, addresses *[32]uint64) {
	w.wrote, w.fetched, w.past = map[string]uint64{}, map[string]int{}, 0
	nameOf := func(e *slowEntry) string {
		return fmt.Sprintf("%v:%x", spaceOf(e.key), b.shape.addressOf(e.key))
	}
	n := w.s.LineBytes
	for lane := range lanes {
		if a.Mask>>lane&1 == 0 {
			continue
		}
		address := addresses[lane]
		key := b.shape.keyOf(address, a.Space == trace.SpaceShared, a.BlockSlot)
		var mask uint64
		for k := range int(a.LaneBytes) {
			mask |= 1 << ((int(address)%n + k) / 2)
		}
		c := &w.caches[lane]
		i := slices.IndexFunc(c.lines, func(e *slowEntry) bool { return e.key == key })
		var e *slowEntry
		if i >= 0 {
			e = c.lines[i]
			c.lines = append(slices.Delete(c.lines, i, i+1), e) // used last
		}
		if goesPast(a) {
			w.tally["tinycache_probes"]++
			if e != nil {
				w.remove(lane, e, nameOf(e))
			}
			continue
		}
		w.tally[map[bool]string{true: "tinycache_writes", false: "tinycache_reads"}[a.Class == trace.ClassStore]]++
		fresh := &slowEntry{key: key, slowLine: slowLine{valid: make([]bool, n/2), dirty: make([]bool, n/2)}}
		switch store := a.Class == trace.ClassStore; {
		case store && e != nil:
			w.tally["tinycache_write_hits"]++
			e.write(mask)
		case store:
			if w.place(lane, fresh, nameOf) {
				fresh.write(mask)
			} else {
				w.past |= 1 << lane
			}
		case e != nil && e.has(mask):
			w.tally["tinycache_read_hits"]++
		default:
			w.fetched[w.name(a.Space, address)]++
			if e != nil {
				w.tally["tinycache_read_half_word_misses"]++
			} else {
				if e = fresh; !w.place(lane, e, nameOf) {
					continue
				}
				e.there = true
			}
			e.fetch()
			e.pending = true
		}
	}
	if goesPast(a) {
		w.past = a.Mask
	}
	w.tally["tinycache_coalesced_fills"] += uint64(len(w.fetched))
	w.tally["tinycache_merged_evictions"] += uint64(len(w.wrote))
	for range bits.OnesCount32(w.past) {
		switch {
		case a.Space == trace.SpaceGlobal:
			w.tally["global_lanes"]++
		case a.Class == trace.ClassAtomic: // reads and writes its word
			w.tally["shared_lane_reads"]++
			w.tally["shared_lane_writes"]++
		case a.Class == trace.ClassLoad:
			w.tally["shared_lane_reads"]++
		default:
			w.tally["shared_lane_writes"]++
		}
	}
}

// fill is the arrival of everything that is on its way.
func (w *twin) fill() {
	for lane := range w.caches {
		for _, e := range w.caches[lane].lines {
			if e.pending {
				w.tally["tinycache_line_fills"]++
			}
			e.pending = false
		}
	}
}

// flush is what a barrier writes back. cycles is the time that it takes: one for each
// dirty line of the lane that has the most, and one at least where there is a line.
func (w *twin) flush(b *bench) (cycles clock.Cycle) {
	w.wrote, w.fetched, w.past = map[string]uint64{}, map[string]int{}, 0
	for lane := range w.caches {
		dirty := clock.Cycle(0)
		for _, e := range w.caches[lane].lines {
			if slices.Contains(e.dirty, true) {
				dirty++
			}
			cycles = max(cycles, dirty, 1)
		}
		for _, e := range slices.Clone(w.caches[lane].lines) {
			w.remove(lane, e, fmt.Sprintf("%v:%x", spaceOf(e.key), b.shape.addressOf(e.key)))
		}
	}
	if cycles > 0 {
		w.tally["tinycache_flushes"]++
	}
	w.tally["tinycache_merged_evictions"] += uint64(len(w.wrote))
	return cycles
}

// TestRandomStreamsDoWhatTheTwinDoes compares, access by access, what is written back,
// fetched and sent without the caches. Between barriers, what was written comes out,
// once. The union over lanes of the half-words written is that of those written back
// and of those that bypassed the caches. A flush closes the entry for as long as the
// twin says, and at the end every counter is what the twin has counted.
func TestRandomStreamsDoWhatTheTwinDoes(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 30, tracetest.Fewer(3, 5)) {
		random := rand.New(rand.NewPCG(seed, 5))
		s := testSection()
		s.Ways = []int{1, 2, 4}[random.IntN(3)]
		s.LineBytes = 16 << random.IntN(4)
		b, w := newBench(s), &twin{s: s, tally: tally{}}
		ledger, out := map[string]uint64{}, map[string]uint64{}
		var fills []uint32
		for step := range 400 {
			if random.IntN(12) == 0 {
				closed := w.flush(b)
				switch random.IntN(3) {
				case 0:
					b.Barrier(b.now, 0)
				case 1:
					b.Fence(b.now, 1)
				case 2:
					b.BlockEnd(b.now, 0, 0)
				}
				if got := b.entry - b.now; max(got, 0) != closed {
					t.Fatalf("seed %d step %d: a flush closes the entry for %d cycles, want %d", seed, step, got, closed)
				}
				compare(t, seed, step, w, b.settle(), out)
				if !maps.Equal(ledger, out) {
					t.Fatalf("seed %d step %d: written and written back differ:\n%s", seed, step, cmp.Diff(ledger, out))
				}
				clear(ledger)
				clear(out)
			}
			a, addresses := randomAccess(random, uint32(step))
			w.access(b, &a, &addresses)
			if a.Class == trace.ClassStore && !goesPast(&a) {
				for lane := range lanes {
					if a.Mask>>lane&1 != 0 && w.past>>lane&1 == 0 {
						at := int(addresses[lane]) % s.LineBytes
						for k := 0; k < int(a.LaneBytes); k += 2 {
							ledger[w.name(a.Space, addresses[lane])] |= 1 << ((at + k) / 2)
						}
					}
				}
			}
			got := b.do(a)
			fills = append(fills, compare(t, seed, step, w, got, out)...)
			if random.IntN(3) == 0 { // all fills come
				for _, f := range fills {
					b.Complete(b.now, f)
				}
				fills = nil
				w.fill()
			}
		}
		for _, f := range fills {
			b.Complete(b.now, f)
		}
		if b.inFlight() != 0 {
			t.Fatalf("seed %d: %d still in flight", seed, b.inFlight())
		}
		w.fill()
		w.tally.check(t, seed, b.set)
	}
}

func randomAccess(random *rand.Rand, token uint32) (seam.MemoryAccess, [32]uint64) {
	var addresses [32]uint64
	bytes := uint8(1) << random.IntN(5)
	for i := range addresses {
		addresses[i] = uint64(random.IntN(24)) * 16
		addresses[i] += uint64(random.IntN(16/int(bytes))) * uint64(bytes)
	}
	class := []trace.OpClass{trace.ClassLoad, trace.ClassLoad, trace.ClassStore, trace.ClassStore, trace.ClassAtomic}[random.IntN(5)]
	if class == trace.ClassAtomic && random.IntN(3) > 0 {
		class = trace.ClassLoad
	}
	space := []trace.Space{trace.SpaceGlobal, trace.SpaceShared}[random.IntN(2)]
	if class == trace.ClassStore {
		token = seam.NoToken
	}
	a := scattered(class, space, bytes, random.Uint32()|1, &addresses, token)
	a.WarpSlot = random.IntN(4)
	return a, addresses
}

// compare holds what went on against the twin; it gives the tokens of fetches.
func compare(t *testing.T, seed uint64, step int, w *twin, got []seam.MemoryAccess, out map[string]uint64) (fills []uint32) {
	t.Helper()
	wrote, fetched, past := map[string]uint64{}, map[string]int{}, uint32(0)
	for i := range got {
		a := &got[i]
		switch {
		case a.Lines == nil:
			past |= a.Mask
		case a.Class == trace.ClassLoad:
			fills = append(fills, a.Token)
		}
		for _, l := range a.Lines {
			name := fmt.Sprintf("%v:%x", a.Space, l.Address)
			if a.Class == trace.ClassLoad {
				fetched[name] = 0
			} else {
				if wrote[name]&l.HalfWords != 0 {
					t.Fatalf("seed %d step %d: %s is written back twice", seed, step, name)
				}
				wrote[name] |= l.HalfWords
				out[name] |= l.HalfWords
			}
		}
	}
	want := map[string]int{}
	for name := range w.fetched {
		want[name] = 0
	}
	if !maps.Equal(wrote, w.wrote) || !maps.Equal(fetched, want) || past != w.past {
		t.Fatalf("seed %d step %d:\nwritten back %s\nfetched %s\npast %d lanes, want %d", seed, step,
			cmp.Diff(w.wrote, wrote), cmp.Diff(want, fetched), bits.OnesCount32(past), bits.OnesCount32(w.past))
	}
	return fills
}

// The last warp of a thread block has the pending writes of all its warps, in every slot, and of no other block's.
func TestTheLastWarpHasTheWritesOfItsThreadBlock(t *testing.T) {
	for slot := range 3 {
		b := newBench(testSection())
		b.behind.ready = false // they stay in the queue
		for warp, block := range []int{slot, slot, slot + 1} {
			a := strided(trace.ClassStore, trace.SpaceGlobal, uint64(warp)<<12, 4, seam.NoToken)
			a.WarpSlot, a.BlockSlot = warp, block
			b.pass(b.now, &a)
			b.blockOf[warp] = block
		}
		before := []int{b.PendingWrites(0), b.PendingWrites(1), b.PendingWrites(2)}
		b.BlockEnd(b.now, slot, 1)
		if got := b.PendingWrites(1); !slices.Equal(before, []int{1, 1, 1}) || got != 2 {
			t.Errorf("slot %d: warps have %v writes; the last one has %d at the end of the thread block", slot, before, got)
		}
	}
}

// The last warp of a thread block waits for no stores of another thread block that pass the lanes, in either slot.
func TestTheLastWarpLeavesOutStoresOfOthersThatPass(t *testing.T) {
	section := testSection()
	section.Policy = "bypass_global"
	for slot := range 2 {
		b := newBench(section)
		b.behind.ready = false // stores stay in the queue
		for warp, block := range []int{slot, 1 - slot} {
			a := strided(trace.ClassStore, trace.SpaceGlobal, uint64(warp)<<12, 4, seam.NoToken)
			a.WarpSlot, a.BlockSlot = warp, block
			b.port.Issue(b.now, &a)
		}
		b.BlockEnd(b.now, slot, 0)
		if got := b.PendingWrites(0); got != 1 {
			t.Errorf("slot %d: the last warp has %d pending writes, want the one of its thread block", slot, got)
		}
	}
}

// An access that is none of the lanes' goes behind what waits, also when the port behind could take it.
func TestAnAccessThatPassesKeepsItsPlace(t *testing.T) {
	b := newBench(testSection())
	b.behind.ready = false
	for n := range uint32(2) {
		a := strided(trace.ClassLoad, trace.SpaceConst, uint64(n)<<12, 4, n+1)
		b.pass(b.now, &a)
		b.behind.ready = true
	}
	got := b.settle()
	if len(got) != 2 || got[0].Access.Base != 0 || got[1].Access.Base != 1<<12 {
		t.Errorf("the port behind gets %+v", got)
	}
}
