// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace/tracetest"
)

const twinWarps = 6

// A slow twin of the buffers has each instruction by itself, and finds all that it is asked anew.
type twin struct {
	m        *arch.Machine
	base     uint64
	warps    [twinWarps]twinWarp
	decoding []twinDelivery // in the order of delivery
	asked    []int          // the warps that wait for a line, in the order in which they asked
	arrived  []int          // those whose line has come, in the order in which it did
}

type twinWarp struct {
	next, end    uint32
	held, ready  int // instructions in the buffer, and those that are decoded
	redirected   bool
	follows      bool
	waits, came  bool
	line         uint64
	count        int
	short, stray bool
	astray       uint32
}

type twinDelivery struct {
	at    clock.Cycle
	w, of int
}

func (b *twin) width() int { return min(b.m.SM.FetchWidth, b.m.SM.InstructionBuffer) }

func (b *twin) wanted() (s warpset.Set) {
	for w := range b.warps {
		p := &b.warps[w]
		held := p.follows || p.waits
		room := p.held+b.width() <= b.m.SM.InstructionBuffer
		if p.came || !held && (p.stray || !p.redirected && room && p.next < p.end) {
			s.Add(w)
		}
	}
	return s
}

func (b *twin) awaiting() (s warpset.Set) {
	for w := range b.warps {
		if b.warps[w].waits {
			s.Add(w)
		}
	}
	return s
}

// request adds instruction after instruction while the next is on the path and begins and ends in the line of the first.
// A line that is shorter than an instruction gives one.
func (b *twin) request(w int) (address uint64, count int) {
	p := &b.warps[w]
	first, end := p.next, p.end
	if p.stray {
		first, end = p.astray, p.astray+1
	}
	bytes, line := uint64(b.m.SM.InstructionBytes), uint64(b.m.Instruction.LineBytes)
	start := b.base + uint64(first)*bytes
	for count = 1; count < b.width() && first+uint32(count) < end; count++ {
		if last := start + uint64(count+1)*bytes - 1; line > 0 && !b.m.SM.FetchAcrossLines && last/line != start/line {
			break
		}
	}
	if line > 0 {
		start = start / line * line
	}
	return start, count
}

func (b *twin) deliver(w, count int, at clock.Cycle) (first uint32) {
	p := &b.warps[w]
	first = p.next
	p.next += uint32(count)
	p.held += count
	p.short = p.next == p.end && count < b.width()
	b.decoding = append(b.decoding, twinDelivery{at, w, count})
	return first
}

// fetchMachine is one whose lines hold several instructions, or none are.
func fetchMachine(random *rand.Rand) *arch.Machine {
	return &arch.Machine{
		SM: arch.SM{
			FetchWidth: 1 + random.IntN(4), InstructionBuffer: 1 + random.IntN(8), InstructionBytes: []int{8, 16}[random.IntN(2)],
			FetchAcrossLines: random.IntN(3) == 0, FetchPastBranches: random.IntN(2) == 0, FetchArrivals: random.IntN(2) == 0,
		},
		Instruction: arch.Cache{LineBytes: []int{0, 32, 128}[random.IntN(3)]},
	}
}

// Random warps on random machines are fetched for as the twin says: what is wanted, from where, in which order lines are
// taken, and when instructions are decoded.
func TestBuffersAsTheirTwin(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 400, 60) {
		random := rand.New(rand.NewPCG(seed, 13))
		m := fetchMachine(random)
		f := New(m, twinWarps-1)
		f.Grow(twinWarps)
		x := &fetching{random: random, f: &f, slow: &twin{m: m, base: uint64(8 * random.IntN(100))}}
		f.Begin(x.slow.base)
		for w := range twinWarps {
			x.enter(w)
			f.Update(w)
		}
		for now := clock.Cycle(1); now < 200; now++ {
			x.cycle(t, now)
			if t.Failed() {
				t.Fatalf("seed %d, cycle %d: %+v", seed, now, m.SM)
			}
		}
	}
}

type fetching struct {
	random *rand.Rand
	f      *Buffers
	slow   *twin
	last   int
}

