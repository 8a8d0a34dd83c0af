// SPDX-License-Identifier: Apache-2.0

package coalesce

import (
	"math/bits"

	"github.com/warptape/warptape/timing/memory/cache"
)

// Rule is how a warp access becomes transactions.
type Rule uint8

// The rules, by compute capability (CUDA C Programming Guide, "Global Memory" in
// the appendix "Compute Capabilities").
const (
	// RuleLines: one transaction per line that the warp touches (2.0 and later).
	RuleLines Rule = iota
	// RuleInOrder: a half warp in which lane k accesses word k of an aligned
	// segment makes one transaction (two of 128 bytes for words of 16). Any other
	// half warp makes one of at least 32 bytes per lane (1.0 and 1.1).
	RuleInOrder
	// RuleSegments: a half warp makes a transaction per segment that it touches,
	// of the smallest size that holds what it touches there (1.2 and 1.3).
	RuleSegments
)

// Rules are the rules by the words of arch.SM.Coalescing.
var Rules = map[string]Rule{"": RuleLines, "lines": RuleLines, "cc1.0": RuleInOrder, "cc1.2": RuleSegments}

const (
	halfWarp     = 16
	leastSegment = 32 // bytes, of any transaction to memory
	mostSegment  = 128
)

// Transactions appends the transactions of a global access under a rule, split
// where they are longer than a line. With whole set (reads) they name all bytes of
// their segments, which memory moves; without (writes) those that lanes write.
func (w *Warp) Transactions(r Rule, lineBytes int, whole bool, out []Transaction) []Transaction {
	if r == RuleLines {
		return w.Lines(lineBytes, out)
	}
	h := halves{warp: *w, lineBytes: uint64(lineBytes), whole: whole, out: out}
	for first := 0; first < 32; first += halfWarp {
		if mask := w.Mask & ((1<<halfWarp - 1) << first); mask != 0 {
			if r == RuleInOrder {
				h.inOrder(mask, first)
			} else {
				h.segments(mask)
			}
		}
	}
	return h.out
}

// halves makes the transactions of half warps.
type halves struct {
	warp      Warp
	lineBytes uint64
	whole     bool
	out       []Transaction
}

// inOrder is RuleInOrder for the lanes of mask, of the half warp of lane first.
func (h *halves) inOrder(mask uint32, first int) {
	if !h.sequential(mask, first) {
		for m := mask; m != 0; m &= m - 1 {
			lane := m & -m
			at := h.warp.Address(bits.TrailingZeros32(m))
			from := at &^ (leastSegment - 1)
			h.add(from, (at-from+uint64(h.warp.LaneBytes)+leastSegment-1)&^(leastSegment-1), lane)
		}
		return
	}
	n := uint64(halfWarp * h.warp.LaneBytes)
	lane := bits.TrailingZeros32(mask)
	base := h.warp.Address(lane) - uint64((lane-first)*h.warp.LaneBytes)
	for at := uint64(0); at < n; at += mostSegment {
		h.add(base+at, min(n, mostSegment), mask)
	}
}

// sequential reports whether lane k accesses the k-th word of an aligned segment,
// for words of 4, 8 or 16 bytes.
func (h *halves) sequential(mask uint32, first int) bool {
	size := uint64(h.warp.LaneBytes)
	if size != 4 && size != 8 && size != 16 {
		return false
	}
	lane := bits.TrailingZeros32(mask)
	base := h.warp.Address(lane) - uint64(lane-first)*size
	if base%(halfWarp*size) != 0 {
		return false
	}
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if h.warp.Address(lane) != base+uint64(lane-first)*size {
			return false
		}
	}
	return true
}

// segments is RuleSegments for the lanes of mask.
func (h *halves) segments(mask uint32) {
	size := uint64(mostSegment)
	if n := h.warp.LaneBytes; n <= 2 {
		size = uint64(n) * leastSegment
	}
	for mask != 0 {
		start := h.warp.Address(bits.TrailingZeros32(mask)) &^ (size - 1)
		low, high, lanes := uint64(mostSegment), uint64(0), uint32(0)
		for m := mask; m != 0; m &= m - 1 {
			at := h.warp.Address(bits.TrailingZeros32(m))
			if at&^(size-1) == start {
				lanes |= m & -m
				low = min(low, at-start)
				high = max(high, at-start+uint64(h.warp.LaneBytes))
			}
		}
		mask &^= lanes
		from, n := start, size
		for n > leastSegment && (high <= from-start+n/2 || low >= from-start+n/2) {
			n /= 2
			if low >= from-start+n {
				from += n
			}
		}
		h.add(from, n, lanes)
	}
}

// add adds the transaction of a segment of n bytes in which the given lanes take
// part.
func (h *halves) add(from, n uint64, lanes uint32) {
	if h.whole {
		h.out = span(from, n, h.lineBytes, h.out)
		return
	}
	part := h.warp
	part.Mask = lanes
	// The lanes' bytes that lie in the segment, line by line.
	at := len(h.out)
	h.out = part.Lines(int(h.lineBytes), h.out)
	kept := h.out[:at]
	for _, t := range h.out[at:] {
		if t.Bytes = t.Bytes.And(within(t.Line, h.lineBytes, from, n)); !t.Bytes.Empty() {
			kept = append(kept, t)
		}
	}
	h.out = kept
}

// within is the bytes of a line that lie in the segment of n bytes at from; a
// segment lies in one block, as a line does.
func within(line, lineBytes, from, n uint64) cache.Bytes {
	if line/cache.BlockBytes != from/cache.BlockBytes {
		return cache.Bytes{}
	}
	return cache.Range(int(line%cache.BlockBytes), int(lineBytes)).And(cache.Range(int(from%cache.BlockBytes), int(n)))
}
