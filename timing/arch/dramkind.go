// SPDX-License-Identifier: Apache-2.0

package arch

// DRAMKind is what a standard fixes of a channel, of whatever speed and size its devices
// are. A device with pseudo-channels has each as a channel of its own.
type DRAMKind struct {
	Name string
	// Pins carry BitsPerCycle bits each in a cycle of the command clock (clocks.dram_mhz).
	Pins, BitsPerCycle int
	// Burst is of a column command, in transfers of each pin.
	Burst int
	// Banks of a rank in BankGroups, with rows of RowBytes.
	Banks, BankGroups, RowBytes int
	// CCD and CCDL are the least distances of column commands: to another bank group,
	// and inside one.
	CCD, CCDL int
	// Source is of all but CCD and CCDL, whose Distances is.
	Source, Distances string
}

// DRAMKinds are the kinds that dram.kind names, in order.
var DRAMKinds = []DRAMKind{
	{
		// A device of 32 bits is two channels. Sixteen transfers of a pin in two cycles.
		Name: "gddr6", Pins: 16, BitsPerCycle: 8, Burst: 16, Banks: 16, BankGroups: 4, RowBytes: 2048, CCD: 2, CCDL: 3,
		Source:    "JEDEC JESD250, as Ramulator 2 quotes it",
		Distances: "GPGPU-Sim SM75_RTX2060 configuration: CCD 4 and CCDL 6, at twice this clock",
	},
	{
		// As GDDR6, with two bits a symbol: eight symbols in one cycle.
		Name: "gddr6x", Pins: 16, BitsPerCycle: 16, Burst: 16, Banks: 16, BankGroups: 4, RowBytes: 2048, CCD: 1, CCDL: 2,
		Source:    "Micron, GDDR6X, recalled: channels and accesses of 256 bits as in GDDR6, in PAM4",
		Distances: "assumed: as in GDDR6, half as long again inside a bank group, in whole cycles",
	},
	{
		// A channel of 128 bits is two pseudo-channels.
		Name: "hbm2e", Pins: 64, BitsPerCycle: 2, Burst: 4, Banks: 16, BankGroups: 4, RowBytes: 1024, CCD: 2, CCDL: 3,
		Source:    "JEDEC JESD235D, pseudo-channel mode, as DRAMSys has it (memspec HBM2)",
		Distances: "DRAMSys, memspec HBM2: CCDS 2 and CCDL 3",
	},
	{
		// A channel of 64 bits is two pseudo-channels. Data have four times the rate of CK.
		Name: "hbm3", Pins: 32, BitsPerCycle: 4, Burst: 8, Banks: 16, BankGroups: 4, RowBytes: 1024, CCD: 2, CCDL: 4,
		Source:    "JEDEC JESD238 Table 4, as Ramulator 2.1 quotes it",
		Distances: "JEDEC JESD238, as Ramulator 2.1 quotes it: 2 cycles, and inside a bank group 4 up to 1600 MHz",
	},
}

// dramKind finds a kind; nil for "none".
func dramKind(name string) *DRAMKind {
	for i := range DRAMKinds {
		if DRAMKinds[i].Name == name {
			return &DRAMKinds[i]
		}
	}
	return nil
}

// BurstBytes are those of a column command.
func (k *DRAMKind) BurstBytes() int { return k.Pins * k.Burst / 8 }

// BurstCycles are those of the data bus for a column command.
func (k *DRAMKind) BurstCycles() int { return max(k.Burst/k.BitsPerCycle, 1) }

// kindValue is a key that a kind gives.
type kindValue struct {
	key   string
	to    *int
	value int
	least bool // a machine may have more
	from  string
}

// values are the keys that a kind gives to a machine.
func (k *DRAMKind) values(d *DRAM) []kindValue {
	return []kindValue{
		{"dram.banks", &d.Banks, k.Banks, true, k.Source},
		{"dram.bank_groups", &d.BankGroups, k.BankGroups, false, k.Source},
		{"dram.row_bytes", &d.RowBytes, k.RowBytes, false, k.Source},
		{"dram.burst_bytes", &d.BurstBytes, k.BurstBytes(), false, k.Source},
		{"dram.burst_cycles", &d.BurstCycles, k.BurstCycles(), false, k.Source},
		{"dram.tCCD", &d.TCCD, k.CCD, true, k.Distances},
		{"dram.tCCDL", &d.TCCDL, k.CCDL, true, k.Distances},
	}
}

// takeKind writes what the kind fixes, where the kind stands. What is written later replaces it.
func (m *Machine) takeKind(at Origin) {
	k := dramKind(m.DRAM.Kind)
	if k == nil {
		return
	}
	for _, v := range k.values(&m.DRAM) {
		before, had := m.origins[v.key]
		old := machineSchema.byPath[v.key].format(m)
		*v.to, at.Source = v.value, k.Name+": "+v.from
		m.record(v.key, at, before, had, old)
	}
}

// kind complains about values that no device of the kind has.
func (c *checker) kind() {
	k := dramKind(c.m.DRAM.Kind)
	if k == nil {
		return
	}
	for _, v := range k.values(&c.m.DRAM) {
		switch {
		case *v.to == v.value || v.least && *v.to > v.value:
		case v.least:
			c.add(c.latest(v.key, "dram.kind"), "%s: %d is less than the %d of %s (%s); take %d or more, or dram.kind: none", v.key, *v.to, v.value, k.Name, v.from, v.value)
		default:
			c.add(c.latest(v.key, "dram.kind"), "%s: %d, and %s has %d (%s); take %d, or dram.kind: none", v.key, *v.to, k.Name, v.value, v.from, v.value)
		}
	}
}
