// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// control lowers what ends a segment: branches, exits and barriers.
func (l *lowering) control(in *ptx.Instruction, traced bool) (operation, error) {
	switch in.Op {
	case ptx.OpBra:
		return l.branch(in)
	case ptx.OpBrx:
		return l.indexedBranch(in)
	case ptx.OpTrap:
		return operation{kind: kindRun, run: runTrap}, nil
	case ptx.OpBar, ptx.OpBarrier:
		return l.barrier(in, traced)
	}
	if in.Op == ptx.OpRet && l.unit > 0 {
		return l.functionReturn()
	}
	return operation{kind: kindRun, run: runExit}, nil
}

func (l *lowering) branch(in *ptx.Instruction) (operation, error) {
	if len(in.Operands) != 1 || in.Operands[0].Kind != ptx.OperandLabel {
		return operation{}, errUnsupported
	}
	target := l.segmentOf(in.Operands[0].Label.Index)
	return operation{kind: kindBranch, target: target}, nil
}

func (c *warpContext) branch(op *operation, mask uint32) {
	r := c.record
	r.FallThrough = c.active &^ mask
	if op.target == contaminator.Exit {
		r.Exited = mask // a label at the end of the body
	} else {
		r.Taken, r.TakenSegment = mask, op.target
	}
}

func runExit(c *warpContext, _ *operation, mask uint32) error {
	c.record.Exited, c.record.FallThrough = mask, c.active&^mask
	return nil
}

func runTrap(*warpContext, *operation, uint32) error {
	return &laneFault{fault: coexecution.Fault{Kind: coexecution.FaultTrap}, lane: -1}
}

// indexedBranch lowers brx.idx (9.7.12.4); extra holds the target segments.
func (l *lowering) indexedBranch(in *ptx.Instruction) (operation, error) {
	a, err := l.source(&in.Operands[0], 32)
	if err != nil {
		return operation{}, err
	}
	labels := in.Operands[1].Labels
	targets := make([]int, len(labels))
	for i, label := range labels {
		targets[i] = l.segmentOf(label.Index)
	}
	return operation{kind: kindRun, run: runIndexedBranch, a: a, extra: targets}, nil
}

// runIndexedBranch groups the lanes by target segment, in the order of the
// first lane that goes there.
func runIndexedBranch(c *warpContext, op *operation, mask uint32) error {
	targets, index, r := op.extra.([]int), lanes.Of[uint32](c.at(op.a)), c.record
	r.FallThrough = c.active &^ mask
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		if int(index[i]) >= len(targets) {
			return &laneFault{lane: i, fault: coexecution.Fault{Kind: coexecution.FaultTrap,
				Detail: fmt.Sprintf("brx.idx with index %d into a list of %d targets", index[i], len(targets))}}
		}
		segment := targets[index[i]]
		if segment == contaminator.Exit {
			r.Exited |= 1 << i
			continue
		}
		r.AddTarget(segment, 1<<i)
	}
	return nil
}

// barrierOperation is bar or barrier (9.7.13.1).
type barrierOperation struct {
	kind        coexecution.BarrierKind
	id, threads uint32 // slots
	counted     bool   // threads is given
	aligned     bool
	cluster     bool   // barrier.cluster.wait
	traced      bool   // the trace has the numbers of the barrier and of its threads
	a, flip     uint32 // predicate of .red
	d           uint32 // result of .red: a slot or a predicate
	result      int    // index of the context's function that stores it
}

func (l *lowering) barrier(in *ptx.Instruction, traced bool) (operation, error) {
	if in.Mods.Has(ptx.ModCluster) {
		return l.clusterBarrier(in)
	}
	if in.Mods.Has(ptx.ModWarp) {
		return l.meeting(in, operation{kind: kindRun, run: nothing})
	}
	k := &barrierOperation{kind: coexecution.KindOfBarrier(in), aligned: in.Op == ptx.OpBar || in.Mods.Has(ptx.ModAligned), traced: traced}
	operands := in.Operands
	var err error
	if k.kind >= coexecution.BarrierRedPopc {
		if err = l.barrierReduction(in, k); err != nil {
			return operation{}, err
		}
		operands = operands[1 : len(operands)-1]
	}
	if k.id, err = l.source(&operands[0], 32); err != nil {
		return operation{}, err
	}
	if len(operands) > 1 {
		k.counted = true
		k.threads, err = l.source(&operands[1], 32)
	}
	return operation{kind: kindRun, run: runBarrier, always: traced, extra: k}, err
}

// barrierReduction lowers the first and the last operand of bar.red.
func (l *lowering) barrierReduction(in *ptx.Instruction, k *barrierOperation) (err error) {
	if k.kind == coexecution.BarrierRedPopc {
		k.d, err = l.destination(&in.Operands[0], 32)
	} else {
		k.d, err = l.predicateResult(&in.Operands[0])
	}
	if err != nil {
		return err
	}
	k.a, k.flip, err = l.predicate(&in.Operands[len(in.Operands)-1])
	k.result = l.reductions
	l.reductions++
	return err
}

func runBarrier(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*barrierOperation)
	if mask == 0 {
		c.traceBarrier(k, op, 0)
		return nil
	}
	first := lanes.FirstLane(mask)
	r := &c.record.Barrier
	*r = coexecution.BarrierRequest{Kind: k.kind, ID: lanes.Of[uint32](c.at(k.id))[first], Mask: mask, Aligned: k.aligned}
	if r.ID >= coexecution.NamedBarriers && !k.cluster {
		return &laneFault{lane: first, fault: coexecution.Fault{Kind: coexecution.FaultBarrierDivergence,
			Detail: fmt.Sprintf("barrier %d; a thread block has barriers 0 to %d", r.ID, coexecution.NamedBarriers-1)}}
	}
	if k.counted {
		r.Threads = lanes.Of[uint32](c.at(k.threads))[first]
		if r.Threads == 0 || r.Threads%trace.WarpSize != 0 {
			return &laneFault{lane: -1, fault: coexecution.Fault{Kind: coexecution.FaultBarrierDivergence,
				Detail: fmt.Sprintf("barrier %d for %d threads; the number must be a multiple of %d", r.ID, r.Threads, trace.WarpSize)}}
		}
	}
	c.traceBarrier(k, op, mask)
	if k.kind >= coexecution.BarrierRedPopc {
		r.Predicate = c.predicates[k.a] ^ k.flip
		if c.results[k.result] == nil {
			c.results[k.result] = c.reductionResult(k)
		}
		r.Result = c.results[k.result]
	}
	return nil
}

// traceBarrier adds what is requested of a barrier to the record's accesses.
func (c *warpContext) traceBarrier(k *barrierOperation, op *operation, mask uint32) {
	if k.traced && c.launch.Recording {
		c.record.BarrierAccess(op.instruction, mask)
	}
}

// reductionResult makes the function that stores a barrier's reduction into
// lanes that arrived.
func (c *warpContext) reductionResult(k *barrierOperation) func(mask, value uint32) {
	return func(mask, value uint32) {
		if k.kind != coexecution.BarrierRedPopc {
			if k.d != sink {
				c.setPredicate(k.d, spread(value != 0), mask)
			}
			return
		}
		d := lanes.Of[uint32](c.at(k.d))
		for m := mask; m != 0; m &= m - 1 {
			d[lanes.FirstLane(m)] = value
		}
	}
}
