// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"slices"
	"strings"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// What AccelWattch (MICRO 2021) found a Quadro GV100 to draw, of the V100's chip: energies
// per class of instruction and access, fitted to measurements of the card, and its static
// power. They take the place of those of a GTX480, which a decade of process and design
// lies behind. An energy belongs to what AccelWattch counts: a class to the operations that
// its front end gives it (accel-sim, volta_opcode.h), an access of the L1 to a sector.
const (
	accelwattch = "AccelWattch, GV100 SASS_SIM configuration: effective energy, fitted to a card, of "
	byGTX480    = "assumed: as AccelWattch gives none, GPUWattch's ratio of the GTX480: "
	byOpcodes   = "; class of accel-sim's volta_opcode.h"
	// cardNM is the node that the machine of the card has. The energies were fitted at the card, so that they
	// hold there, whatever the node that AccelWattch itself computes with.
	cardNM = 22
	// intPJ is an integer operation: 0.23094 pJ of the unit times a coefficient of 14.98768151, and twice
	// that, as AccelWattch multiplies the power of integer units and registers by core_clock_ratio.
	intPJ = 2 * 3.4612
)

// accelwattchTable holds the rows that take the place of those of coefficientTable.
var accelwattchTable = []Coefficient{
	{"op.int_add", intPJ, "pJ", cardNM, accelwattch + "int add/logic, twice (core_clock_ratio, core.cc)", false},
	{"op.int_mul", 4.4513, "pJ", cardNM, accelwattch + "int mul", false},
	{"op.int_mad", 4.4513, "pJ", cardNM, accelwattch + "int mul" + byOpcodes + ": IMAD", false},
	{"op.int_div", 44.513, "pJ", cardNM, byGTX480 + "ten multiplications", true},
	{"op.f32_add", 9.9862, "pJ", cardNM, accelwattch + "fp32 add" + byOpcodes + ": FADD", false},
	{"op.f32_mul", 3.462, "pJ", cardNM, accelwattch + "fp32 mul", false},
	{"op.f32_fma", 3.462, "pJ", cardNM, accelwattch + "fp32 mul" + byOpcodes + ": FFMA", false},
	{"op.f32_div", 92.3, "pJ", cardNM, byGTX480 + "26.67 multiplications", true},
	{"op.f16", 9.9862, "pJ", cardNM, accelwattch + "fp32 add" + byOpcodes + ": HADD2; HFMA2 would be fp32 mul", false},
	{"op.f64_factor", 1.4674, "ratio", 0, accelwattch + "fp64 add over fp32 add", false},
	{"op.special", 7.8898, "pJ", cardNM, "mean of " + accelwattch + "sfu sqrt, log, sin and exp", false},
	{"op.special_sqrt", 7.5449, "pJ", cardNM, accelwattch + "sfu sqrt", false},
	{"op.special_log", 4.8544, "pJ", cardNM, accelwattch + "sfu log", false},
	{"op.special_sin", 5.1577, "pJ", cardNM, accelwattch + "sfu sin/cos", false},
	{"op.special_exp", 14.002, "pJ", cardNM, accelwattch + "sfu exp", false},
	{"op.special_rcp", 7.8898, "pJ", cardNM, "assumed: the mean of the four functions that AccelWattch has", true},
	{"op.convert", 9.9862, "pJ", cardNM, accelwattch + "fp32 add" + byOpcodes + ": F2F, F2I, I2F", false},
	{"op.move", intPJ, "pJ", cardNM, accelwattch + "int add/logic, twice" + byOpcodes + ": MOV, SEL, PRMT", false},
	{"op.predicate", intPJ, "pJ", cardNM, accelwattch + "int add/logic, twice" + byOpcodes + ": PSETP, PLOP3", false},
	// Whatever its shape: D216.
	{"op.tensor", 16 * 31.537, "pJ", cardNM, "assumed: sixteen times " + accelwattch + "tensor, of an HMMA instruction; a product of 16x16x16 is 16 of them on Volta (Raihan et al., ISPASS 2019, recalled and not looked up)", true},
	{"op.address", 0, "pJ per warp instruction", cardNM, "AccelWattch counts no unit for a load or store (accel-sim, volta_opcode.h: OTHER_OP)", false},
	{"scheduler.instruction", 17.311, "pJ per warp instruction", cardNM, accelwattch + "warp scheduler", false},
	{"pipeline.instruction", 0, "pJ per warp instruction", cardNM, "AccelWattch's term goes with time: pipeline.cycle", false},
	{"dram.byte", 31.4, "pJ per byte", 0, "assumed: 3.92 pJ a bit of HBM2 (O'Connor et al., MICRO 2017, recalled and not looked up), rows and interface included", true},
	{"dram.activate", 0, "pJ per command", 0, "assumed: in dram.byte", true},
	{"dram.precharge", 332.69, "pJ per command", 0, accelwattch + "DRAM precharge", false},
	{"dram.background_mw", 0, "mW per channel", 0, "assumed: in chip.constant_w_per_sm, which was measured at the board", true},
	{"chip.constant_w_per_sm", 0.40407, "W per SM", 0, "AccelWattch, GV100 configuration: constant_power, 32.33 W of the board over 80 SMs", false},
}

