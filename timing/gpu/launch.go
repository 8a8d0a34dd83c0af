package gpu

import (
	"context"
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

// launchState is the launch that is being replayed.
type launchState struct {
	source Source
	need   seam.Footprint
	start  clock.Cycle
	// dispatchAt is the first cycle in which thread blocks may be dispatched.
	dispatchAt clock.Cycle
	// roomChanged says that the dispatcher has not yet refused since a thread
	// block has retired.
	roomChanged bool

	chunk, endChunk int // the next thread block is in chunk; no chunk is left at endChunk
	held            *trace.Chunk
	place           int // of the next thread block in held
	first           int // the launch's first chunk
	unfinished      []int
	remaining       uint64 // thread blocks that have yet to retire

	profile []uint64 // of the kernel, see Run.Profiles
}

// instructionBase is where kernels lie in instruction memory: above all data
// addresses of a trace's 40-bit device address space.
const instructionBase = 1 << 40

// plan is what is known of all launches before any starts.
type plan struct {
	programs  []*sm.Program // per kernel; nil when it is never launched
	occupancy []sm.Occupancy
}

// Check reports why the machine cannot run one of the launches, if it cannot.
func (g *GPU) Check(kernels []trace.Kernel, launches []trace.Launch) error {
	_, err := g.plan(kernels, launches)
	return err
}

// plan decodes the kernels and checks that every launch can run.
func (g *GPU) plan(kernels []trace.Kernel, launches []trace.Launch) (*plan, error) {
	p := &plan{programs: make([]*sm.Program, len(kernels)), occupancy: make([]sm.Occupancy, len(launches))}
	base := uint64(instructionBase)
	for i := range launches {
		l := &launches[i]
		if l.Kernel < 0 || l.Kernel >= len(kernels) {
			return nil, fmt.Errorf("launch %d: kernel %d of %d does not exist; the trace is damaged", i, l.Kernel, len(kernels))
		}
		k := &kernels[l.Kernel]
		if p.programs[l.Kernel] == nil {
			program, err := sm.NewProgram(k, g.machine, base)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", g.machine.Name, err)
			}
			p.programs[l.Kernel] = program
			base += (uint64(program.Instructions())*uint64(g.machine.SM.InstructionBytes) + 4095) / 4096 * 4096
		}
		var err error
		if p.occupancy[i], err = sm.NewOccupancy(g.machine, k, l, g.divergence.HardwareWarps(l.Warps())); err != nil {
			return nil, fmt.Errorf("launch %d: %w", i, err)
		}
	}
	return p, nil
}

// begin readies the machine for launch i in the present cycle.
func (g *GPU) begin(src Source, i int, p *plan) {
	l := &g.launch
	kernel := src.Launches()[i].Kernel
	first, end := src.LaunchChunks(i)
	*l = launchState{
		source: src, need: p.occupancy[i].Need, start: g.now,
		dispatchAt: g.now + clock.Cycle(max(g.machine.GPU.LaunchCycles, 0)), roomChanged: true,
		chunk: first, endChunk: end, first: first, unfinished: l.unfinished[:0],
	}
	for _, c := range src.Chunks()[first:end] {
		l.unfinished = append(l.unfinished, c.Blocks)
		l.remaining += uint64(c.Blocks)
	}
	g.dispatcher.Begin(i, l.remaining, l.need)
	for _, s := range g.sms {
		s.Begin(p.programs[kernel])
	}
	for j := range g.drivers {
		g.drivers[j].Begin(g.now)
		g.wakes[j] = g.now
	}
}

// dispatch places as many thread blocks as may go in one cycle.
func (g *GPU) dispatch(ctx context.Context) error {
	l := &g.launch
	for range max(g.machine.GPU.BlocksPerCycle, 1) {
		if l.chunk == l.endChunk {
			return nil
		}
		to := g.dispatcher.Next(g.now, g.fits)
		if to < 0 {
			l.roomChanged = false
			return nil
		}
		if l.held == nil {
			var err error
			if l.held, err = l.source.Acquire(ctx, l.chunk); err != nil {
				return err
			}
		}
		blocks := l.held.Blocks()
		g.sms[to].Place(g.now, sm.Assignment{Block: blocks[l.place], Chunk: l.held, ChunkIndex: l.chunk, Need: l.need}, g.divergence)
		if l.place++; l.place == len(blocks) {
			l.held, l.place = nil, 0
			l.chunk++
		}
	}
	return nil
}

// BlockRetired implements sm.Observer.
func (g *GPU) BlockRetired(now clock.Cycle, on int, block uint64, chunk int) {
	l := &g.launch
	g.dispatcher.Retired(now, on, block)
	l.roomChanged = true
	l.remaining--
	left := &l.unfinished[chunk-l.first]
	if *left--; *left == 0 {
		l.source.Release(chunk)
	}
}

// dispatching reports whether the dispatcher has something to try.
func (l *launchState) dispatching() bool { return l.roomChanged && l.chunk < l.endChunk }

// finish closes the launch, which has ended before the present cycle.
func (g *GPU) finish() {
	g.settle()
	for _, s := range g.sms {
		s.End(g.now, g.launch.profile)
	}
}

// settle brings all counters up to the present cycle.
func (g *GPU) settle() {
	for j := range g.drivers {
		g.drivers[j].Settle(g.now)
	}
	for _, s := range g.sms {
		s.CountResidency(g.now)
		s.Collect(g.launch.profile)
	}
}

// sum adds up all counters of the machine.
func (g *GPU) sum() counters.Set {
	total := *g.global
	for _, s := range g.sets {
		total.Add(s)
	}
	return total
}
