// SPDX-License-Identifier: Apache-2.0

package tlb

import (
	"slices"
	"testing"
)

func newTable(t testing.TB, bytes int) *PageTable {
	t.Helper()
	p, err := NewPageTable(bytes)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestLevelsFollowFromThePageSize(t *testing.T) {
	// 48 bits less the offset, in tables of page/8 entries.
	for bytes, want := range map[int]int{4 << 10: 4, 8 << 10: 4, 16 << 10: 4, 64 << 10: 3, 2 << 20: 2} {
		if got := newTable(t, bytes).Levels(); got != want {
			t.Errorf("pages of %d bytes: %d levels, want %d", bytes, got, want)
		}
		p, n := newTable(t, bytes), uint64(bytes)
		if p.PageBytes() != n || p.Page(5*n-1) != 4 || p.Page(5*n) != 5 || p.Physical(7, 5*n+9) != 7*n+9 {
			t.Errorf("pages of %d bytes: %d bytes, page %d, physical address %#x", bytes, p.PageBytes(), p.Page(5*n), p.Physical(7, 5*n+9))
		}
	}
	for _, bad := range []int{0, 1 << 10, 5000, 4 << 20, -4096} {
		if _, err := NewPageTable(bad); err == nil {
			t.Errorf("pages of %d bytes are accepted", bad)
		}
	}
}

func TestPagesHaveFramesOfTheirOwnInOrderOfTouch(t *testing.T) {
	p := newTable(t, 4096)
	for i, page := range []uint64{9, 3, 9, 1 << 35, 3} {
		want := []uint64{0, 1, 0, 2, 1}[i]
		if got := p.Frame(5, page); got != want {
			t.Errorf("touch %d: page %d lies in frame %d, want %d", i, page, got, want)
		}
	}
	if f := p.Frame(6, 9); f != 3 {
		t.Errorf("page 9 of another space lies in frame %d", f)
	}
	if got := p.Physical(3, 0x7f00_0000_0abc); got != 3<<12|0xabc {
		t.Errorf("physical address %#x", got)
	}
}

func TestPagesThatShareAFrameAreTold(t *testing.T) {
	p := newTable(t, 4096)
	host := p.Frame(1, 100)
	if p.Shared(host) {
		t.Error("a frame of one page is shared")
	}
	device := p.Frame(2, 7)
	p.Map(2, 7, host)
	if got, ok := p.Mapped(2, 7); !ok || got != host || !p.Shared(host) || p.Shared(device) {
		t.Errorf("page 7 lies in frame %d, %v; host's frame shared: %v", got, ok, p.Shared(host))
	}
	own := p.Own(2, 7)
	if got := p.Frame(2, 7); got != own || own == host || p.Shared(host) {
		t.Errorf("after a copy on write page 7 lies in frame %d of %d, shared %v", got, own, p.Shared(host))
	}
}

func TestAWalkReadsOneEntryOfEachLevel(t *testing.T) {
	p := newTable(t, 4096)
	a := p.Walk(1, 0x123, nil)
	if len(a) != 4 {
		t.Fatalf("%d entries for 4 levels", len(a))
	}
	// Indexes of nine bits; tables have frames of their own, made in order.
	for level, want := range []uint64{0, 0, 0, 0x123} {
		if frame, offset := a[level]>>12, a[level]&0xfff; frame != uint64(level) || offset != 8*want {
			t.Errorf("level %d: frame %d, offset %#x", level, frame, offset)
		}
	}
	if b := p.Walk(1, 0x124, nil); !slices.Equal(b[:3], a[:3]) || b[3] != a[3]+8 {
		t.Errorf("the next page's walk is %x after %x", b, a)
	}
	if c := p.Walk(1, 0x123+512, nil); !slices.Equal(c[:2], a[:2]) || c[2] != a[2]+8 || c[3]>>12 != 4 {
		t.Errorf("a walk 512 pages on is %x after %x", c, a)
	}
	if d := p.Walk(2, 0x123, nil); d[0]>>12 == a[0]>>12 {
		t.Error("two spaces share a root")
	}
}

func TestFoldKeepsWindowsApart(t *testing.T) {
	seen := map[uint64]bool{}
	for window := range uint64(8) {
		for _, low := range []uint64{0, 1 << 40, 3<<40 | 77, 1<<45 - 1} {
			a := Fold(window<<60 | low)
			if a>>addressBits != 0 || seen[a] {
				t.Errorf("window %d, address %#x folds to %#x", window, low, a)
			}
			seen[a] = true
			if back := Unfold(a); back != window<<60|low {
				t.Errorf("window %d, address %#x unfolds to %#x", window, low, back)
			}
		}
	}
}

func TestMissesOfOnePageShareAWalk(t *testing.T) {
	w := NewWalks(2, 6, 1)
	n, core, fresh, ok := w.Begin(1, 10, 100)
	if !fresh || !ok || core < 0 || core >= 6 {
		t.Fatalf("first walk: %d on core %d, %v, %v", n, core, fresh, ok)
	}
	if m, _, fresh, ok := w.Begin(1, 10, 101); m != n || fresh || !ok {
		t.Errorf("the second miss of the page is walk %d, fresh %v", m, fresh)
	}
	if _, _, fresh, ok := w.Begin(2, 10, 102); !fresh || !ok {
		t.Error("the page of another space has no walk of its own")
	}
	if _, _, _, ok := w.Begin(1, 11, 103); ok || w.Under() != 2 {
		t.Errorf("a third walk of two begins; %d under way", w.Under())
	}
	var got []uint32
	for id, ok := w.Next(n); ok; id, ok = w.Next(n) {
		got = append(got, id)
	}
	w.End(n)
	if !slices.Equal(got, []uint32{100, 101}) || w.Under() != 1 {
		t.Errorf("waiters %v, %d under way", got, w.Under())
	}
	if _, _, fresh, ok := w.Begin(1, 10, 104); !fresh || !ok {
		t.Error("a page that was walked for cannot be walked for again")
	}
}

func TestWalksGoToEveryCoreAndAreTheSameEveryTime(t *testing.T) {
	pick := func(seed uint64) (cores []int) {
		w := NewWalks(1, 6, seed)
		for i := range uint64(600) {
			n, core, _, _ := w.Begin(0, i, 0)
			w.Next(n)
			w.End(n)
			cores = append(cores, core)
		}
		return cores
	}
	first := pick(7)
	if !slices.Equal(first, pick(7)) {
		t.Error("the same seed picks other cores")
	}
	var counts [6]int
	for _, c := range first {
		counts[c]++
	}
	for core, n := range counts {
		if n < 60 || n > 140 {
			t.Errorf("core %d has %d of 600 walks", core, n)
		}
	}
}

func TestTheTableOfFramesFindsWhatAMapFinds(t *testing.T) {
	var x table
	ref := map[[2]uint64]uint64{}
	for i := range uint64(5000) {
		k := [2]uint64{i * i % 3, i * 7919 % 2003}
		if v, ok := x.get(k[0], k[1]); ok != (ref[k] != 0) || ok && v+1 != ref[k] {
			t.Fatalf("key %v: %d, %v; map has %d", k, v, ok, ref[k])
		}
		x.set(k[0], k[1], i)
		ref[k] = i + 1
	}
	if x.used != len(ref) {
		t.Errorf("%d keys, the map has %d", x.used, len(ref))
	}
}

// A buffer of the host that is copied to many of the device's has its frame in all of them, until each is written. It is shared as long as two
// have it.
func TestAFrameIsSharedByAnyNumberOfPages(t *testing.T) {
	const pages = 700
	p := newTable(t, 4096)
	frame := p.Frame(1, 0)
	for page := range uint64(pages) {
		p.Map(2, page, frame)
		if !p.Shared(frame) {
			t.Fatalf("a frame of %d pages is not shared", page+2)
		}
	}
	for page := range uint64(pages) {
		if !p.Shared(frame) {
			t.Fatalf("with %d of %d pages left the frame is not shared", pages+1-page, pages+1)
		}
		p.Own(2, page)
	}
	if p.Shared(frame) {
		t.Error("a frame of one page is shared")
	}
}

// A miss that comes when all waiters of a walk have been told, and before it ends, waits for the walk as others do.
func TestAWaiterMayComeBehindAllOthers(t *testing.T) {
	w := NewWalks(1, 1, 1)
	n, _, _, _ := w.Begin(0, 5, 100)
	if id, ok := w.Next(n); !ok || id != 100 {
		t.Fatalf("waiter %d, %v", id, ok)
	}
	for id := uint32(200); id < 203; id++ {
		if m, _, fresh, ok := w.Begin(0, 5, id); m != n || fresh || !ok {
			t.Fatalf("walk %d, fresh %v, %v", m, fresh, ok)
		}
	}
	for want := uint32(200); want < 203; want++ {
		if id, ok := w.Next(n); !ok || id != want {
			t.Errorf("waiter %d, %v; want %d", id, ok, want)
		}
	}
	if id, ok := w.Next(n); ok {
		t.Errorf("waiter %d is left", id)
	}
}
