// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
)

// codeSide is the instruction cache that the lanes of an SM share, and the lines that they
// wait for. It takes as many lines a cycle as eesi.line_requests says; lanes that wait
// for the same line have one request.
type codeSide struct {
	group   *group
	lines   cache
	waiting []codeLine // in order, that it has not looked up
	missing []codeLine // that the L2 was asked for
}

// codeLine is a line and the lanes of the SM that wait for it.
type codeLine struct {
	line  uint64
	lanes uint32
}

func (s *codeSide) busy() bool { return len(s.waiting) > 0 }

// ask has a lane wait for a line.
func (s *codeSide) ask(now Cycle, l *lane, line uint64) {
	bit := uint32(1) << (l.number % lanesEach)
	for _, list := range [...][]codeLine{s.waiting, s.missing} {
		for i := range list {
			if list[i].line == line {
				list[i].lanes |= bit
				return
			}
		}
	}
	s.waiting = append(s.waiting, codeLine{line, bit})
	s.group.chip.wakeGroups(now + 1)
}

// cycle looks lines up.
func (s *codeSide) cycle(now Cycle) {
	n := min(len(s.waiting), s.group.chip.section.LineRequests)
	for _, x := range s.waiting[:n] {
		s.group.set[counters.FetchAccess]++
		if s.lines.find(x.line) != nil {
			s.deliver(now+s.group.chip.codeLatency, x)
			continue
		}
		s.group.set[counters.FetchMiss]++
		s.missing = append(s.missing, x)
		s.group.chip.behind.send(now+s.group.chip.codeLatency, fetch{sm: s.group.number, line: x.line, code: true})
	}
	s.waiting = append(s.waiting[:0], s.waiting[n:]...)
}

// come takes a line of the L2.
func (s *codeSide) come(now Cycle, line uint64) {
	if s.lines.find(line) == nil {
		s.lines.put(s.lines.victim(line), line)
	}
	for i := range s.missing {
		if s.missing[i].line == line {
			s.deliver(now, s.missing[i])
			s.missing = append(s.missing[:i], s.missing[i+1:]...)
			return
		}
	}
}

func (s *codeSide) deliver(at Cycle, x codeLine) {
	s.group.chip.calendar.put(event{at: at, kind: eventCode, lane: int32(s.group.number), line: x.line, lanes: x.lanes})
}

// fetched reports whether an instruction can issue, and fetches it else. A fetch is of as
// many instructions of a line as the lane's buffers take, and each fetch looks the tiny
// instruction cache up once. An instruction that waits for more than its fetch comes here
// again, which changes nothing.
func (l *lane) fetched(now Cycle, in *cpu.Instruction) bool {
	if l.fetchAt > now {
		if l.fetchAt != never {
			l.wake(l.fetchAt)
		}
		return false
	}
	line := in.IP &^ (lineBytes - 1)
	if line == l.line {
		if l.fetchedLeft == 0 {
			l.fetchedLeft = l.chip.fetchGroup
			l.group.set[tinyCodeReads]++
		}
		return true
	}
	l.group.set[tinyCodeReads]++
	if l.code.ways > 0 && l.code.find(line) != nil {
		l.line, l.fetchedLeft = line, l.chip.fetchGroup
		return true
	}
	l.group.set[tinyCodeMisses]++
	l.fetchAt = never
	l.group.code.ask(now, l, line)
	return false
}

// codeCame takes a line for which the lane waits. Without a tiny instruction cache it
// serves the instructions that are fetched together.
func (l *lane) codeCame(now Cycle, line uint64) {
	if l.code.ways > 0 && l.code.find(line) == nil {
		l.code.put(l.code.victim(line), line)
		l.group.set[tinyCodeFills]++
	}
	l.line, l.fetchedLeft = line, l.chip.fetchGroup
	l.fetchAt = now + l.chip.decode
	l.wake(l.fetchAt)
}

// codeChanged empties the tiny instruction caches: the program has written code.
func (c *Chip) codeChanged() {
	for i := range c.lanes {
		l := &c.lanes[i]
		for k := range l.code.lines {
			l.code.lines[k].drop()
		}
		l.line = noLine
	}
}
