// SPDX-License-Identifier: Apache-2.0

package perfectmemory

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// port is an SM's entry to a perfect memory; it implements seam.Port.
type port struct {
	seam.Port        // of the machine; it has shared memory
	seam.Completions // in front
	sm               int
	answers          ring.Ring[uint32] // tokens of what was issued in the last cycle
}

func newPort(sm int, behind seam.Port, to seam.Completions) *port {
	return &port{Port: behind, Completions: to, sm: sm, answers: ring.New[uint32](16)}
}

// Issue implements seam.Port. A store is performed when it is issued; of what is
// waited for the data are there in the next cycle, the first in which the SM looks.
func (p *port) Issue(now clock.Cycle, a *seam.MemoryAccess) {
	switch {
	case a.Space == trace.SpaceShared:
		p.Port.Issue(now, a)
	case a.Token != seam.NoToken:
		p.answers.Push(a.Token)
	}
}

// Cycle implements seam.Port.
func (p *port) Cycle(now clock.Cycle) clock.Cycle {
	next := p.Port.Cycle(now)
	for p.answers.Len() > 0 {
		p.Completions.Complete(now, p.answers.Pop())
	}
	return next
}

// FetchLine implements seam.Port: every instruction is at hand.
func (p *port) FetchLine(clock.Cycle, uint64) bool { return true }

// HasLine implements seam.Port.
func (p *port) HasLine(uint64) bool { return true }

var _ seam.Port = (*port)(nil)
