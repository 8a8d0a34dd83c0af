// SPDX-License-Identifier: Apache-2.0

package coexecution

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// RaceChecker finds accesses of a thread block to its shared memory, and on
// request to global memory, that no synchronisation orders, by happens-before
// over barriers and mbarriers. Of different thread blocks it knows nothing.
//
// Each warp has a vector clock (Mattern, "Virtual time and global states of
// distributed systems", 1989): clocks[v][w] is the last epoch of warp w that warp
// v has heard of. An epoch of a warp ends where it arrives at a barrier; warps
// that wait there hear of all that arrived (9.7.13.1). Two accesses of different
// warps to one byte, not both reads and not both atomic, race if neither warp has
// heard of the other's.
//
// Inside a warp, accesses of different lanes by one instruction do not race: the
// ISA has one of several writers win. If they write different values, that is a
// warning (Differ). Accesses by different instructions are in
// order if the target runs warps in lockstep (below sm_70). Else they are in order
// if an instruction that synchronises the warp stands between (bar.warp.sync,
// shfl.sync, vote.sync, match.sync, redux.sync, mma). The lanes that it names are
// not looked at. Nor are fences, so that a kernel that synchronises by words in memory is
// told of races that it does not have. Bulk copies are agents of their own (race_copies.go).
type RaceChecker struct {
	kernel   *contaminator.Kernel
	lockstep bool
	// synchronisations counts, for each instruction, those before it in its
	// segment that synchronise a warp; segmentSyncs those of a segment.
	synchronisations, segmentSyncs []uint32

	clocks   [agents]clock
	barriers [BarrierCount]clock
	// mbarriers have what the warps hear that wait there, by the first byte of their word.
	mbarriers map[*byte]*mbarrierClocks
	// groups has, by warp, its copies' clock at the end of each bulk group.
	groups [MaxWarps][]uint32
	// epochs counts what has synchronised each warp, visits its visits.
	epochs, visits [MaxWarps]uint32
	shared         []checkedByte
	// Global has pages of global memory by number; nil if it is not looked at.
	Global map[uint64]*checkedPage
	Found  []error
	seen   map[[2]int]bool
	// differing are stores by which lanes differ, by instruction; warned has them in the
	// order in which they were found.
	differing map[int]error
	warned    []int
}

// maxRaces is the number of races, by pairs of instructions, after which a
// launch stops looking.
const maxRaces = 64

// checkedPage is a piece of global memory that is aligned to its size.
type checkedPage [64]checkedByte

// checkedByte is what is known of a byte: the writes after which there has been no
// ordered one, and the reads since. Atomics take the place of each other only: one that comes
// later does not race with them, and may with what they came behind.
type checkedByte struct{ writes, reads []checkedAccess }

// CheckedKind is an instruction that accesses memory. It has its index in the
// kernel's body, below zero for what is no instruction of the kernel. Verb is what
// messages call it, and Bytes are those of a lane.
type CheckedKind struct {
	Instruction   int
	Verb          string
	Bytes         uint64
	Write, Atomic bool
	// Copy says that a bulk copy makes the access.
	Copy bool
}

// checkedAccess is the access of some lanes of a warp by one executed instruction.
type checkedAccess struct {
	warp, instruction   int
	lanes               uint32
	clock, epoch, visit uint32
	write, atomic       bool
}

func NewRaceChecker(k *contaminator.Kernel, sharedBytes uint64, global bool) *RaceChecker {
	r := &RaceChecker{
		kernel: k, lockstep: k.PTX.Module.Lockstep(), seen: map[[2]int]bool{}, differing: map[int]error{}, shared: make([]checkedByte, sharedBytes),
		synchronisations: make([]uint32, len(k.PTX.Body)), segmentSyncs: make([]uint32, len(k.Segments)),
	}
	if global {
		r.Global = map[uint64]*checkedPage{}
	}
	for i := range k.Segments {
		n := uint32(0)
		for j := range k.Segments[i].Count {
			at := k.Segments[i].First + j
			r.synchronisations[at] = n
			if synchronisesWarp(&k.PTX.Body[at]) {
				n++
			}
		}
		r.segmentSyncs[i] = n
	}
	return r
}