func (x *fetching) enter(w int) {
	p := &x.slow.warps[w]
	index := uint32(x.random.IntN(50))
	p.next, p.end = index+uint32(p.held), index+uint32(p.held)+uint32(x.random.IntN(9))
	x.f.Enter(w, index, p.end)
}

func (x *fetching) cycle(t *testing.T, now clock.Cycle) {
	t.Helper()
	x.decode(t, now)
	for w := range twinWarps {
		switch x.random.IntN(6) {
		case 0, 1:
			x.issue(t, w)
		case 2:
			if p := &x.slow.warps[w]; p.redirected {
				p.redirected = false
				x.f.Resolved(w)
			}
		case 3:
			x.restart(w)
		}
	}
	x.arrive(t, now)
	x.look(t)
	if wanted := x.slow.wanted(); !wanted.Empty() {
		x.fetch(t, now, wanted)
	}
	x.look(t)
}

// decode has those warps decode whose instructions are due, in the order of delivery.
func (x *fetching) decode(t *testing.T, now clock.Cycle) {
	t.Helper()
	for {
		list := x.slow.decoding
		due := len(list) > 0 && list[0].at <= now
		w, ok := x.f.Decoded(now)
		if ok != due || ok && w != list[0].w {
			t.Errorf("warp %d is decoded: %v, want %v", w, ok, list)
		}
		if !ok || !due {
			return
		}
		x.slow.warps[w].ready += list[0].of
		x.slow.decoding = list[1:]
	}
}

// issue takes an instruction. A warp whose buffer is empty at the end of its path goes on elsewhere; what is fetched
// behind a branch before that may be for nothing.
func (x *fetching) issue(t *testing.T, w int) {
	t.Helper()
	p := &x.slow.warps[w]
	if p.ready > 0 && !p.follows {
		p.ready--
		p.held--
		x.f.Take(w)
	}
	if p.held == 0 && p.next == p.end && !p.redirected && !p.waits && !p.follows {
		last := p.end
		x.enter(w)
		switch {
		case x.slow.m.SM.FetchPastBranches:
			p.redirected = true
			if !p.short {
				p.stray, p.astray = true, last
			}
			if x.f.Stray(w, last) != p.short {
				t.Errorf("warp %d: what is behind the branch has been fetched: %v", w, !p.short)
			}
		case x.random.IntN(2) == 0:
			p.redirected = true
			x.f.Redirect(w)
		}
	}
	x.f.Update(w)
}

// restart makes warps follow another, and others no more, while nothing is under way.
func (x *fetching) restart(w int) {
	quiet := len(x.slow.decoding) == 0 && x.slow.awaiting().Empty()
	if !quiet || x.random.IntN(4) > 0 {
		return
	}
	followers := warpset.Set{}
	for v := range twinWarps {
		if x.slow.warps[v].follows != (v == w) {
			followers.Add(v)
		}
	}
	for rest := x.f.Follow(followers); !rest.Empty(); rest = rest.Rest() {
		v := rest.Lowest()
		p := &x.slow.warps[v]
		*p = twinWarp{next: p.end, end: p.end, follows: followers.Has(v), redirected: p.redirected, stray: p.stray, astray: p.astray}
		x.f.Restart(v, p.end)
	}
}

// arrive brings one of the lines that warps wait for.
func (x *fetching) arrive(t *testing.T, now clock.Cycle) {
	t.Helper()
	if len(x.slow.asked) == 0 || x.random.IntN(3) > 0 {
		return
	}
	line := x.slow.warps[x.slow.asked[x.random.IntN(len(x.slow.asked))]].line
	if x.f.InTurn() {
		x.f.Arrive(line)
		for _, w := range x.slow.asked {
			if p := &x.slow.warps[w]; p.line == line && !p.came {
				p.came = true
				x.slow.arrived = append(x.slow.arrived, w)
			}
		}
		return
	}
	waiting := slices.Clone(x.slow.asked)
	slices.Sort(waiting)
	for _, want := range waiting {
		if x.slow.warps[want].line == line {
			w, count, ok := x.f.Arrived(line)
			if !ok || w != want {
				t.Errorf("line %#x serves warp %d (%v), want %d", line, w, ok, want)
				return
			}
			x.comes(t, now, w, count)
		}
	}
	if w, _, ok := x.f.Arrived(line); ok {
		t.Errorf("line %#x serves warp %d, too", line, w)
	}
}

