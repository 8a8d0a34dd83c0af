// SPDX-License-Identifier: Apache-2.0

package prefetch

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
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
