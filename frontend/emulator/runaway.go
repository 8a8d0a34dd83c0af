// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/maphash"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/trace"
)

// hotVisits is the number of visits that are looked at, once the budget is
// exhausted, to find the loop that exhausts it.
const hotVisits = 4096

// overBudget counts a visit of a launch whose budget is exhausted, and ends it
// when the loop is known.
func (s *scheduler) overBudget(w *warp, segment int) error {
	if s.hot == nil {
		s.hot = make([]int, len(s.segments)+1)
	}
	s.hot[segment]++
	s.hot[len(s.segments)]++
	if s.hot[len(s.segments)] < hotVisits {
		return nil
	}
	return s.exhausted(w)
}

// exhausted is the fault at the segment that is visited most.
func (s *scheduler) exhausted(w *warp) error {
	hottest, visited := 0, make([]bool, len(s.segments))
	for i, n := range s.hot[:len(s.segments)] {
		if n > s.hot[hottest] {
			hottest = i
		}
	}
	for i := range visited {
		visited[i] = s.hot[i] > s.hot[hottest]/2
	}
	return s.fault(w, coexecution.FaultBudget, hottest, fmt.Sprintf("the launch executed more than %d warp instructions, the last of them mostly in %s",
		s.device.options.MaxInstructions, s.linesOf(visited)))
}

// linesOf names the lines of a set of segments.
func (s *scheduler) linesOf(visited []bool) string {
	body := s.kernel.contaminated.PTX.Body
	low, high := 0, 0
	for i := range s.segments {
		if seg := &s.segments[i]; visited[i] && seg.Count > 0 {
			first, last := body[seg.First].Line, body[seg.First+seg.Count-1].Line
			if low == 0 {
				low, high = first, last
			}
			low, high = min(low, first), max(high, last)
		}
	}
	if low == high {
		return fmt.Sprintf("line %d", low)
	}
	return fmt.Sprintf("lines %d to %d", low, high)
}

// loopDetector finds warps that come back to the state in which they were
// before, with nothing in memory changed: the schedule is fixed, so that they
// would for ever. It keeps a state when the count of steps is a power of two
// (Brent, "An improved Monte Carlo factorization algorithm", BIT 20, 1980). It
// compares some states after it, so that warps that run for long hardly pay for
// it.
type loopDetector struct {
	steps, next uint64
	kept        []byte // the warps' state without memory; nil before the first
	now         []byte // scratch
	memory      uint64 // hash of the memory that they share then
	local       uint64 // and of the threads' own
	visited     []bool // segments at which a warp stood since
	running     int    // the first running warp then
	segment     int    // at which it stood
	registers   int    // where its registers begin in kept
	// watch is a word of that warp's registers that differed when states were compared
	// last, from 1 (0: none is known), and watched its value in the kept state. Mostly
	// it is a loop's counter, and differs again.
	watch   int
	watched uint64
}

// patience is the number of steps (visits of a warp in its turn, rounds of a
// thread block's warps) before anything is looked at.
const patience = 1 << 16

// window is the number of steps after a kept state that are compared with it: the
// longest way round a loop that is found.
const window = 1 << 12

func (d *loopDetector) begin() { d.steps, d.next, d.kept, d.watch = 0, patience, nil, 0 }

// due counts a step and says whether to look.
func (d *loopDetector) due() bool {
	d.steps++
	return d.steps >= patience && d.inWindow()
}

func (d *loopDetector) inWindow() bool {
	return d.steps == d.next || d.kept != nil && d.steps-d.next/2 <= window
}

// Stater is a Context that can tell its state: the same bytes in two states
// mean that what follows is the same, if memory is. What it holds besides the threads'
// local memory is apart from that: it differs sooner, and is small.
type Stater interface {
	AppendRegisters(b []byte) []byte
	// RegisterWord is a word of eight bytes of what AppendRegisters appends, if it is
	// one of the file of registers.
	RegisterWord(i int) (uint64, bool)
	AppendLocal(b []byte) []byte
}

// lookForLoop compares the state of warps with that kept.
func (s *scheduler) lookForLoop(d *loopDetector, warps []warp) error {
	if len(d.visited) != len(s.segments) {
		d.visited = make([]bool, len(s.segments))
	}
	running := d.mark(s.waiting, warps)
	keep := d.steps == d.next
	if running < 0 || !keep && d.surelyDiffers(running, &warps[running]) {
		return nil
	}
	d.now = s.appendBarriers(d.now[:0])
	registers := 0 // where the running warp's registers begin
	for i := range warps {
		w := &warps[i]
		d.now = binary.LittleEndian.AppendUint32(d.now, w.live)
		d.now = binary.LittleEndian.AppendUint32(d.now, w.parked)
		if w.live == 0 || w.stack.empty() {
			continue
		}
		context, ok := w.context.(Stater)
		if !ok {
			return nil
		}
		d.now = w.stack.appendState(d.now)
		if i == running {
			registers = len(d.now)
		}
		d.now = context.AppendRegisters(d.now)
	}
	switch {
	case keep:
		d.next *= 2
		d.kept, d.memory = append(d.kept[:0], d.now...), s.memoryHash()
		d.local = d.localHash(warps)
		d.running, d.segment, d.registers, d.watch = running, warps[running].stack.top().segment, registers, 0
		clear(d.visited)
		return nil
	case !bytes.Equal(d.kept, d.now):
		d.watchRegisters(running, registers)
		return nil
	case d.localHash(warps) != d.local:
		return nil
	case s.memoryHash() != d.memory:
		d.kept = nil // hashing each time would take too long
		return nil
	}
	w := &warps[running]
	return s.fault(w, coexecution.FaultEndless, w.stack.top().segment, s.endless(d.visited))
}

