// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
)

// TestMorePortsLeaveTheRestOfTheMachine: L2 and cores are as large, and only ports, the mesh around
// them and DRAM's clock are others.
func TestMorePortsLeaveTheRestOfTheMachine(t *testing.T) {
	var machines [2]*arch.Machine
	for i, spec := range []string{offloadOff, offloadPorts} {
		m, err := arch.Load(spec)
		if err != nil {
			t.Fatal(err)
		}
		machines[i] = m
	}
	base, ports := machines[0], machines[1]
	l2 := func(m *arch.Machine) int64 {
		return int64(m.L2.Partitions) * int64(m.L2.SlicesPerPartition) * int64(m.L2.Slice.Bytes)
	}
	if l2(base) != l2(ports) || base.L2.Partitions != ports.L2.Partitions || ports.L2.SlicesPerPartition != 2*base.L2.SlicesPerPartition {
		t.Errorf("L2 of %d bytes in %d partitions of %d slices, want %d in %d of %d", l2(ports), ports.L2.Partitions, ports.L2.SlicesPerPartition, l2(base), base.L2.Partitions, 2*base.L2.SlicesPerPartition)
	}
	if ports.Clocks.DRAMMHz != 4*base.Clocks.DRAMMHz || ports.GPU.SMs != base.GPU.SMs || ports.SM != base.SM || ports.L1 != base.L1 {
		t.Error("something else than ports and DRAM's clock differs")
	}
	ports.L2.SlicesPerPartition, ports.L2.Slice.Bytes, ports.Network.Placement, ports.Clocks.DRAMMHz = base.L2.SlicesPerPartition, base.L2.Slice.Bytes, base.Network.Placement, base.Clocks.DRAMMHz
	if ports.Digest() != base.Digest() {
		t.Error("with these four values back it is not the base machine")
	}
}

// TestCausesNeedBothMechanisms: a module without one of them has no figures of experiments with both.
func TestCausesNeedBothMechanisms(t *testing.T) {
	if f := offloadCauses(offloadMechanisms[:1]); f != nil {
		t.Errorf("%d figures with LLC-Compute alone", len(f))
	}
	for _, f := range offloadCauses(offloadMechanisms) {
		if !slices.Equal(f.Sizes, offloadSweepSizes) || len(f.Architectures) != 1+len(offloadMechanisms) && len(f.Architectures) != 1+len(offloadWholeChains) {
			t.Errorf("figure %s is made at %v on %v", f.ID, f.Sizes, f.Architectures)
		}
	}
}
