// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// The engine is an offloader of the memory path: it implements seam.Offloader.

// AtSlice implements seam.Offloader: the multiplexer in front of service queue and
// LLC (Fig. 7).
func (e *engine) AtSlice(at clock.Time, slice int, id uint32) {
	i, m := int32(id>>messageBits), message(id&(1<<messageBits-1))
	j := &e.jobs.items[i]
	switch m {
	case messageCompute:
		first, s := messageLoad, e.services[j.node]
		if s.entries < e.section.ServiceEntries {
			s.accept()
			e.system.Accepted(at, slice)
		} else {
			e.count(countReturned, 1)
			first = messageReturned
		}
		j.waiting = j.loadSectors()
		if first == messageLoad {
			e.afterWay(at, loadsAtTags, i)
		}
		for k := range j.chain.loads {
			if int(j.lines[k].slice) == slice {
				if first == messageReturned {
					e.access(at, j, k, idOf(i, first+message(k)))
				}
				continue
			}
			if first == messageReturned {
				s.returns++
			}
			s.out.Push(idOf(i, first+message(k)))
			e.wake(int(s.end))
		}
	case messageStore:
		l := &j.lines[storeLine]
		e.system.Access(at, slice, l.inside, l.bytes, true, e.order, id)
	case messageLoad, messageLoad + 1:
		e.access(at, j, int(m-messageLoad), id)
	default:
		e.access(at, j, int(m-messageReturned), id)
	}
}

// afterWay lets a partition's access happen when it has passed the way to the slice's tags: at
// once where there is none (D53 in docs/deviations.md).
func (e *engine) afterWay(at clock.Time, then what, i int32) {
	switch {
	case e.section.SliceLatency:
		way := clock.Time(e.machine.L2.Slice.LatencyCycles) * e.clocks.L2.Period
		e.timers.add(e.clocks.Core.CyclesUntil(at+way), then, e.jobs.items[i].sm, i)
	case then == loadsAtTags:
		e.loadBeside(at, i)
	default:
		e.storeBeside(at, i)
	}
}

// loadBeside lets the slice beside a job's partition read the operands that the slice has.
func (e *engine) loadBeside(at clock.Time, i int32) {
	j := &e.jobs.items[i]
	for k := range j.chain.loads {
		if e.system.Slice(int(j.lines[k].slice)) == j.node {
			e.access(at, j, k, idOf(i, messageLoad+message(k)))
		}
	}
}

// storeBeside lets it write a job's result, which is forwarded to its partition as any store
// (section 4.4.2): nothing lets it pass those from the network.
func (e *engine) storeBeside(at clock.Time, i int32) {
	l := &e.jobs.items[i].lines[storeLine]
	e.system.Access(at, int(l.slice), l.inside, l.bytes, true, e.order, idOf(i, messageStore))
}

// access lets L2 read an operand.
func (e *engine) access(at clock.Time, j *job, k int, id uint32) {
	l := &j.lines[k]
	e.system.Access(at, int(l.slice), l.inside, l.bytes, false, e.order, id)
}

// Served implements seam.Offloader.
func (e *engine) Served(at clock.Time, slice int, id uint32) bool {
	i, m := int32(id>>messageBits), message(id&(1<<messageBits-1))
	j := &e.jobs.items[i]
	own := e.system.Slice(slice)
	switch {
	case m >= messageReturned:
		return e.system.SendReply(at, own, seam.End(j.sm), id, e.operandFlits(&j.lines[m-messageReturned]))
	case m == messageStore && j.node == own:
		e.services[own].stored(at, i)
		return true
	case m == messageStore:
		return e.system.SendReply(at, own, j.node, id, e.system.Flits(0))
	case j.node == own:
		e.services[own].present(i)
		return true
	}
	return e.system.SendReply(at, own, j.node, id, e.operandFlits(&j.lines[m-messageLoad]))
}

// Replies implements seam.Offloader: the loads and the store of the slice's own
// service queue stay there.
func (e *engine) Replies(slice int, id uint32) bool {
	m := message(id & (1<<messageBits - 1))
	return m >= messageReturned || e.jobs.items[id>>messageBits].node != e.system.Slice(slice)
}

// AtSM implements seam.Offloader: the answers to packets, and the loads of a core's
// service queue.
func (e *engine) AtSM(now clock.Cycle, sm int, id uint32) {
	i, m := int32(id>>messageBits), message(id&(1<<messageBits-1))
	switch m {
	case messageAnswer:
		e.queues[sm].finish(now, i)
	case messageRefused:
		e.queues[sm].load(now, i)
	case messageStore:
		e.services[sm].stored(e.at(now), i)
	case messageLoad, messageLoad + 1:
		j := &e.jobs.items[i]
		e.sets[sm][counters.SharedLaneWrite] += uint64(bits.OnesCount32(j.mask))
		e.services[sm].present(i)
	default:
		e.queues[sm].loaded(now, i)
	}
}

// Arrived implements seam.Offloader.
func (e *engine) Arrived(end seam.End, _ bool) { e.wake(int(end)) }
