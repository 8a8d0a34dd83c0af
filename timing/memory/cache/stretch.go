// SPDX-License-Identifier: Apache-2.0

package cache

// Span is where lines may lie whose address, of the bits in mask, is in first to last:
// at line indexes from on and before end. A stretch that is smaller than the cache
// takes a part of the sets, where these follow each other as the lines do.
func (t *Tags) Span(mask, first, last uint64) (from, end int) {
	t.fate.ordered = true
	if last < first {
		return 0, 0
	}
	low := uint64(1)<<(t.lineShift+t.indexBits) - 1
	if t.index != indexLinear || t.fillBuffer.on || mask&low != low || last>>t.lineShift-first>>t.lineShift > t.setMask {
		return 0, len(t.tags)
	}
	from, end = t.set(first), t.set(last)+t.ways
	if from >= end {
		return 0, len(t.tags) // around the end of the sets
	}
	return from, end
}

// NextOf is the first line index from on, and before end, of a line whose address, of
// the bits in mask, is in first to last; end without any.
func (t *Tags) NextOf(from, end int, mask, first, last uint64) int {
	for i, tag := range t.tags[from:end] {
		if tag == 0 {
			continue
		}
		if a := tag &^ present & mask; a >= first && a <= last {
			return from + i
		}
	}
	return end
}
