// SPDX-License-Identifier: Apache-2.0

package coalesce

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// segment is a transaction as the programming guide speaks of it.
type segment struct{ at, bytes uint64 }

// byGuide restates the protocols of the CUDA C Programming Guide for compute
// capability 1.0 and 1.2, step by step, over the list of a half warp's accesses.
func byGuide(w *Warp, r Rule) []segment {
	var out []segment
	for half := range 2 {
		lanes := map[int]uint64{}
		for k := range 16 {
			if lane := 16*half + k; w.Mask>>lane&1 != 0 {
				lanes[k] = w.Address(lane)
			}
		}
		if r == RuleInOrder {
			out = append(out, guide10(lanes, uint64(w.LaneBytes))...)
		} else {
			out = append(out, guide12(lanes, uint64(w.LaneBytes))...)
		}
	}
	return out
}

// guide10: "The size of the words accessed by the threads must be 4, 8, or 16
// bytes; all 16 words must lie in the same segment; threads must access the words
// in sequence." Otherwise 16 separate transactions.
func guide10(lanes map[int]uint64, size uint64) []segment {
	for start := range candidates(lanes, 16*size) {
		inSequence := size == 4 || size == 8 || size == 16
		for k, at := range lanes {
			inSequence = inSequence && at == start+uint64(k)*size
		}
		switch {
		case inSequence && size == 16:
			return []segment{{start, 128}, {start + 128, 128}}
		case inSequence:
			return []segment{{start, 16 * size}}
		}
	}
	var out []segment
	for k := range 16 {
		if at, ok := lanes[k]; ok {
			out = append(out, segment{at / 32 * 32, 32})
		}
	}
	return out
}

// guide12: find the segment of the lowest active thread, and all that are in it. Halve
// the transaction as long as only one half is used. Go on with the others.
func guide12(lanes map[int]uint64, size uint64) []segment {
	width := map[uint64]uint64{1: 32, 2: 64}[size]
	if width == 0 {
		width = 128
	}
	var out []segment
	for len(lanes) > 0 {
		lowest := 16
		for k := range lanes {
			lowest = min(lowest, k)
		}
		s := segment{lanes[lowest] / width * width, width}
		var used []uint64
		for k, at := range lanes {
			if at/width*width == s.at {
				used = append(used, at)
				delete(lanes, k)
			}
		}
		for s.bytes > 32 {
			half := s.bytes / 2
			lower := !slices.ContainsFunc(used, func(at uint64) bool { return at+size > s.at+half })
			upper := !slices.ContainsFunc(used, func(at uint64) bool { return at < s.at+half })
			if !lower && !upper {
				break
			}
			if upper {
				s.at += half
			}
			s.bytes = half
		}
		out = append(out, s)
	}
	return out
}

// candidates gives the segments that hold some lane.
func candidates(lanes map[int]uint64, bytes uint64) map[uint64]bool {
	out := map[uint64]bool{}
	for _, at := range lanes {
		out[at/bytes*bytes] = true
	}
	return out
}

// segmentsOf gives the transactions of reads as segments, for lines of 128 bytes.
func segmentsOf(w *Warp, r Rule) []segment {
	var out []segment
	for _, t := range w.Transactions(r, 128, true, nil) {
		first := uint64(0)
		for t.Bytes[first/64]>>(first%64)&1 == 0 {
			first++
		}
		out = append(out, segment{t.Line + first, uint64(t.Bytes.Count())})
	}
	return out
}

// randomLanes makes aligned accesses with some order in them.
func randomLanes(rng *rand.Rand) *Warp {
	w := &Warp{Mask: rng.Uint32() | rng.Uint32(), LaneBytes: 1 << rng.IntN(5), Addresses: new([32]uint64)}
	if rng.IntN(2) == 0 {
		w.Mask = ^uint32(0)
	}
	size := uint64(w.LaneBytes)
	base := rng.Uint64N(64) * []uint64{1, 16}[rng.IntN(2)]
	for k := range w.Addresses {
		w.Addresses[k] = (base + uint64(k)) * size
	}
	for range rng.IntN(4) {
		i, j := rng.IntN(32), rng.IntN(32)
		w.Addresses[i], w.Addresses[j] = w.Addresses[j], w.Addresses[i]
		w.Addresses[rng.IntN(32)] = rng.Uint64N(256) * size
	}
	return w
}

func TestHalfWarpsFollowTheProgrammingGuide(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 12))
	for range 600 {
		w := randomLanes(rng)
		for _, r := range []Rule{RuleInOrder, RuleSegments} {
			if diff := cmp.Diff(byGuide(w, r), segmentsOf(w, r), cmp.AllowUnexported(segment{})); diff != "" {
				t.Fatalf("rule %d, %d bytes a lane, mask %#x, %v (-guide +ours):\n%s", r, w.LaneBytes, w.Mask, *w.Addresses, diff)
			}
		}
	}
}

