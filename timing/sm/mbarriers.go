// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"math/bits"
	"slices"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/cluster"
	"github.com/warptape/warptape/timing/mbarrier"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/loadstore"
	"github.com/warptape/warptape/trace"
)

// Warps meet at mbarriers (PTX ISA 9.7.13.15) in the replay as they come there, not as they
// did in the recording. An arrival counts when the port takes its access, at another thread
// block of the cluster when the network has performed it. A look whose answer was yes in the
// recording holds its warp until that phase is complete. One whose answer was no does not: the
// warp went on otherwise, and looked again. Where too little is known, a look only waits for the
// bulk copies that are under way (docs/deviations.md, D81).

// mbarrierRole is what an instruction does at mbarriers.
type mbarrierRole uint8

const (
	mbarrierNone mbarrierRole = iota
	mbarrierInit
	mbarrierInvalidate
	mbarrierArrive
	mbarrierDrop
	mbarrierArriveExpecting
	mbarrierDropExpecting
	mbarrierExpect
	mbarrierComplete
	mbarrierLook
	mbarrierCopies        // arrives behind the warp's copies, and is pending from now on
	mbarrierCopiesCounted // the same, .noinc: it has been pending before
	mbarrierStore         // st.async, red.async
)

// mbarrierRoleOf reads an instruction. Arrivals also expect bytes with .expect_tx.
func mbarrierRoleOf(in *trace.Instruction) mbarrierRole {
	has := func(modifier string) bool { return slices.Contains(in.Modifiers, modifier) }
	switch in.Opcode {
	case "cp":
		if !has("mbarrier") || !has("arrive") {
			return mbarrierNone
		}
		if has("noinc") {
			return mbarrierCopiesCounted
		}
		return mbarrierCopies
	case "st", "red":
		if has("async") && has("mbarrier::complete_tx::bytes") {
			return mbarrierStore
		}
		return mbarrierNone
	case "mbarrier":
		return mbarrierRoleOfOwn(has)
	}
	return mbarrierNone
}

func mbarrierRoleOfOwn(has func(modifier string) bool) mbarrierRole {
	expecting := has("expect_tx")
	switch {
	case has("init"):
		return mbarrierInit
	case has("inval"):
		return mbarrierInvalidate
	case has("test_wait"), has("try_wait"):
		return mbarrierLook
	case has("arrive") && expecting:
		return mbarrierArriveExpecting
	case has("arrive"):
		return mbarrierArrive
	case has("arrive_drop") && expecting:
		return mbarrierDropExpecting
	case has("arrive_drop"):
		return mbarrierDrop
	case expecting:
		return mbarrierExpect
	case has("complete_tx"):
		return mbarrierComplete
	}
	return mbarrierNone
}

// changeOf is what a lane with a number in its word changes (trace.WithNumber).
func changeOf(r mbarrierRole, number uint32) mbarrier.Change {
	n := int64(number)
	switch r {
	case mbarrierArrive:
		return mbarrier.Change{Pending: -n}
	case mbarrierDrop:
		return mbarrier.Change{Pending: -n, Expected: -n}
	case mbarrierArriveExpecting:
		return mbarrier.Change{Pending: -1, Bytes: n}
	case mbarrierDropExpecting:
		return mbarrier.Change{Pending: -1, Expected: -1, Bytes: n}
	case mbarrierExpect:
		return mbarrier.Change{Bytes: n}
	case mbarrierComplete:
		return mbarrier.Change{Bytes: -n}
	}
	return mbarrier.Change{}
}

// happens is what a lane with a word does: the place of an mbarrier, and the change to it.
func happens(a *seam.MemoryAccess, word uint64) (place uint64, c mbarrier.Change) {
	number, _ := trace.NumberOf(word)
	if r := mbarrierRole(a.Mbarrier); r != mbarrierStore {
		return placeOf(word), changeOf(r, number)
	}
	return uint64(number), mbarrier.Change{Bytes: -int64(a.TxBytes)}
}

// placeOf is the place of an address in the shared memory of its thread block.
func placeOf(word uint64) uint64 { return word & (1<<trace.ClusterRankShift - 1) }

// synchronize does at mbarriers of the own thread block what an access does that the port
// takes.
func (s *SM) synchronize(now clock.Cycle, a *seam.MemoryAccess) {
	rank := s.residents.In(a.BlockSlot).Rank
	t := &s.mbarriers[a.BlockSlot]
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		word := a.Chunk.Lane(a.Access, bits.TrailingZeros32(rest))
		number, known := trace.NumberOf(word)
		switch r := mbarrierRole(a.Mbarrier); {
		case trace.ClusterRank(word, rank) != rank:
		case !known:
			s.forget(now, a.BlockSlot)
		case r == mbarrierInit:
			t.Init(placeOf(word), number)
		case r == mbarrierInvalidate:
			t.Invalidate(placeOf(word))
		default:
			t.Change(happens(a, word))
		}
	}
	s.releaseFrom(now, a.BlockSlot)
}

// synchronizeRemote tells the thread block of a rank what lanes of an access do at its
// mbarriers, when the access has been performed.
func (s *SM) synchronizeRemote(at clock.Cycle, a *seam.MemoryAccess, lanes uint32, rank int) {
	c := s.residents.In(a.BlockSlot).Cluster
	for ; lanes != 0; lanes &= lanes - 1 {
		word := a.Chunk.Lane(a.Access, bits.TrailingZeros32(lanes))
		_, known := trace.NumberOf(word)
		place, change := happens(a, word)
		c.Signal(rank, at, cluster.Signal{Place: place, Change: change, Forget: !known})
	}
}

