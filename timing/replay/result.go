// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Result is what a replay of one trace on one machine has given, with what it
// depends on.
type Result struct {
	Machine            string   `json:"machine"`
	ArchitectureDigest string   `json:"architecture_digest"` // arch.Machine.Digest
	TraceDigest        string   `json:"trace_digest"`        // wtape.Reader.Digest
	Program            string   `json:"program"`             // the traced host program
	Version            string   `json:"version"`             // of the replaying program
	Recorder           string   `json:"recorder"`            // name and version of the recording program
	Warnings           []string `json:"warnings"`
	// Sampled is nil unless Launches and Total are estimates from a sample.
	Sampled *Sampled `json:"sampled,omitempty"`
	// Launches in the order of the trace. Total adds them up, with what the parts
	// that belong to no SM did while several ran, and with the copies.
	Launches []Section `json:"launches"`
	Total    Section   `json:"total"`
	// Copies of the host, in the order of their start.
	Copies []Copy `json:"copies"`
	// Programs are those that ran on CPU cores alongside the traced one (Options.Attach).
	Programs []Program `json:"programs,omitempty"`
	// Profiles holds issue slots by instruction, for kernels that were launched.
	Profiles []Profile `json:"profiles"`
	// Intervals, when asked for, cut the replay into stretches of equal length.
	Intervals []Interval `json:"-"`
	// SMs holds the counters of each SM and its memory port.
	SMs []counters.Set `json:"-"`

	// Links says how busy each link between the routers of the networks was;
	// empty for a crossbar.
	Links []Link `json:"links,omitempty"`

	Architecture *arch.Machine `json:"-"`
	// ReplayedOn is the machine whose replay has given the result, where that is another: one
	// on which the trace's replay is known to be the same. Else nil.
	ReplayedOn *arch.Machine `json:"-"`
}

// Section is a launch, or all of them.
type Section struct {
	Launch      int         `json:"launch"` // in the trace's launches; -1 for the total
	Kernel      string      `json:"kernel"` // empty for the total
	Grid        trace.Dim3  `json:"grid"`
	Block       trace.Dim3  `json:"block"`
	Cycles      clock.Cycle `json:"cycles"` // core cycles
	Nanoseconds float64     `json:"time_ns"`
	// Start and End are core cycles since the start of the run. For the total End
	// is all of the run; Cycles are those of it in which a launch ran.
	Start clock.Cycle `json:"start_cycle"`
	End   clock.Cycle `json:"end_cycle"`
	// LaunchGap are core cycles on the way of a launch, before its start, which are no part of
	// its Cycles. Of the total they are those of the run in which no launch ran and at
	// least one was on its way.
	LaunchGap clock.Cycle `json:"launch_gap_cycles,omitempty"`
	// Overlapped says that another launch ran at the same time; what L2, DRAM and
	// networks did then is in the total only.
	Overlapped  bool `json:"overlapped"`
	BlocksPerSM int  `json:"blocks_per_sm"` // that fit; 0 for the total
	// OccupancyLimit is the resource that allows no more: "threads", "warps",
	// "blocks", "registers", "shared_memory" of an SM, or "grid" when the launch
	// has fewer thread blocks than the machine has room for.
	OccupancyLimit string `json:"occupancy_limit"`
	// L1Bytes and SharedBytes are what each SM had during the launch, on machines whose L1 and
	// shared memory divide one array anew for each (shared_memory.carveouts). Zero elsewhere,
	// and for the total.
	L1Bytes     int `json:"l1_bytes,omitempty"`
	SharedBytes int `json:"shared_memory_bytes,omitempty"`
	// Cluster is the size of the launch's clusters in thread blocks; zeros without.
	Cluster  trace.Dim3 `json:"cluster,omitzero"`
	TopDown  TopDown    `json:"top_down"`
	Metrics  Metrics    `json:"metrics"`  // see Declarations
	Counters Counts     `json:"counters"` // see counters.Declared
	// Mechanisms holds the counters of the mechanisms that are on.
	Mechanisms MechanismCounts `json:"mechanisms,omitempty"`
	// Uncertainty is nil for figures that are not estimates.
	Uncertainty *Uncertainty `json:"uncertainty,omitempty"`
	// of a warp, of an SM
	lanes, maxWarps, sms int
	coreKHz              float64
	counted              float64 // nanoseconds in which the memory system counted
	clocks               arch.Clocks
}