func synchronisesWarp(in *ptx.Instruction) bool {
	switch in.Op {
	case ptx.OpBar:
		return in.Mods.Has(ptx.ModWarp)
	case ptx.OpShfl, ptx.OpVote, ptx.OpMatch, ptx.OpRedux, ptx.OpMma, ptx.OpWmma, ptx.OpLdmatrix, ptx.OpStmatrix, ptx.OpMovmatrix:
		return true
	}
	return false
}

// BeginBlock forgets the accesses of the block before; races are kept.
func (r *RaceChecker) BeginBlock() {
	clear(r.shared)
	clear(r.Global)
	r.clocks = [agents]clock{}
	clear(r.mbarriers)
	for w := range r.groups {
		r.groups[w] = r.groups[w][:0]
	}
	for w := range r.clocks {
		r.clocks[w][w] = 1
	}
	r.epochs = [MaxWarps]uint32{}
}

// EndVisit follows a warp out of a segment.
func (r *RaceChecker) EndVisit(warp, segment int) {
	r.visits[warp]++
	r.epochs[warp] += r.segmentSyncs[segment]
}

// Arrive tells a barrier what an arriving warp has done; first says that the
// barrier has just been opened.
func (r *RaceChecker) Arrive(barrier, warp int, first bool) {
	b := &r.barriers[barrier]
	if first {
		*b = clock{}
	}
	join(b, &r.clocks[warp])
	r.clocks[warp][warp]++
}

// Release tells the warps in a set what a barrier has been told.
func (r *RaceChecker) Release(barrier int, warps uint32) {
	for ; warps != 0; warps &= warps - 1 {
		join(&r.clocks[bits.TrailingZeros32(warps)], &r.barriers[barrier])
	}
}

// Share tells a warp that a product of its warpgroup has been read from shared memory, by
// another warp here: all of them do it together, and who waits for it waits for its reads.
func (r *RaceChecker) Share(warp, reader int) {
	r.clocks[warp][reader] = max(r.clocks[warp][reader], r.clocks[reader][reader])
}

func join(into, from *clock) {
	for i := range into {
		into[i] = max(into[i], from[i])
	}
}

// Access notes an access of one lane that starts at an address of shared or
// global memory, and reports the race that it takes part in.
func (r *RaceChecker) Access(w *WarpIdentity, k CheckedKind, lane int, space ptx.Space, start uint64) {
	if space == ptx.SpaceGlobal && r.Global == nil || k.Instruction < 0 {
		return
	}
	agent := w.Warp
	if k.Copy {
		agent = copies(w.Warp)
	}
	a := checkedAccess{
		warp: agent, instruction: k.Instruction, lanes: 1 << lane, clock: r.clocks[agent][agent],
		epoch: r.epochs[w.Warp] + r.synchronisations[k.Instruction], visit: r.visits[w.Warp], write: k.Write, atomic: k.Atomic,
	}
	for at := start; at < start+k.Bytes; at++ {
		if other := r.touch(r.byteAt(space, at), &a); other != nil {
			r.report(w, k, lane, space, at, &a, other)
			return
		}
	}
}

func (r *RaceChecker) byteAt(space ptx.Space, at uint64) *checkedByte {
	if space == ptx.SpaceShared {
		return &r.shared[at]
	}
	const size = uint64(len(checkedPage{}))
	p := r.Global[at/size]
	if p == nil {
		p = new(checkedPage)
		r.Global[at/size] = p
	}
	return &p[at%size]
}

