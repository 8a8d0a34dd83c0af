// SPDX-License-Identifier: Apache-2.0

// Package coalesce turns the lane addresses of a warp access into memory
// transactions and shared-memory cycles.
package coalesce

import (
	"math/bits"

	"github.com/warptape/warptape/timing/memory/block"
	"github.com/warptape/warptape/timing/memory/cache"
)

// Transaction is the part of a warp access that falls into one line.
type Transaction = block.Transaction

// Warp is the lane addresses of one access: lane i, when it is in Mask, moves
// LaneBytes bytes at its address.
type Warp struct {
	Mask      uint32
	LaneBytes int // at least 1
	// Strided: lane i is at Base + i*Stride; otherwise at Addresses[i].
	Strided   bool
	Base      uint64
	Stride    int64
	Addresses *[32]uint64
}

// Address is the address of a lane.
func (w *Warp) Address(lane int) uint64 {
	if w.Strided {
		return w.Base + uint64(int64(lane)*w.Stride)
	}
	return w.Addresses[lane]
}

// Lines appends the transactions of the access for lines of lineBytes (a power
// of two, 32..128), in the order in which the lanes first touch them.
func (w *Warp) Lines(lineBytes int, out []Transaction) []Transaction {
	if w.Strided && w.aligned() {
		return w.stridedLines(uint64(lineBytes), out)
	}
	g := gather{out: out, start: len(out), lineBytes: uint64(lineBytes)}
	for m := w.Mask; m != 0; m &= m - 1 {
		g.lane(w.Address(bits.TrailingZeros32(m)), w.LaneBytes)
	}
	return g.out
}

// aligned reports whether no lane of a strided access crosses a line.
func (w *Warp) aligned() bool {
	n := uint64(w.LaneBytes)
	return n > 0 && n&(n-1) == 0 && n <= 32 && w.Base&(n-1) == 0 && uint64(w.Stride)&(n-1) == 0
}

// stridedLines uses that lines come in order: a lane is in the transaction of
// the lane before it or in a new one.
func (w *Warp) stridedLines(lineBytes uint64, out []Transaction) []Transaction {
	if w.Mask == ^uint32(0) && w.Stride == int64(w.LaneBytes) {
		return span(w.Base, 32*uint64(w.LaneBytes), lineBytes, out)
	}
	line, last := uint64(0), -1
	for m := w.Mask; m != 0; m &= m - 1 {
		address := w.Base + uint64(int64(bits.TrailingZeros32(m))*w.Stride)
		b := cache.Range(int(address%cache.BlockBytes), w.LaneBytes)
		if at := address &^ (lineBytes - 1); last < 0 || at != line {
			line, last = at, len(out)
			out = append(out, Transaction{Line: line, Bytes: b})
		} else {
			out[last].Bytes = out[last].Bytes.Or(b)
		}
	}
	return out
}

// span covers n bytes without a gap.
func span(base, n, lineBytes uint64, out []Transaction) []Transaction {
	for n > 0 {
		line := base &^ (lineBytes - 1)
		part := min(n, line+lineBytes-base)
		out = append(out, Transaction{Line: line, Bytes: cache.Range(int(base%cache.BlockBytes), int(part))})
		base += part
		n -= part
	}
	return out
}

// gather collects lanes in any order. seen has a bit for the hash of each line
// so far, which spares most searches for a line that is new.
type gather struct {
	out       []Transaction
	start     int
	lineBytes uint64
	seen      uint64
}

// lane adds n bytes at address.
func (g *gather) lane(address uint64, n int) {
	line := address &^ (g.lineBytes - 1)
	if at := address % cache.BlockBytes; n < 64 && uint64(n) <= g.lineBytes-(address-line) && at&63+uint64(n) <= 64 {
		g.add(line, inHalf(at, n))
		return
	}
	g.across(address, n)
}

// inHalf is cache.Range of n bytes, less than 64, in one half of the block.
func inHalf(at uint64, n int) (b cache.Bytes) {
	b[at>>6&1] = (uint64(1)<<(n&63) - 1) << (at & 63)
	return b
}

// across is lane for bytes that may lie in several lines.
func (g *gather) across(address uint64, n int) {
	for n > 0 {
		line := address &^ (g.lineBytes - 1)
		part := int(min(uint64(n), g.lineBytes-(address-line)))
		g.add(line, cache.Range(int(address%cache.BlockBytes), part))
		address += uint64(part)
		n -= part
	}
}

func (g *gather) add(line uint64, b cache.Bytes) {
	// Fibonacci hashing: six of the top bits of the product, which all bits of a line
	// below them reach.
	bit := uint64(1) << (line * 0x9E3779B97F4A7C15 >> 58)
	if g.seen&bit != 0 {
		// Neighbouring lanes share lines: the youngest first.
		for i := len(g.out) - 1; i >= g.start; i-- {
			if g.out[i].Line == line {
				g.out[i].Bytes = g.out[i].Bytes.Or(b)
				return
			}
		}
	}
	g.seen |= bit
	g.out = append(g.out, Transaction{Line: line, Bytes: b})
}
