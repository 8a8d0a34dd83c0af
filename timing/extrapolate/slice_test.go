package extrapolate

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
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
		s, err := Slice(m, c.kept, c.all)
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

func TestSlicesThatDoNotExistAreRefused(t *testing.T) {
	m := machine(t)
	if _, err := Slice(m, 1, 3); err == nil || !strings.Contains(err.Error(), "has 16 SMs, of which there is no 1/3") {
		t.Errorf("got %v", err)
	}
	m.Network.Topology = "mesh"
	if _, err := Slice(m, 1, 2); err == nil || !strings.Contains(err.Error(), "a part of a mesh network is not like the whole") {
		t.Errorf("got %v", err)
	}
}
