// SPDX-License-Identifier: Apache-2.0

package extrapolate

import (
	"math"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
)

func machine(t *testing.T) *arch.Machine {
	t.Helper()
	m, err := arch.Load("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSliceHasItsShareOfEverything(t *testing.T) {
	m := machine(t)
	bytes := func(m *arch.Machine) int { return m.L2.Partitions * m.L2.SlicesPerPartition * m.L2.Slice.Bytes }
	bandwidth := func(m *arch.Machine) float64 {
		return float64(m.L2.Partitions) * m.Clocks.DRAMMHz * float64(m.DRAM.BurstBytes) / float64(m.DRAM.BurstCycles)
	}
	for _, c := range []struct{ kept, all int }{{1, 2}, {1, 4}, {1, 8}, {3, 8}, {1, 1}} {
		s, err := Slice(m, PartOf(m, c.kept, c.all))
		if err != nil {
			t.Fatal(err)
		}
		if s.GPU.SMs*c.all != m.GPU.SMs*c.kept || bytes(s)*c.all != bytes(m)*c.kept {
			t.Errorf("%d/%d: %d SMs and %d bytes of L2", c.kept, c.all, s.GPU.SMs, bytes(s))
		}
		share := float64(c.kept) / float64(c.all)
		if got := bandwidth(s) / bandwidth(m) / share; got < 0.999 || got > 1.001 {
			t.Errorf("%d/%d: %g of its share of DRAM bandwidth", c.kept, c.all, got)
		}
		before, after := float64(m.DRAM.TCL)/m.Clocks.DRAMMHz, float64(s.DRAM.TCL)/s.Clocks.DRAMMHz
		if after < 0.9*before || after > 1.1*before {
			t.Errorf("%d/%d: tCL takes %g us instead of %g", c.kept, c.all, after, before)
		}
	}
	if m.GPU.SMs != 16 || m.L2.Partitions != 6 || m.L2.Slice.Ways != 16 {
		t.Errorf("the machine itself has changed: %+v", m)
	}
}

// Times that bound the rate of a channel are as many of its slower cycles: one
// channel at three quarters of the clock has an eighth of what six have.
func TestSliceHasItsShareOfActivates(t *testing.T) {
	m := machine(t)
	s, err := Slice(m, PartOf(m, 1, 8))
	if err != nil {
		t.Fatal(err)
	}
	rate := func(m *arch.Machine, cycles int) float64 {
		return float64(m.L2.Partitions) * m.Clocks.DRAMMHz / float64(cycles)
	}
	for _, c := range []struct {
		name         string
		whole, slice int
	}{{"tRRD", m.DRAM.TRRD, s.DRAM.TRRD}, {"tFAW", m.DRAM.TFAW, s.DRAM.TFAW}, {"tCCDL", m.DRAM.TCCDL, s.DRAM.TCCDL}} {
		if got := rate(s, c.slice) / rate(m, c.whole); got < 0.1249 || got > 0.1251 {
			t.Errorf("%s allows %g of what it allows the machine", c.name, got)
		}
	}
	if got := float64(s.DRAM.TRFC) / float64(s.DRAM.TREFI) / (float64(m.DRAM.TRFC) / float64(m.DRAM.TREFI)); got < 0.98 || got > 1.02 {
		t.Errorf("the slice refreshes %g of the time that the machine does", got)
	}
}

// A machine that places a thread block a cycle fills its SMs in eight times as many
// cycles as a slice would at that rate.
func TestSliceHasItsShareOfDispatch(t *testing.T) {
	for _, c := range []struct{ blocks, every, kept, all, wantBlocks, wantEvery int }{
		{1, 1, 1, 8, 1, 8}, {1, 1, 1, 2, 1, 2}, {1, 3, 1, 8, 1, 24}, {16, 1, 1, 8, 2, 1}, {4, 1, 1, 8, 1, 2}, {1, 1, 1, 1, 1, 1}, {1, 0, 1, 4, 1, 4},
	} {
		m := machine(t)
		m.GPU.BlocksPerCycle, m.GPU.DispatchCycles = c.blocks, c.every
		s, err := Slice(m, PartOf(m, c.kept, c.all))
		if err != nil {
			t.Fatal(err)
		}
		if s.GPU.BlocksPerCycle != c.wantBlocks || s.GPU.DispatchCycles != c.wantEvery {
			t.Errorf("%+v: %d thread blocks every %d cycles", c, s.GPU.BlocksPerCycle, s.GPU.DispatchCycles)
		}
	}
}

func TestPartIsTheNearestNumberOfSMs(t *testing.T) {
	m := *machine(t)
	for _, c := range []struct{ sms, kept, all, want int }{{16, 1, 8, 2}, {15, 1, 8, 2}, {4, 1, 8, 1}, {2, 1, 8, 1}, {15, 1, 3, 5}, {7, 1, 1, 7}} {
		m.GPU.SMs = c.sms
		if got := PartOf(&m, c.kept, c.all); got.SMs != c.want {
			t.Errorf("%d/%d of %d SMs are %d, want %d", c.kept, c.all, c.sms, got.SMs, c.want)
		}
	}
}

func TestSlicesThatDoNotExistAreRefused(t *testing.T) {
	m := machine(t)
	if _, err := Slice(m, PartOf(m, 1, 1000)); err != nil {
		t.Errorf("one SM: %v", err)
	}
	m.L2.Slice.Ways = 1
	if _, err := Slice(m, PartOf(m, 1, 16)); err == nil || !strings.Contains(err.Error(), "has 1 ways in a cache, too few for a part of 1/16") {
		t.Errorf("got %v", err)
	}
	m.Network.Topology = "mesh"
	if _, err := Slice(m, PartOf(m, 1, 2)); err == nil || !strings.Contains(err.Error(), "a part of a mesh network is not like the whole") {
		t.Errorf("got %v", err)
	}
}

// On a machine of 16 places with waves of 700 cycles, a slice of 2 places runs an eighth
// of the thread blocks: their first few waves tell all.
func TestWavesOfASliceAreExtrapolatedExactly(t *testing.T) {
	for _, stored := range []int{8, 10, 20} {
		o := waves(stored, 2, 700, 40)
		o.Resident = 16
		o.Blocks, o.SliceBlocks, o.Instructions = 1600, 200, 1600*40
		e := OfSlice(o, Part{SMs: 2, All: 16, Blocks: 0.125})
		if want := 100.0 * 700; math.Abs(e.Cycles-want) > 1e-6*want {
			t.Errorf("%d stored: %g cycles, want %g", stored, e.Cycles, want)
		}
		if want := 1600 * 3.0; math.Abs(e.Counters[counters.L2Read]-want) > 1e-6*want {
			t.Errorf("%d stored: %g L2 reads, want %g", stored, e.Counters[counters.L2Read], want)
		}
		if half := e.HalfWidth(); half < Sliced.Coefficient()*e.Cycles {
			t.Errorf("%d stored: ± %g", stored, half)
		}
	}
}

// A slice that waits for DRAM does not use its rows as the machine does.
func TestSlicesThatWaitForDRAMAreLessSure(t *testing.T) {
	half := func(change func(o *Observation)) float64 {
		o := waves(200, 2, 700, 40)
		o.Resident, o.Blocks, o.SliceBlocks, o.Instructions = 16, 1600, 200, 1600*40
		change(o)
		e := OfSlice(o, Part{SMs: 2, All: 16, Blocks: 0.125})
		return e.HalfWidth() / e.Cycles
	}
	set := func(a, b counters.ID, n uint64) func(o *Observation) {
		return func(o *Observation) { o.Launch.Counters[a], o.Launch.Counters[b] = n, 1000 }
	}
	idle := half(set(counters.DRAMBusCycles, counters.DRAMChannelCycles, 0))
	for name, got := range map[string]float64{
		"busy":    half(set(counters.DRAMBusCycles, counters.DRAMChannelCycles, 900)),
		"waiting": half(set(counters.L2ReadMiss, counters.ResidentWarpCycles, 900)),
	} {
		if want := idle + SlicedDRAM.Coefficient(); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: ± %g, want %g", name, got, want)
		}
	}
	if got := half(set(counters.DRAMBusCycles, counters.DRAMChannelCycles, 50)); math.Abs(got-idle) > 1e-9 {
		t.Errorf("busy for a tenth of the time: ± %g, want %g", got, idle)
	}
	if got, want := half(set(counters.DRAMBusCycles, counters.DRAMChannelCycles, 275)), idle+SlicedDRAM.Coefficient()/2; math.Abs(got-want) > 1e-9 {
		t.Errorf("half busy: ± %g, want %g", got, want)
	}
}

