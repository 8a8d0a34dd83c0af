// SPDX-License-Identifier: Apache-2.0

package chip

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/gpu"
)

// Baseline MIMD of Table 6.2 of the GPSim thesis, as the table has it.
func TestMIMDHasTable62(t *testing.T) {
	m := machine(t, "mimd", nil)
	s := cpu.Of(m)
	if s.Cores != 64 || s.MHz != 1500 || s.Order != "in_order" || s.Predictor != "not_taken" || s.LineBytes != 64 || s.L1CodeWays != 2 {
		t.Errorf("the cores are %+v", s)
	}
	if want := (cpu.PrivateCache{Bytes: 16 << 10, Ways: 4, LatencyCycles: 4}); s.L1 != want {
		t.Errorf("DL1 is %+v, want %+v", s.L1, want)
	}
	if want := (cpu.PrivateCache{Bytes: 256 << 10, Ways: 16, LatencyCycles: 7}); s.L2 != want {
		t.Errorf("L2 is %+v, want %+v", s.L2, want)
	}
	if c := m.LLC; c.Bytes != 6<<20 || c.Ways != 32 || c.LineBytes != 64 || c.LatencyCycles != 14 || m.Clocks.L2MHz != s.MHz {
		t.Errorf("LLC is %+v at %g MHz", c, m.Clocks.L2MHz)
	}
	if m.DRAM.AccessNanoseconds != 50 || m.DRAM.GigabytesPerSecond != 18 {
		t.Errorf("memory is %+v", m.DRAM)
	}
	want := map[string]string{"chip/cpu/l1i": "256 x 512, 2", "chip/cpu/l1d": "256 x 512, 4", "chip/cpu/registers": "64 x 64, 0"}
	for _, x := range s.Structures(m) {
		if w := want[x.Path]; w != "" && w != fmt.Sprintf("%d x %d, %d", x.Entries, x.EntryBits, x.Ways) {
			t.Errorf("%s is priced as %d x %d, %d ways, want %s", x.Path, x.Entries, x.EntryBits, x.Ways, w)
		}
		delete(want, x.Path)
	}
	if len(want) > 0 {
		t.Errorf("nothing prices %v", want)
	}
}

// round is a stream that goes round lines of code.
type round struct {
	lines []uint64
	left  int
	all   int
}

func (s *round) Rewind() error {
	s.left = s.all
	return nil
}

func (s *round) Next(into []cpu.Instruction) (int, error) {
	n := min(len(into), s.left)
	for i := range n {
		into[i] = cpu.Instruction{IP: s.lines[s.left%len(s.lines)]}
		s.left--
	}
	return n, nil
}

// Three lines that meet in a set stay in four ways, and two ways have lost the one that
// comes next. A page holds all three, so that they meet by their physical addresses.
func TestTheInstructionL1HasWaysOfItsOwn(t *testing.T) {
	const turns = 500
	for ways, want := range map[int]uint64{0: 3, 2: 3 * turns, 4: 3} { // 0: those of the data L1, four
		c := build(t, func(s *cpu.Section) { s.L1CodeWays, s.PageBytes = ways, 2<<20 })
		r, err := c.Run(t.Context(), []Program{{Name: "round", Stream: &round{lines: []uint64{0x200000, 0x210000, 0x220000}, left: 3 * turns, all: 3 * turns}}})
		if err != nil {
			t.Fatal(err)
		}
		id, _ := counters.Lookup("cpu_l1i_misses")
		if got := r.Total[id]; got != want {
			t.Errorf("%d ways: %d misses, want %d", ways, got, want)
		}
	}
}

func TestAChipWithoutSMsRefusesWhatWouldDoNothing(t *testing.T) {
	for spec, want := range map[string]string{
		"mimd+published-icache":          "technology.given means nothing",
		"mimd+gto":                       "sm.scheduler means nothing",
		"mimd+set(gpu.sms=8)":            "gpu.sms means nothing",
		"mimd+set(l2.slice.ways=8)":      "l2.slice.ways means nothing",
		"mimd+set(llc.index=linear)":     "not a power of two of sets",
		"mimd+set(llc.bytes=6291520)":    "not a whole number of sets",
		"mimd+set(cpu.l1_code_ways=3)":   "cpu.l1_code_ways",
		"gpsim-soc+set(l1.index=modulo)": "modulo is of the last-level cache alone",
	} {
		if _, err := arch.Load(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
	for _, spec := range []string{"mimd", "mimd+set(cpu.l2.bytes=65536)", "mimd+set(dram.access_ns=60)", "gpsim-soc+set(gpu.core=none)"} {
		if _, err := gpu.New(machine(t, spec, nil), gpu.Options{}); err == nil || !strings.Contains(err.Error(), "no SMs") {
			t.Errorf("a GPU of %s: %v, want a refusal", spec, err)
		}
	}
}
