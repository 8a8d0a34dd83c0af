// SPDX-License-Identifier: Apache-2.0

package emulator

import "hash/maphash"

// spinDetector finds paths of a warp that wait in a loop for what other lanes of the warp
// do. From sm_70 on each thread makes progress by itself (CUDA C++ Programming Guide,
// "Independent Thread Scheduling"): then another path gets its turn. A path waits when
// it comes back to the same registers in a loop that other threads end, or a pause; one
// that counts its rounds does after spinLimit visits.
type spinDetector struct {
	path         int // the visits are of
	visits, next int
	segment      int
	kept, local  uint64 // hashes of the warp's state then, and of its local memory
	scratch      []byte
}

// spinPatience is the number of visits of a path in such loops before the detector looks
// at its state. The number is spunPatience for a path that was seen to wait already. The
// detector compares spinWindow visits with a state that it kept.
const (
	spinPatience = 128
	spunPatience = 16
	spinWindow   = 64
	spinLimit    = 1 << 16
)

func (d *spinDetector) begin() { d.visits, d.path = 0, 0 }

// noteSpin counts a visit of a warp that can run; waits says that it was of a loop which
// other threads end.
func (s *scheduler) noteSpin(w *warp, waits bool) {
	d := &w.spin
	if w.stack.empty() {
		return
	}
	top := w.stack.top()
	switch {
	case !waits:
		d.begin()
		top.spun = false
		return
	case top.mask == w.live:
		d.begin()
		return
	case top.id != d.path:
		d.begin()
		d.path, d.next = top.id, spinPatience
		if top.spun {
			d.next = spunPatience
		}
	}
	if d.visits++; d.visits == spinLimit || d.visits >= spunPatience && s.comesBack(d, w) {
		top.spun = true
		w.stack.takeTurns()
		d.begin()
	}
}

// comesBack compares the state of a warp with the one that was kept when the count of
// visits was last a power of two (Brent, see loopDetector).
func (s *scheduler) comesBack(d *spinDetector, w *warp) bool {
	keep := d.visits == d.next
	if !keep && (d.visits < d.next/2 || d.visits-d.next/2 > spinWindow || w.stack.top().segment != d.segment) {
		return false
	}
	context, ok := w.context.(Stater)
	if !ok {
		return false
	}
	d.scratch = context.AppendRegisters(w.stack.appendState(d.scratch[:0]))
	hash := maphash.Bytes(memorySeed, d.scratch)
	if !keep && hash != d.kept {
		return false // local memory may be large
	}
	d.scratch = context.AppendLocal(d.scratch[:0])
	local := maphash.Bytes(memorySeed, d.scratch)
	if keep {
		d.next *= 2
		d.kept, d.local, d.segment = hash, local, w.stack.top().segment
		return false
	}
	return local == d.local
}

// takeTurns brings a path that can run and has not been seen to wait to the top. Else it
// brings lanes that wait to reconverge with others, else the path that had its turn longest
// ago.
func (s *reconvergenceStack) takeTurns() {
	if !s.rotate(func(p *path) bool { return !p.spun }) && !s.breakJoin(false) {
		s.rotate(func(*path) bool { return true })
	}
}

// rotate brings the lowest path below the top that can run, and that is wanted, to the top.
func (s *reconvergenceStack) rotate(wanted func(p *path) bool) bool {
	for i := range len(s.paths) - 1 {
		if p := s.paths[i]; p.state == pathRuns && p.mask != 0 && wanted(&p) && !s.hasChildren(p.id) {
			s.paths = append(append(s.paths[:i], s.paths[i+1:]...), p)
			return true
		}
	}
	return false
}