// Copy is a copy of the host's between it and the device.
type Copy struct {
	Event     int         `json:"event"`     // in the trace's timeline
	Direction string      `json:"direction"` // "to-device" or "to-host"
	Bytes     uint64      `json:"bytes"`
	Stream    uint32      `json:"stream"`
	Start     clock.Cycle `json:"start_cycle"` // core cycles since the start of the run
	End       clock.Cycle `json:"end_cycle"`
}

func newCopies(copies []gpu.Copy) []Copy {
	list := make([]Copy, len(copies))
	for i, c := range copies {
		list[i] = Copy{Event: c.Event, Direction: "to-host", Bytes: c.Bytes, Stream: c.Stream, Start: c.Start, End: c.End}
		if c.ToDevice {
			list[i].Direction = "to-device"
		}
	}
	return list
}

// Program is what a program on a CPU core alongside the traced one has done in its first
// run, or as much of it as there was.
type Program struct {
	Name         string  `json:"name"`
	Core         int     `json:"core"`
	Instructions uint64  `json:"instructions"`
	Cycles       uint64  `json:"cycles"` // of the core's clock
	IPC          float64 `json:"ipc"`
	Runs         int     `json:"runs"` // that ended
}

// Profile is the issue-slot profile of a kernel.
type Profile struct {
	Kernel string `json:"kernel"`
	File   string `json:"file"`
	// Causes names the columns of Instructions' slots.
	Causes       []string             `json:"causes"`
	Instructions []InstructionProfile `json:"instructions"`
}

// InstructionProfile says what became of the issue slots of one instruction.
type InstructionProfile struct {
	Line uint32 `json:"line"` // in the PTX file
	// Function is that which the kernel calls and has the instruction; empty for
	// the kernel's own.
	Function   string   `json:"function,omitempty"`
	SourceFile string   `json:"source_file,omitempty"`
	SourceLine uint32   `json:"source_line,omitempty"`
	Opcode     string   `json:"opcode"`
	Slots      []uint64 `json:"slots"`
	// Counters are what the instruction has caused, with Options.Lines (see
	// gpu.Run.Lines); nil without.
	Counters *counters.Set `json:"-"`
}

// divide sets what L1 and shared memory have during a launch, on machines that divide them.
func (s *Section) divide(m *arch.Machine, o *core.Occupancy) {
	if !m.Shared.Divided() || m.L1.Bytes == 0 {
		return
	}
	d := o.Division(m)
	s.SharedBytes, s.L1Bytes = d.Carveout, m.L1.Bytes/m.L1.Ways*d.L1Ways
}

func newResult(r *wtape.Reader, m *arch.Machine, version string, run *gpu.Run) Result {
	h := r.Header()
	res := Result{
		Machine: m.Name, ArchitectureDigest: m.Digest(), TraceDigest: r.Digest(), Program: h.Program, Version: version, Recorder: h.Tool,
		Warnings: warnings(r, m), SMs: run.SMs, Architecture: m, Launches: []Section{}, Profiles: []Profile{}, Copies: newCopies(run.Copies),
	}
	for i := range run.Launches {
		l := &run.Launches[i]
		t := &r.Launches()[l.Index]
		s := newSection(m, run, l.Cycles, &l.Counters)
		s.Launch, s.Kernel, s.Grid, s.Block = l.Index, r.Kernels()[l.Kernel].Name, t.Grid, t.Block
		s.Start, s.End, s.LaunchGap, s.Overlapped = l.Start, l.End, l.Ready-l.Sent, l.Overlapped
		s.BlocksPerSM, s.OccupancyLimit, s.Cluster = l.Occupancy.Blocks, l.Occupancy.Limiter, t.Cluster
		s.divide(m, &l.Occupancy)
		if t.Grid.Count() < uint64(l.Occupancy.Blocks)*uint64(m.GPU.SMs) {
			s.OccupancyLimit = limitGrid
		}
		res.Launches = append(res.Launches, s)
	}
	res.Total = newSection(m, run, run.Cycles, &run.Total)
	res.Total.Launch, res.Total.End, res.Total.LaunchGap = -1, run.Elapsed, run.Launching
	if run.Host != (counters.Set{}) {
		res.Total.counted = float64(run.Elapsed) * 1e6 / float64(run.Clocks.Core.KHz)
		res.Total.Metrics = measure(&res.Total)
	}
	if r.Sampling() != nil {
		res.sampledSections(r, m, run)
	}
	res.analyse(m, run.Clocks)
	res.Links = newLinks(run)
	for i := range run.Intervals {
		res.Intervals = append(res.Intervals, newInterval(m, run, &run.Intervals[i]))
	}
	for k, slots := range run.Profiles {
		if slots != nil {
			var lines []counters.Set
			if run.Lines != nil {
				lines = run.Lines[k]
			}
			res.Profiles = append(res.Profiles, newProfile(&r.Kernels()[k], slots, lines))
		}
	}
	return res
}

