// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// mbarrierOperation is one of the mbarrier instructions.
type mbarrierOperation struct {
	access accessOperation
	// update gives the word after the instruction.
	update func(word, operand uint64) (uint64, error)
	// operand is a count, a state or a parity.
	operand     uint32
	operandWide bool
	fresh       bool // the word has nothing before: mbarrier.init
	// arrives says that the warp tells the mbarrier what it has done, hears that a wait tells the
	// warp: not with .relaxed (9.7.13.15).
	arrives, hears bool
	// d takes the word before (arrive); p whether the phase has completed.
	d, p uint32
	done func(word, operand uint64) bool
	// number gives what the trace says of a lane's operand (trace.WithNumber).
	number func(operand uint64) uint32
}

func (l *lowering) mbarrier(in *ptx.Instruction, traced bool) (operation, error) {
	if in.Mods.Has(ptx.ModPendingCount) {
		d, err := l.destination(&in.Operands[0], 32)
		if err != nil {
			return operation{}, err
		}
		a, err := l.source(&in.Operands[1], 64)
		loop := lanes.Convert(false, true, coexecution.MbarrierPending)
		return operation{kind: kindLanes, d: d, a: a, loop: loop}, err
	}
	at := in.Destinations
	access, err := l.access(in, &in.Operands[at], traced)
	if err != nil {
		return operation{}, err
	}
	k := &mbarrierOperation{access: *access, d: sink, p: sink, operand: l.layout.constant(1, false)}
	k.access.write, k.access.atomic, k.access.verb = true, true, "mbarrier operation"
	if rest := in.Operands[at+1:]; len(rest) > 0 {
		k.operandWide = in.WaitsAtMbarrier() && !in.Mods.Has(ptx.ModParity)
		bits := 32
		if k.operandWide {
			bits = 64
		}
		if k.operand, err = l.source(&rest[0], bits); err != nil {
			return operation{}, err
		}
	}
	if err := l.mbarrierKind(in, k); err != nil {
		return operation{}, err
	}
	return operation{kind: kindRun, run: runMbarrier, always: traced, extra: k}, nil
}

// mbarrierKind chooses what the instruction does to the word.
func (l *lowering) mbarrierKind(in *ptx.Instruction, k *mbarrierOperation) (err error) {
	k.update = func(word, _ uint64) (uint64, error) { return word, nil }
	k.number = func(operand uint64) uint32 { return uint32(operand) }
	drop := in.Mods.Has(ptx.ModArriveDrop)
	k.arrives = (in.Mods.Has(ptx.ModArrive) || drop) && !in.Mods.Has(ptx.ModRelaxed)
	k.hears = in.WaitsAtMbarrier() && !in.Mods.Has(ptx.ModRelaxed)
	switch {
	case in.Mods.Has(ptx.ModInit):
		k.fresh = true
		k.update = func(_, count uint64) (uint64, error) {
			if count == 0 || count > coexecution.MbarrierCountMask {
				return 0, fmt.Errorf("mbarrier.init with a count of %d; 1 to %d are possible", count, coexecution.MbarrierCountMask)
			}
			return coexecution.MbarrierWord(count, count, 0, 0), nil
		}
	case in.Mods.Has(ptx.ModInval):
		k.update = func(uint64, uint64) (uint64, error) { return 0, nil }
	case in.Mods.Has(ptx.ModArrive) && in.Op == ptx.OpCp && !in.Mods.Has(ptx.ModNoinc):
		// The arrival was not counted before: it is added and taken off again.
	case in.Mods.Has(ptx.ModArrive), drop:
		k.update = arrivalOf(in, drop)
		if in.Destinations > 0 && in.Operands[0].Kind != ptx.OperandSink {
			k.d, err = l.destination(&in.Operands[0], 64)
		}
	case in.Mods.Has(ptx.ModExpectTx):
		k.update = func(word, bytes uint64) (uint64, error) { return mbarrierExpect(word, int64(bytes)) }
	case in.Mods.Has(ptx.ModCompleteTx):
		k.update = func(word, bytes uint64) (uint64, error) { return mbarrierExpect(word, -int64(bytes)) }
	case in.Mods.Has(ptx.ModParity):
		k.done = func(word, parity uint64) bool { return word>>63 != parity&1 }
		k.number = func(parity uint64) uint32 { return uint32(parity & 1) }
		k.p, err = l.predicateResult(&in.Operands[0])
	case in.WaitsAtMbarrier():
		k.done = func(word, state uint64) bool { return (word^state)&coexecution.MbarrierPhase != 0 }
		k.number = func(state uint64) uint32 { return uint32(state >> 63) }
		k.p, err = l.predicateResult(&in.Operands[0])
	}
	return err
}

