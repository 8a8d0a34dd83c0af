package trace

import "slices"

// sequenceTable stores distinct sequences once, numbered in the order of their
// first use. Its memory is reused after reset.
type sequenceTable[T uint32 | uint64] struct {
	data   []T
	ends   []int // end of each sequence in data
	hashes []uint64
	slots  []uint32 // open addressing: sequence number + 1, 0 is free
	last   int      // the number that intern returned last
}

func (t *sequenceTable[T]) reset() {
	t.data, t.ends, t.hashes, t.last = t.data[:0], t.ends[:0], t.hashes[:0], 0
	clear(t.slots)
}

func (t *sequenceTable[T]) len() int { return len(t.ends) }

func (t *sequenceTable[T]) at(i int) []T {
	start := 0
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.data[start:t.ends[i]]
}

// intern returns the number of the sequence and whether it is new. Neighbouring
// warps mostly do the same, so the last answer is tried before any hashing.
func (t *sequenceTable[T]) intern(s []T) (number int, added bool) {
	if t.len() > 0 && slices.Equal(t.at(t.last), s) {
		return t.last, false
	}
	if 2*t.len() >= len(t.slots) {
		t.grow()
	}
	h := hashWords(s)
	mask := uint64(len(t.slots) - 1)
	i := h & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		n := int(t.slots[i] - 1)
		if t.hashes[n] == h && slices.Equal(t.at(n), s) {
			t.last = n
			return n, false
		}
	}
	t.slots[i] = uint32(t.len() + 1)
	t.hashes = append(t.hashes, h)
	t.data = append(t.data, s...)
	t.ends = append(t.ends, len(t.data))
	t.last = t.len() - 1
	return t.last, true
}

func (t *sequenceTable[T]) grow() {
	t.slots = make([]uint32, max(64, 2*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for n, h := range t.hashes {
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = uint32(n + 1)
	}
}

// hashWords mixes by multiplication; quality matters only for speed, since every
// hit is compared.
func hashWords[T uint32 | uint64](s []T) uint64 {
	h := uint64(len(s))
	for _, w := range s {
		h = (h ^ uint64(w)) * hashFactor
		h ^= h >> 29
	}
	return h ^ h>>32
}