// completeTx takes what a bulk copy has brought off the tx-counts of its mbarriers. Other
// thread blocks hear of it a cycle later, because they may have been served in this one.
func (s *SM) completeTx(now clock.Cycle, slot int, copied *loadstore.Copy) {
	b := s.residents.In(slot)
	change := mbarrier.Change{Bytes: -int64(copied.Bytes)}
	ranks := uint32(copied.Blocks)
	if ranks == 0 {
		ranks = 1 << trace.ClusterRank(copied.Barrier, b.Rank)
	}
	for ; ranks != 0; ranks &= ranks - 1 {
		rank := bits.TrailingZeros32(ranks)
		if rank == b.Rank {
			s.change(now, slot, placeOf(copied.Barrier), change)
		} else if b.Cluster != nil {
			b.Cluster.Signal(rank, now+1, cluster.Signal{Place: placeOf(copied.Barrier), Change: change})
		}
	}
}

// change changes an mbarrier of the thread block in a slot.
func (s *SM) change(now clock.Cycle, slot int, place uint64, c mbarrier.Change) {
	s.mbarriers[slot].Change(place, c)
	s.releaseFrom(now, slot)
}

// changeBehind adds pending arrivals to an mbarrier that may have yet to be initialised: the port
// takes no part in it.
func (s *SM) changeBehind(now clock.Cycle, slot int, place uint64, pending int64) {
	s.mbarriers[slot].ChangeBehind(place, mbarrier.Change{Pending: pending})
	s.releaseFrom(now, slot)
}

// forget says that something has happened to an mbarrier of a thread block, or of its cluster,
// that is not known.
func (s *SM) forget(now clock.Cycle, slot int) {
	s.mbarriers[slot].Forget()
	if c := s.residents.In(slot).Cluster; c != nil {
		c.SignalAll(now+1, cluster.Signal{Forget: true})
	}
	s.releaseFrom(now, slot)
}

// releaseFrom lets the warps of a thread block go on that wait for no phase any more.
func (s *SM) releaseFrom(now clock.Cycle, slot int) {
	s.mbarriers[slot].Released(func(w int) { s.resume(now+1, w) })
}

// Signal implements cluster.SM.
func (s *SM) Signal(at clock.Cycle, slot int, of *cluster.Cluster, signal cluster.Signal) {
	s.inbox.Put(at, message{about: topicSignal, slot: slot, cluster: of, signal: signal})
	s.wake.Lower(at)
}

// signalled does what another SM tells of an mbarrier, unless the thread block has gone.
func (s *SM) signalled(now clock.Cycle, m *message) {
	if s.residents.In(m.slot).Cluster != m.cluster {
		return
	}
	if m.signal.Forget {
		s.mbarriers[m.slot].Forget()
		s.releaseFrom(now, m.slot)
		return
	}
	s.change(now, m.slot, m.signal.Place, m.signal.Change)
}

// comeInits tells the thread block of the initialisations in an access that issues: warps that
// it meets at a barrier may look, or arrive behind copies, before the port takes the access.
func (s *SM) comeInits(a *seam.MemoryAccess) {
	rank := s.residents.In(a.BlockSlot).Rank
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		word := a.Chunk.Lane(a.Access, bits.TrailingZeros32(rest))
		if _, known := trace.NumberOf(word); known && trace.ClusterRank(word, rank) == rank {
			s.mbarriers[a.BlockSlot].Coming(placeOf(word))
		}
	}
}

// look holds warp w while a phase at which lanes of it look is not complete, if the
// recording's lanes found it complete.
func (s *SM) look(w int, a *laneAddresses, mask uint32) {
	p := &s.warps[w]
	t := &s.mbarriers[p.block]
	if word, ok := s.uncounted(w, a, mask); ok {
		s.awaitCopies(w, word)
		return
	}
	for rest := mask; rest != 0; rest &= rest - 1 {
		word := a.chunk.Lane(a.Access, bits.TrailingZeros32(rest))
		number, _ := trace.NumberOf(word)
		l := trace.LookOf(number)
		if passed, _ := t.Passed(placeOf(word), l.Parity); l.Passed && !passed {
			t.Wait(w, placeOf(word), l.Parity)
			p.holdAt(holdPhase, p.index)
		}
	}
}

// uncounted gives the first word of a look of warp w of whose mbarrier, or of whose answer, too
// little is known. Then the warp does not wait for phases of others either: what ends a hold
// is one thing.
func (s *SM) uncounted(w int, a *laneAddresses, mask uint32) (word uint64, ok bool) {
	slot := s.warps[w].block
	b := s.residents.In(slot)
	lacks := b.Cluster != nil && !b.Cluster.Whole()
	for rest := mask; rest != 0; rest &= rest - 1 {
		word = a.chunk.Lane(a.Access, bits.TrailingZeros32(rest))
		number, known := trace.NumberOf(word)
		l := trace.LookOf(number)
		_, counted := s.mbarriers[slot].Passed(placeOf(word), l.Parity)
		if lacks || !known || !l.Known || !counted || trace.ClusterRank(word, b.Rank) != b.Rank {
			return word, true
		}
	}
	return 0, false
}

// arriveBehindCopies has lanes of warp w arrive when its copies before have come.
func (s *SM) arriveBehindCopies(now clock.Cycle, w int, op *operation, a *laneAddresses, mask uint32) {
	slot := s.warps[w].block
	for rest := mask; rest != 0; rest &= rest - 1 {
		word := a.chunk.Lane(a.Access, bits.TrailingZeros32(rest))
		if _, known := trace.NumberOf(word); !known {
			s.forget(now, slot)
			return
		}
		place := placeOf(word)
		if op.mbarrier == mbarrierCopies {
			s.changeBehind(now, slot, place, 1)
		}
		if !s.groups[w].behind.Arrive(place, 1) {
			s.changeBehind(now, slot, place, -1)
		}
	}
}
