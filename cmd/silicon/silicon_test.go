// SPDX-License-Identifier: Apache-2.0

package silicon

import (
	"context"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/warptape/warptape/cmd/internal/programs"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/timing/arch"

	// The mechanisms' overlays and counters.
	_ "github.com/warptape/warptape/timing/mechanisms"
)

// The tables name parameters of the workloads, machines that are there, and shared memory
// as the kernel's description gives it.
func TestTablesFitTheWorkloads(t *testing.T) {
	spaces, err := Spaces()
	if err != nil {
		t.Fatal(err)
	}
	for i := range spaces {
		s := &spaces[i]
		program, _, err := programs.Load(s.Workload)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := arch.Load(s.Card + s.At); err != nil {
			t.Fatal(err)
		}
		for n := range s.Rows {
			r := &s.Rows[n]
			if err := program.CheckSize(&host.Options{Size: "paper", Set: r.Set}); err != nil {
				t.Fatalf("%s on %s, row %d: %v", s.Workload, s.Card, n, err)
			}
			if r.Microseconds <= 0 || r.Registers < 16 || r.Registers > 255 {
				t.Errorf("%s on %s, row %d: %+v", s.Workload, s.Card, n, r)
			}
			if s.Workload == "convolution-variants" {
				number := func(name string) int { v, _ := strconv.Atoi(r.Set[name]); return v }
				want := 4 * (number("block_size_x")*number("tile_size_x") + 14) * (number("block_size_y")*number("tile_size_y") + 14)
				if r.SharedBytes != want {
					t.Errorf("%s on %s, row %d: %d bytes of shared memory, the description gives %d", s.Workload, s.Card, n, r.SharedBytes, want)
				}
			}
		}
	}
}

// A variant is recorded by its sample and replayed: a time with the interval that the
// sample leaves, and an occupancy.
func TestARowIsReplayed(t *testing.T) {
	spaces, err := Spaces()
	if err != nil {
		t.Fatal(err)
	}
	s := &spaces[0]
	s.Sample = "sms=1/68,fraction=0.0001,waves=1"
	o, err := s.evaluate(context.Background(), s.Card+s.At+"+set(sm.registers_per_thread=62)", map[string]string{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := inModel(&o)
	if in.Refused != "" || in.Occupancy < 1 || !(in.Microseconds > 0) || !(in.Percent > 0) {
		t.Errorf("%+v", in)
	}
}

func TestStatisticsOfAKnownComparison(t *testing.T) {
	s := &Space{Card: "c", Workload: "w"}
	f := &Found{Spaces: []FoundSpace{{Card: "c", Workload: "w"}}}
	for i, us := range []float64{10, 20, 30, 40} {
		s.Rows = append(s.Rows, Row{Microseconds: us})
		in := FoundIn{Microseconds: 2 * us}
		if i == 3 {
			in = FoundIn{Refused: "no"}
		}
		f.Spaces[0].Rows = append(f.Spaces[0].Rows, FoundRow{Row: i, Models: map[string]FoundIn{"recorded": in}})
	}
	st := f.statistics(s, "recorded")
	if st.Rows != 3 || st.Refused != 1 || math.Abs(st.Error-100) > 1e-9 || st.Scaled > 1e-9 || math.Abs(st.Factor-0.5) > 1e-12 || st.Spearman != 1 || st.Best != 0 || st.Regret != 0 {
		t.Errorf("%+v", st)
	}
	f.Spaces[0].Rows[0].Models["recorded"] = FoundIn{Microseconds: 100} // the best is now the last
	if st = f.statistics(s, "recorded"); st.Regret != 100 || math.Abs(st.Best-200.0/3) > 1e-9 {
		t.Errorf("%+v", st)
	}
}

// What is known of a program's order comes from the nearest measurement.
func TestEvidenceIsOfTheNearestMeasurement(t *testing.T) {
	found, err := Last()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		program, machine string
		here             bool
	}{{"point-in-polygon", "rtx2080ti", true}, {"point-in-polygon", "h100", false}, {"saxpy", "v100", false}} {
		e, err := Evidence(c.program, c.machine)
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Spaces) > 0 && (e.Of == "" || e.Here != c.here) {
			t.Errorf("%s on %s: %+v", c.program, c.machine, e)
		}
	}
}

