// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/consistency"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
)

// fetch is a line that an SM wants of the L2.
type fetch struct {
	sm    int
	line  uint64
	own   bool
	code  bool
	at    Cycle // from when the L2 may look it up
	grant coherence.State
}

// behind is the L2 that SMs share, with the directory of what their L1s hold, and the way to
// the last-level cache. It takes a line a cycle.
type behind struct {
	chip      *Chip
	lines     cache
	directory *coherence.Directory
	queue     ring.Ring[fetch]
	below     []fetch // by id, that wait for the last-level cache
	free      []uint32
	reads     ring.Ring[uint32] // ids that it has not taken
	writes    ring.Ring[uint64] // lines that it has not taken
	refused   bool
	lower     seam.Lower
	memory    map[uint64]values // what is behind the L1s; nil without a checker
}

func (b *behind) send(at Cycle, f fetch) {
	f.at = at
	b.queue.Push(f)
	b.chip.wakeGroups(at)
}

// busy reports whether there is something to do, and from when.
func (b *behind) dueAt(now Cycle) Cycle {
	if !b.refused && (b.reads.Len() > 0 || b.writes.Len() > 0) {
		return now + 1
	}
	at := never
	for i := range b.queue.Len() {
		if f := b.queue.At(i); f.code || !b.directory.Busy(f.line) {
			at = min(at, max(f.at, now+1))
		}
	}
	return at
}

// cycle looks one line up, the first that may be, and gives the last-level cache what waits for it.
func (b *behind) cycle(now Cycle) {
	for n := b.queue.Len(); n > 0; n-- {
		f := b.queue.Pop()
		if f.at <= now && (f.code || !b.directory.Busy(f.line)) {
			b.look(now, f)
			for n--; n > 0; n-- { // those behind keep their order
				b.queue.Push(b.queue.Pop())
			}
			break
		}
		b.queue.Push(f)
	}
	b.pass(now)
}

// look decides about a line. Data come from the other SM when it has modified them, and
// go through the L2.
func (b *behind) look(now Cycle, f fetch) {
	b.chip.global[counters.L2Read]++
	at := now + b.chip.l2Latency
	have := false
	if !f.code {
		d := b.directory.Begin(f.line, f.sm, f.own)
		f.grant, have = d.Grant, d.Had
		for left := d.Probe; left != 0; left &= left - 1 {
			at = now + b.chip.l2Latency + b.chip.l1Latency
			b.chip.global[cpu.DirectoryLookups]++
			if b.chip.groups[bits.TrailingZeros64(left)].probe(f.line, d.Keep) == coherence.Modified {
				b.dirty(now, f.line)
				b.chip.global[cpu.CacheToCache]++
				have = true
			}
		}
	}
	if have || b.lines.find(f.line) != nil {
		b.chip.global[counters.L2ReadHit]++
		b.chip.calendar.put(event{at: at, kind: eventGrant, lane: int32(f.sm), line: f.line, state: f.grant, code: f.code})
		return
	}
	b.chip.global[counters.L2ReadMiss]++
	var id uint32
	if n := len(b.free); n > 0 {
		id = b.free[n-1]
		b.free = b.free[:n-1]
	} else {
		id = uint32(len(b.below))
		b.below = append(b.below, fetch{})
	}
	b.below[id] = f
	b.reads.Push(id)
}

// leaves takes a line that an L1 drops.
func (b *behind) leaves(now Cycle, sm int, x *line) {
	b.directory.Leave(x.address, sm)
	if x.state == coherence.Modified {
		b.copyFrom(x)
		b.dirty(now, x.address)
	}
}

// dirty writes a line into the L2.
func (b *behind) dirty(now Cycle, line uint64) {
	b.chip.global[counters.L2Write]++
	at := b.lines.find(line)
	if at == nil {
		b.chip.global[counters.L2WriteMiss]++
		at = b.fill(now, line)
	} else {
		b.chip.global[counters.L2WriteHit]++
	}
	at.state = coherence.Modified
}

// fill makes room in the L2.
func (b *behind) fill(now Cycle, address uint64) *line {
	at := b.lines.victim(address)
	if at.address != noLine && at.state == coherence.Modified {
		b.chip.global[counters.L2WriteBack]++
		b.writes.Push(at.address)
		b.chip.wakeGroups(now + 1)
	}
	b.lines.put(at, address)
	return at
}

// pass gives the last-level cache an access a cycle.
func (b *behind) pass(now Cycle) {
	t := clock.Time(now) * b.chip.period
	switch {
	case b.refused:
	case b.writes.Len() > 0:
		if b.refused = !b.lower.Write(t, *b.writes.Head(), lineBytes); !b.refused {
			b.writes.Drop()
		}
	case b.reads.Len() > 0:
		id := *b.reads.Head()
		if b.refused = !b.lower.Read(t, b.below[id].line, lineBytes, id); !b.refused {
			b.reads.Drop()
		}
	}
}

// Filled implements seam.Upper.
func (b *behind) Filled(t clock.Time, id uint32) {
	f := b.below[id]
	b.free = append(b.free, id)
	now := b.chip.after(t)
	if b.lines.find(f.line) == nil {
		b.fill(now, f.line)
	}
	b.chip.calendar.put(event{at: now, kind: eventGrant, lane: int32(f.sm), line: f.line, state: f.grant, code: f.code})
}

// Missed implements seam.Upper.
func (*behind) Missed(uint32) {}

// Room implements seam.Upper.
func (b *behind) Room(t clock.Time) {
	b.refused = false
	b.chip.wakeGroups(b.chip.after(t))
}

// copyTo and copyFrom carry the versions of a line between an L1 and what is behind.
func (b *behind) copyTo(address uint64, x *line) {
	if b.memory == nil {
		return
	}
	if x.values == nil {
		x.values = new([grains]consistency.Version)
	}
	if v := b.memory[address]; v != nil {
		*x.values = *v
	} else {
		*x.values = [grains]consistency.Version{}
	}
}

func (b *behind) copyFrom(x *line) {
	if b.memory == nil {
		return
	}
	v := *x.values
	b.memory[x.address] = &v
}