// accelwattchFits are the rows for registers, shared memory, constant cache and network, which this model counts
// as AccelWattch does.
var accelwattchFits = []fitted{
	{[]string{"sm.registers", "sm.operand_collectors"}, []string{"chip/sm/register file", "chip/sm/operand collector"}, counters.RegisterLaneRead, 2.5002, false, "register read, with crossbar and collector"},
	{[]string{"sm.registers"}, []string{"chip/sm/register file"}, counters.RegisterLaneWrite, 2.1367, false, "register write"},
	{[]string{"shared_memory"}, []string{"chip/sm/shared memory"}, counters.SharedLaneRead, 112.66 / 32, true, "shared memory access, of 32 lanes"},
	{[]string{"constant_cache", "constant_cache.tags"}, []string{"chip/sm/constant cache"}, counters.ConstantRead, 5.5222, true, "constant cache hit"},
	{[]string{"network.vc_flits"}, []string{"chip/network/routers", "chip/network/links"}, counters.ReplyFlits, 86.101, true, "NoC flit of 40 bytes"},
}

// counted is a cache whose accesses AccelWattch counts by other events than this model's prices of CACTI do.
type counted struct {
	structures []string
	nodes      []string
	// basis is an event that CACTI's price is known of. The factor between a machine and the card is that of
	// their prices of it; charges that stay are scaled to first.
	basis counters.ID
	// instead take the place of the charges for the counters of dropped.
	instead []Charge
	dropped []counters.ID
}

// accelwattchCounts are the rows for caches. AccelWattch's simulator fetches two instructions with an access of
// its instruction cache (shader.cc). It counts accesses of L1 and L2 by sector of 32 bytes, and so do the profiler's
// counters in its place (l1tex__t_sectors...). A merge is a miss at L1, whose data are on their way, and a hit at L2.
var accelwattchCounts = []counted{
	{
		[]string{"instruction_cache", "instruction_cache.tags"}, []string{"chip/sm/front end/fetch"}, counters.FetchAccess,
		[]Charge{{Counter: counters.FetchInstruction, PJ: 149.8 / 2}},
		[]counters.ID{counters.FetchAccess},
	},
	{
		[]string{"l1", "l1.tags"}, []string{"chip/sm/L1/data", "chip/sm/L1/tags"}, counters.L1Read,
		[]Charge{
			{Counter: counters.L1ReadHitSectors, PJ: 507.12}, {Counter: counters.L1ReadMissSectors, PJ: 338.46},
			{Counter: counters.L1WriteHitSectors, PJ: 37.36}, {Counter: counters.L1WriteMissSectors, PJ: 393.38},
		},
		[]counters.ID{counters.L1Read, counters.L1ReadMiss, counters.L1Write, counters.L1WriteHit},
	},
	{
		[]string{"l2", "l2.tags"}, []string{"chip/L2/data", "chip/L2/tags"}, counters.L2ReadHit,
		[]Charge{
			{Counter: counters.L2ReadHit, PJ: 68.787}, {Counter: counters.L2ReadMerge, PJ: 68.787}, {Counter: counters.L2WriteBack, PJ: 68.787},
			{Counter: counters.L2ReadMiss, PJ: 4.4816}, {Counter: counters.L2WriteHit, PJ: 269.74}, {Counter: counters.L2WriteMiss, PJ: 130},
			{Counter: counters.L2Atomic, PJ: 269.74},
		},
		[]counters.ID{
			counters.L2Read, counters.L2ReadHit, counters.L2ReadMerge, counters.L2WriteBack, counters.L2ReadMiss, counters.L2Write,
			counters.L2WriteHit, counters.L2WriteMiss, counters.L2Atomic,
		},
	},
}