// Fifteen SMs have no eighth: two run what 1.875 should.
func TestUnevenSliceScalesItsCycles(t *testing.T) {
	o := waves(20, 2, 700, 40)
	o.Resident = 15
	o.Blocks, o.SliceBlocks, o.Instructions = 160, 20, 160*40
	e := OfSlice(o, Part{SMs: 2, All: 15, Blocks: 0.125})
	if want := 7000 * (2.0 / 15) / 0.125; math.Abs(e.Cycles-want) > 1e-6*want {
		t.Errorf("%g cycles, want %g", e.Cycles, want)
	}
	if even := OfSlice(o, Part{SMs: 2, All: 16, Blocks: 0.125}); e.HalfWidth()/e.Cycles <= even.HalfWidth()/even.Cycles {
		t.Errorf("± %g of %g is no more than for a whole part", e.HalfWidth(), e.Cycles)
	}
}

func TestOverlapKeepsTheShareOfTheSample(t *testing.T) {
	e := Estimate{Cycles: 1000, Exposed: Exposure{Uneven: 30}}
	e.Overlap(0.8)
	if want := 24 + Overlapping.Coefficient()*800; e.Cycles != 800 || math.Abs(e.Bias()-want) > 1e-9 {
		t.Errorf("%g cycles with a bias of %g, want 800 and %g", e.Cycles, e.Bias(), want)
	}
	alone := Estimate{Cycles: 1000, Exposed: Exposure{Uneven: 30}}
	if alone.Overlap(1); alone.Cycles != 1000 || alone.Bias() != 30 {
		t.Errorf("launches one after the other: %g cycles with a bias of %g", alone.Cycles, alone.Bias())
	}
}

