// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"embed"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace"
)

//go:embed machines/*.yaml
var machines embed.FS

// Key is the section's key in an architecture.
const Key = "eesi"

// Kind is the word for these cores in gpu.core.
const Kind = "eesi"

// Lanes of an SM: a thread's lane is its number in its warp.
const Lanes = trace.WarpSize

// The words for the divergence policies of these cores.
const (
	Together    = "eesi-t"
	Apart       = "eesi-m"
	Interleaved = "sbi"
)

// Strict is the scheduler of strict turns, the only one but "lrr" that these cores have.
const Strict = "srr"

// maxWarps is the most warp sets of an SM: a lane's threads are a word's bits.
const maxWarps = 64

// Section has what lanes have of their own. What is not here is the machine's:
// sm.fetch_width, sm.instruction_buffer, sm.decode_cycles, sm.warp_switch and
// sm.latencies hold for each lane.
type Section struct {
	// Turn says when a warp set may have its turn: when "any" of its lanes (eesi-t), or of
	// its contexts (sbi), can issue, or "all" that have not ended or wait for others.
	Turn string `yaml:"turn" oneof:"any,all"`
	// TinyLines of TinyLineBytes in TinyWays are a lane's tiny instruction cache; zero
	// lines: it has none.
	TinyLines     int `yaml:"tiny_lines" unit:"lines" range:"0..64"`
	TinyWays      int `yaml:"tiny_ways" unit:"ways" range:"1..64"`
	TinyLineBytes int `yaml:"tiny_line_bytes" unit:"bytes" range:"8..256" pow2:"true"`
	// LineRequests are what the shared instruction cache takes in a cycle. Lanes that
	// wait for the same line have one request, unless RequestsAlone.
	LineRequests int `yaml:"line_requests" unit:"requests a cycle" range:"1..32"`
	// RequestsAlone gives each lane a request of its own, also for a line that others wait
	// for. The text does not say.
	RequestsAlone bool `yaml:"requests_alone" default:"false" digest:"used"`
	// AccessesAlone has each lane access memory by itself, also where lanes execute the same
	// instruction in a cycle.
	AccessesAlone bool `yaml:"accesses_alone" default:"false" digest:"used"`
	// ReadCycles pass between issue and execution, or the way to memory.
	ReadCycles int `yaml:"read_cycles" unit:"core cycles" range:"0..16"`
	// MemoryQueue is how many memory instructions a lane may have on their way to the
	// memory path.
	MemoryQueue int `yaml:"memory_queue" unit:"instructions" range:"1..64"`
	// UpperRegisters of each thread are in the upper level of the register file; zero:
	// it has one level.
	UpperRegisters int `yaml:"upper_registers" unit:"32-bit registers" range:"0..16"`
	// DecoderGates are the gates of a lane's decoder and control, for area.
	DecoderGates int `yaml:"decoder_gates" unit:"gates" range:"1..1000000"`
}

// declaration says what goes with the machine.
var declaration = arch.Declaration{
	Takes: []arch.Why{
		{Ability: arch.BulkCopies, Because: "one thread's bulk copy is not recorded, and lanes execute threads"},
		{Ability: arch.PartitionUnits, Because: "lanes issue by themselves, and no warp's instruction can be sent elsewhere"},
		{Ability: arch.Warps32, Because: "lanes issue by themselves"},
	},
	Claims: []arch.Why{{Ability: arch.IssueLogic, Because: "has lanes that issue by themselves"}},
}

func init() {
	arch.RegisterSection(Key, machines, func() arch.Section { return new(Section) }, declaration)
}

// On implements arch.Section.
func (s *Section) On() bool { return s.Turn != "" }

// Check implements arch.Section.
func (s *Section) Check(m *arch.Machine, complain func(key, message string)) {
	if m.GPU.CoreKind() != Kind {
		complain("turn", fmt.Sprintf("is of cores of the kind %s, and gpu.core is %s; take the machine %s", Kind, m.GPU.CoreKind(), Kind))
	}
	if d := m.GPU.Divergence; d != Together && d != Apart && d != Interleaved {
		complain("turn", fmt.Sprintf("these cores have the divergence policies %s, %s and %s, and gpu.divergence is %s; set %s, or take the machine gpsim-eesi-base", Together, Apart, Interleaved, d, s.policies()))
	}
	if m.GPU.Divergence == Interleaved && s.TinyLines > 0 {
		complain("tiny_lines", fmt.Sprintf("lanes fetch by themselves under %s and %s alone, and gpu.divergence is %s; take the machine gpsim-sbi, or set it to 0", Together, Apart, Interleaved))
	}
	if m.SM.WarpSwitch == "" {
		complain("turn", "needs sm.warp_switch, which says when a lane goes to the next thread; add the overlay switch")
	}
	if s := m.SM.Scheduler; s != "lrr" && s != Strict {
		complain("turn", fmt.Sprintf("lanes go through their threads in a circle, and sm.scheduler is %s; use lrr, or %s for strict turns", s, Strict))
	}
	if m.SM.MaxWarps > maxWarps {
		complain("turn", fmt.Sprintf("sm.max_warps is %d, and a lane has %d threads at most", m.SM.MaxWarps, maxWarps))
	}
	s.checkTiny(m, complain)
}

// policies names those that go with the tiny instruction caches.
func (s *Section) policies() string {
	if s.TinyLines > 0 {
		return Together + " or " + Apart
	}
	return "one of them"
}

func (s *Section) checkTiny(m *arch.Machine, complain func(key, message string)) {
	if s.TinyLines == 0 {
		return
	}
	if s.TinyWays < 1 || s.TinyLines%s.TinyWays != 0 || !powerOfTwo(s.TinyLines/s.TinyWays) {
		complain("tiny_ways", fmt.Sprintf("%d: must divide the %d lines into a power of two of sets", s.TinyWays, s.TinyLines))
	}
	if line := m.Instruction.LineBytes; line > 0 && s.TinyLineBytes > line {
		complain("tiny_line_bytes", fmt.Sprintf("%d: is longer than the line of the shared instruction cache, %d bytes (instruction_cache.line_bytes)", s.TinyLineBytes, line))
	}
	if s.TinyLineBytes < m.SM.InstructionBytes {
		complain("tiny_line_bytes", fmt.Sprintf("%d: is shorter than an instruction, %d bytes (sm.instruction_bytes)", s.TinyLineBytes, m.SM.InstructionBytes))
	}
}

func powerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

// LaneCores implements arch.LaneCores.
func (*Section) LaneCores(m *arch.Machine) bool { return m.GPU.Divergence != Interleaved }

// sectionOf is the section of a machine whose cores are of this kind.
func sectionOf(m *arch.Machine) (*Section, error) {
	s, ok := m.Section(Key).(*Section)
	if !ok {
		return nil, fmt.Errorf("%s: cores of the kind %s need the section %s, which says what lanes have of their own; take the machine %s", m.Name, Kind, Key, Kind)
	}
	return s, nil
}
