// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
)

// A structure whose whole power is given draws, at rest, what its uses leave: 4 pJ, twice
// in a cycle of 250 MHz, are 2 mW of 10 mW. It goes with the clock.
func TestAWholePowerIsUsesAndTheRest(t *testing.T) {
	given := arch.Structure{
		Kind: arch.Logic, Operation: "op.int_add", ReadPJ: 4, AreaMM2: 1, GivenNM: 45, PowerW: 0.010, PowerMHz: 250, Count: 3,
		Charges: []arch.StructureCharge{{Counter: "probe_reads", Use: arch.Operate, PerCycle: 2}, {Counter: "probe_writes", Use: arch.Operate}},
	}
	read, write, _, leaf := mustProbe(t, 45, given)
	clock := load(t, "gtx480").Clocks.CoreMHz / 250
	if !near(read, 4) || !near(write, 4) || !near(leaf.StaticJ, 3*0.008*clock) {
		t.Errorf("uses of %g and %g pJ, %g W; want 4 pJ and %g W", read, write, leaf.StaticJ, 3*0.008*clock)
	}
	_, _, _, small := mustProbe(t, 22, given)
	if ratio := small.StaticJ / leaf.StaticJ; !near(ratio, areaScale(45, 22)) {
		t.Errorf("in 22 nm %g of it", ratio)
	}
	given.Kind, given.ReadPJ, given.Entries, given.EntryBits = arch.RAM, 0, 512, 32
	given.Charges = []arch.StructureCharge{{Counter: "probe_reads", Use: arch.Read, PerCycle: 2}, {Counter: "probe_writes", Use: arch.Write}}
	read, _, _, leaf = mustProbe(t, 45, given)
	if want := 3 * (0.010 - 2*read*250e-6) * clock; read <= 0 || !near(leaf.StaticJ, want) {
		t.Errorf("a memory of %g pJ a read draws %g W, want %g", read, leaf.StaticJ, want)
	}
}

func TestAPowerBelowItsUsesIsRefused(t *testing.T) {
	s := arch.Structure{
		Path: "chip/sm/probe", Source: "test", Kind: arch.Logic, Operation: "op.int_add", ReadPJ: 4, Count: 1, PowerW: 0.001, PowerMHz: 250,
		Charges: []arch.StructureCharge{{Counter: "probe_reads", Use: arch.Operate, PerCycle: 2}},
	}
	if _, err := probed(t, 45, []arch.Structure{s}, nil); err == nil || !strings.Contains(err.Error(), "chip/sm/probe: the power of 0.001 W at 250 MHz is less than what its uses take") {
		t.Errorf("got %v", err)
	}
	s.PowerW, s.PowerMHz = 1, 0 // at no clock nothing follows from a power
	if _, err := probed(t, 45, []arch.Structure{s}, nil); err == nil || !strings.Contains(err.Error(), "chip/sm/probe: the power of 1 W at 0 MHz") {
		t.Errorf("without a clock: %v", err)
	}
}
