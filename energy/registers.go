// SPDX-License-Identifier: Apache-2.0

package energy

import "github.com/warptape/warptape/timing/counters"

// registers adds the register file and the operand collectors. A bank holds a
// register of a whole warp side by side in slices of four lanes. Slices without
// active lanes stay idle: energy goes with lanes.
func (b *builder) registers() {
	m := &b.machine.SM
	slice, capacity := b.count("register.slice_bytes"), b.count("register.slice_capacity")
	lanes := float64(slice) / 4
	file := b.ram("sm.registers", capacity, slice)
	c := b.add("sm/register file")
	c.charge(file.ReadPJ/lanes, counters.RegisterLaneRead)
	c.charge(file.WritePJ/lanes, counters.RegisterLaneWrite)
	c.structure(file, float64(m.Registers*4)/float64(capacity)*b.sms())

	operands := b.count("collector.operands")
	held := b.ram("sm.operand_collectors", max(m.CollectorCount()*operands*slice, 2*slice), slice)
	c = b.add("sm/operand collector/entries")
	c.charge((held.ReadPJ+held.WritePJ)/lanes, counters.RegisterLaneRead)
	c.structure(held, 32/lanes*b.sms())
	b.crossbar("sm/operand collector/crossbar", max(m.RegisterBanks, 1), m.CollectorCount(), counters.RegisterLaneRead)
}

// crossbar adds the crossbar inside a banked structure, through which every
// counted lane moves its four bytes. Its wires lie above the banks: no area of
// their own.
func (b *builder) crossbar(path string, inputs, outputs int, lanes ...counters.ID) {
	c := b.add(path)
	c.charge(b.laneCrossbar(inputs+outputs), lanes...)
}

// laneCrossbar is the energy with which a crossbar inside a banked structure
// moves the four bytes of a lane.
func (b *builder) laneCrossbar(ports int) float64 {
	return b.energy("crossbar.lane_pj") + float64(b.energy("crossbar.lane_pj_per_port")*float64(ports))
}
