// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/arch"
)

// Process is what a chip is made in, below the nodes of CACTI's results. Their 22 nm stand for
// TSMC's 12FFN: CACTI's cell of 146 F2 has 0.0707 um2 there.
type Process struct {
	Name    string
	CellUM2 float64 // of SRAM of high density
	Logic   float64 // area of the same logic over that in 12FFN
	Power   float64 // of the same function at the same clock, over that in 12FFN
	Source  string
}

// cactiCellUM2 is CACTI's cell at 22 nm.
const cactiCellUM2 = 146 * 0.022 * 0.022

var processes = []Process{
	{"TSMC 12FFN", 0.074, 1, 1, "cell of TSMC's 16 nm, recalled"},
	{"Samsung 8N", 0.040, 0.7 * 0.9, 0.6 * 0.9, "cell of Samsung's 10 nm (Song et al., JSSC 2017). 10LPE over 14LPE: 30 % less area, 40 % less power; 8LPP over 10LPP: 10 % less of both (Samsung, recalled)"},
	{"TSMC N7", 0.027, 1 / (2.0 * 1.6), 0.65 * 0.6, "cell of Chang et al., ISSCC 2017. 10FF over 16FF+ has 2 times the density and takes 35 % less power, N7 over 10FF 1.6 times and 40 % less (TSMC, recalled)"},
	{"TSMC 4N", 0.021, 1 / (2.0 * 1.6 * 1.8 * 1.06), 0.65 * 0.6 * 0.7, "cell of Chang et al., ISSCC 2020. N5 over N7 has 1.8 times the density and takes 30 % less power, N4 is 6 % smaller (TSMC, recalled)"},
}

// Die is the chip of a card, with what is switched off on it.
type Die struct {
	Name    string
	Process string
	// SMs and L2KiB are those on the die, Controllers its memory controllers: of 32 bits of GDDR6, or 512 of HBM.
	SMs, L2KiB, Controllers int
	// Products are half-precision multiply-adds of an SM's tensor cores in a cycle.
	Products int
	// Rays says that each SM has a unit for ray tracing.
	Rays bool
	// DRAMPJ is the energy of a byte of its DRAM, interface included.
	DRAMPJ float64
	// MM2 is the area that its maker gives; no area of the model comes from it.
	MM2 float64
	// IdleW and BoardW are what the card draws with nothing to do, and its stated limit.
	IdleW, BoardW float64
	Source        string
}

const (
	hbm2PJ   = 8 * 3.92 // O'Connor et al., MICRO 2017, recalled
	gddr6PJ  = 8 * 7.5  // Micron, recalled
	gddr6xPJ = 8 * 7.25 // Micron, recalled
)

// dies are the chips of the built-in cards, by the value of technology.die. What an idle card draws was published by
// users of nvidia-smi; but for that of the V100 (43.96 W) the figures are recalled.
var dies = []Die{
	{"gv100", "TSMC 12FFN", 84, 6144, 8, 512, false, hbm2PJ, 815, 44, 300, "NVIDIA V100 whitepaper WP-08608"},
	{"tu102", "TSMC 12FFN", 72, 6144, 12, 512, true, gddr6PJ, 754, 15, 260, "NVIDIA Turing whitepaper WP-09183; 260 W of the Founders Edition"},
	{"ga102", "Samsung 8N", 84, 6144, 12, 512, true, gddr6xPJ, 628, 25, 350, "NVIDIA Ampere GA102 whitepaper"},
	{"ga100", "TSMC N7", 128, 49152, 12, 1024, false, hbm2PJ, 826, 50, 400, "NVIDIA A100 whitepaper"},
	{"gh100", "TSMC 4N", 144, 61440, 12, 2048, false, hbm2PJ, 814, 70, 700, "NVIDIA H100 whitepaper"},
}

