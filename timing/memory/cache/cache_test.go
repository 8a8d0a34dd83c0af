// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
)

// naive is the slow obvious LRU cache: per set a list of lines, youngest last.
type naive struct {
	sets [][]uint64
	ways int
	line uint64
}

func (n *naive) access(address uint64) (hit bool) {
	line := address / n.line
	set := &n.sets[line%uint64(len(n.sets))]
	for i, l := range *set {
		if l == line {
			*set = append(append((*set)[:i:i], (*set)[i+1:]...), line)
			return true
		}
	}
	if len(*set) == n.ways {
		*set = (*set)[1:]
	}
	*set = append(*set, line)
	return false
}

func TestTagsHitWhereANaiveLRUCacheHits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		line := 32 << rng.IntN(3)
		sets, ways := 1<<rng.IntN(5), 1+rng.IntN(8)
		tags := NewTags(&arch.Cache{Bytes: sets * ways * line, Ways: ways, LineBytes: line, SectorBytes: line, Index: "linear"})
		ref := &naive{sets: make([][]uint64, sets), ways: ways, line: uint64(line)}
		span := uint64(sets * ways * line * 2)
		for range 5000 {
			address := rng.Uint64N(span)
			i := tags.Find(tags.Line(address))
			if got, want := i >= 0, ref.access(address); got != want {
				t.Fatalf("%d sets of %d ways: address %#x hit is %v, naive says %v", sets, ways, address, got, want)
			}
			if i < 0 {
				i = tags.Victim(tags.Line(address))
				tags.Replace(i, tags.Line(address))
			}
			tags.Use(i)
			if tags.Address(i) != tags.Line(address) {
				t.Fatalf("index %d holds %#x, not %#x", i, tags.Address(i), tags.Line(address))
			}
		}
	}
}

func TestXorIndexKeepsEverySetReachableAndSpreadsPowersOfTwo(t *testing.T) {
	tags := NewTags(&arch.Cache{Bytes: 64 * 128, Ways: 1, LineBytes: 128, SectorBytes: 128, Index: "xor"})
	consecutive, strided := map[int]bool{}, map[int]bool{}
	for i := range uint64(64) {
		consecutive[tags.set(i*128)] = true
		strided[tags.set(i*128*64)] = true
	}
	if len(consecutive) != 64 || len(strided) != 64 {
		t.Errorf("64 consecutive lines use %d sets, 64 lines one way apart %d; want 64 each", len(consecutive), len(strided))
	}
}

func TestVictimIsNeverALineOnItsWay(t *testing.T) {
	tags := NewTags(&arch.Cache{Bytes: 2 * 128, Ways: 2, LineBytes: 128, SectorBytes: 32, Index: "linear"})
	for k := range uint64(2) {
		i := tags.Victim(k * 128)
		tags.Replace(i, k*128)
		tags.Await(i, 3, 7)
		if got := tags.MSHR(i, 3); got != 7 {
			t.Errorf("register %d", got)
		}
	}
	if v := tags.Victim(256); v != -1 {
		t.Errorf("victim %d while both ways are on their way", v)
	}
	tags.Fill(tags.Find(128), 3)
	if v := tags.Victim(256); v != tags.Find(128) {
		t.Errorf("victim %d", v)
	}
}

func TestSectorIsReadableOnceWrittenInFull(t *testing.T) {
	tags := NewTags(&arch.Cache{Bytes: 128, Ways: 1, LineBytes: 128, SectorBytes: 32, Index: "linear"})
	tags.Replace(0, 0)
	tags.Write(0, 1, Range(32, 16))
	if !tags.Readable(0, 1, Range(32, 16)) || tags.Readable(0, 1, Range(40, 16)) || tags.Valid(0) != 0 {
		t.Error("half a sector is written: exactly that half can be read")
	}
	tags.Write(0, 1, Range(48, 16))
	if tags.Valid(0) != 2 || tags.Dirty(0) != 2 || !tags.Readable(0, 1, Range(32, 32)) {
		t.Errorf("valid %b, dirty %b after writing the whole sector", tags.Valid(0), tags.Dirty(0))
	}
	if tags.Readable(0, 0, Range(0, 4)) {
		t.Error("a sector that was never written or fetched can be read")
	}
	tags.Await(0, 0, 1)
	tags.Write(0, 0, Range(0, 32))
	if tags.Valid(0)&1 != 0 {
		t.Error("a sector on its way became valid before its fill")
	}
	tags.Fill(0, 0)
	if tags.Valid(0) != 3 || tags.Pending(0) != 0 || tags.Dirty(0) != 3 {
		t.Errorf("valid %b, pending %b, dirty %b", tags.Valid(0), tags.Pending(0), tags.Dirty(0))
	}
	tags.Invalidate()
	if tags.Present(0) {
		t.Error("the line survived Invalidate")
	}
}