// Slices of one or more SMs, out of a machine with 68 SMs and 22 channels, have clocks that
// the model can combine.
func TestSmallSlicesHaveClocksThatGoTogether(t *testing.T) {
	m, err := arch.Load("rtx2080ti")
	if err != nil {
		t.Fatal(err)
	}
	for kept := 1; kept <= m.GPU.SMs; kept++ {
		s, err := Slice(m, PartOf(m, kept, m.GPU.SMs))
		if err != nil {
			t.Fatalf("%d SMs: %v", kept, err)
		}
		khz := []uint64{}
		for _, mhz := range []float64{s.Clocks.CoreMHz, s.Clocks.NetworkMHz, s.Clocks.L2MHz, s.Clocks.DRAMMHz} {
			khz = append(khz, uint64(math.Round(mhz*1000)))
		}
		if _, err := clock.Domains([]string{"core", "network", "l2", "dram"}, khz); err != nil {
			t.Errorf("%d SMs: %v", kept, err)
		}
		want := m.Clocks.DRAMMHz * float64(m.L2.Partitions) * float64(kept) / float64(m.GPU.SMs)
		if got := s.Clocks.DRAMMHz * float64(s.L2.Partitions); math.Abs(got/want-1) > 0.002 {
			t.Errorf("%d SMs: the channels have %.1f MHz together, their share is %.1f", kept, got, want)
		}
	}
}
