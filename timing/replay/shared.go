// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"sync"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
)

// sharing finds the machines that replay a trace in the same way: those that differ only in
// name and technology. One of them does, and the others get what it has counted.
type sharing struct {
	leaders []int        // of machine i, the first that is alike: i itself, where there is none
	runs    []*sharedRun // by leader; nil for a leader without followers
}

// sharedRun is what a leader has counted; nil when it has failed. Followers wait for it.
type sharedRun struct {
	ended chan struct{}
	once  sync.Once
	run   *gpu.Run
}

func newSharing(machines []*arch.Machine, o *Options) *sharing {
	s := &sharing{leaders: make([]int, len(machines)), runs: make([]*sharedRun, len(machines))}
	first := map[string]int{}
	for i, m := range machines {
		s.leaders[i] = i
		if len(machines) == 1 || o.Attach != nil || o.watcher(i) != nil {
			continue // its own replay is wanted: something watches it
		}
		digest := m.TimingDigest()
		leader, found := first[digest]
		if !found {
			first[digest] = i
			continue
		}
		s.leaders[i] = leader
		if s.runs[leader] == nil {
			s.runs[leader] = &sharedRun{ended: make(chan struct{})}
		}
	}
	return s
}

// replays is the number of machines that replay.
func (s *sharing) replays() int {
	n := 0
	for i, leader := range s.leaders {
		if leader == i {
			n++
		}
	}
	return n
}

// order lists the machines, those that follow another behind the others: workers then
// seldom wait.
func (s *sharing) order() []int {
	var leaders, followers []int
	for i, leader := range s.leaders {
		if leader == i {
			leaders = append(leaders, i)
		} else {
			followers = append(followers, i)
		}
	}
	return append(leaders, followers...)
}

// leads reports whether machine i replays for itself.
func (s *sharing) leads(i int) bool { return s.leaders[i] == i }

// follow gives what the leader of machine i has counted, nil when i has to replay by
// itself: it is a leader, or its leader has failed or been left out.
func (s *sharing) follow(i int) *gpu.Run {
	if s.leads(i) {
		return nil
	}
	shared := s.runs[s.leaders[i]]
	<-shared.ended
	return shared.run
}

// end is told of the end of machine i, with nil for a run that has failed or has not been.
func (s *sharing) end(i int, run *gpu.Run) {
	if shared := s.runs[i]; shared != nil {
		shared.once.Do(func() {
			shared.run = run
			close(shared.ended)
		})
	}
}
