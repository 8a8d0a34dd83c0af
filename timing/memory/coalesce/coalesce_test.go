// SPDX-License-Identifier: Apache-2.0

package coalesce

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/memory/cache"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// byByte is the slow obvious twin of Lines: byte by byte, lane by lane.
func byByte(w *Warp, lineBytes int) []Transaction {
	var out []Transaction
	place := map[uint64]int{}
	for lane := range 32 {
		if w.Mask>>lane&1 == 0 {
			continue
		}
		for k := range w.LaneBytes {
			address := w.Address(lane) + uint64(k)
			line := address - address%uint64(lineBytes)
			i, ok := place[line]
			if !ok {
				i = len(out)
				place[line] = i
				out = append(out, Transaction{Line: line})
			}
			bit := address % cache.BlockBytes
			out[i].Bytes[bit/64] |= 1 << (bit % 64)
		}
	}
	return out
}

func checkLines(t *testing.T, w *Warp) {
	t.Helper()
	for _, lineBytes := range []int{32, 64, 128} {
		want := byByte(w, lineBytes)
		got := w.Lines(lineBytes, nil)
		if len(got) != len(want) || len(want) > 0 && !cmp.Equal(got, want) {
			t.Fatalf("lines of %d bytes of %+v:\n%s", lineBytes, *w, cmp.Diff(want, got))
		}
	}
}

func TestCoalescerAgreesWithByteByByteTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		w := Warp{Mask: rng.Uint32(), LaneBytes: 1 << rng.IntN(6), Strided: true, Base: rng.Uint64N(1 << 20), Stride: int64(rng.IntN(600) - 300)}
		if rng.IntN(3) == 0 {
			w.Mask = ^uint32(0)
		}
		if rng.IntN(2) == 0 {
			w.Base -= w.Base % uint64(w.LaneBytes)
			w.Stride *= int64(w.LaneBytes)
		}
		checkLines(t, &w)
		var lanes [32]uint64
		for i := range lanes {
			lanes[i] = rng.Uint64N(2048)
		}
		w.Strided, w.Addresses = false, &lanes
		checkLines(t, &w)
	}
}

// FuzzLines compares the closed form with the twin on any strided access, also
// one that wraps around the end of the address space.
func FuzzLines(f *testing.F) {
	f.Add(uint64(0), int32(4), ^uint32(0), uint8(4))
	f.Add(uint64(1<<64-64), int32(4), ^uint32(0), uint8(4))
	f.Add(uint64(7), int32(-12), uint32(0xf0f0), uint8(16))
	f.Add(uint64(0), int32(0), uint32(1), uint8(0))
	f.Fuzz(func(t *testing.T, base uint64, stride int32, mask uint32, laneBytes uint8) {
		w := Warp{Mask: mask, LaneBytes: 1 + int(laneBytes%64), Strided: true, Base: base, Stride: int64(stride)}
		checkLines(t, &w)
		for _, b := range []Banks{{Count: 32, WordBytes: 4}, {Count: 8, WordBytes: 4}, {Count: 32, WordBytes: 8}} {
			if got, want := b.Cycles(&w, false), byWord(b, &w, false); got != want {
				t.Fatalf("%+v of %+v: %d cycles, twin %d", b, w, got, want)
			}
		}
	})
}

