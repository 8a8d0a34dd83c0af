// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// bulkOperation is cp.async.bulk or cp.reduce.async.bulk (9.7.9.25.4). The
// interpreter copies at once, as a copy may end before any thread waits for it, and
// takes its bytes off the mbarrier. So commit_group and wait_group have nothing to
// do, but to tell a race checker.
type bulkOperation struct {
	from, to, barrier accessOperation
	// barrierAt says that an mbarrier takes the completion.
	barrierAt bool
	size      uint32 // slot of the bytes
	byteMask  uint32 // slot of .cp_mask's operand, or sink
	blocks    uint32 // slot of .multicast's operand, or sink
	// update combines elements of width bytes; nil for a plain copy.
	update func(old, b, c uint64) uint64
	width  int
	tensor *tensorOperation
	traced bool
}

// bulkAlignment is that of addresses and sizes (9.7.9.25.4.1).
const bulkAlignment = 16

func (l *lowering) bulk(in *ptx.Instruction, traced bool) (operation, error) {
	switch {
	case in.Mods.Has(ptx.ModCommitGroup):
		return operation{kind: kindRun, run: commitCopies}, nil
	case in.Mods.Has(ptx.ModWaitGroup):
		return operation{kind: kindRun, run: awaitCopies, extra: int(in.Operands[0].Value)}, nil
	case in.Mods.Has(ptx.ModPrefetch) || len(in.Operands) < 2:
		return operation{kind: kindRun, run: nothing}, nil
	}
	k := &bulkOperation{byteMask: sink, blocks: sink, traced: traced}
	var err error
	slot := func(name string, bits int) uint32 {
		o := in.Named(name)
		if o == nil || err != nil {
			return sink
		}
		var s uint32
		s, err = l.source(o, bits)
		return s
	}
	k.size, k.blocks, k.byteMask = slot("size", 32), slot("ctaMask", 16), slot("byteMask", 16)
	reach := func(name string, space ptx.Space, into *accessOperation) bool {
		o := in.Named(name)
		if o == nil || err != nil {
			return false
		}
		place := *in
		place.Space, place.Types[0] = space, ptx.B8
		var a *accessOperation
		if a, err = l.access(&place, o, traced); err == nil {
			*into = *a
			into.verb, into.copies = "bulk copy", true
		}
		return err == nil
	}
	reach("[srcMem]", in.Space, &k.from)
	reach("[dstMem]", in.Into, &k.to)
	k.to.write = true
	k.barrierAt = reach("[mbar]", ptx.SpaceShared, &k.barrier)
	k.barrier.write, k.barrier.atomic, k.barrier.verb = true, true, "mbarrier operation"
	if err != nil {
		return operation{}, err
	}
	if in.Mods.Has(ptx.ModReduce) && !in.Mods.Has(ptx.ModTensor) {
		k.update, k.width = updateOf(in, in.Into), in.Types[0].Bytes()
	}
	if in.Mods.Has(ptx.ModTensor) {
		if k.tensor, err = l.tensor(in, reach); err != nil {
			return operation{}, err
		}
		return operation{kind: kindRun, run: runTensor, always: traced, extra: k}, nil
	}
	return operation{kind: kindRun, run: runBulk, always: traced, extra: k}, nil
}

func runBulk(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*bulkOperation)
	c.beginBulk()
	for m := mask; m != 0; m &= m - 1 {
		if err := c.copyBulk(k, lanes.FirstLane(m)); err != nil {
			return err
		}
	}
	c.traceBulk(k, mask)
	return nil
}

// beginBulk readies what traceBulk records.
func (c *warpContext) beginBulk() {
	c.moved.Reset()
	if r := c.identity.Block.Races; r != nil {
		r.BeginCopies(c.identity.Warp)
	}
}

func commitCopies(c *warpContext, _ *operation, mask uint32) error {
	if r := c.identity.Block.Races; r != nil && mask != 0 {
		r.CommitCopies(c.identity.Warp)
	}
	return nil
}

func awaitCopies(c *warpContext, op *operation, mask uint32) error {
	if r := c.identity.Block.Races; r != nil && mask != 0 {
		r.AwaitCopies(c.identity.Warp, op.extra.(int))
	}
	return nil
}

// traceBulk adds what the copies moved to the record: their global sides, or their
// sources where both are in shared memory.
func (c *warpContext) traceBulk(k *bulkOperation, mask uint32) {
	if !k.traced || !c.launch.Recording {
		return
	}
	a := c.record.NextAccess()
	a.Mask, a.Strided, a.Pattern, a.Base, a.Stride = 0, true, nil, 0, 0
	if mask != 0 {
		a.Mask, a.Strided, a.Addresses = lanes.FullMask, false, c.moved.Words()
	}
}