func TestInvalidateKeepsWhatIsOnItsWay(t *testing.T) {
	tags := NewTags(&arch.Cache{Bytes: 128, Ways: 1, LineBytes: 128, SectorBytes: 32, Index: "linear"})
	tags.Replace(0, 128)
	tags.Write(0, 1, Range(32, 32))
	tags.Await(0, 0, 1)
	tags.Invalidate()
	if tags.Find(128) != 0 || tags.Valid(0)|tags.Dirty(0) != 0 || tags.Pending(0) != 1 {
		t.Errorf("valid %b, dirty %b, pending %b", tags.Valid(0), tags.Dirty(0), tags.Pending(0))
	}
	if tags.Readable(0, 1, Range(32, 4)) {
		t.Error("bytes written before Invalidate can be read after it")
	}
}

func TestRangeIsTheBytesItSays(t *testing.T) {
	for offset := 0; offset < BlockBytes; offset++ {
		for n := 0; n <= BlockBytes; n++ {
			var want Bytes
			for i := offset; i < min(offset+n, BlockBytes); i++ {
				want[i/64] |= 1 << (i % 64)
			}
			if got := Range(offset, n); got != want || got.Count() != min(n, BlockBytes-offset) {
				t.Fatalf("Range(%d, %d) is %x, want %x", offset, n, got, want)
			}
		}
	}
}

func TestTouchedSectorsAreThoseWithAByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, size := range []int{32, 64, 128} {
		g := NewGeometry(size)
		for range 1000 {
			b := Range(rng.IntN(128), rng.IntN(40)).Or(Range(rng.IntN(128), rng.IntN(9)))
			var want Sectors
			for i := range BlockBytes {
				if b[i/64]>>(i%64)&1 != 0 {
					want |= 1 << (i / size)
				}
			}
			if got := g.Touched(b); got != want {
				t.Fatalf("sectors of %d bytes touched by %x: %b, want %b", size, b, got, want)
			}
		}
	}
}

func TestRegistersServeWaitersInOrderAndBoundThem(t *testing.T) {
	r := NewMSHRs(2, 3)
	a := r.Take(5, 1)
	b := r.Take(6, 2)
	if r.Free() != 0 || r.Used() != 2 {
		t.Errorf("%d free, %d used", r.Free(), r.Used())
	}
	for id := range uint32(3) {
		if !r.CanMerge(a) {
			t.Errorf("no room for waiter %d", id)
		}
		r.Wait(a, 10+id)
		r.Wait(b, 20+id)
	}
	if r.CanMerge(a) {
		t.Error("a fourth waiter fits into three places")
	}
	for id := range uint32(3) {
		if got, ok := r.Next(a); !ok || got != 10+id {
			t.Errorf("waiter %d is %d, %v", id, got, ok)
		}
	}
	if _, ok := r.Next(a); ok {
		t.Error("a fourth waiter came out")
	}
	if line, sector := r.Sector(b); line != 6 || sector != 2 {
		t.Errorf("register b is line %d sector %d", line, sector)
	}
	r.Release(a)
	if got := r.Take(7, 0); got != a {
		t.Errorf("took %d", got)
	}
}