// arrivalOf is what an instruction that arrives does to the word.
func arrivalOf(in *ptx.Instruction, drop bool) func(word, operand uint64) (uint64, error) {
	switch {
	case in.Mods.Has(ptx.ModExpectTx): // expect-tx, then one arrival
		return func(word, bytes uint64) (uint64, error) {
			word, err := mbarrierExpect(word, int64(bytes))
			if err != nil {
				return 0, err
			}
			return mbarrierArrive(word, 1, drop)
		}
	case in.Mods.Has(ptx.ModNoComplete):
		return func(word, count uint64) (uint64, error) {
			next, err := mbarrierArrive(word, count, drop)
			if err == nil && (next^word)&coexecution.MbarrierPhase != 0 {
				err = fmt.Errorf("an arrival with .noComplete completes the phase")
			}
			return next, err
		}
	}
	return func(word, count uint64) (uint64, error) { return mbarrierArrive(word, count, drop) }
}

// mbarrierArrive counts arrivals.
func mbarrierArrive(word, count uint64, drop bool) (uint64, error) {
	expected, pending := word&coexecution.MbarrierCountMask, coexecution.MbarrierPending(word)
	if count == 0 || count > pending {
		return 0, fmt.Errorf("%d arrive at an mbarrier that waits for %d of %d", count, pending, expected)
	}
	if drop {
		expected -= count
	}
	return mbarrierSettled(expected, pending-count, coexecution.MbarrierTx(word), word), nil
}

// mbarrierExpect adds to the tx-count; a completion of bytes takes from it
// (9.7.13.15.5).
func mbarrierExpect(word uint64, bytes int64) (uint64, error) {
	tx := coexecution.MbarrierTx(word) + bytes
	if tx > coexecution.MbarrierCountMask || tx < -coexecution.MbarrierCountMask {
		return 0, fmt.Errorf("the mbarrier's tx-count becomes %d; it stays within %d of zero", tx, coexecution.MbarrierCountMask)
	}
	return mbarrierSettled(word&coexecution.MbarrierCountMask, coexecution.MbarrierPending(word), tx, word), nil
}

// mbarrierSettled is the word with new counts; the phase completes when nothing is
// pending (9.7.13.15.4).
func mbarrierSettled(expected, pending uint64, tx int64, word uint64) uint64 {
	if pending == 0 && tx == 0 {
		return coexecution.MbarrierWord(expected, expected, 0, ^word)
	}
	return coexecution.MbarrierWord(expected, pending, tx, word)
}

func runMbarrier(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*mbarrierOperation)
	c.locate(&k.access, mask)
	c.trace(&k.access, mask)
	var done uint32
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		b, err := c.resolve(&k.access, i)
		if err != nil {
			return err
		}
		word, operand := lanes.LoadRaw(b, 8), c.lane(k.operand, k.operandWide, i)
		c.numbers[i] = k.number(operand)
		if word&coexecution.MbarrierValid == 0 && !k.fresh {
			return notInitialised(i)
		}
		if k.done != nil {
			passed := k.done(word, operand)
			c.numbers[i] = trace.Look{Parity: uint8(c.numbers[i]), Passed: passed, Known: true}.Number()
			if passed {
				done |= 1 << i
				if r := c.identity.Block.Races; r != nil && k.hears {
					r.Hear(&b[0], c.identity.Warp)
				}
			} else {
				c.record.Await = coexecution.Await{Instruction: op.instruction, Address: c.access.address(i), Memory: b, Phase: word & coexecution.MbarrierPhase}
			}
			continue
		}
		next, err := k.update(word, operand)
		if err != nil {
			return &laneFault{lane: i, fault: coexecution.Fault{Kind: coexecution.FaultBarrierDivergence, Detail: err.Error()}}
		}
		lanes.StoreRaw(b, 8, next)
		if c.identity.Block.Races != nil {
			k.tell(c, i, b, word, next)
		}
		if k.d != sink {
			c.setLane(k.d, true, i, word)
		}
	}
	if k.done != nil {
		c.record.Yield = c.record.Yield || done != mask
		if k.p != sink {
			c.setPredicate(k.p, done, mask)
		}
	}
	if k.access.traced {
		c.traceNumbers(mask)
	}
	return nil
}

