package emulator

import (
	"fmt"

	"github.com/warptape/warptape/frontend/ptx"
)

// An mbarrier (9.7.13.15) is 64 bits in shared memory, opaque to programs: here
// the expected count of arrivals, those still pending in the phase, and the
// number of completed phases, modulo two.
const (
	mbarrierCountBits = 20
	mbarrierCountMask = 1<<mbarrierCountBits - 1
	mbarrierPhase     = 1 << 63
)

// mbarrierWord puts an mbarrier together.
func mbarrierWord(expected, pending, phase uint64) uint64 {
	return expected&mbarrierCountMask | pending&mbarrierCountMask<<mbarrierCountBits | phase&mbarrierPhase
}

// mbarrierPending is the count of pending arrivals in a word or a state.
func mbarrierPending(word uint64) uint64 { return word >> mbarrierCountBits & mbarrierCountMask }

// mbarrierOperation is one of the mbarrier instructions.
type mbarrierOperation struct {
	access accessOperation
	// update gives the word after the instruction.
	update func(word, operand uint64) (uint64, error)
	// operand is a count, a state or a parity.
	operand     uint32
	operandWide bool
	// d takes the word before (arrive); p whether the phase has completed.
	d, p uint32
	done func(word, operand uint64) bool
}

func (l *lowering) mbarrier(in *ptx.Instruction, traced bool) (operation, error) {
	if in.Mods.Has(ptx.ModPendingCount) {
		d, err := l.destination(&in.Operands[0], 32)
		if err != nil {
			return operation{}, err
		}
		a, err := l.source(&in.Operands[1], 64)
		loop := convert(false, true, mbarrierPending)
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
		k.operandWide = (in.Mods.Has(ptx.ModTestWait) || in.Mods.Has(ptx.ModTryWait)) && !in.Mods.Has(ptx.ModParity)
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
	same := func(word, _ uint64) (uint64, error) { return word, nil }
	k.update = same
	switch {
	case in.Mods.Has(ptx.ModInit):
		k.update = func(_, count uint64) (uint64, error) {
			if count == 0 || count > mbarrierCountMask {
				return 0, fmt.Errorf("mbarrier.init with a count of %d; 1 to %d are possible", count, mbarrierCountMask)
			}
			return mbarrierWord(count, count, 0), nil
		}
	case in.Mods.Has(ptx.ModArrive) && in.Op == ptx.OpCp && !in.Mods.Has(ptx.ModNoinc):
		// The arrival was not counted before: it is added and taken off again.
	case in.Mods.Has(ptx.ModArrive), in.Mods.Has(ptx.ModArriveDrop):
		drop := in.Mods.Has(ptx.ModArriveDrop)
		k.update = func(word, count uint64) (uint64, error) { return mbarrierArrive(word, count, drop) }
		if in.Destinations > 0 && in.Operands[0].Kind != ptx.OperandSink {
			k.d, err = l.destination(&in.Operands[0], 64)
		}
	case in.Mods.Has(ptx.ModParity):
		k.done = func(word, parity uint64) bool { return word>>63 != parity&1 }
		k.p, err = l.predicateResult(&in.Operands[0])
	case in.Mods.Has(ptx.ModTestWait), in.Mods.Has(ptx.ModTryWait):
		k.done = func(word, state uint64) bool { return (word^state)&mbarrierPhase != 0 }
		k.p, err = l.predicateResult(&in.Operands[0])
	}
	return err
}

// mbarrierArrive counts arrivals; the last one completes the phase.
func mbarrierArrive(word, count uint64, drop bool) (uint64, error) {
	expected, pending := word&mbarrierCountMask, mbarrierPending(word)
	if count == 0 || count > pending {
		return 0, fmt.Errorf("%d arrive at an mbarrier that waits for %d of %d", count, pending, expected)
	}
	if drop {
		expected -= count
	}
	if pending -= count; pending == 0 {
		return mbarrierWord(expected, expected, ^word), nil
	}
	return mbarrierWord(expected, pending, word), nil
}

func runMbarrier(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*mbarrierOperation)
	c.locate(&k.access, mask)
	c.trace(&k.access, mask)
	var done uint32
	for m := mask; m != 0; m &= m - 1 {
		i := firstLane(m)
		b, err := c.resolve(&k.access, i)
		if err != nil {
			return err
		}
		word, operand := loadRaw(b, 8), c.lane(k.operand, k.operandWide, i)
		if k.done != nil {
			if k.done(word, operand) {
				done |= 1 << i
			}
			continue
		}
		next, err := k.update(word, operand)
		if err != nil {
			return &laneFault{lane: i, fault: Fault{Kind: FaultBarrierDivergence, Detail: err.Error()}}
		}
		storeRaw(b, 8, next)
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
	return nil
}