// A sector with something valid, written or on its way is there; no other.
func TestASectorIsThereForEachOfItsReasons(t *testing.T) {
	for reason, put := range map[string]func(tags *Tags, sector int){
		"valid":      func(tags *Tags, sector int) { tags.Load(0, sector) },
		"dirty":      func(tags *Tags, sector int) { tags.Write(0, sector, Range(32*sector, 4)) },
		"on its way": func(tags *Tags, sector int) { tags.Await(0, sector, 1) },
	} {
		for sector := range 4 {
			tags := NewTags(&arch.Cache{Bytes: 128, Ways: 1, LineBytes: 128, SectorBytes: 32, Index: "linear"})
			tags.Replace(0, 0)
			put(tags, sector)
			for other := range 4 {
				if got := tags.Has(0, other); got != (other == sector) {
					t.Errorf("sector %d is %s: sector %d is there: %t", sector, reason, other, got)
				}
			}
		}
	}
}

// A line index whose sectors have come makes room for the lines of its own set: line
// numbers that are the set's, modulo sets. With a fill buffer any does.
func TestALineMakesRoomInItsOwnSet(t *testing.T) {
	const sets, ways = 4, 3
	for _, allocate := range []string{"on_miss", "on_fill"} {
		tags := NewTags(&arch.Cache{Bytes: sets * ways * 128, Ways: ways, LineBytes: 128, SectorBytes: 128, Index: "linear", Allocate: allocate, MSHRs: 2})
		for i := range sets * ways {
			for n := range uint64(3 * sets) {
				want := allocate == "on_fill" || int(n%sets) == i/ways
				if got := tags.MakesRoom(i, n*128); got != want {
					t.Errorf("%s: index %d makes room for line %d: %t", allocate, i, n, got)
				}
			}
		}
	}
}

// BenchmarkFind isolates a tag lookup that hits in 16 ways.
func BenchmarkFind(b *testing.B) {
	tags := NewTags(&arch.Cache{Bytes: 64 << 10, Ways: 16, LineBytes: 128, SectorBytes: 32, Index: "linear"})
	for i := range uint64(512) {
		tags.Replace(tags.Victim(i*128), i*128)
	}
	n := uint64(0)
	for b.Loop() {
		if tags.Find(n%512*128) < 0 {
			b.Fatal("miss")
		}
		n += 37
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/lookup")
}

// A line that takes another's place has nothing of what was written there.
func TestALineBeginsWithNothingWritten(t *testing.T) {
	tags := NewTags(&arch.Cache{Bytes: 128, Ways: 1, LineBytes: 128, SectorBytes: 32, Index: "linear"})
	tags.Replace(0, 0)
	tags.Write(0, 1, Range(32, 16))
	tags.Replace(0, 128)
	if tags.Dirty(0) != 0 || tags.Readable(0, 1, Range(32, 16)) {
		t.Errorf("dirty %b; bytes of the line before can be read: %v", tags.Dirty(0), tags.Readable(0, 1, Range(32, 16)))
	}
}

// A line index that is emptied has no sectors and no mark left, so that what looks through all indexes finds nothing.
func TestAnEmptiedIndexHasNothing(t *testing.T) {
	tags := NewTags(&arch.Cache{Bytes: 128, Ways: 1, LineBytes: 128, SectorBytes: 32, Index: "linear"})
	tags.Replace(0, 0)
	tags.Write(0, 1, Range(32, 16))
	tags.Load(0, 2)
	tags.Drop(0)
	if tags.Present(0) || tags.Dirty(0) != 0 || tags.Valid(0) != 0 || tags.Has(0, 1) || tags.Readable(0, 1, Range(32, 16)) {
		t.Errorf("present %t, dirty %b, valid %b", tags.Present(0), tags.Dirty(0), tags.Valid(0))
	}
}

// Each sector on its way has a register of its own.
func TestSectorsOfALineWaitUnderTheirOwnRegisters(t *testing.T) {
	tags := NewTags(&arch.Cache{Bytes: 128, Ways: 1, LineBytes: 128, SectorBytes: 32, Index: "linear"})
	tags.Replace(0, 0)
	for sector := range 4 {
		tags.Await(0, sector, 10+sector)
	}
	for sector := range 4 {
		if got := tags.MSHR(0, sector); got != 10+sector {
			t.Errorf("sector %d waits under register %d", sector, got)
		}
	}
}
