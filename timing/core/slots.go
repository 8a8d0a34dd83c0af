// SPDX-License-Identifier: Apache-2.0

package core

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// Slots accounts for the issue slots of one core. In each core cycle each scheduler of
// the core has a number of slots. Each slot has exactly one cause: an instruction
// issued in it, or something kept one from issuing. Causes are charged to instructions.
//
// A front end calls Begin when it takes the core over, and Settle when it leaves it or
// before a read of the counters. It calls Awake in a cycle in which it does
// something, and then charges all slots of that cycle, by Use, Lose and Stall. Cycles
// in which it does nothing cost nothing: each scheduler's slots in them are charged to
// what it stalled on last.
type Slots struct {
	core    int
	set     *counters.Set
	watcher seam.Watcher // nil without one

	// profile counts slots by cause and instruction since they were last collected:
	// profile[cause*instructions+instruction]. Neighbours of one cause share cache lines, as
	// warps near each other are charged for few causes. idle counts slots without a warp.
	profile      []uint64
	instructions int
	idle         uint64

	width   int       // slots of a scheduler in a cycle
	stalled []*uint64 // per scheduler: what the slots of a cycle without the front end count as
	counted clock.Cycle
	charged clock.Cycle // the slots of the cycles before are charged, those before counted are in set
}

// Blame is what an issue slot is charged to: a cause, at the instruction that waits, or
// seam.NoInstruction when there is no warp.
type Blame struct {
	Instruction uint32
	Cause       counters.Cause
}

// NoWarp blames the lack of a warp.
var NoWarp = Blame{Instruction: seam.NoInstruction, Cause: counters.CauseIdle}

// NewSlots makes the account of a core that counts in set; watcher may be nil.
func NewSlots(core int, set *counters.Set, watcher seam.Watcher) Slots {
	if watcher != nil && !watcher.Watches(core) {
		watcher = nil
	}
	return Slots{core: core, set: set, watcher: watcher}
}

// Load readies for a program of so many instructions; what was charged before has been
// collected.
func (s *Slots) Load(instructions int) {
	s.instructions = instructions
	n := instructions * counters.CauseCount
	if cap(s.profile) < n {
		s.profile = make([]uint64, n)
	}
	s.profile = s.profile[:n]
	clear(s.profile)
	s.idle = 0
}

// Begin starts the account in the cycle now, for a front end of so many schedulers with
// width slots each, which have no warps.
func (s *Slots) Begin(now clock.Cycle, schedulers, width int) {
	s.counted, s.charged, s.width = now, now, width
	if cap(s.stalled) < schedulers {
		s.stalled = make([]*uint64, schedulers)
	}
	s.stalled = s.stalled[:schedulers]
	for k := range s.stalled {
		s.stalled[k] = &s.idle
		s.tell(now, k, 0, width, NoWarp)
	}
}

// Awake tells that the front end works in the cycle now: the cycles since the last are
// charged, and all slots of this one are the front end's to charge.
func (s *Slots) Awake(now clock.Cycle) {
	s.sleep(now)
	s.charged = now + 1
}

// sleep charges the slots of the cycles before now that are not charged: nothing has
// changed in them.
func (s *Slots) sleep(now clock.Cycle) {
	if now <= s.charged {
		return
	}
	slots := uint64(now-s.charged) * uint64(s.width)
	for _, at := range s.stalled {
		*at += slots
	}
	s.charged = now
}

// Settle charges and counts all slots of the cycles before now.
func (s *Slots) Settle(now clock.Cycle) {
	s.sleep(now)
	s.set[counters.IssueSlots] += uint64(now-s.counted) * uint64(s.width*len(s.stalled))
	s.counted = now
}

// Use charges one slot of a scheduler, the one at place, to an instruction that issues.
func (s *Slots) Use(now clock.Cycle, scheduler, place int, instruction uint32) {
	s.profile[int(counters.CauseIssued)*s.instructions+int(instruction)]++
	if s.watcher != nil {
		s.tell(now, scheduler, place, 1, Blame{instruction, counters.CauseIssued})
	}
}

// Lose charges count slots of a scheduler, from place on.
func (s *Slots) Lose(now clock.Cycle, scheduler, place, count int, b Blame) {
	*s.counter(b) += uint64(count)
	if s.watcher != nil {
		s.tell(now, scheduler, place, count, b)
	}
}

// Stall is Lose of slots that the scheduler loses to the same in the cycles that follow,
// until the front end is awake again.
func (s *Slots) Stall(now clock.Cycle, scheduler, place, count int, b Blame) {
	at := s.counter(b)
	*at += uint64(count)
	s.stalled[scheduler] = at
	if s.watcher != nil {
		s.tell(now, scheduler, place, count, b)
	}
}

// Await says to what all slots of a scheduler are charged from the cycle now on, in which
// the front end is not awake.
func (s *Slots) Await(now clock.Cycle, scheduler int, b Blame) {
	s.sleep(now)
	s.stalled[scheduler] = s.counter(b)
	s.tell(now, scheduler, 0, s.width, b)
}

// counter is where slots with a blame are counted.
func (s *Slots) counter(b Blame) *uint64 {
	if b.Instruction == seam.NoInstruction {
		return &s.idle
	}
	return &s.profile[int(b.Cause)*s.instructions+int(b.Instruction)]
}

func (s *Slots) tell(now clock.Cycle, scheduler, place, count int, b Blame) {
	if s.watcher == nil {
		return
	}
	s.watcher.Slots(now, seam.IssueSlots{SM: s.core, Scheduler: scheduler, First: place, Count: count, Cause: b.Cause, Instruction: b.Instruction})
}

// Used is the number of slots in which an instruction has issued since they were last
// collected.
func (s *Slots) Used(instruction int) uint64 {
	return s.profile[int(counters.CauseIssued)*s.instructions+instruction]
}

// Collect adds what has been charged since the launch began, or since the last call, to
// the core's counters and to profile, which is by recorded instruction. The recorded
// instruction of each is in origin, which is nil when they are the same.
func (s *Slots) Collect(origin []uint32, profile []uint64) {
	for i, n := range s.profile {
		if n == 0 {
			continue
		}
		in, cause := i%s.instructions, i/s.instructions
		if origin != nil {
			in = int(origin[in])
		}
		s.set[counters.Cause(cause).Counter()] += n
		profile[in*counters.CauseCount+cause] += n
	}
	s.set[counters.StallIdle] += s.idle
	s.idle = 0
	clear(s.profile)
}
