// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// asker uses a last-level cache as fast as it takes accesses.
type asker struct {
	down           seam.Lower
	first, lines   int
	asked          int
	waits          bool
	filled, missed map[uint32]int
}

func (a *asker) ask(now clock.Time) {
	for a.waits = false; a.asked < a.lines && !a.waits; {
		if !a.down.Read(now, uint64(a.first+a.asked)*128, 64, uint32(a.asked)) {
			a.waits = true
			return
		}
		a.asked++
	}
}

func (a *asker) Filled(now clock.Time, id uint32) { a.filled[id]++ }
func (a *asker) Missed(id uint32)                 { a.missed[id]++ }
func (a *asker) Room(now clock.Time)              { a.ask(now) }

func soc(t *testing.T) (*System, *counters.Set) {
	t.Helper()
	m, err := arch.Load("gpsim-soc")
	if err != nil {
		t.Fatal(err)
	}
	clocks, err := NewClocks(m)
	if err != nil {
		t.Fatal(err)
	}
	global := new(counters.Set)
	var sets []*counters.Set
	for range m.GPU.SMs {
		sets = append(sets, new(counters.Set))
	}
	s, err := New(m, clocks, sets, global)
	if err != nil {
		t.Fatal(err)
	}
	return s, global
}

func drain(s *System) {
	for at := s.NextEvent(); at != clock.NeverTime; at = s.NextEvent() {
		s.Advance(at)
	}
}

func TestUsersOfALastLevelCacheTakeTurns(t *testing.T) {
	const lines = 200
	s, global := soc(t)
	var users []*asker
	for i := range 3 {
		u := &asker{first: i % 2 * 10_000, lines: lines, filled: map[uint32]int{}, missed: map[uint32]int{}}
		u.down = s.JoinLastLevel(0, u)
		users = append(users, u)
	}
	for _, u := range users {
		u.ask(0)
	}
	drain(s)
	missed := 0
	for i, u := range users {
		if u.asked != lines || len(u.filled) != lines {
			t.Errorf("user %d has asked for %d of %d lines, and got %d", i, u.asked, lines, len(u.filled))
		}
		for id, n := range u.filled {
			if n != 1 {
				t.Errorf("user %d got line %d %d times", i, id, n)
			}
		}
		missed += len(u.missed)
	}
	// The first and the last want the same lines: each is fetched once.
	reads := global[counters.LLCRead]
	if reads != 3*lines || global[counters.LLCReadMiss] != 2*lines || uint64(missed) != global[counters.LLCReadMiss]+global[counters.LLCReadMerge] {
		t.Errorf("%d reads, %d misses and %d merges; users were told of %d", reads, global[counters.LLCReadMiss], global[counters.LLCReadMerge], missed)
	}
	if n := s.InFlight(); n != 0 {
		t.Errorf("%d are in flight", n)
	}
}

// told counts the ends of cleaning.
type told struct{ ids []uint32 }

func (w *told) CleanedL2(_ clock.Time, id uint32) { w.ids = append(w.ids, id) }

// sink takes what an L2 writes back, every third time only.
type sink struct {
	up      seam.Upper
	written []uint64
	calls   int
}

func (k *sink) Read(clock.Time, uint64, int, uint32) bool { return false }
func (k *sink) Write(_ clock.Time, address uint64, _ int) bool {
	if k.calls++; k.calls%3 != 0 {
		return false
	}
	k.written = append(k.written, address)
	return true
}

func TestAnL2WritesStretchesBackInOrderAndTellsTheirEnds(t *testing.T) {
	s, _ := soc(t)
	k, w := &sink{}, &told{}
	s.Divert(0, func(up seam.Upper) seam.Lower {
		k.up = up
		return k
	})
	l := s.slices[0]
	for i := range uint64(40) {
		at := l.tags.Victim(i * 64)
		l.tags.Replace(at, i*64)
		if i%2 == 0 {
			l.tags.Write(at, l.tags.SectorOf(i*64), l.tags.Bytes(l.tags.SectorOf(i*64)))
		}
	}
	s.CleanL2(0, seam.Lines{Mask: ^uint64(0), First: 0, Last: 19 * 64}, w, 1)
	s.CleanL2(0, seam.NoLines, w, 2)
	s.CleanL2(0, seam.Lines{Mask: ^uint64(0), First: 30 * 64, Last: 39 * 64}, w, 3)
	for now := clock.Time(0); len(w.ids) < 3 && now < 10_000; now++ {
		s.Advance(now)
		k.up.Room(now)
	}
	if len(w.ids) != 3 || w.ids[0] != 1 || w.ids[1] != 2 || w.ids[2] != 3 {
		t.Fatalf("ends %v", w.ids)
	}
	if len(k.written) != 10+5 {
		t.Errorf("%d lines written back, want the 15 dirty ones", len(k.written))
	}
	for i := range uint64(40) {
		if gone := l.tags.Find(i*64) < 0; gone != (i < 20 || i >= 30) {
			t.Errorf("line %d: gone is %v", i, gone)
		}
	}
}

// The end of each stretch is told once, however many there were before.
func TestTheEndOfAStretchIsToldOnce(t *testing.T) {
	s, _ := soc(t)
	w := &told{}
	for n := range uint32(50) {
		s.CleanL2(clock.Time(n)*1000, seam.NoLines, w, n)
		for now := clock.Time(0); now < 1000; now += 100 {
			s.Advance(clock.Time(n)*1000 + now)
		}
		if len(w.ids) != int(n)+1 || w.ids[n] != n {
			t.Fatalf("behind stretch %d the ends are %v", n, w.ids)
		}
	}
}