// DieOf gives the chip of a machine; false where none is named (technology.die).
func DieOf(m *arch.Machine) (Die, bool) {
	if i := slices.IndexFunc(dies, func(d Die) bool { return d.Name == m.Technology.Die }); i >= 0 {
		return dies[i], true
	}
	return Die{}, false
}

// dieAt gives the chip of a machine that is priced in its own technology.
func dieAt(m *arch.Machine, t Technology) (Die, bool) {
	if t.NodeNM != m.Technology.NodeNM {
		return Die{}, false
	}
	return DieOf(m)
}

// Dies lists the chips that there are.
func Dies() []Die { return slices.Clone(dies) }

// Processes lists what they are made in.
func Processes() []Process { return slices.Clone(processes) }

func processOf(d *Die) *Process {
	i := slices.IndexFunc(processes, func(p Process) bool { return p.Name == d.Process })
	return &processes[i]
}

// Areas of units, in 12FFN. Those of 28 nm are halved: TSMC gives 16FF+ twice the density of its 28 nm (recalled).
const (
	// singleMM2 and doubleMM2 are fused multiply-add units in 28 nm: Pu et al., "FPMax", arXiv 1606.07852, with
	// 217 and 75 GFLOPS/mm2; the areas are recalled.
	singleMM2 = 0.0081 / 2
	doubleMM2 = 0.024 / 2
	// integerMM2 is assumed: an integer lane has no multiplier, and half of a single-precision unit.
	integerMM2 = singleMM2 / 2
	// productMM2 is a multiply-add of tensor cores: on infrared pictures of TU106 and TU116 two SMs have 1.25 mm2 of
	// tensor cores, of 512 multiply-adds each, and 0.7 mm2 for ray tracing (whatnext.pl, of a reader's analysis).
	productMM2 = 1.25 / 2 / 512
	raysMM2    = 0.7 / 2
	// turingSMMM2 is an SM without either: half of the 8.94 mm2 of two of them on TU116 (the same analysis, recalled).
	turingSMMM2 = 8.94 / 2
	// outsideMM2 is what TU116 and TU106 have outside of their SMs for each 32 bits of GDDR6: 284 and 445 mm2 less 12
	// of 8.94 and 18 of 10.89, over six and eight. It has 512 KiB of L2 on average, and all that has no counter: memory
	// interfaces, links, raster and video units. It is taken for the 512 bits of a controller of HBM as well, and not
	// to shrink with the process, as pads and analog circuits do not (both assumed).
	outsideMM2 = (176.7/6 + 249.0/8) / 2
	outsideKiB = 512
)

// turingCard is the machine whose SM is that of TU116, but for tensor cores and ray tracing.
const turingCard = "rtx2080ti"

// shape gives the components of a machine whose die is known their place on it: arrays are as dense as the
// process has them, caches are not laid out way by way, units have areas of units that were made. The rest of an SM is
// that of a Turing SM.
func (b *builder) shape() {
	die, ok := dieAt(b.machine, b.tech)
	if !ok || b.machine.GPU.CoreKind() == arch.NoCores || b.err != nil {
		return
	}
	turing, err := arch.Load(turingCard)
	if err != nil {
		b.err = err
		return
	}
	t := &builder{machine: turing, tech: TechnologyOf(turing), coefficients: b.coefficients, memories: b.memories}
	t.baseline()
	d, _ := DieOf(turing)
	other := turingSMMM2 - t.layOut(&d)
	if other < 0 && t.err == nil {
		t.err = fmt.Errorf("BUG: the parts of a Turing SM are %g mm2 larger than it is", -other)
	}
	if t.err != nil {
		b.err = t.err
		return
	}
	b.layOut(&die)
	p := processOf(&die)
	b.logic(b.add("sm/control, load and store, texture"), float64(other*p.Logic*b.sms()))
	for i := range b.components {
		if c := &b.components[i]; under(c.Path, "chip/sm") {
			c.AreaMM2 *= float64(die.SMs) / b.sms()
		}
	}
	c := b.add("memory interfaces, links, graphics")
	c.AreaMM2 = float64(outsideMM2 * float64(die.Controllers))
}