// The examples of the guide's figure "Examples of Global Memory Accesses": 32
// lanes of 4 bytes, aligned, permuted inside a segment, and one word further.
func TestExamplesOfTheProgrammingGuide(t *testing.T) {
	aligned := Warp{Mask: ^uint32(0), LaneBytes: 4, Strided: true, Base: 128, Stride: 4}
	swapped := Warp{Mask: ^uint32(0), LaneBytes: 4, Addresses: new([32]uint64)}
	for k := range swapped.Addresses {
		swapped.Addresses[k] = 128 + 4*uint64(k^1)
	}
	further := aligned
	further.Base = 132
	alone := make([]segment, 32)
	for k := range alone {
		alone[k] = segment{(132 + 4*uint64(k)) / 32 * 32, 32}
	}
	for _, c := range []struct {
		name string
		w    Warp
		rule Rule
		want []segment
	}{
		{"aligned, 1.0", aligned, RuleInOrder, []segment{{128, 64}, {192, 64}}},
		{"aligned, 1.2", aligned, RuleSegments, []segment{{128, 64}, {192, 64}}},
		{"aligned, 2.0", aligned, RuleLines, []segment{{128, 128}}},
		{"permuted, 1.2", swapped, RuleSegments, []segment{{128, 64}, {192, 64}}},
		{"permuted, 2.0", swapped, RuleLines, []segment{{128, 128}}},
		{"a word further, 1.0", further, RuleInOrder, alone},
		{"a word further, 1.2", further, RuleSegments, []segment{{128, 128}, {192, 64}, {256, 32}}},
	} {
		if diff := cmp.Diff(c.want, segmentsOf(&c.w, c.rule), cmp.AllowUnexported(segment{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if n := len(segmentsOf(&swapped, RuleInOrder)); n != 32 {
		t.Errorf("permuted, 1.0: %d transactions, want one a lane", n)
	}
}

// Strides of s words of 4 bytes: lines of 128 bytes hold 32/s lanes. By the rules of
// 1.2, half warps touch min(16, s/2) segments of 128 bytes for even s up to 32.
func TestTransactionsOfStridesHaveAClosedForm(t *testing.T) {
	for shift := range 8 {
		s := 1 << shift
		w := Warp{Mask: ^uint32(0), LaneBytes: 4, Strided: true, Stride: int64(4 * s)}
		for _, c := range []struct {
			rule Rule
			want int
		}{
			{RuleLines, min(32, s)}, {RuleSegments, 2 * max(1, min(16, s/2))}, {RuleInOrder, map[bool]int{true: 2, false: 32}[s == 1]},
		} {
			if got := len(w.Transactions(c.rule, 128, true, nil)); got != c.want {
				t.Errorf("stride %d, rule %d: %d transactions, want %d", s, c.rule, got, c.want)
			}
		}
		if got := len(w.Lines(32, nil)); got != min(32, 4*s) {
			t.Errorf("stride %d: %d sectors of 32 bytes, want %d", s, got, min(32, 4*s))
		}
	}
}

// Writes move what the lanes write and no more, in as many transactions.
func TestHalfWarpWritesNameTheBytesOfTheirLanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 12))
	for range 150 {
		w := randomLanes(rng)
		want := map[uint64]bool{}
		for k := range 32 {
			for b := range uint64(w.LaneBytes) {
				if w.Mask>>k&1 != 0 {
					want[w.Addresses[k]+b] = true
				}
			}
		}
		for _, r := range []Rule{RuleInOrder, RuleSegments} {
			for _, line := range []int{32, 64, 128} {
				got := map[uint64]bool{}
				for _, x := range w.Transactions(r, line, false, nil) {
					for b := range uint64(128) {
						if x.Bytes[b/64]>>(b%64)&1 != 0 {
							got[x.Line/128*128+b] = true
						}
					}
				}
				if !maps.Equal(want, got) {
					t.Fatalf("rule %d, line %d, lanes at %v: bytes %v, want %v", r, line, *w.Addresses, got, want)
				}
			}
		}
	}
}

// FuzzTransactions: any access, however misaligned, makes a bounded number of
// transactions, and at least one.
func FuzzTransactions(f *testing.F) {
	f.Add(uint64(132), int32(4), ^uint32(0), uint8(4))
	f.Add(^uint64(0)-63, int32(4), ^uint32(0), uint8(4))
	f.Add(uint64(127), int32(-7), uint32(1), uint8(16))
	f.Fuzz(func(t *testing.T, base uint64, stride int32, mask uint32, laneBytes uint8) {
		w := Warp{Mask: mask | 1, LaneBytes: 1 + int(laneBytes%16), Strided: true, Base: base, Stride: int64(stride)}
		for _, r := range []Rule{RuleInOrder, RuleSegments} {
			for _, whole := range []bool{false, true} {
				if n := len(w.Transactions(r, 32, whole, nil)); n < 1 || n > 32*4 {
					t.Fatalf("rule %d of %+v: %d transactions", r, w, n)
				}
			}
		}
	})
}
