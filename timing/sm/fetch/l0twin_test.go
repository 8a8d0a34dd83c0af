// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace/tracetest"
)

// A slow twin of the sub-cores' caches. Each has a list of lines, the one that was used last at the end, and a list of
// those in its stream buffer.
type l0Twin struct {
	sets, ways, entries uint64
	latency             clock.Cycle
	free                clock.Cycle
	cores               []l0TwinCore
}

type l0TwinCore struct {
	cached, stream []l0TwinLine
	behind         uint64 // the line for which the stream buffer asks next
}

type l0TwinLine struct {
	number uint64
	ready  clock.Cycle
}

func indexOf(list []l0TwinLine, number uint64) int {
	return slices.IndexFunc(list, func(e l0TwinLine) bool { return e.number == number })
}

func (l *l0Twin) put(c *l0TwinCore, number uint64, ready clock.Cycle) {
	if at := indexOf(c.cached, number); at >= 0 {
		c.cached = slices.Delete(c.cached, at, at+1)
	}
	inSet := func(e l0TwinLine) bool { return e.number%l.sets == number%l.sets }
	n := uint64(0)
	for _, e := range c.cached {
		if inSet(e) {
			n++
		}
	}
	if n == l.ways {
		oldest := slices.IndexFunc(c.cached, inSet)
		c.cached = slices.Delete(c.cached, oldest, oldest+1)
	}
	c.cached = append(c.cached, l0TwinLine{number, ready})
}

func (l *l0Twin) find(c *l0TwinCore, number uint64) (ready clock.Cycle, ok bool) {
	if at := indexOf(c.cached, number); at >= 0 {
		ready = c.cached[at].ready
		l.put(c, number, ready)
		return ready, true
	}
	at := indexOf(c.stream, number)
	if at < 0 {
		return 0, false
	}
	ready = c.stream[at].ready
	c.stream = c.stream[at+1:]
	l.put(c, number, ready)
	return ready, true
}

// promise gives the lines of the cache behind, one a cycle.
func (l *l0Twin) promise(now clock.Cycle) clock.Cycle {
	from := max(now, l.free)
	l.free = from + 1
	return from + l.latency
}

func (l *l0Twin) begin(c *l0TwinCore, number uint64) { c.stream, c.behind = nil, number+1 }

func (l *l0Twin) ahead(now clock.Cycle, c *l0TwinCore, has func(number uint64) bool) {
	for uint64(len(c.stream)) < l.entries && l.free <= now+clock.Cycle(l.entries) {
		e := l0TwinLine{number: c.behind}
		if at := indexOf(c.cached, e.number); at >= 0 {
			e.ready = c.cached[at].ready
		} else if !has(e.number) {
			return
		} else {
			e.ready = l.promise(now)
		}
		c.stream = append(c.stream, e)
		c.behind++
	}
}

// Random fetches of random caches of sub-cores find their lines in the same cycles as those of the twin, and ask the cache
// behind for the same lines.
func TestL0AsItsTwin(t *testing.T) {
	const line = 128
	for _, seed := range tracetest.Seeds(t, 400, 100) {
		random := rand.New(rand.NewPCG(seed, 17))
		cores, ways, sets, entries, latency := 1+random.IntN(4), 1+random.IntN(3), 1<<random.IntN(3), random.IntN(5), random.IntN(30)
		l := newL0(line*ways*sets, ways, entries, latency, cores)
		slow := &l0Twin{sets: uint64(sets), ways: uint64(ways), entries: uint64(entries), latency: clock.Cycle(latency), cores: make([]l0TwinCore, cores)}
		lacks := random.Uint64() & random.Uint64()
		var asked, wanted []uint64
		now := clock.Cycle(0)
		for step := range 200 {
			now += clock.Cycle(random.IntN(4) * random.IntN(6))
			w, number := random.IntN(8), uint64(random.IntN(30))
			if random.IntN(2) == 0 { // as code goes on
				number = (slow.cores[w%cores].behind + 30 - uint64(random.IntN(4))) % 30
			}
			c := &slow.cores[w%cores]
			ready, ok := l.Find(w, number*line)
			want, found := slow.find(c, number)
			if ok != found || ok && ready != want {
				t.Fatalf("seed %d, step %d: line %d is there: %v in cycle %d, want %v in %d", seed, step, number, ok, ready, found, want)
			}
			switch {
			case ok:
			case lacks>>number&1 != 0:
				for range 1 + random.IntN(2) { // a line may serve two warps of the sub-core
					l.Come(now, w, number*line)
					slow.begin(c, number)
					slow.put(c, number, now)
				}
			default:
				ready = l.Take(now, w, number*line)
				slow.begin(c, number)
				want = slow.promise(now)
				slow.put(c, number, want)
				if ready != want {
					t.Fatalf("seed %d, step %d: line %d comes in cycle %d, want %d", seed, step, number, ready, want)
				}
			}
			l.Ahead(now, w, func(address uint64) bool {
				asked = append(asked, address)
				return lacks>>(address/line)&1 == 0
			})
			slow.ahead(now, c, func(number uint64) bool {
				wanted = append(wanted, number*line)
				return lacks>>number&1 == 0
			})
			if !slices.Equal(asked, wanted) {
				t.Fatalf("seed %d, step %d: asks for %v, want %v", seed, step, asked, wanted)
			}
			if step%70 == 69 {
				l.Clear()
				for i := range slow.cores {
					slow.cores[i] = l0TwinCore{}
				}
			}
		}
	}
}