func TestAgreementOfAKnownComparison(t *testing.T) {
	s := &Space{Card: "c", Workload: "w"}
	f := &Found{Spaces: []FoundSpace{{Card: "c", Workload: "w"}}}
	for i, registers := range []int{30, 34, 40, 41} {
		s.Rows = append(s.Rows, Row{Microseconds: 1, Registers: 32, Counts: Counts{WarpInstructions: 100, Lanes: [len(Classes)]float64{1000}}})
		f.Spaces[0].Rows = append(f.Spaces[0].Rows, FoundRow{Row: i, Models: map[string]FoundIn{
			lowered:  {Microseconds: 1, Registers: registers, Occupancy: 4, Counts: &Counts{WarpInstructions: float64(96 + 4*i), Lanes: [len(Classes)]float64{float64(1000 + 60*i)}}},
			"vendor": {Occupancy: 4 + i/3},
		}})
	}
	got := map[string]Agreement{}
	for _, a := range f.Agreements(s, -1) {
		got[a.About] = a
	}
	for about, want := range map[string]Agreement{
		"registers of a thread":           {Near: 2, Median: 5},
		"thread blocks an SM (occupancy)": {Near: 3, Median: 0},
		"warp instructions":               {Near: 3, Median: 2},
		"thread instructions, fp32":       {Near: 2, Median: 9},
	} {
		if a := got[about]; a.Rows != 4 || a.Near != want.Near || math.Abs(a.Median-want.Median) > 1e-9 {
			t.Errorf("%s: %+v, want %+v", about, a, want)
		}
	}
	if len(got) != 4 {
		t.Errorf("what no row has is compared: %v", got)
	}
	if odd := f.Agreements(s, 1); odd[0].Rows != 2 {
		t.Errorf("odd rows: %+v", odd[0])
	}
}

// A published listing has a kernel's executed instructions by code, and its counts by class
// (NVIDIA's developer forum, "About instruction per warp metric"). Each class is the sum of
// its codes, but for control: some threads skip its branches. The listing is of a Volta, which
// has LOP3 in no class and MUFU in single precision, so these two classes are left out.
func TestClassesAreTheProfilers(t *testing.T) {
	executed := map[string]float64{
		"BAR.SYNC": 64, "BSSY": 32800, "BSYNC": 32800, "CS2R": 65760, "EXIT": 32, "F2I.FTZ.U32.TRUNC.NTZ": 32768, "I2F.U32.RP": 32768, "IADD3": 298144,
		"IADD3.X": 34976, "IMAD": 65536, "IMAD.MOV": 65536, "IMAD.MOV.U32": 67680, "IMAD.SHL.U32": 32, "IMAD.WIDE.U32": 65536, "IMAD.X": 164864,
		"ISETP.GE.U32.AND": 100352, "ISETP.GE.U32.AND.EX": 34816, "ISETP.GT.U32.AND": 32, "ISETP.NE.AND.EX": 1024, "ISETP.NE.U32.AND": 33792,
		"LDG.E.64.STRONG.CTA": 33792, "LEA": 33792, "LEA.HI.X": 33792, "LOP3.LUT": 98304, "MUFU.RCP": 32768, "NOP": 64, "S2R": 32,
		"SHF.R.U32.HI": 32768, "SHFL.IDX": 33824, "STG.E.64.SYS": 160,
	}
	var warps [len(Classes)]float64
	for code, n := range executed {
		if class := classOfCode(code); class >= 0 {
			warps[class] += n
		}
	}
	for class, lanes := range map[string]float64{"memory": 1086464, "misc": 2109440, "conversion": 2097152} {
		if got := 32 * warps[slices.Index(Classes[:], class)]; math.Abs(got/lanes-1) > 1e-4 {
			t.Errorf("%s: %.0f instructions of threads, want %.0f", class, got, lanes)
		}
	}
}
