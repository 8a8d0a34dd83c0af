// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"cmp"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

func (s *referenceSM) room(warps int) bool {
	free := 0
	for _, w := range s.warps {
		if w == nil {
			free++
		}
	}
	return s.resident < s.limit && free >= warps
}

func (s *referenceSM) place(b referenceBlock) {
	g := &referenceGroup{barriers: map[int64]*referenceBarrier{}, left: len(b.warps)}
	s.resident++
	slot := 0
	for _, path := range b.warps {
		for s.warps[slot] != nil {
			slot++
		}
		s.arrived++
		w := &referenceWarp{path: path, decoding: map[int]int{}, writes: map[trace.Register]int{}, loads: map[trace.Register]bool{}, age: s.arrived, group: g, slot: slot}
		s.warps[slot] = w
		g.warps = append(g.warps, w)
	}
}

// answer delivers what the memory has ready in this cycle.
func (s *referenceSM) answer() {
	if s.collectors != nil {
		s.collectors.taken = map[int]bool{}
	}
	rest := s.answers[:0]
	for _, a := range s.answers {
		if a.done > s.now {
			rest = append(rest, a)
			continue
		}
		switch {
		case a.store:
			a.warp.stores--
		case s.collectors != nil:
			if w := (&referenceWrite{at: s.now + 1, warp: a.warp, in: a.in, left: s.accesses(a.in.Writes(nil)), load: true}); !s.written(w) {
				s.collectors.writes = append(s.collectors.writes, w)
			}
		default:
			a.warp.atomics--
			for _, x := range a.in.Writes(nil) {
				delete(a.warp.loads, x)
			}
		}
	}
	s.answers = rest
	for _, f := range s.fetching {
		s.lines[f.line] = s.lines[f.line] || f.at <= s.now
	}
	for slot, f := range s.fetching {
		switch {
		case !s.lines[f.line]:
		case !s.machine.SM.FetchArrivals:
			s.deliver(s.warps[slot], f.count)
			delete(s.fetching, slot)
		case f.came == 0:
			f.came = s.now
			s.fetching[slot] = f
		}
	}
	s.checkFences()
}

func (s *referenceSM) checkFences() {
	for _, w := range s.warps {
		if w != nil && w.heldUntil < 0 && w.heldBy == counters.CauseFence && w.atomics == 0 && w.stores == 0 {
			w.heldUntil = s.now + max(s.machine.SM.Latencies.Fence.Cycles, 1)
		}
	}
}

func (s *referenceSM) deliver(w *referenceWarp, n int) {
	if s.machine.SM.DecodeCycles == 0 {
		w.decoded += n
		return
	}
	w.decoding[s.now+s.machine.SM.DecodeCycles] += n
}

func (s *referenceSM) retire() {
	for _, w := range s.warps {
		if w == nil || w.gone || !w.over() || w.atomics > 0 || w.stores > 0 || len(w.staged) > 0 || len(w.writes) > 0 || w.heldUntil > s.now || w.heldUntil < 0 {
			continue
		}
		w.gone = true
		if w.group.left--; w.group.left == 0 {
			for _, member := range w.group.warps {
				s.warps[member.slot] = nil
			}
			s.resident--
			s.left--
		}
	}
}

func (s *referenceSM) cycle() {
	for _, w := range s.warps {
		if w == nil {
			continue
		}
		for x, at := range w.writes {
			if at <= s.now {
				delete(w.writes, x)
			}
		}
		w.decoded += w.decoding[s.now]
		delete(w.decoding, s.now)
	}
	if s.collectors != nil {
		s.writeBack()
		s.checkFences()
		s.collectOperands()
	}
	if len(s.queue) > 0 && s.queue[0].ready <= s.now && s.taken != s.now {
		a := s.queue[0]
		s.queue = s.queue[1:]
		s.enterPort(a)
	}
	for range max(s.machine.SM.FetchesPerCycle, 1) {
		s.fetch()
	}
	n := s.machine.SM.Schedulers
	for i := range n {
		s.schedule((s.now + i) % n)
	}
}

// enterPort gives the memory an access, the only one of this cycle.
func (s *referenceSM) enterPort(a *pendingAccess) {
	s.taken = s.now
	a.done = s.now + int(s.memory.LatencyCycles)
	s.answers = append(s.answers, a)
	if a.store {
		a.warp.atomics--
		a.warp.stores++
	}
	s.checkFences()
}

func (s *referenceSM) buffered(w *referenceWarp) int {
	n := w.decoded
	for _, d := range w.decoding {
		n += d
	}
	return n
}

// ahead gives the instructions that can be fetched for w.
func (s *referenceSM) ahead(w *referenceWarp) []step {
	from := w.at + s.buffered(w)
	for i := w.at; i < from; i++ {
		if w.path[i].jumps {
			return nil
		}
	}
	if w.over() {
		return nil
	}
	to := from
	for to < len(w.path) && w.path[to].visit <= w.path[w.at].visit+1 && (to == w.at || !w.path[to-1].jumps) {
		to++
	}
	return w.path[from:to]
}

// takeLine has the warp take its line whose line came first, of those of one line the
// one that asked first. Lines that came in the same cycle came in the order in which they
// were asked for.
func (s *referenceSM) takeLine() bool {
	next := -1
	for slot, f := range s.fetching {
		if g := s.fetching[next]; f.came > 0 && (next < 0 || cmp.Or(cmp.Compare(f.came, g.came), cmp.Compare(s.firstAsked[f.line], s.firstAsked[g.line]), cmp.Compare(f.asked, g.asked)) < 0) {
			next = slot
		}
	}
	if next < 0 {
		return false
	}
	s.deliver(s.warps[next], s.fetching[next].count)
	delete(s.fetching, next)
	return true
}

func (s *referenceSM) fetch() {
	if s.takeLine() {
		return
	}
	m := &s.machine.SM
	bundle := min(m.FetchWidth, m.InstructionBuffer)
	for i := range warpset.Max {
		slot := (s.lastFetch + 1 + i) % warpset.Max
		if slot >= len(s.warps) || s.warps[slot] == nil {
			continue
		}
		w := s.warps[slot]
		ahead := s.ahead(w)
		if _, waits := s.fetching[slot]; waits || len(ahead) == 0 || s.buffered(w)+bundle > m.InstructionBuffer || w.redirect > s.now {
			continue
		}
		s.lastFetch = slot
		n := min(bundle, len(ahead))
		address := s.code + uint64(ahead[0].index*m.InstructionBytes)
		line := address
		if size := uint64(s.machine.Instruction.LineBytes); size > 0 {
			line = address - address%size
			if !m.FetchAcrossLines {
				n = min(n, int(line+size-address)/m.InstructionBytes)
			}
		}
		if s.memory.FetchMissCycles == 0 || s.lines[line] {
			s.deliver(w, n)
		} else {
			s.asked++
			if s.firstAsked[line] == 0 {
				s.firstAsked[line] = s.asked
			}
			s.fetching[slot] = lineWait{line: line, count: n, at: s.now + int(s.memory.FetchMissCycles), asked: s.asked}
		}
		return
	}
}