// noteBarrier records the mbarrier that a lane's copy completes, and what it takes off the
// tx-count.
func (c *warpContext) noteBarrier(k *bulkOperation, lane int, address, bytes uint64) {
	if space, at := genericSpace(address); space == ptx.SpaceShared {
		address = at
	}
	blocks := uint16(0)
	if k.blocks != sink {
		blocks = uint16(c.lane(k.blocks, false, lane))
	}
	c.moved.Completes(address, blocks, uint32(bytes))
}

// copyBulk does the copy of one lane.
func (c *warpContext) copyBulk(k *bulkOperation, i int) error {
	size := c.lane(k.size, false, i)
	from, to := c.laneAddress(&k.from, i), c.laneAddress(&k.to, i)
	if size%bulkAlignment != 0 {
		return &laneFault{lane: i, fault: coexecution.Fault{Kind: coexecution.FaultMisaligned, Access: "bulk copy", Address: from, Space: k.from.space,
			Detail: fmt.Sprintf("its size is %d bytes, which is no multiple of %d", size, bulkAlignment)}}
	}
	source, err := c.reachAt(&k.from, i, from, size, bulkAlignment)
	if err != nil {
		return err
	}
	side := from
	if k.to.space == ptx.SpaceGlobal {
		side = to
	}
	c.moved.Add(side, uint32(size))
	var barrier uint64
	if k.barrierAt {
		barrier = c.laneAddress(&k.barrier, i)
		c.noteBarrier(k, i, barrier, size)
	}
	return c.eachBlock(k, i, to, barrier, func(to, barrier uint64) error {
		target, err := c.reachAt(&k.to, i, to, size, bulkAlignment)
		if err != nil {
			return err
		}
		c.combine(k, i, target, source)
		if !k.barrierAt {
			return nil
		}
		return c.completeTx(&k.barrier, i, barrier, size)
	})
}

// eachBlock calls f with the places of destination and mbarrier in each thread block
// that the copy goes to: that of the addresses, or with .multicast those of a mask.
func (c *warpContext) eachBlock(k *bulkOperation, i int, to, barrier uint64, f func(to, barrier uint64) error) error {
	if k.blocks == sink {
		return f(to, barrier)
	}
	for mask := uint32(c.lane(k.blocks, false, i)) & 0xffff; mask != 0; mask &= mask - 1 {
		rank := lanes.FirstLane(mask)
		if rank >= c.identity.Block.ClusterBlocks() {
			return &laneFault{lane: i, fault: coexecution.Fault{Kind: coexecution.FaultOutOfBounds, Access: "bulk copy", Address: to, Space: ptx.SpaceShared,
				Detail: fmt.Sprintf("its mask names thread block %d of a cluster of %d", rank, c.identity.Block.ClusterBlocks())}}
		}
		if err := f(coexecution.ClusterAddress(to, rank), coexecution.ClusterAddress(barrier, rank)); err != nil {
			return err
		}
	}
	return nil
}

// combine moves the bytes of a copy, or combines them with what is there.
func (c *warpContext) combine(k *bulkOperation, lane int, target, source []byte) {
	switch {
	case k.update != nil:
		for at := 0; at < len(target); at += k.width {
			lanes.StoreRaw(target[at:], k.width, k.update(lanes.LoadRaw(target[at:], k.width), lanes.LoadRaw(source[at:], k.width), 0))
		}
	case k.byteMask != sink: // bit i is for byte i of every 16
		mask := c.lane(k.byteMask, false, lane)
		for at := range target {
			if mask>>(at%16)&1 != 0 {
				target[at] = source[at]
			}
		}
	default:
		copy(target, source)
	}
}

// laneAddress is the address of an access in one lane.
func (c *warpContext) laneAddress(k *accessOperation, i int) uint64 {
	if !k.hasBase {
		return k.offset
	}
	return (c.lane(k.base, k.baseWide, i) + k.offset) & k.limit
}

// reachAt gives n bytes at an address as an access of lane i sees them, or its fault.
func (c *warpContext) reachAt(k *accessOperation, i int, address, n, alignment uint64) ([]byte, error) {
	c.access.strided, c.access.base, c.access.stride = true, address, 0
	c.reached = *k
	c.reached.bytes = n
	space, start := k.space, address
	if space == ptx.SpaceGeneric {
		space, start = genericSpace(address)
	}
	if err := c.checkAddress(&c.reached, i, space, start, alignment); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, nil
	}
	return c.resolveIn(&c.reached, i, space, start)
}