func TestFullWarpOfWordsIsOneTransaction(t *testing.T) {
	w := Warp{Mask: ^uint32(0), LaneBytes: 4, Strided: true, Base: 256, Stride: 4}
	got := w.Lines(128, nil)
	want := []Transaction{{Line: 256, Bytes: cache.Bytes{^uint64(0), ^uint64(0)}}}
	if !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

// A full warp of words side by side takes the lines of its bytes, each once and in order, wherever it begins.
func TestFullWarpTakesTheLinesOfItsBytes(t *testing.T) {
	for _, line := range []uint64{32, 64, 128} {
		for _, bytes := range []int{1, 2, 4, 8, 16} {
			for base := uint64(1 << 20); base < 1<<20+256; base += uint64(bytes) {
				w := Warp{LaneBytes: bytes, Mask: ^uint32(0), Strided: true, Base: base, Stride: int64(bytes)}
				end, at := base+32*uint64(bytes), base
				for _, x := range w.Lines(int(line), nil) {
					n := min(end, x.Line+line) - at
					if x.Line != at&^(line-1) || x.Bytes != cache.Range(int(at%cache.BlockBytes), int(n)) {
						t.Fatalf("%d bytes a lane from %#x, lines of %d: %+v", bytes, base, line, x)
					}
					at += n
				}
				if at != end {
					t.Fatalf("%d bytes a lane from %#x, lines of %d: they end at %#x", bytes, base, line, at)
				}
			}
		}
	}
}

func TestColumnAccessIsOneTransactionPerLane(t *testing.T) {
	w := Warp{Mask: ^uint32(0), LaneBytes: 4, Strided: true, Stride: 4096}
	if n := len(w.Lines(128, nil)); n != 32 {
		t.Errorf("%d transactions", n)
	}
}

// byWord is the slow obvious twin of Cycles.
func byWord(b Banks, w *Warp, serial bool) int {
	words := max(w.LaneBytes/b.WordBytes, 1)
	group := max(32/words, 1)
	cycles := 0
	for first := 0; first < 32; first += group {
		banks := map[uint64][]uint64{}
		most := 0
		for lane := first; lane < min(first+group, 32); lane++ {
			if w.Mask>>lane&1 == 0 {
				continue
			}
			seen := map[uint64]bool{}
			for k := range w.LaneBytes {
				word := (w.Address(lane) + uint64(k)) / uint64(b.WordBytes)
				if seen[word] {
					continue
				}
				seen[word] = true
				bank := word % uint64(b.Count)
				if serial || !has(banks[bank], word) {
					banks[bank] = append(banks[bank], word)
				}
				most = max(most, len(banks[bank]))
			}
		}
		cycles += most
	}
	return max(cycles, 1)
}

func has(list []uint64, v uint64) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// TestStridedConflictsFollowTheGreatestCommonDivisor: a stride of s words over
// 32 banks gives gcd(s, 32) conflicts (CUDA C Best Practices Guide, "Shared
// Memory and Memory Banks").
func TestStridedConflictsFollowTheGreatestCommonDivisor(t *testing.T) {
	gcd := func(a, b int) int {
		for b != 0 {
			a, b = b, a%b
		}
		return a
	}
	for stride := 1; stride <= 64; stride++ {
		w := Warp{Mask: ^uint32(0), LaneBytes: 4, Strided: true, Base: 64, Stride: int64(4 * stride)}
		if got, want := (Banks{Count: 32, WordBytes: 4}).Cycles(&w, false), gcd(stride, 32); got != want {
			t.Errorf("stride %d: %d cycles, want %d", stride, got, want)
		}
	}
}

func TestKnownBankConflicts(t *testing.T) {
	same := Warp{Mask: ^uint32(0), LaneBytes: 4, Strided: true, Base: 8}
	wide := Warp{Mask: ^uint32(0), LaneBytes: 8, Strided: true, Stride: 8}
	quad := Warp{Mask: ^uint32(0), LaneBytes: 16, Strided: true, Stride: 16}
	unit := Warp{Mask: ^uint32(0), LaneBytes: 4, Strided: true, Stride: 4}
	for _, c := range []struct {
		name   string
		banks  Banks
		w      Warp
		serial bool
		want   int
	}{
		{"broadcast", Banks{Count: 32, WordBytes: 4}, same, false, 1},
		{"atomics on one word", Banks{Count: 32, WordBytes: 4}, same, true, 32},
		{"8 bytes a lane, in half warps", Banks{Count: 32, WordBytes: 4}, wide, false, 2},
		{"16 bytes a lane, in quarter warps", Banks{Count: 32, WordBytes: 4}, quad, false, 4},
		{"8 bytes a lane, banks of 8 bytes", Banks{Count: 32, WordBytes: 8}, wide, false, 1},
		{"8 banks for 32 lanes", Banks{Count: 8, WordBytes: 4}, unit, false, 4},
	} {
		if got := c.banks.Cycles(&c.w, c.serial); got != c.want {
			t.Errorf("%s: %d cycles, want %d", c.name, got, c.want)
		}
	}
}

func TestBankCyclesAgreeWithWordByWordTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		w := Warp{Mask: rng.Uint32(), LaneBytes: 1 << rng.IntN(6), Strided: true, Base: rng.Uint64N(256), Stride: int64(rng.IntN(300))}
		if rng.IntN(2) == 0 {
			w.LaneBytes, w.Base, w.Stride = 4, w.Base*4, w.Stride*4
			if rng.IntN(2) == 0 {
				w.Mask = ^uint32(0)
			}
		}
		if rng.IntN(2) == 0 {
			var lanes [32]uint64
			for i := range lanes {
				lanes[i] = rng.Uint64N(512)
			}
			w.Strided, w.Addresses = false, &lanes
		}
		b := Banks{Count: 1 << (2 + rng.IntN(4)), WordBytes: 4 << rng.IntN(2)}
		serial := rng.IntN(4) == 0
		if got, want := b.Cycles(&w, serial), byWord(b, &w, serial); got != want {
			t.Fatalf("%+v serial=%v of %+v: %d cycles, twin %d", b, serial, w, got, want)
		}
	}
}

