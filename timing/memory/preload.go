// SPDX-License-Identifier: Apache-2.0

package memory

import "github.com/warptape/warptape/timing/seam"

// Preload implements seam.Preloader: copied data stay in the L2 where the
// machine says so (arch.L2.PreloadCopies), sector by sector in the order of
// addresses, as the most recently used ones, in no time. A dirty line that has
// to go is dropped, as if it had been written back before.
func (s *System) Preload(address, bytes uint64) {
	end := address + bytes
	if !s.machine.L2.PreloadCopies || end < address {
		return
	}
	size := uint64(s.l2Geometry.SectorBytes)
	held := uint64(len(s.slices)) * uint64(s.machine.L2.Slice.Bytes)
	first := address / size * size
	// What comes before more than everything that fits would be replaced again,
	// if the slices were evenly used: twice that is certain to change nothing.
	if end-first > 2*held {
		for _, l := range s.slices {
			l.tags.Uncertain()
		}
		first = (end - 2*held) / size * size
	}
	for a := first; a < end; a += size {
		number, inside := s.addresses.slice(a)
		s.slices[number].preload(inside)
	}
}

// preload makes the sector of an address valid.
func (l *level) preload(address uint64) {
	t := l.tags
	l.lacks = false
	line := t.Line(address)
	i := t.Find(line)
	if i < 0 {
		if i = t.Victim(line); i < 0 {
			return
		}
		t.Replace(i, line)
	}
	if sector := t.SectorOf(address); t.Pending(i)>>sector&1 == 0 {
		t.Load(i, sector)
	}
	t.Use(i)
	if l.late != nil {
		l.late.written(line)
	}
}

var _ seam.Preloader = (*System)(nil)
