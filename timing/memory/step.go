// SPDX-License-Identifier: Apache-2.0

package memory

import "github.com/warptape/warptape/timing/clock"

// dues says when each component has something to do next. While partitions run apart, they
// write their own times and no least ones of groups, which partitions may share.
type dues struct {
	channels clock.Dues[clock.Time] // by partition
	llcs     []clock.Time           // by partition; none without last-level caches
	slices   clock.Dues[clock.Time]
}

// earliest is the least of some times and another.
func earliest(times []clock.Time, first clock.Time) clock.Time {
	for _, t := range times {
		first = min(first, t)
	}
	return first
}

// step lets every domain that is due at s.now do one cycle.
func (s *System) step() {
	if s.dramDue <= s.now {
		s.stepDRAM()
	}
	if s.l2Due <= s.now {
		s.stepL2()
	}
	if s.requestDue <= s.now {
		s.requestDue = edge(&s.clocks.Network, s.requestNet.Cycle(s.networkCycle()))
	}
	if s.replyDue <= s.now {
		s.replyDue = edge(&s.clocks.Network, s.replyNet.Cycle(s.networkCycle()))
	}
}

func (s *System) networkCycle() int64 { return int64(s.edges.network.Cycle(s.now)) }

// edge is the time of a cycle of a domain; never stays never.
func edge(d *clock.Domain, cycle int64) clock.Time {
	if cycle == never {
		return clock.NeverTime
	}
	return clock.Time(cycle) * d.Period
}

func (s *System) stepDRAM() {
	cycle := int64(s.edges.dram.Cycle(s.now))
	now, dues, next := s.now, &s.dues.channels, clock.NeverTime
	for g, least := range dues.Groups() {
		if least <= now {
			least = s.stepChannels(dues.Open(g), g<<clock.GroupBits, cycle)
			dues.Keep(g, least)
		}
		next = min(next, least)
	}
	s.dramDue = next
}

// stepChannels lets the channels of a group that are due do one cycle, and gives their least
// time. No channel wakes another.
func (s *System) stepChannels(group *clock.Group[clock.Time], first int, cycle int64) clock.Time {
	least := clock.NeverTime
	for j, due := range group {
		if due <= s.now {
			due = edge(&s.clocks.DRAM, s.partitions[first+j].channel.Cycle(cycle))
			group[j] = due
		}
		least = min(least, due)
	}
	return least
}

// stepL2 lets the last-level caches and slices that are due do one cycle. A
// component that wakes another does so for a later edge, so the order matters
// only for the slices of a partition, which compete for places in what is below.
// They take turns in being first.
func (s *System) stepL2() {
	cycle := int64(s.edges.l2.Cycle(s.now))
	for i, due := range s.dues.llcs {
		if due <= s.now {
			s.dues.llcs[i] = clock.NeverTime
			next := edge(&s.clocks.L2, s.partitions[i].llc.cycle(cycle))
			s.dues.llcs[i] = min(s.dues.llcs[i], next)
		}
	}
	s.stepSlices(cycle)
	s.l2Due = earliest(s.dues.slices.Groups(), earliest(s.dues.llcs, clock.NeverTime))
}

// stepSlices lets the slices that are due do one cycle; what wakes one meanwhile does
// so for a later one.
func (s *System) stepSlices(cycle int64) {
	first := int(cycle) & (s.machine.L2.SlicesPerPartition - 1)
	now, dues := s.now, &s.dues.slices
	for g := range dues.Groups() {
		g ^= first >> clock.GroupBits
		if dues.Groups()[g] > now {
			continue
		}
		group, least := dues.Open(g), clock.NeverTime
		for j := range group {
			due := &group[(j^first)&(len(group)-1)]
			if *due <= now {
				s.stepSlice(s.slices[g<<clock.GroupBits+(j^first)&(len(group)-1)], due, cycle)
			}
			least = min(least, *due)
		}
		dues.Keep(g, least)
	}
}

// stepSlice lets a slice do one cycle.
func (s *System) stepSlice(l *slice, due *clock.Time, cycle int64) {
	*due = clock.NeverTime
	l.elapse(cycle)
	next := edge(&s.clocks.L2, l.cycle(cycle))
	*due = min(*due, next)
	if l.aside && l.clean.leaving.Len() > 0 {
		l.clean.tell(l.partition.at.now)
	}
}
