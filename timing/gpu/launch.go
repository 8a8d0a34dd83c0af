// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"errors"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// launchState is a launch that is being replayed.
type launchState struct {
	index, kernel int
	event         int // in the timeline
	program       core.Program
	need          seam.Footprint
	division      seam.Division
	start         clock.Cycle // of the machine's clock
	// dispatchAt is the first cycle in which thread blocks may be dispatched.
	dispatchAt clock.Cycle
	// roomChanged says that the dispatcher has not refused since a thread block
	// has retired or a launch has begun or ended.
	roomChanged bool

	chunk, endChunk int // the next thread block is in chunk; no chunk is left at endChunk
	held            *wtape.Chunk
	place           int      // of the next thread block in held
	first           int      // the launch's first chunk
	forming         *forming // nil without clusters
	perSM           int      // thread blocks that an SM has room for
	unfinished      []int
	remaining       uint64 // thread blocks that have yet to retire

	profile    []uint64       // of the kernel, see Run.Profiles
	lines      []counters.Set // of the kernel, see Run.Lines
	counts     counters.Set   // of what it had for itself
	smCycles   uint64         // cycles of the SMs that were bound to it
	overlapped bool           // another launch ran at the same time
	watch      watch
}

// launches are those that run at the same time.
type launches struct {
	source Source
	active []*launchState // in the order of beginning
	spare  []*launchState
	tried  *launchState         // whose thread block is being placed
	list   []seam.RunningLaunch // scratch
	places []int                // in active, of the elements of list
	// due is the next cycle in which a thread block may be dispatched.
	due clock.Cycle
	// idleUntil is the first cycle in which the dispatcher may place another.
	idleUntil clock.Cycle
}

// begin readies for a replay, also after one that has failed.
func (s *launches) begin(src Source) {
	s.source, s.due, s.idleUntil, s.tried = src, clock.Never, 0, nil
	s.spare = append(s.spare, s.active...)
	s.active = s.active[:0]
}

// instructionBase is where kernels lie in instruction memory: above all data
// addresses of a trace's 40-bit device address space.
const instructionBase = 1 << 40

// codeAddress is the address of the first kernel's code.
func codeAddress(m *arch.Machine) uint64 {
	if m.SM.CodeAddress > 0 {
		return uint64(m.SM.CodeAddress)
	}
	return instructionBase
}

// plan is what is known of all launches before any starts.
type plan struct {
	programs  []core.Program // per kernel; nil when it is never launched
	occupancy []core.Occupancy
	lowerings []*core.Lowering // per kernel; nil where it is executed as recorded
}

// static is what a kernel's threads and thread blocks need on the machine.
func (p *plan) static(kernels []trace.Kernel, k int) *trace.Kernel {
	if l := p.lowerings[k]; l != nil {
		return l.Kernel
	}
	return &kernels[k]
}

// Check reports why the machine cannot run one of the launches, if it cannot. A Replay
// of them that comes next uses what it has found out.
func (g *GPU) Check(kernels []trace.Kernel, launches []trace.Launch) error {
	p, err := g.plan(kernels, launches)
	g.checked = checked{p, kernels, launches}
	return err
}

// checked is a plan that Check has made, nil after one that failed.
type checked struct {
	plan     *plan
	kernels  []trace.Kernel
	launches []trace.Launch
}

// take gives the plan if it is that of the kernels and launches, and only once.
func (c *checked) take(kernels []trace.Kernel, launches []trace.Launch) *plan {
	p := c.plan
	if p == nil || len(kernels) == 0 || len(c.kernels) != len(kernels) || &c.kernels[0] != &kernels[0] || len(c.launches) != len(launches) || len(launches) > 0 && &c.launches[0] != &launches[0] {
		p = nil
	}
	*c = checked{}
	return p
}

// plan decodes the kernels and checks that every launch can run. The error names
// each kernel that cannot, once.
func (g *GPU) plan(kernels []trace.Kernel, launches []trace.Launch) (*plan, error) {
	p := &plan{programs: make([]core.Program, len(kernels)), occupancy: make([]core.Occupancy, len(launches))}
	refused := make([]error, len(kernels))
	for i := range launches {
		if k := launches[i].Kernel; k < 0 || k >= len(kernels) {
			return nil, fmt.Errorf("launch %d: kernel %d of %d does not exist; the trace is damaged", i, k, len(kernels))
		}
	}
	p.lowerings = g.lower(kernels, launches, refused)
	for i := range launches {
		l := &launches[i]
		if refused[l.Kernel] != nil {
			continue
		}
		var err error
		if p.occupancy[i], err = g.kind.Occupancy(g.machine, p.static(kernels, l.Kernel), l, g.divergence.HardwareWarps(l.Warps())); err == nil {
			err = g.checkClusters(l, &p.occupancy[i])
		}
		if err != nil {
			refused[l.Kernel] = fmt.Errorf("launch %d: %w", i, err)
		}
	}
	rewritten, err := g.rewrite(kernels, launches)
	if err != nil {
		return nil, err
	}
	g.decode(p, kernels, launches, rewritten, refused)
	if err := errors.Join(refused...); err != nil {
		return nil, err
	}
	return p, nil
}