// Each sub-core fetches for its own warps, round robin, the urgent ones first.
func TestASubCoreFetchesForItsOwnWarps(t *testing.T) {
	for _, cores := range []int{1, 2, 3, 4} {
		random := rand.New(rand.NewPCG(uint64(cores), 19))
		l, f := newL0(4096, 4, 0, 30, cores), &Buffers{}
		last := make([]int, cores)
		for i := range last {
			last[i] = warpset.Max - 1
		}
		for range 200 {
			var wanted, urgent warpset.Set
			for w := range warpset.Max {
				if random.IntN(16) == 0 {
					wanted.Add(w)
				}
				if random.IntN(16) == 0 {
					urgent.Add(w)
				}
			}
			core := random.IntN(cores)
			f.wanted, f.urgent = wanted, urgent
			want, first := -1, false
			for i := range warpset.Max { // those behind the last, and then from the beginning
				w := (last[core] + 1 + i) % warpset.Max
				if wanted.Has(w) && w%cores == core && (want < 0 || urgent.Has(w) && !first) {
					want, first = w, urgent.Has(w)
				}
			}
			w, ok := l.Next(core, f)
			if ok != (want >= 0) || ok && w != want {
				t.Fatalf("%d sub-cores: %d fetches for warp %d (%v), want %d", cores, core, w, ok, want)
			}
			if ok {
				last[core] = w
			}
		}
		if l.Cores() != cores {
			t.Errorf("%d sub-cores, want %d", l.Cores(), cores)
		}
	}
}

// What is on its way to a sub-core comes to the warp that waits for it, and no line of the port's ends that wait.
func TestALineOnItsWayIsNoLineOfThePorts(t *testing.T) {
	f := buffers(2, 4, 32)
	f.Enter(1, 3, 20)
	f.Update(1)
	address, n := f.Request(1)
	f.AwaitL0(1, address, n)
	if f.Awaited(1) != address || f.Awaiting() != warpset.Of(1) || !f.Wanted().Empty() {
		t.Errorf("awaiting %v the line %#x, wanted %v", f.Awaiting(), f.Awaited(1), f.Wanted())
	}
	if w, _, ok := f.Arrived(address); ok {
		t.Errorf("a line of the port's serves warp %d", w)
	}
	if got := f.FromL0(1); got != n || !f.Awaiting().Empty() {
		t.Errorf("%d instructions come, want %d; awaiting %v", got, n, f.Awaiting())
	}
	if f.Update(1); !f.Wanted().Has(1) {
		t.Error("a warp that has its line wants no more")
	}
}

// No line that the cache behind has comes later than Longest says, where each warp waits for one and stream buffers are full.
func TestNoLineComesLaterThanTheLongest(t *testing.T) {
	for _, c := range []struct{ latency, entries, warps, cores int }{{20, 8, 16, 4}, {1, 0, 48, 1}, {30, 16, 1, 1}, {5, 4, 64, 2}} {
		l := newL0(4096, 4, c.entries, c.latency, c.cores)
		latest := clock.Cycle(0)
		for w := range c.warps {
			latest = max(latest, l.Take(7, w, uint64(w)<<20)-7)
			l.Ahead(7, w, func(uint64) bool { return true })
		}
		if longest := clock.Cycle(l.Longest(c.warps)); latest > longest || longest < clock.Cycle(c.latency+c.warps+c.entries) {
			t.Errorf("%+v: a line comes after %d cycles, %d are said to be the longest", c, latest, longest)
		}
	}
	if n := (*L0)(nil).Longest(8); n != 0 {
		t.Errorf("without caches the longest wait is of %d cycles", n)
	}
}