// layOut sets the areas of a machine's parts, and gives that of the parts of an SM but for tensor cores and ray tracing.
// The static power of units follows their area.
func (b *builder) layOut(die *Die) (smMM2 float64) {
	p := processOf(die)
	cell := p.CellUM2 / cactiCellUM2
	for i := range b.components {
		c := &b.components[i]
		switch unit, mm2 := b.unitMM2(c.Path, die); {
		case unit:
			c.AreaMM2, c.StaticW = 0, 0
			b.logic(c, float64(mm2*p.Logic*b.sms()))
		case c.Path == "chip/network/routers" || under(c.Path, "chip/sm/front end/decode") || under(c.Path, "chip/sm/front end/scheduler"):
			c.AreaMM2 *= p.Logic
		case c.Path == "chip/sm/L1/data":
			c.AreaMM2 = float64(b.sharedDensity()*float64(b.machine.L1.Bytes)) * b.sms() * cell
		case c.Path == "chip/sm/front end/fetch":
			c.AreaMM2 = b.instructionMM2() * b.sms() * cell
		case under(c.Path, "chip/L2"):
			on := float64(b.machine.L2.Slice.Bytes) * float64(b.machine.L2.Partitions*b.machine.L2.SlicesPerPartition) / 1024
			beyond := max(float64(die.L2KiB)-float64(outsideKiB*die.Controllers), 0) // the rest is in outsideMM2
			c.AreaMM2 *= cell * beyond / on
		default:
			c.AreaMM2 *= cell
		}
		if under(c.Path, "chip/sm") && c.Path != "chip/sm/functional units/tensor" {
			smMM2 += c.AreaMM2 / b.sms()
		}
	}
	if die.Rays {
		b.logic(b.add("sm/functional units/ray tracing"), float64(raysMM2*p.Logic*b.sms()))
	}
	return smMM2
}

// unitMM2 is the area in 12FFN of the units of an SM; false for what is none.
func (b *builder) unitMM2(path string, die *Die) (unit bool, mm2 float64) {
	name, ok := strings.CutPrefix(path, "chip/sm/functional units/")
	u, l := &b.machine.SM.Units, &b.machine.SM.Latencies
	lanes := func(units int, t arch.Latency) float64 { return float64(units) * 32 / float64(max(t.Interval, 1)) }
	switch {
	case !ok:
		return false, 0
	case name == "integer":
		return true, lanes(u.Int, l.IntAdd) * integerMM2
	case name == "single precision":
		return true, lanes(u.SP, l.F32Fma) * singleMM2
	case name == "double precision":
		return true, lanes(u.DP, l.F64Fma) * doubleMM2
	case name == "special":
		return true, lanes(u.SFU, l.Special) * singleMM2 * b.value("sfu.lane_factor")
	case name == "tensor":
		return true, float64(die.Products) * productMM2
	}
	return true, 0
}

// sharedDensity is the area of a byte of shared memory, whose array the L1 is a part of from Volta on.
func (b *builder) sharedDensity() float64 {
	s := &b.machine.Shared
	bank := b.memory("shared_memory", sram.Query{Class: sram.RAM, Bytes: max(s.Bytes/max(s.Banks, 1), smallestRAM), OutBytes: s.BankBytes})
	return bank.AreaMM2 * float64(s.Banks) / float64(s.Bytes)
}

// instructionMM2 is the area of an SM's instruction caches, each an array that gives a line.
func (b *builder) instructionMM2() float64 {
	ic, l0 := &b.machine.Instruction, &b.machine.SM.L0
	mm2 := b.ram("instruction_cache", ic.Bytes, ic.LineBytes).AreaMM2
	if l0.Bytes > 0 {
		mm2 += float64(b.ram("sm.l0_instructions", l0.Bytes, ic.LineBytes).AreaMM2 * float64(b.machine.SM.Schedulers))
	}
	return mm2
}