// decode makes the programs of the kernels that are launched, in the order of their
// first launch.
func (g *GPU) decode(p *plan, kernels []trace.Kernel, launches []trace.Launch, rewritten []*core.Rewriting, refused []error) {
	base := codeAddress(g.machine)
	shared := sharedUse(len(kernels), launches, p.occupancy)
	decoded := make([]bool, len(kernels))
	for i := range launches {
		k := launches[i].Kernel
		if decoded[k] {
			continue
		}
		decoded[k] = true
		if refused[k] != nil && p.lowerings[k] == nil && g.machine.GPU.Lowers() {
			continue // what is not lowered is not compiled
		}
		if err := g.checkLanguage(&kernels[k]); err != nil {
			refused[k] = errors.Join(refused[k], err)
			continue
		}
		if check := g.policy.Check; check != nil && refused[k] == nil {
			if err := check(&kernels[k]); err != nil {
				refused[k] = fmt.Errorf("%s: gpu.divergence: %w", g.machine.Name, err)
				continue
			}
		}
		program, err := g.program(&kernels[k], core.Compilation{Rewriting: rewritten[k], Lowering: p.lowerings[k]}, base, shared[k])
		if err != nil {
			refused[k] = fmt.Errorf("%s: %w", g.machine.Name, err)
			continue
		}
		p.programs[k] = program
		base += g.machine.SM.KernelBytes(uint64(program.Instructions()) * uint64(g.machine.SM.InstructionBytes))
	}
}

// begin readies the machine for launch i in the present cycle.
func (g *GPU) begin(i, event int, p *plan, run *Run) {
	src := g.launches.source
	g.chargeShared()
	l := g.launches.take()
	kernel := src.Launches()[i].Kernel
	first, end := src.LaunchChunks(i)
	*l = launchState{
		index: i, kernel: kernel, event: event, program: p.programs[kernel], need: p.occupancy[i].Need, start: g.now,
		division:   p.occupancy[i].Division(g.machine),
		dispatchAt: g.now + clock.Cycle(max(g.machine.GPU.LaunchCycles, 0)),
		forming:    newForming(&src.Launches()[i]), perSM: p.occupancy[i].Blocks,
		chunk: first, endChunk: end, first: first, unfinished: l.unfinished[:0], profile: run.Profiles[kernel],
	}
	if run.Lines != nil {
		l.lines = run.Lines[kernel]
	}
	for _, c := range src.Chunks()[first:end] {
		l.unfinished = append(l.unfinished, c.Blocks)
		l.remaining += uint64(c.Blocks)
	}
	g.observe(l, p.occupancy[i].Blocks)
	g.launches.active = append(g.launches.active, l)
	if len(g.launches.active) > 1 {
		for _, other := range g.launches.active {
			other.overlapped = true
		}
	}
	g.dispatcher.Begin(i, l.remaining, l.need)
	g.launches.changed(l.dispatchAt)
}

// take gives a launchState for its memory: its contents mean nothing.
func (s *launches) take() *launchState {
	if n := len(s.spare); n > 0 {
		l := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return l
	}
	return new(launchState)
}

// changed lets every launch try again, from a cycle on.
func (s *launches) changed(from clock.Cycle) {
	for _, l := range s.active {
		l.roomChanged = true
	}
	s.due = min(s.due, from)
}

// waiting reports whether a launch has thread blocks to dispatch.
func (l *launchState) waiting() bool {
	return l.chunk < l.endChunk || l.forming != nil && len(l.forming.queue) > 0
}

// BlockRetired implements core.Observer.
func (g *GPU) BlockRetired(now clock.Cycle, on int, block uint64, chunk int) {
	if g.team.keeps(now, on, block, chunk) {
		return
	}
	g.retire(now, on, block, chunk)
}

// RoomMade implements core.Observer. Cores that tell it do not run ahead of the machine.
func (g *GPU) RoomMade(now clock.Cycle) { g.launches.changed(now + 1) }

// retire counts a thread block that has ended.
func (g *GPU) retire(now clock.Cycle, on int, block uint64, chunk int) {
	g.cores[on].CloseStreams()
	l := g.bindings.owner[g.bindings.driverOf[on]]
	g.dispatcher.Retired(now, l.index, on, block)
	g.launches.changed(now)
	l.remaining--
	left := &l.unfinished[chunk-l.first]
	if *left--; *left == 0 {
		g.launches.source.Release(chunk)
	}
	if l.remaining == 0 && g.memory.LaunchEnder != nil {
		g.memory.LaunchEnder.EndLaunch(now, l.index)
	}
}

// over reports whether a launch ends with the cycle now.
func (g *GPU) over(l *launchState, now clock.Cycle) bool {
	return l.remaining == 0 && now+1 >= l.dispatchAt && (g.memory.LaunchEnder == nil || g.memory.LaunchEnder.LaunchEnded(l.index))
}

// settle brings all counters up to the present cycle.
func (g *GPU) settle() {
	for d, l := range g.bindings.owner {
		if l == nil {
			continue
		}
		g.drivers[d].Settle(g.now)
		for _, s := range g.drivers[d].Cores {
			s.CountResidency(g.now)
			s.Collect(l.profile)
		}
	}
}

// sum adds up all counters of the machine.
func (g *GPU) sum() counters.Set {
	if g.memory.HostSteps != nil {
		g.memory.HostSteps.Settle(g.now)
	}
	total := *g.global
	for _, s := range g.sets {
		total.Add(s)
	}
	return total
}