func TestCoalescingAllocatesNothing(t *testing.T) {
	var lanes [32]uint64
	for i := range lanes {
		lanes[i] = uint64(i*i*52) % 4096
	}
	out := make([]Transaction, 0, 64)
	w := Warp{Mask: ^uint32(0), LaneBytes: 4, Addresses: &lanes}
	if n := testing.AllocsPerRun(100, func() {
		out = w.Lines(128, out[:0])
		w.LaneBytes = 4 + Banks{Count: 32, WordBytes: 4}.Cycles(&w, false)*0
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkUnitStride isolates the closed form.
func BenchmarkUnitStride(b *testing.B) {
	w := Warp{Mask: ^uint32(0), LaneBytes: 4, Strided: true, Stride: 4}
	var out []Transaction
	for b.Loop() {
		out = w.Lines(128, out[:0])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/access")
}

// BenchmarkScattered isolates 32 lanes in 32 lines without a stride: the worst
// case of the search.
func BenchmarkScattered(b *testing.B) {
	var lanes [32]uint64
	for i := range lanes {
		lanes[i] = uint64(i*37%32) * 4096
	}
	w := Warp{Mask: ^uint32(0), LaneBytes: 4, Addresses: &lanes}
	var out []Transaction
	for b.Loop() {
		out = w.Lines(128, out[:0])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/access")
}

// BenchmarkBankConflicts isolates the count of an irregular shared access.
func BenchmarkBankConflicts(b *testing.B) {
	var lanes [32]uint64
	for i := range lanes {
		lanes[i] = uint64(i*i*12) % 4096
	}
	w := Warp{Mask: ^uint32(0), LaneBytes: 4, Addresses: &lanes}
	for b.Loop() {
		Banks{Count: 32, WordBytes: 4}.Cycles(&w, false)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/access")
}

// Lanes that are as wide as a warp has lanes' words are served one by one, so that they
// share nothing.
func TestTheWidestLanesAreServedOneByOne(t *testing.T) {
	var at [32]uint64
	for _, words := range []int{8, 16, 32} {
		w := Warp{Mask: ^uint32(0), LaneBytes: words, Addresses: &at}
		if got := (Banks{Count: 32, WordBytes: 1}).Cycles(&w, false); got != words {
			t.Errorf("lanes of %d words at one place: %d cycles, want %d", words, got, words)
		}
	}
}
