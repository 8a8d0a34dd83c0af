// SPDX-License-Identifier: Apache-2.0

package prefetch

import (
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// A table of strides compares 32 bits of an instruction and 6 of a warp. It keeps a line of 40
// bits, a stride of 32 and two bits of state (the comment at stridePolicy).
func TestTheTableOfAPrefetcherIsAStructureOfTheChip(t *testing.T) {
	m := &arch.Machine{}
	m.GPU.SMs = 15
	m.L1 = arch.Cache{Bytes: 16 << 10, LineBytes: lineBytes, Prefetcher: "stride(entries=32)"}
	for _, c := range []struct {
		word      string
		tag, data int
	}{{"stride(entries=32)", 38, 74}, {"stride(entries=32,per_warp=0)", 32, 74}} {
		m.L1.Prefetcher = c.word
		list := section{}.Structures(m)
		if len(list) != 1 {
			t.Fatalf("%s: %d structures: there is no L2", c.word, len(list))
		}
		if s := &list[0]; s.Path != "chip/sm/prefetcher" || s.Count != 15 || s.Entries != 32 || s.TagBits != c.tag || s.EntryBits != c.data {
			t.Errorf("%s: %+v", c.word, *s)
		}
	}
	for _, word := range []string{"", None, "next-line", "nothing"} {
		if m.L1.Prefetcher = word; len(section{}.Structures(m)) != 0 {
			t.Errorf("%q has a table", word)
		}
	}
}

func TestNewMakesWhatAKeySays(t *testing.T) {
	c := arch.Cache{Bytes: 16 << 10, LineBytes: lineBytes, Prefetcher: "next-line(degree=2)"}
	p, err := New(L1Key, &c)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, feed(p, 10), []uint64{11, 12})
	for _, none := range []arch.Cache{{Bytes: 1024, Prefetcher: None}, {Bytes: 1024}, {Prefetcher: "next-line"}} {
		if p, err := New(L1Key, &none); p != nil || err != nil {
			t.Errorf("%+v gives %v, %v", none, p, err)
		}
	}
	for _, wrong := range []string{"nothing", "next-line(", "next-line(step=2)"} {
		c.Prefetcher = wrong
		word, _, _ := strings.Cut(wrong, "(")
		if p, err := New(L1Key, &c); p != nil || err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s gives %v, %v", wrong, p, err)
		}
	}
}

// A machine has prefetchers if a cache that is there names one.
func TestPrefetchersAreOfCachesThatNameOne(t *testing.T) {
	for _, c := range []struct {
		l1, l2 arch.Cache
		want   bool
	}{
		{arch.Cache{Bytes: 1, Prefetcher: "stride"}, arch.Cache{}, true},
		{arch.Cache{}, arch.Cache{Bytes: 1, Prefetcher: "stride"}, true},
		{arch.Cache{Bytes: 1, Prefetcher: "stride"}, arch.Cache{Bytes: 1, Prefetcher: "adjacent"}, true},
		{arch.Cache{Prefetcher: "stride"}, arch.Cache{Prefetcher: "stride"}, false},
		{arch.Cache{Bytes: 1}, arch.Cache{Bytes: 1, Prefetcher: None}, false},
	} {
		m := &arch.Machine{L1: c.l1}
		m.L2.Slice = c.l2
		if got := derived(m); (got != nil) != c.want {
			t.Errorf("%+v and %+v: %v", c.l1, c.l2, got)
		}
	}
	m, err := arch.Load("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	for _, prefetcher := range []string{"stride", None} {
		m.L1.Prefetcher = prefetcher
		if got := m.Mechanisms(); slices.Contains(got, key) != (prefetcher != None) {
			t.Errorf("with prefetcher %s the machine's mechanisms are %q", prefetcher, got)
		}
	}
}

// The two levels have the same counters, the L2's behind the L1's.
func TestBothLevelsCountAlike(t *testing.T) {
	for id := Trainings; id <= Dropped; id++ {
		l1, l2 := counters.Declared(L1Counters+id), counters.Declared(L2Counters+id)
		if after, ok := strings.CutPrefix(l1.Name, "l1_"); !ok || l2.Name != "l2_"+after || l1.Unit != l2.Unit {
			t.Errorf("counter %d is %s of the L1 and %s of the L2", id, l1.Name, l2.Name)
		}
	}
}
