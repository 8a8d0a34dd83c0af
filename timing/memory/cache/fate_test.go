// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/limits"
)

// step is one of a cache's life: 'r', a read of a sector; 'd', the drop of a line; 'a', the
// arrival of the oldest miss.
type step struct {
	does   byte
	line   uint64
	sector int
}

func reads(lines ...uint64) (list []step) {
	for _, l := range lines {
		list = append(list, step{'r', l * 128, 0}, step{does: 'a'})
	}
	return list
}

// life performs steps on a new cache of lines of two sectors. It tells what each came to, and gives the
// machine with that cache and its certificate.
func life(c arch.Cache, steps []step) (string, *arch.Machine, *limits.Certificate) {
	const section = "l1"
	c.LineBytes, c.SectorBytes, c.MSHRMerges = 128, 64, 8
	tags, registers := NewTags(&c), NewMSHRs(c.MSHRs, c.MSHRMerges)
	var coming []int // registers
	var said []byte
	for _, s := range steps {
		i := tags.Find(s.line)
		sector := Sectors(1) << s.sector
		came := byte('h')
		switch {
		case s.does == 'a' && len(coming) > 0:
			line, sector := registers.Sector(coming[0])
			tags.Fill(line, sector)
			tags.Settle(line)
			registers.Release(coming[0])
			coming = coming[1:]
			came = 'a'
		case s.does == 'a' || s.does == 'd' && (i < 0 || tags.Pending(i) != 0):
			came = '-'
		case s.does == 'd':
			tags.Drop(i)
			came = 'd'
		case i >= 0 && tags.Pending(i)&sector != 0:
			came = 'w'
		case i >= 0 && tags.Valid(i)&sector != 0:
			tags.Use(i)
		case registers.Lacks(1, 0) || i < 0 && tags.Victim(s.line) < 0:
			came = 'x'
		default:
			if i < 0 {
				i = tags.Victim(s.line)
				tags.Replace(i, s.line)
			}
			m := registers.Take(i, s.sector)
			tags.Await(i, s.sector, m)
			coming = append(coming, m)
			came = 'm'
		}
		said = append(said, came)
	}
	m, x := new(arch.Machine), new(limits.Certificate)
	*m.CacheOf(section) = c
	registers.Certify(x, section, 0)
	tags.Certify(x, section, &c)
	return string(said), m, x
}

// randomCache is a small one.
func randomCache(r *rand.Rand) arch.Cache {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	sets, ways := 1<<r.IntN(4), 1+r.IntN(4)
	return arch.Cache{Bytes: sets * ways * 128, Ways: ways, MSHRs: 1 + r.IntN(4), Index: pick("linear", "linear", "xor"), Replacement: pick("lru", "fifo", "random")}
}

// A certificate of a cache's life covers another cache only if all steps come to the same there.
func TestACertifiedCacheAnswersAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 60))
	covered, others := 0, 0
	for range 600 {
		own := randomCache(r)
		own.Allocate = []string{"on_miss", "on_fill"}[r.IntN(2)]
		lines, drops := 1+r.Uint64N(9), r.IntN(2)
		var steps []step
		for range 1 + r.IntN(40) {
			s := step{"rrraaadd"[r.IntN(6+2*drops)], r.Uint64N(lines) * 128 * (1 + r.Uint64N(2)), r.IntN(2)}
			steps = append(steps, s)
		}
		said, m, x := life(own, steps)
		for range 12 {
			other := randomCache(r)
			if r.IntN(2) == 0 {
				other.MSHRs = own.MSHRs
			}
			if r.IntN(4) == 0 {
				n := other.MSHRs
				other = own
				other.MSHRs = n
			}
			other.Allocate = own.Allocate
			there, to, _ := life(other, steps)
			others++
			if !x.Covers(m, to) {
				continue
			}
			covered++
			if there != said {
				t.Fatalf("%+v\nis said to do what this does:\n%+v\nof %v one has %s, the other %s", other, own, steps, there, said)
			}
		}
	}
	if covered < others/10 {
		t.Errorf("%d of %d are covered", covered, others)
	}
}

