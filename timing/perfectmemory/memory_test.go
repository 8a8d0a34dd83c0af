// SPDX-License-Identifier: Apache-2.0

package perfectmemory

import (
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// system is a memory system with shared memory alone, in which three requests are.
type system struct {
	seam.MemorySystem
	seam.LastLevel
	seam.OffloadHost
	seam.LinkReporter
	seam.Lookahead
	issued []trace.Space
}

func (s *system) Port(int, seam.Completions) (seam.Entry, error) {
	return seam.Entry{Port: shared{system: s}}, nil
}
func (*system) InFlight() int      { return 3 }
func (*system) Describe() []string { return []string{"behind"} }

// shared is the port of the system's shared memory.
type shared struct {
	seam.Port
	*system
}

func (s shared) Issue(_ clock.Cycle, a *seam.MemoryAccess) { s.issued = append(s.issued, a.Space) }
func (shared) Cycle(clock.Cycle) clock.Cycle               { return 99 }

// answers are the tokens that have been answered.
type answers struct {
	seam.Completions
	tokens []uint32
}

func (a *answers) Complete(_ clock.Cycle, token uint32) { a.tokens = append(a.tokens, token) }

// A perfect memory answers in the next cycle, holds what it has not answered yet, and leaves shared memory to the system
// behind. Nothing else of that system is reached through it, but the machine may still run apart.
func TestAPerfectMemoryAnswersInTheNextCycle(t *testing.T) {
	behind := &system{}
	path, err := wrap(nil, func(*arch.Machine, gpu.Clocks, []*counters.Set, *counters.Set) (seam.Path, error) {
		return seam.Path{MemorySystem: behind, LastLevel: behind, Offloaders: behind, Links: behind, Lookahead: behind}, nil
	})(nil, gpu.Clocks{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if path.LastLevel != nil || path.L2Cleaner != nil || path.Offloaders != nil || path.Links != nil || path.Lookahead != seam.Lookahead(behind) {
		t.Errorf("the path behind shows through: %+v", path)
	}
	var to [2]answers
	var ports [2]seam.Entry
	for sm := range ports {
		if ports[sm], err = path.Port(sm, &to[sm]); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range []seam.MemoryAccess{{Space: trace.SpaceGlobal, Token: 5}, {Space: trace.SpaceGlobal, Token: seam.NoToken}, {Space: trace.SpaceShared, Token: 6}, {Space: trace.SpaceLocal, Token: 7}} {
		ports[1].Issue(10, &a)
	}
	ports[0].Issue(10, &seam.MemoryAccess{Space: trace.SpaceGlobal, Token: 8})
	if n := path.InFlight(); n != 3+2+1 || !slices.Equal(behind.issued, []trace.Space{trace.SpaceShared}) {
		t.Errorf("%d requests are inside, want 6; to shared memory went %v", n, behind.issued)
	}
	said := path.Describe()
	if len(said) != 3 || !strings.Contains(said[0], "SM 0: 1 accesses") || !strings.Contains(said[1], "SM 1: 2 accesses") || said[2] != "behind" {
		t.Errorf("it says %q", said)
	}
	if next := ports[1].Cycle(11); next != 99 || !slices.Equal(to[1].tokens, []uint32{5, 7}) || len(to[0].tokens) > 0 {
		t.Errorf("answered are %v and %v, next is cycle %d", to[0].tokens, to[1].tokens, next)
	}
	ports[0].Cycle(11)
	if n := path.InFlight(); n != 3 || len(path.Describe()) != 1 {
		t.Errorf("%d requests are inside, and it says %q", n, path.Describe())
	}
}
