// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/limits"
)

// sharing says which machines replay a trace, and when, and which take what another one has
// counted:
//   - Machines that differ only in name and technology are alike. The first of them, their
//     leader, replays.
//   - Leaders that differ only in limits and in the contents of caches are a family. One
//     of it replays first, with the greatest limits. Its certificate says whose replays would be the
//     same (package limits). Of the rest some replay, and so on.
//
// Which machine takes whose counts does not depend on the number of workers.
type sharing struct {
	machines []*arch.Machine

	mu      sync.Mutex
	changed *sync.Cond
	ready   []int // machines whose turn has come, in their order
	coming  int   // machines whose turn has not
	parts   []participant
}

// participant is what is known of a machine.
type participant struct {
	leader int // the first that is alike: itself, where there is none
	alike  []int
	family *family // nil: it has none
	ended  bool
	run    *gpu.Run // what it takes, or has counted; nil: it replays, or has failed
	by     int      // whose counts those are

}

// family is leaders whose replays may be the same.
type family struct {
	rest   []int // that have neither a run nor a turn
	probes []probe
	left   int // probes that have not ended
}

// probe is a replay in a round of a family.
type probe struct {
	machine     int
	run         *gpu.Run
	certificate *limits.Certificate
}

func newSharing(machines []*arch.Machine, o *Options, sampled bool) *sharing {
	s := &sharing{machines: machines, parts: make([]participant, len(machines)), coming: len(machines)}
	s.changed = sync.NewCond(&s.mu)
	first, families := map[string]int{}, map[string]*family{}
	for i, m := range machines {
		p := &s.parts[i]
		p.leader, p.by = i, i
		if len(machines) == 1 || o.NoShare || o.Attach != nil || o.watcher(i) != nil {
			continue // its own replay is wanted
		}
		digest := m.TimingDigest()
		if leader, found := first[digest]; found {
			p.leader = leader
			s.parts[leader].alike = append(s.parts[leader].alike, i)
			continue
		}
		first[digest] = i
		if sampled {
			continue // the machine that replays is another: see simulated
		}
		digest = m.FamilyDigest()
		if p.family = families[digest]; p.family == nil {
			p.family = new(family)
			families[digest] = p.family
		}
		p.family.rest = append(p.family.rest, i)
	}
	for i := range s.parts {
		if p := &s.parts[i]; p.leader == i && (p.family == nil || p.family.rest[0] == i) {
			s.begin(i)
		}
	}
	return s
}

// begin gives a machine that has no family its turn, and a family its first probe.
func (s *sharing) begin(i int) {
	f := s.parts[i].family
	if f == nil {
		s.turn(i)
		return
	}
	slices.SortStableFunc(f.rest, func(a, b int) int { return greater(s.machines[a], s.machines[b]) })
	s.try(f, f.rest[0])
}

// greater puts the machine with the greater limits and caches in front.
func greater(a, b *arch.Machine) int {
	for _, key := range arch.LimitKeys() {
		if c := cmp.Compare(b.LimitValue(key), a.LimitValue(key)); c != 0 {
			return c
		}
	}
	for _, section := range arch.CacheSections() {
		if c := cmp.Compare(b.CacheOf(section).Bytes, a.CacheOf(section).Bytes); c != 0 {
			return c
		}
	}
	return 0
}

// try gives a machine its turn as a probe of its family.
func (s *sharing) try(f *family, i int) {
	f.rest = slices.DeleteFunc(f.rest, func(j int) bool { return j == i })
	f.probes, f.left = append(f.probes, probe{machine: i}), f.left+1
	s.turn(i)
}

// turn says that the turn of a machine has come.
func (s *sharing) turn(i int) {
	s.ready = append(s.ready, i)
	s.coming--
	s.changed.Signal()
}

// next is the machine whose turn it is; false when there is none left. It waits for
// replays on which that depends.
func (s *sharing) next() (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.ready) == 0 && s.coming > 0 {
		s.changed.Wait()
	}
	if len(s.ready) == 0 {
		s.changed.Broadcast()
		return 0, false
	}
	i := s.ready[0]
	s.ready = s.ready[1:]
	if len(s.ready) == 0 && s.coming == 0 {
		s.changed.Broadcast()
	}
	return i, true
}

// replays is the most machines that can replay.
func (s *sharing) replays() int {
	n := 0
	for i := range s.parts {
		if s.leads(i) {
			n++
		}
	}
	return n
}

// leads reports whether machine i is counted by replays.
func (s *sharing) leads(i int) bool { return s.parts[i].leader == i }

// certifies reports whether a certificate of machine i is of use.
func (s *sharing) certifies(i int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.parts[i].family
	return f != nil && len(f.rest) > 0
}

// follow gives what another machine has counted for machine i, and which; nil when i
// has to replay by itself.
func (s *sharing) follow(i int) (*gpu.Run, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parts[i].run, s.parts[i].by
}

// end is told of the end of machine i, with nil for a run that has failed or has not been.
// Only the first time counts.
func (s *sharing) end(i int, run *gpu.Run, c *limits.Certificate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &s.parts[i]
	if p.ended {
		return
	}
	p.ended = true
	if p.leader != i {
		return
	}
	s.lead(i, run, i)
	if p.family != nil && p.by == i {
		s.probed(p.family, i, run, c)
	}
}

// lead gives those that are like machine i what machine by has counted, and their turns.
func (s *sharing) lead(i int, run *gpu.Run, by int) {
	for _, j := range s.parts[i].alike {
		s.parts[j].run = run
		if run != nil {
			s.parts[j].by = by
		}
		s.turn(j)
	}
	s.parts[i].alike = nil
}

// probed is told of the end of a probe. With the last of a round the next one begins.
func (s *sharing) probed(f *family, i int, run *gpu.Run, c *limits.Certificate) {
	for k := range f.probes {
		if f.probes[k].machine == i {
			f.probes[k].run, f.probes[k].certificate = run, c
		}
	}
	if f.left--; f.left > 0 {
		return
	}
	for _, p := range f.probes {
		if p.run != nil && p.certificate != nil {
			s.cover(f, &p)
		}
	}
	s.round(f)
}

// cover gives what a probe has counted to those whose replays would be the same.
func (s *sharing) cover(f *family, p *probe) {
	var rest []int
	for _, j := range f.rest {
		if !p.certificate.Covers(s.machines[p.machine], s.machines[j]) {
			rest = append(rest, j)
			continue
		}
		s.parts[j].run, s.parts[j].by = p.run, p.machine
		s.turn(j)
		s.lead(j, p.run, p.machine)
	}
	f.rest = rest
}

// round chooses who of the rest replays next: of those that differ from the last probe in the
// same way, where its certificate does not reach, the first. Others may be
// like it.
func (s *sharing) round(f *family) {
	last := f.probes[0]
	f.probes = nil
	tried := map[string]bool{}
	for _, j := range slices.Clone(f.rest) {
		if last.certificate != nil {
			way := strings.Join(last.certificate.Misses(s.machines[last.machine], s.machines[j]), ",")
			if tried[way] {
				continue
			}
			tried[way] = true
		}
		s.try(f, j)
	}
}
