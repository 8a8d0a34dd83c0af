// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
)

func newL0(bytes, ways, stream, latency, schedulers int) *L0 {
	return NewL0(&arch.Machine{
		SM:          arch.SM{Schedulers: schedulers, L0: arch.L0{Bytes: bytes, Ways: ways, StreamLines: stream}},
		Instruction: arch.Cache{Bytes: 1 << 17, LineBytes: 128, LatencyCycles: latency},
	})
}

// A sub-core keeps as many lines as its cache has. Code that goes round in a little more
// misses every line in a fully associative cache, as the oldest line goes first.
func TestASubCoreKeepsTheLinesThatItUsedLast(t *testing.T) {
	const lines = 8
	for _, c := range []struct{ loop, missing int }{{lines, lines}, {lines + 1, 3 * (lines + 1)}} {
		l := newL0(lines*128, lines, 0, 10, 4)
		misses, now := 0, clock.Cycle(0)
		for range 3 {
			for n := range c.loop {
				if _, ok := l.Find(1, uint64(n)*128); !ok {
					misses++
					l.Take(now, 1, uint64(n)*128)
				}
				now += 100
			}
		}
		if misses != c.missing {
			t.Errorf("a loop of %d lines in %d misses %d of them in three rounds, want %d", c.loop, lines, misses, c.missing)
		}
		if _, ok := l.Find(2, 0); ok {
			t.Error("another sub-core has a line that it never asked for")
		}
	}
}

// The cache behind gives a line a cycle, whoever asks.
func TestTheCacheBehindGivesALineACycle(t *testing.T) {
	l := newL0(4096, 4, 0, 30, 4)
	for w := range 4 {
		if at, want := l.Take(100, w, 0), clock.Cycle(130+w); at != want {
			t.Errorf("sub-core %d has its line in cycle %d, want %d", w, at, want)
		}
	}
	if at := l.Take(200, 0, 128); at != 230 {
		t.Errorf("a line alone comes in cycle %d, want 230", at)
	}
}

// Behind a miss come as many lines as the stream buffer has entries, a cycle apart, up to the first
// that the cache behind lacks. A line that is taken makes room for one more, and goes into the
// cache, which no other line of the stream does.
func TestAStreamBufferAsksForTheLinesThatFollow(t *testing.T) {
	const latency, stream = 20, 4
	l := newL0(4*128, 4, stream, latency, 1)
	limit := uint64(100)
	has := func(address uint64) bool { return address < limit*128 }
	cached := func(n uint64) bool { return l.find(&l.cores[0], n*128) != nil }
	l.Take(0, 0, 0)
	l.Ahead(0, 0, has)
	for n := range uint64(8) {
		if c := &l.cores[0]; (n*128 >= c.head && n*128 < c.next) != (n >= 1 && n <= stream) || cached(n) != (n == 0) {
			t.Errorf("line %d: the stream is from %d to %d, in the cache %v", n, c.head, c.next, cached(n))
		}
	}
	for n := range uint64(4) {
		if at, ok := l.Find(0, n*128); !ok || at != clock.Cycle(latency+n) || !cached(n) {
			t.Errorf("line %d: %v, in cycle %d, in the cache %v", n, ok, at, cached(n))
		}
	}
	limit = 6
	l.Ahead(50, 0, has)
	if at, ok := l.Find(0, 5*128); !ok || at != 50+latency {
		t.Errorf("a line that the cache behind has comes in cycle %d", at)
	}
	if _, ok := l.Find(0, 6*128); ok {
		t.Error("a line came that the cache behind lacks")
	}
	if _, ok := l.Find(0, 4*128); ok {
		t.Error("the stream went past a line, and has it")
	}
}

// A stream buffer asks for as many lines as it has entries, and for those alone which the cache behind begins to give
// in as many cycles.
func TestAStreamBufferDoesNotOverrunTheCacheBehind(t *testing.T) {
	const entries = 4
	for _, c := range []struct{ before, now, lines int }{{1, 200, entries}, {1, 100, entries}, {6, 101, 0}, {5, 101, 1}, {5, 102, 2}, {7, 104, 2}} {
		l := newL0(4096, 4, entries, 30, 2)
		for n := range c.before { // by the other sub-core, a line a cycle from 100 on
			l.Take(100, 1, uint64(n)*128)
		}
		l.Come(clock.Cycle(c.now), 0, 1<<14)
		var asked []uint64
		l.Ahead(clock.Cycle(c.now), 0, func(address uint64) bool { asked = append(asked, address); return true })
		for n, at := range asked {
			if at != 1<<14+128*uint64(n+1) {
				t.Errorf("%+v: asks for %#x", c, asked)
				break
			}
		}
		if len(asked) != c.lines {
			t.Errorf("%+v: asks for %d lines", c, len(asked))
		}
	}
}