const (
	accelwattchName = "operations, arrays and network as AccelWattch found a GV100"
	// accelwattchMachine is the machine that the energies belong to.
	accelwattchMachine = "v100"
	// accelwattchStaticW is the static power of its chip with all lanes active: that of the
	// first lane and 31 more, geometric mean of AccelWattch's classes of instructions.
	accelwattchStaticW = 17.21745077 + 31*0.650630555
)

// AccelWattchCoefficients is the table with operations as AccelWattch gives them.
func AccelWattchCoefficients() *Coefficients {
	c := DefaultCoefficients()
	c.calibration = accelwattchName
	for _, row := range accelwattchTable {
		*c.get(row.Key) = row
	}
	return c
}

// ofTheBoard reports whether a component's static power is not the chip's.
func ofTheBoard(path string) bool {
	return under(path, "chip/constant") || under(path, "chip/DRAM")
}

// AsAccelWattch gives a model that was made with AccelWattchCoefficients the energies of
// arrays and networks that AccelWattch found, and likewise its static power. It applies
// the factors that lie between them and CACTI's and DSENT's figures for the V100.
func (m *Model) AsAccelWattch() (*Model, error) {
	card, err := arch.Load(accelwattchMachine)
	if err != nil {
		return nil, err
	}
	reference, err := NewModel(card, TechnologyOf(card), AccelWattchCoefficients())
	if err != nil {
		return nil, err
	}
	out := m.copy(accelwattchName)
	if len(m.given) > 0 {
		out.Calibration += "; as the machine gives them: " + strings.Join(m.given, ", ")
	}
	if err := out.fitAll(accelwattchFits, reference, nil); err != nil {
		return nil, err
	}
	for i := range accelwattchCounts {
		out.recount(&accelwattchCounts[i], reference)
	}
	out.withPipelineCycles()
	sum := 0.0
	for i := range reference.Components {
		if c := &reference.Components[i]; !ofTheBoard(c.Path) {
			sum += c.StaticW
		}
	}
	for i := range out.Components {
		if c := &out.Components[i]; !ofTheBoard(c.Path) {
			c.StaticW *= accelwattchStaticW / sum
		}
	}
	out.inProcess()
	return out, nil
}

// inProcess gives the chip of a card the power of its process, and its DRAM that of its kind.
func (m *Model) inProcess() {
	if m.die.Name == "" {
		return
	}
	power := processOf(&m.die).Power
	for i := range m.Components {
		c := &m.Components[i]
		if !ofTheBoard(c.Path) {
			c.StaticW *= power
		}
		for j := range c.Charges {
			switch {
			case !ofTheBoard(c.Path):
				c.Charges[j].PJ *= power
			case c.Path == "chip/DRAM/read" || c.Path == "chip/DRAM/write" || c.Path == "chip/DRAM/copies":
				c.Charges[j].PJ *= m.die.DRAMPJ / hbm2PJ
			}
		}
	}
}

// recount puts AccelWattch's charges of a cache in the place of CACTI's, scaled as CACTI's are between the
// card and this machine. Charges that stay are scaled to AccelWattch's like the basis. Where the machine gives
// the energy of the structure, and where it has none, all stays.
func (m *Model) recount(row *counted, reference *Model) {
	if slices.ContainsFunc(row.structures, func(name string) bool { return slices.Contains(m.given, name) }) {
		return
	}
	own, card := m.priceUnder(row.nodes, row.basis), reference.priceUnder(row.nodes, row.basis)
	if own == 0 {
		return
	}
	for i := range m.Components {
		c := &m.Components[i]
		if !underAny(c.Path, row.nodes) {
			continue
		}
		c.Charges = slices.DeleteFunc(c.Charges, func(ch Charge) bool { return slices.Contains(row.dropped, ch.Counter) })
		for j := range c.Charges {
			c.Charges[j].PJ *= row.instead[0].PJ / card
		}
		if c.Path == row.nodes[0] {
			for _, ch := range row.instead {
				c.charge(ch.PJ*own/card, ch.Counter)
			}
		}
	}
}

// priceUnder is what the components at or below some nodes charge for a counter, together.
func (m *Model) priceUnder(nodes []string, id counters.ID) float64 {
	sum := 0.0
	for i := range m.Components {
		if c := &m.Components[i]; underAny(c.Path, nodes) {
			sum += c.pricePJ(id)
		}
	}
	return sum
}