// limitGrid is the occupancy limit of a launch that does not fill the machine.
const limitGrid = "grid"

// analyse names the bottleneck of every section; the occupancy limit of the total
// is, for that, the longest launch's.
func (r *Result) analyse(m *arch.Machine, clocks gpu.Clocks) {
	all := r.Total
	longest := clock.Cycle(-1)
	for i := range r.Launches {
		l := &r.Launches[i]
		l.TopDown = newTopDown(m, clocks, l, 1)
		if l.Cycles > longest {
			longest, all.OccupancyLimit = l.Cycles, l.OccupancyLimit
		}
	}
	r.Total.TopDown = newTopDown(m, clocks, &all, len(r.Launches))
}

func newSection(m *arch.Machine, run *gpu.Run, cycles clock.Cycle, c *counters.Set) Section {
	lanes, slots := m.Warps()
	s := Section{
		Cycles: cycles, Nanoseconds: float64(cycles) * 1e6 / float64(run.Clocks.Core.KHz), Counters: Counts(*c),
		Mechanisms: newMechanismCounts(m.Mechanisms(), c),
		End:        cycles, lanes: lanes, maxWarps: slots, sms: m.GPU.SMs, coreKHz: float64(run.Clocks.Core.KHz), clocks: m.Clocks,
	}
	s.counted = s.Nanoseconds
	s.Metrics = measure(&s)
	return s
}

// LaunchGapNanoseconds is the time of LaunchGap.
func (s *Section) LaunchGapNanoseconds() float64 {
	if s.LaunchGap == 0 {
		return 0
	}
	return float64(s.LaunchGap) * 1e6 / s.coreKHz
}

func (s *Section) copyCycles() clock.Cycle { return clock.Cycle(s.Counters[counters.CopyCycles]) }

// warnings says what limits the meaning of a result.
func warnings(r *wtape.Reader, m *arch.Machine) []string {
	list := []string{}
	if s := r.Header().Sampling; s != "" && r.Sampling() == nil {
		list = append(list, fmt.Sprintf("the trace is a sample (%s): the results are those of the stored thread blocks", s))
	}
	launched := make([]bool, len(r.Kernels()))
	for _, l := range r.Launches() {
		launched[l.Kernel] = true
	}
	for k := range r.Kernels() {
		if !launched[k] {
			continue
		}
		for _, reason := range r.Kernels()[k].TimingDependent {
			list = append(list, fmt.Sprintf("kernel %s depends on timing: %s; the replay follows the recorded path", r.Kernels()[k].Name, reason))
		}
		list = append(list, unnamedBarriers(&r.Kernels()[k])...)
		list = append(list, foreignKernel(&r.Kernels()[k], m)...)
	}
	return list
}

func newProfile(k *trace.Kernel, slots []uint64, lines []counters.Set) Profile {
	p := Profile{Kernel: k.Name, File: k.File}
	for c := range counters.Cause(counters.CauseCount) {
		p.Causes = append(p.Causes, c.String())
	}
	for i := range k.Instructions {
		in := &k.Instructions[i]
		p.Instructions = append(p.Instructions, InstructionProfile{
			Line: in.Line, Function: k.FunctionName(i), SourceFile: k.SourceFiles[in.SourceFile], SourceLine: in.SourceLine, Opcode: in.Opcode,
			Slots: slots[i*counters.CauseCount : (i+1)*counters.CauseCount],
		})
		if lines != nil {
			p.Instructions[i].Counters = &lines[i]
		}
	}
	return p
}