// surelyDiffers reports whether the first running warp stands elsewhere than in the kept
// state, or has another value in the word that is watched.
func (d *loopDetector) surelyDiffers(running int, w *warp) bool {
	if w.stack.top().segment != d.segment {
		return true
	}
	context, ok := w.context.(Stater)
	if !ok || d.watch == 0 || running != d.running {
		return false
	}
	word, ok := context.RegisterWord(d.watch - 1)
	return ok && word != d.watched
}

// watchRegisters watches the first word of the running warp's registers that differs. The
// states need not lie alike: a warp may have more paths than in the kept one.
func (d *loopDetector) watchRegisters(running, registers int) {
	d.watch = 0
	if running != d.running || registers != d.registers {
		return
	}
	for at := registers; at+8 <= min(len(d.kept), len(d.now)); at += 8 {
		if kept := binary.NativeEndian.Uint64(d.kept[at:]); kept != binary.NativeEndian.Uint64(d.now[at:]) {
			d.watch, d.watched = (at-registers)/8+1, kept
			return
		}
	}
}

// mark notes where warps stand, and gives the first that can run, or -1.
func (d *loopDetector) mark(waiting uint32, warps []warp) int {
	running := -1
	for i := range warps {
		w := &warps[i]
		if w.live == 0 || w.stack.empty() || waiting>>w.identity.Warp&1 != 0 {
			continue
		}
		d.visited[w.stack.top().segment] = true
		if running < 0 {
			running = i
		}
	}
	return running
}

// endless says what kind of loop never ends.
func (s *scheduler) endless(visited []bool) string {
	lines := s.linesOf(visited)
	for i, seg := range s.segments {
		for j := range seg.Count {
			in := &s.kernel.contaminated.Static.Instructions[seg.First+j]
			if visited[i] && (in.Class == trace.ClassLoad || in.Class == trace.ClassAtomic) && in.Space != trace.SpaceParam {
				return fmt.Sprintf("the wait in %s never ends: it looks at memory that no thread changes any more. Warps take turns only at barriers and pauses (nanosleep, try_wait), "+
					"thread blocks run in ascending order: let a thread wait only for earlier ones, or pause in the loop", lines) + s.awaited()
			}
		}
	}
	return fmt.Sprintf("the loop in %s comes back to the same values and never ends", lines)
}

var memorySeed = maphash.MakeSeed()

// localHash is a hash of the local memory of warps.
func (d *loopDetector) localHash(warps []warp) uint64 {
	var h maphash.Hash
	h.SetSeed(memorySeed)
	for i := range warps {
		if context, ok := warps[i].context.(Stater); ok && warps[i].live != 0 {
			d.now = context.AppendLocal(d.now[:0])
			h.Write(d.now)
		}
	}
	return h.Sum64()
}

// memoryHash is a hash of all memory that the warps of a block share and may have
// changed.
func (s *scheduler) memoryHash() uint64 {
	var h maphash.Hash
	h.SetSeed(memorySeed)
	h.Write(s.block.Shared)
	if s.cluster != nil {
		s.cluster.hash(&h)
	}
	if f := s.launch.Footprint; f != nil && !f.Noting {
		f.HashWritten(&h, s.launch.Claimant)
		return h.Sum64()
	}
	for _, a := range s.device.Global.Allocations {
		h.Write(a.Data)
	}
	return h.Sum64()
}

// appendBarriers adds which warps wait, and which have arrived where.
func (s *scheduler) appendBarriers(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, s.waiting)
	for i := range s.barriers {
		if r := &s.barriers[i]; r.active {
			for _, v := range [...]uint32{uint32(i), r.arrived, r.waiting, r.apart, r.threads} {
				b = binary.LittleEndian.AppendUint32(b, v)
			}
		}
	}
	return b
}

// appendState adds where a warp's paths are.
func (s *reconvergenceStack) appendState(b []byte) []byte {
	for i := range s.paths {
		p := &s.paths[i]
		for _, v := range [...]int{p.segment, p.reconverge, int(p.mask), p.depth, int(p.state)} {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
	}
	return b
}
