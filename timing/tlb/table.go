// SPDX-License-Identifier: Apache-2.0

package tlb

// table maps a pair of numbers to a number: open addressing with linear probing,
// at most half full. It grows and never shrinks.
type table struct {
	keys   [][2]uint64
	values []uint64 // 1 + the value; zero: the place is empty
	used   int
}

// least is the size of a table with something in it.
const least = 64

// spread mixes the bits of a key (the finaliser of MurmurHash3, public domain).
func spread(a, b uint64) uint64 {
	h := a ^ b*0x9e3779b97f4a7c15
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// at is the place of a key, or the empty one where it would go.
func (t *table) at(a, b uint64) int {
	mask := len(t.keys) - 1
	i := int(spread(a, b)) & mask
	for t.values[i] != 0 && t.keys[i] != [2]uint64{a, b} {
		i = (i + 1) & mask
	}
	return i
}

func (t *table) get(a, b uint64) (uint64, bool) {
	if t.used == 0 {
		return 0, false
	}
	v := t.values[t.at(a, b)]
	return v - 1, v != 0
}

func (t *table) set(a, b, value uint64) {
	if 2*(t.used+1) > len(t.keys) {
		t.grow()
	}
	i := t.at(a, b)
	if t.values[i] == 0 {
		t.used++
	}
	t.keys[i], t.values[i] = [2]uint64{a, b}, value+1
}

func (t *table) grow() {
	old := *t
	n := max(2*len(old.keys), least)
	t.keys, t.values = make([][2]uint64, n), make([]uint64, n)
	for i, v := range old.values {
		if v != 0 {
			at := t.at(old.keys[i][0], old.keys[i][1])
			t.keys[at], t.values[at] = old.keys[i], v
		}
	}
}