// tell tells race checkers what a lane's operation has made of an mbarrier.
func (k *mbarrierOperation) tell(c *warpContext, lane int, b []byte, before, after uint64) {
	if k.fresh {
		c.checkerOf(&k.access, lane).Initialise(&b[0])
		return
	}
	c.tellChecker(&k.access, lane, b, before, after, k.arrives)
}

// tellChecker tells race checkers how an access has changed the word of an mbarrier. Where it
// arrives there, so does what the warp has done, or its copies if they make the access.
func (c *warpContext) tellChecker(k *accessOperation, lane int, b []byte, before, after uint64, arrives bool) {
	own, owner := c.identity.Block.Races, c.checkerOf(k, lane)
	switch {
	case !arrives || owner != own:
	case k.copies:
		own.CopyArrives(&b[0], c.identity.Warp)
	default:
		own.ArriveAt(&b[0], c.identity.Warp)
	}
	if (before^after)&coexecution.MbarrierPhase != 0 {
		owner.Complete(&b[0])
	}
}

// checkerOf is the race checker of the thread block whose shared memory a lane accesses. Threads
// wait at mbarriers of their own thread block alone (9.7.13.15.16), so that it has to know when
// their phases are complete. What other thread blocks do is not looked at.
func (c *warpContext) checkerOf(k *accessOperation, lane int) *coexecution.RaceChecker {
	space, start := k.space, c.access.address(lane)
	if space == ptx.SpaceGeneric {
		_, start = genericSpace(start)
	}
	own := c.identity.Block
	if start&coexecution.ClusterRankMask == 0 || own.Cluster == nil {
		return own.Races
	}
	return own.Cluster[own.RankOf(start)].Races
}

// traceNumbers adds the lanes' numbers to the access that has been recorded last.
func (c *warpContext) traceNumbers(mask uint32) {
	if mask == 0 || !c.launch.Recording {
		return
	}
	a := &c.record.Accesses[len(c.record.Accesses)-1]
	first := c.numbers[lanes.FirstLane(mask)]
	same := true
	for m := mask; m != 0; m &= m - 1 {
		same = same && c.numbers[lanes.FirstLane(m)] == first
	}
	if same && (a.Strided || a.Pattern != nil) {
		a.Base += trace.WithNumber(0, first) // it may lie below shared memory, in front of the lanes
		return
	}
	if a.Strided || a.Pattern != nil {
		a.Strided, a.Pattern = false, nil
		for m := mask; m != 0; m &= m - 1 {
			i := lanes.FirstLane(m)
			a.Addresses[i] = c.access.address(i)
		}
	}
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		a.Addresses[i] = trace.WithNumber(a.Addresses[i], c.numbers[i])
	}
}

// notInitialised is the fault of using an mbarrier that mbarrier.init did not make,
// or that was invalidated.
func notInitialised(lane int) error {
	return &laneFault{lane: lane, fault: coexecution.Fault{Kind: coexecution.FaultBarrierDivergence, Detail: "an mbarrier that mbarrier.init has not made"}}
}

// completeTx takes bytes that an asynchronous copy has brought from the tx-count of
// the mbarrier at an address.
func (c *warpContext) completeTx(k *accessOperation, lane int, address, bytes uint64) error {
	b, err := c.reachAt(k, lane, address, 8, 8)
	if err != nil {
		return err
	}
	word := lanes.LoadRaw(b, 8)
	if word&coexecution.MbarrierValid == 0 {
		return notInitialised(lane)
	}
	next, err := mbarrierExpect(word, -int64(bytes))
	if err != nil {
		return &laneFault{lane: lane, fault: coexecution.Fault{Kind: coexecution.FaultBarrierDivergence, Detail: err.Error()}}
	}
	lanes.StoreRaw(b, 8, next)
	if c.identity.Block.Races != nil {
		c.tellChecker(k, lane, b, word, next, true)
	}
	return nil
}