// comes is the end of a warp's wait.
func (x *fetching) comes(t *testing.T, now clock.Cycle, w, count int) {
	t.Helper()
	p := &x.slow.warps[w]
	if count != p.count {
		t.Errorf("warp %d takes %d instructions, want %d", w, count, p.count)
	}
	p.waits, p.came = false, false
	x.slow.asked = slices.DeleteFunc(x.slow.asked, func(v int) bool { return v == w })
	x.delivered(t, now, w, count)
}

func (x *fetching) delivered(t *testing.T, now clock.Cycle, w, count int) {
	t.Helper()
	p := &x.slow.warps[w]
	stray := p.stray
	if p.stray = false; x.f.TakeStray(w) != stray {
		t.Errorf("warp %d: what comes is for nothing: %v", w, !stray)
	}
	if stray {
		return
	}
	at := now + 1 + now/50
	if got, want := x.f.Deliver(w, count, at), x.slow.deliver(w, count, at); got != want {
		t.Errorf("warp %d: %d is delivered, want %d", w, got, want)
	}
}

// fetch fetches for the next warp: a line that has come in turn, one that is there, or one that is awaited.
func (x *fetching) fetch(t *testing.T, now clock.Cycle, wanted warpset.Set) {
	t.Helper()
	w, count, ok := x.f.NextArrived()
	if ok != (len(x.slow.arrived) > 0) || ok && w != x.slow.arrived[0] {
		t.Errorf("warp %d takes a line that has come: %v, want %v", w, ok, x.slow.arrived)
		return
	}
	if ok {
		x.slow.arrived = x.slow.arrived[1:]
		x.comes(t, now, w, count)
		return
	}
	next := (x.last + 1) % twinWarps
	for !wanted.Has(next) {
		next = (next + 1) % twinWarps
	}
	if w = x.f.Next(x.last); w != next {
		t.Errorf("after warp %d comes %d, want %d", x.last, w, next)
		return
	}
	x.last = w
	address, n := x.f.Request(w)
	if wantAddress, want := x.slow.request(w); address != wantAddress || n != want {
		t.Errorf("warp %d: %d instructions of line %#x, want %d of %#x", w, n, address, want, wantAddress)
	}
	if x.random.IntN(2) == 0 {
		x.delivered(t, now, w, n)
		return
	}
	p := &x.slow.warps[w]
	p.waits, p.line, p.count = true, address, n
	x.slow.asked = append(x.slow.asked, w)
	x.f.Await(w, address, n)
}

// look compares what can be seen.
func (x *fetching) look(t *testing.T) {
	t.Helper()
	if got, want := x.f.Wanted(), x.slow.wanted(); got != want {
		t.Errorf("wanted %v, want %v", got, want)
	}
	if got, want := x.f.Awaiting(), x.slow.awaiting(); got != want {
		t.Errorf("awaiting %v, want %v", got, want)
	}
	due := clock.Never
	if len(x.slow.decoding) > 0 {
		due = x.slow.decoding[0].at
	}
	if x.f.Due() != due || x.f.Busy() != (due < clock.Never || !x.slow.awaiting().Empty()) {
		t.Errorf("due in %d, want %d; busy %v", x.f.Due(), due, x.f.Busy())
	}
	quiet := x.slow.awaiting().Empty()
	for w := range twinWarps {
		p := &x.slow.warps[w]
		if got := x.f.Ready(w); got != (p.ready > 0 || p.follows) {
			t.Errorf("warp %d is ready: %v", w, got)
		}
		if p.waits && x.f.Awaited(w) != p.line {
			t.Errorf("warp %d awaits %#x, want %#x", w, x.f.Awaited(w), p.line)
		}
		if quiet && w == 0 && x.f.Quiet(warpset.Of(0)) != (p.held == p.ready) {
			t.Errorf("warp 0 is quiet with %d instructions, %d decoded", p.held, p.ready)
		}
	}
}
