// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"strings"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// What AccelWattch (MICRO 2021) found a Quadro GV100 to draw, of the V100's chip: energies
// per class of instruction and access, fitted to measurements of the card, and its static
// power. They take the place of those of a GTX480, which a decade of process and design
// lies behind.
const (
	accelwattch = "AccelWattch, GV100 SASS_SIM configuration: effective energy, fitted to a card, of "
	byGTX480    = "assumed: as AccelWattch gives none, GPUWattch's ratio of the GTX480: "
)

// accelwattchTable holds the rows that take the place of those of coefficientTable.
var accelwattchTable = []Coefficient{
	{"op.int_add", 3.4612, "pJ", 23, accelwattch + "int add/logic", false},
	{"op.int_mul", 4.4513, "pJ", 23, accelwattch + "int mul", false},
	{"op.int_mad", 7.9125, "pJ", 23, "sum of op.int_mul and op.int_add", false},
	{"op.int_div", 44.513, "pJ", 23, byGTX480 + "ten multiplications", true},
	{"op.f32_add", 9.9862, "pJ", 23, accelwattch + "fp32 add/fma", false},
	{"op.f32_mul", 3.462, "pJ", 23, accelwattch + "fp32 mul", false},
	{"op.f32_fma", 9.9862, "pJ", 23, accelwattch + "fp32 add/fma", false},
	{"op.f32_div", 92.3, "pJ", 23, byGTX480 + "26.67 multiplications", true},
	{"op.f16", 9.9862, "pJ", 23, "assumed: two halves in a register cost what one single-precision addition does", true},
	{"op.f64_factor", 1.4674, "ratio", 0, accelwattch + "fp64 add over fp32 add", false},
	{"op.special", 7.8898, "pJ", 23, "mean of " + accelwattch + "sfu sqrt, log, sin and exp", false},
	{"op.special_sqrt", 7.5449, "pJ", 23, accelwattch + "sfu sqrt", false},
	{"op.special_log", 4.8544, "pJ", 23, accelwattch + "sfu log", false},
	{"op.special_sin", 5.1577, "pJ", 23, accelwattch + "sfu sin/cos", false},
	{"op.special_exp", 14.002, "pJ", 23, accelwattch + "sfu exp", false},
	{"op.special_rcp", 7.8898, "pJ", 23, "assumed: the mean of the four functions that AccelWattch has", true},
	{"op.convert", 3.4612, "pJ", 23, "assumed: as an integer addition", true},
	{"op.move", 0.8653, "pJ", 23, "assumed: a quarter of an integer addition, nothing is computed", true},
	{"op.predicate", 0.1082, "pJ", 23, "assumed: one bit of the 32 of an integer addition", true},
	{"op.address", 9.9862, "pJ per warp instruction", 23, byGTX480 + "a single-precision addition", true},
	{"scheduler.instruction", 17.311, "pJ per warp instruction", 23, accelwattch + "warp scheduler", false},
	{"dram.byte", 31.4, "pJ per byte", 0, "assumed: 3.92 pJ a bit of HBM2 (O'Connor et al., MICRO 2017, recalled and not looked up), rows and interface included", true},
	{"dram.activate", 0, "pJ per command", 0, "assumed: in dram.byte", true},
	{"dram.precharge", 332.69, "pJ per command", 0, accelwattch + "DRAM precharge", false},
	{"dram.background_mw", 0, "mW per channel", 0, "assumed: in chip.constant_w_per_sm, which was measured at the board", true},
	{"chip.constant_w_per_sm", 0.40407, "W per SM", 0, "AccelWattch, GV100 configuration: constant_power, 32.33 W of the board over 80 SMs", false},
}

// accelwattchFits are the rows for arrays and networks.
var accelwattchFits = []fitted{
	{[]string{"instruction_cache", "instruction_cache.tags"}, []string{"chip/sm/front end/fetch"}, counters.FetchAccess, 149.8, true, "I-cache hit"},
	{[]string{"sm.registers", "sm.operand_collectors"}, []string{"chip/sm/register file", "chip/sm/operand collector"}, counters.RegisterLaneRead, 2.5002, false, "register read, with crossbar and collector"},
	{[]string{"sm.registers"}, []string{"chip/sm/register file"}, counters.RegisterLaneWrite, 2.1367, false, "register write"},
	{[]string{"shared_memory"}, []string{"chip/sm/shared memory"}, counters.SharedLaneRead, 112.66 / 32, true, "shared memory access, of 32 lanes"},
	{[]string{"l1", "l1.tags"}, []string{"chip/sm/L1/tags", "chip/sm/L1/data"}, counters.L1Read, 507.12, true, "L1D read hit"},
	{[]string{"constant_cache", "constant_cache.tags"}, []string{"chip/sm/constant cache"}, counters.ConstantRead, 5.5222, true, "constant cache hit"},
	{[]string{"network.vc_flits"}, []string{"chip/network/routers", "chip/network/links"}, counters.ReplyFlits, 86.101, true, "NoC flit of 40 bytes"},
	{[]string{"l2", "l2.tags"}, []string{"chip/L2/data"}, counters.L2ReadHit, 68.787, true, "L2 read hit of a sector"},
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
	return out, nil
}