// touch adds an access to a byte, and gives one that it races with.
func (r *RaceChecker) touch(b *checkedByte, a *checkedAccess) *checkedAccess {
	for i := range b.writes {
		if other := &b.writes[i]; !(a.atomic && other.atomic) && !r.ordered(other, a) {
			found := *other
			return &found
		}
	}
	if a.write {
		for i := range b.reads {
			if other := &b.reads[i]; !r.ordered(other, a) {
				found := *other
				return &found
			}
		}
		if !a.atomic {
			b.reads, b.writes = b.reads[:0], b.writes[:0]
		}
		b.writes = r.add(b.writes, a)
		return nil
	}
	b.reads = r.add(b.reads, a)
	return nil
}

// add appends an access to those of a byte that are not known to be over.
func (r *RaceChecker) add(list []checkedAccess, a *checkedAccess) []checkedAccess {
	kept := list[:0]
	merged := false
	for _, old := range list {
		switch {
		case old.warp == a.warp && old.instruction == a.instruction && old.visit == a.visit && (a.warp < MaxWarps || old.clock == a.clock):
			old.lanes |= a.lanes
			merged = true
		case a.atomic && !old.atomic:
		case r.ordered(&old, a) && old.warp != a.warp:
			continue
		case old.warp == a.warp && old.clock < a.clock && (a.warp >= MaxWarps || r.ordered(&old, a)): // who has heard of the later copy has heard of the earlier one
			continue
		}
		kept = append(kept, old)
	}
	if !merged {
		kept = append(kept, *a)
	}
	return kept
}

// ordered reports whether access a was over before b.
func (r *RaceChecker) ordered(a, b *checkedAccess) bool {
	switch {
	case a.warp != b.warp:
		return r.clocks[b.warp][a.warp] >= a.clock
	case a.warp >= MaxWarps: // copies of one warp, in order as far as it has waited for them
		return a.clock == b.clock || r.clocks[a.warp-MaxWarps][a.warp] >= a.clock
	case a.lanes == b.lanes, r.lockstep, a.clock < b.clock, a.epoch < b.epoch:
		return true
	}
	return a.instruction == b.instruction && a.visit == b.visit
}

// report keeps a race as a fault of the second access, once for each pair of
// instructions.
func (r *RaceChecker) report(w *WarpIdentity, k CheckedKind, lane int, space ptx.Space, at uint64, a, other *checkedAccess) {
	pair := [2]int{min(a.instruction, other.instruction), max(a.instruction, other.instruction)}
	if r.seen[pair] || len(r.Found) == maxRaces {
		return
	}
	r.seen[pair] = true
	otherLane := bits.TrailingZeros32(other.lanes)
	if other.warp == a.warp && otherLane == lane && other.lanes&^a.lanes != 0 {
		otherLane = bits.TrailingZeros32(other.lanes &^ a.lanes)
	}
	thread := w.Launch.Thread(other.warp%MaxWarps*trace.WarpSize + otherLane)
	in := &r.kernel.PTX.Body[other.instruction]
	source := ""
	if in.SourceLine != 0 {
		source = fmt.Sprintf(" (source %s:%d)", r.kernel.PTX.Module.SourceFiles[in.SourceFile], in.SourceLine)
	}
	f := &Fault{Kind: FaultRace, Access: fmt.Sprintf("%s %s of %d bytes", space, k.Verb, k.Bytes), Address: at, Space: space,
		Detail: fmt.Sprintf("no barrier is between it and the %s by thread (%d,%d,%d) at %s:%d%s", other.verb(), thread.X, thread.Y, thread.Z, in.File, in.Line, source)}
	f.Locate(r.kernel.PTX, a.instruction, w, lane)
	r.Found = append(r.Found, f)
}

func (a *checkedAccess) verb() string {
	switch {
	case a.warp >= MaxWarps:
		return "bulk copy"
	case a.atomic:
		return "atomic"
	case a.write:
		return "store"
	}
	return "load"
}

// Err gives all races that were found, nil without any.
func (r *RaceChecker) Err() error {
	if r == nil {
		return nil
	}
	return errors.Join(r.Found...)
}
