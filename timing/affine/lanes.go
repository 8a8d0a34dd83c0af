// SPDX-License-Identifier: Apache-2.0

package affine

import "math/bits"

// MaxWarps is the most warps that one affine warp serves at a time.
const MaxWarps = 64

// Lanes is a set of threads of a batch: a bit vector per warp, and which warps have any,
// the two levels of the affine SIMT stack (section 4.5).
type Lanes struct {
	Active uint64 // warps with a thread
	Masks  [MaxWarps]uint32
}

// set gives a warp its threads.
func (l *Lanes) set(w int, mask uint32) {
	l.Masks[w] = mask
	if mask != 0 {
		l.Active |= 1 << w
	} else {
		l.Active &^= 1 << w
	}
}

// clear empties the set.
func (l *Lanes) clear() {
	for rest := l.Active; rest != 0; rest &= rest - 1 {
		l.Masks[bits.TrailingZeros64(rest)] = 0
	}
	l.Active = 0
}

// copyOf makes l the same set as m.
func (l *Lanes) copyOf(m *Lanes) {
	l.clear()
	l.Active = m.Active
	for rest := m.Active; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		l.Masks[w] = m.Masks[w]
	}
}

// remove takes the threads of m out.
func (l *Lanes) remove(m *Lanes) {
	for rest := l.Active & m.Active; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		l.set(w, l.Masks[w]&^m.Masks[w])
	}
}

// intersect keeps the threads of m.
func (l *Lanes) intersect(m *Lanes) {
	for rest := l.Active; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		l.set(w, l.Masks[w]&m.Masks[w])
	}
}

// unite adds the threads of m.
func (l *Lanes) unite(m *Lanes) {
	l.Active |= m.Active
	for rest := m.Active; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		l.Masks[w] |= m.Masks[w]
	}
}

// contains reports whether all threads of m are in l.
func (l *Lanes) contains(m *Lanes) bool {
	if m.Active&^l.Active != 0 {
		return false
	}
	for rest := m.Active; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		if m.Masks[w]&^l.Masks[w] != 0 {
			return false
		}
	}
	return true
}

func (l *Lanes) empty() bool { return l.Active == 0 }
