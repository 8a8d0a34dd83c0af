// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/offload/chains"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

// engine is the hardware of one machine.
type engine struct {
	machine *arch.Machine
	section *Section
	system  seam.OffloadHost
	clocks  gpu.Clocks
	sets    []*counters.Set // by SM
	global  *counters.Set
	own     seam.TokenOwner
	sms     []*sm.SM
	plans   map[*trace.Kernel]*plan
	meet    *meetNodes // nil where only partitions compute
	peers   seam.Peers // what computes besides the partitions
	order   seam.Order // of a partition's loads and stores among requests from the network

	slices   int
	queues   []*queue   // by SM
	services []*service // by end; nil for cores that do not compute for others; routers, where they are ends, come last
	jobs     jobs
	timers   timers
	// busy holds the ends (services, and queues behind them) that have something to
	// do in the next cycle; stepped is the cycle of the last step.
	busy    []uint64
	stepped clock.Cycle
}

func newEngine(m *arch.Machine) gpu.Mechanism {
	e := &engine{machine: m, section: m.Section(Key).(*Section), plans: map[*trace.Kernel]*plan{}, jobs: newJobs()}
	e.peers, e.order = e.section.peers(m), e.section.order()
	return gpu.Mechanism{
		Arrange: e.arrange,
		Memory:  e.wrap,
		Offload: func(*arch.Machine, seam.Offload) seam.Offload { return e },
		FrontEnds: func(_ *arch.Machine, next core.FrontEndBuilder) core.FrontEndBuilder {
			return func(m *arch.Machine, cores []core.Core) ([]core.Driver, error) {
				var err error
				if e.sms, err = sm.Of(cores); err != nil {
					return nil, fmt.Errorf("offload: %w", err)
				}
				return next(m, cores)
			}
		},
	}
}

func init() { gpu.Mechanisms.Register(Key, gpu.Mechanism{New: newEngine, Lacks: lacks}) }

// lacks says why no chain of a kernel is offloaded.
func lacks(_ *arch.Machine, k *trace.Kernel) string {
	if p, err := chains.Find(k); err == nil && len(p.Chains) == 0 {
		return "has no chain of loads, arithmetic and a store that could be offloaded (warptape offload shows those that there are)"
	}
	return ""
}

// arrange tags the chains of a kernel, unless its thread blocks leave the service
// queues no room in shared memory.
func (e *engine) arrange(k *trace.Kernel, sharedBytes int) (*core.Arrangement, error) {
	if e.peers == seam.EndPeers && !chains.Room(e.machine.Shared.Bytes, sharedBytes, e.section.ServiceEntries) {
		return nil, nil
	}
	p, err := chains.Find(k)
	if err != nil || len(p.Chains) == 0 {
		return nil, err
	}
	e.plans[k] = newPlan(e.machine, k, p)
	a := &core.Arrangement{Order: p.Order, Runs: make([]core.Run, len(p.Tags))}
	for i, tag := range p.Tags {
		a.Runs[i] = core.Run(tag)
	}
	return a, nil
}

func (e *engine) count(which int, n uint64) { e.global[int(firstCounter)+which] += n }

// wake lets the units at an end act in the next step.
func (e *engine) wake(end int) { e.busy[end>>6] |= 1 << (end & 63) }

// AtIssue implements seam.Offload. A kernel without chains is not arranged, and all
// its instructions come here.
func (e *engine) AtIssue(now clock.Cycle, i *seam.Issuing) seam.Decision {
	q := e.queues[i.SM]
	if i.Kernel != q.kernel {
		q.kernel, q.plan = i.Kernel, e.plans[i.Kernel]
	}
	if q.plan == nil {
		return seam.Here
	}
	return q.issue(now, i)
}

// advance does what is due up to a core cycle, and the step of that cycle.
func (e *engine) advance(now clock.Cycle) {
	for e.timers.Due() <= now {
		e.due(now, e.timers.Take())
	}
	if now <= e.stepped {
		return
	}
	e.stepped = now
	for w := range e.busy {
		todo := e.busy[w]
		e.busy[w] = 0
		for ; todo != 0; todo &= todo - 1 {
			e.step(now, w<<6+bits.TrailingZeros64(todo))
		}
	}
}

// step lets the units at an end do one cycle.
func (e *engine) step(now clock.Cycle, end int) {
	again := false
	if end < len(e.queues) {
		again = e.queues[end].step(now)
	}
	if s := e.services[end]; s != nil {
		again = s.step(now) || again
	}
	if again {
		e.wake(end)
	}
}

// nextEvent is the next core cycle in which advance has something to do.
func (e *engine) nextEvent() clock.Cycle {
	for _, w := range e.busy {
		if w != 0 {
			return e.stepped + 1
		}
	}
	return e.timers.Due()
}

func (e *engine) at(now clock.Cycle) clock.Time { return e.clocks.Core.Start(now) }
