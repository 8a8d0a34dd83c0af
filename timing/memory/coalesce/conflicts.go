// SPDX-License-Identifier: Apache-2.0

package coalesce

// Conflicts counts bank cycles as Banks does. It remembers how the lanes of a few accesses
// lay to each other: the warps of a kernel repeat them at other addresses.
//
// The words of such an access lie as many banks further for every lane. So as many of them are
// in one bank, as Banks.Count is a power of two.
type Conflicts struct{ known [4]arrangement }

// arrangement is how the addresses of 32 lanes lie to each other.
type arrangement struct {
	distances [32]uint64 // of each lane from the first
	within    uint64     // where in a word the first lane's address is
	laneBytes int        // zero: nothing is known
	serial    bool
	reads     bool
	cycles    int
	packed    bool
}

// Cycles is b.Cycles(w, serial). All calls have the same b.
func (c *Conflicts) Cycles(b Banks, w *Warp, serial bool) int {
	if w.Strided || w.Mask != ^uint32(0) {
		return b.Cycles(w, serial)
	}
	k, known := c.recall(b, w, serial, false)
	if !known {
		k.cycles = b.Cycles(w, serial)
	}
	return k.cycles
}

// Read is b.Read(w). All calls have the same b.
func (c *Conflicts) Read(b Banks, w *Warp) (cycles int, packed bool) {
	if !b.Packed || w.LaneBytes <= b.WordBytes {
		return c.Cycles(b, w, false), false
	}
	if w.Strided || w.Mask != ^uint32(0) {
		return b.Read(w)
	}
	k, known := c.recall(b, w, false, true)
	if !known {
		k.cycles, k.packed = b.Read(w)
	}
	return k.cycles, k.packed
}

// recall gives the arrangement of an access of all lanes, at addresses of their own. If it is not
// known, it takes the place of another one, and its result is to be set.
func (c *Conflicts) recall(b Banks, w *Warp, serial, reads bool) (k *arrangement, known bool) {
	first := w.Addresses[0]
	k, within := &c.known[place(w.Addresses)], first&uint64(b.WordBytes-1)
	if k.laneBytes == w.LaneBytes && k.within == within && k.serial == serial && k.reads == reads && k.matches(w.Addresses) {
		return k, true
	}
	k.within, k.laneBytes, k.serial, k.reads = within, w.LaneBytes, serial, reads
	for i, a := range w.Addresses {
		k.distances[i] = a - first
	}
	return k, false
}

// place tells apart what a kernel is likely to alternate between: rows, columns, and one
// word for all lanes.
func place(a *[32]uint64) int {
	at := 0
	if a[1] != a[0] {
		at = 1
	}
	if a[16] != a[0] {
		at |= 2
	}
	return at
}

// matches reports whether the addresses have the arrangement's distances.
func (k *arrangement) matches(addresses *[32]uint64) bool {
	first, differ := addresses[0], uint64(0)
	for i := 0; i < 32; i += 8 {
		a, d := addresses[i:i+8:i+8], k.distances[i:i+8:i+8]
		differ |= a[0] - first ^ d[0]
		differ |= a[1] - first ^ d[1]
		differ |= a[2] - first ^ d[2]
		differ |= a[3] - first ^ d[3]
		differ |= a[4] - first ^ d[4]
		differ |= a[5] - first ^ d[5]
		differ |= a[6] - first ^ d[6]
		differ |= a[7] - first ^ d[7]
		if differ != 0 {
			return false
		}
	}
	return true
}