// What the certificate of a life has to cover, and what it cannot.
func TestACertificateKnowsWhereLinesFindPlaces(t *testing.T) {
	cache := func(sets, ways int, index string) arch.Cache {
		return arch.Cache{Bytes: sets * ways * 128, Ways: ways, MSHRs: 2, Index: index, Replacement: "lru"}
	}
	more := cache(4, 2, "linear")
	more.MSHRs = 5
	dropped := append(reads(0, 1, 2, 3), step{'d', 3 * 128, 0})
	for _, c := range []struct {
		what  string
		steps []step
		other arch.Cache
		want  bool
	}{
		{"the same sets", reads(0, 1, 2, 3), cache(4, 3, "linear"), true},
		{"fewer sets that suffice", reads(0, 1, 2, 3), cache(2, 2, "linear"), true},
		{"fewer sets that do not", reads(0, 1, 2, 3), cache(1, 3, "linear"), false},
		{"fewer ways that suffice", reads(0, 1, 2, 3), cache(4, 1, "linear"), true},
		{"fewer ways that do not", reads(0, 4), cache(4, 1, "linear"), false},
		{"another index", reads(0, 1, 2, 3), cache(4, 2, "xor"), true},
		{"a line was dropped: more ways", dropped, cache(4, 3, "linear"), true},
		{"a line was dropped: another policy", dropped, arch.Cache{Bytes: 8 * 128, Ways: 2, MSHRs: 2, Index: "linear", Replacement: "fifo"}, true},
		{"a line was dropped: sets that are parts of those", dropped, cache(8, 2, "linear"), true},
		{"a line was dropped: fewer sets", dropped, cache(2, 4, "linear"), false},
		{"a line was dropped: fewer ways", dropped, cache(4, 1, "linear"), false},
		{"a line was dropped: another index", dropped, cache(4, 2, "xor"), false},
		{"a line made room", reads(0, 4, 8), cache(4, 3, "linear"), false},
		{"more registers", reads(0, 1, 2, 3), more, true},
	} {
		for _, allocate := range []string{"on_miss", "on_fill"} {
			own := cache(4, 2, "linear")
			own.Allocate, c.other.Allocate = allocate, allocate
			_, m, x := life(own, c.steps)
			_, to, _ := life(c.other, nil)
			if got := x.Covers(m, to); got != c.want {
				t.Errorf("%s, %s: covered is %v, misses %q", allocate, c.what, got, x.Misses(m, to))
			}
		}
	}
}

// All ways of a set wait, and another line finds none, whatever the number of registers. A certificate refuses other
// numbers of registers only where lines wait in a fill buffer, whose size they are.
func TestALineWithoutAPlaceRefusesTheSizeOfAFillBuffer(t *testing.T) {
	for allocate, want := range map[string]bool{"on_miss": true, "on_fill": false} {
		c := arch.Cache{Bytes: 128, Ways: 1, MSHRs: 6, Index: "linear", Replacement: "lru", Allocate: allocate}
		said, _, x := life(c, []step{{'r', 0, 0}, {'r', 128, 0}, {does: 'a'}, {'r', 0, 1}, {does: 'a'}})
		if _, ok := x.Least("l1.mshrs"); ok != want {
			t.Errorf("%s: a least number of registers is %v; the steps came to %s", allocate, ok, said)
		}
	}
}

// Of a cache whose ways were not all its own, and of none at all, nothing is known.
func TestACertificateRefusesWhatItCannotCompare(t *testing.T) {
	c := arch.Cache{Bytes: 2 * 128, Ways: 2, LineBytes: 128, SectorBytes: 128, MSHRs: 1, Index: "linear"}
	more := c
	more.Bytes, more.Ways = 3*128, 3
	for _, shares := range []bool{false, true} {
		tags, x := NewTags(&c), new(limits.Certificate)
		if shares {
			tags.UseWays(1)
			tags.UseWays(2)
		}
		tags.Certify(x, "l1", &c)
		own, other, without := new(arch.Machine), new(arch.Machine), new(arch.Machine)
		*own.CacheOf("l1"), *other.CacheOf("l1") = c, more
		if x.Covers(own, other) == shares || x.Covers(own, without) {
			t.Errorf("ways were something else's: %t; more ways are covered: %t, no cache %t", shares, x.Covers(own, other), x.Covers(own, without))
		}
	}
}
