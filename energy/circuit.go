// SPDX-License-Identifier: Apache-2.0

package energy

// Energies of operations as circuits: what an adder does, without the clocks,
// control and wires around it that a card's fitted energies contain. They go with
// arrays as CACTI and networks as DSENT give them, which are circuits, too.
const (
	circuits  = "second-hand: published energies of 45 nm circuits (op-energies, literature): "
	byFactor  = "assumed: the circuit's addition, times GPUWattch's factor of the operation: "
	unscaled  = "GPUWattch, SM2_GTX480 configuration: energy of its circuit, before the fit to a card, of "
	fpAdd45PJ = 0.9
)

// circuitTable holds the rows that take the place of those of coefficientTable.
var circuitTable = []Coefficient{
	{"op.int_add", 0.1, "pJ", 45, circuits + "int32 add", true},
	{"op.int_mul", 3.1, "pJ", 45, circuits + "int32 mul", true},
	{"op.int_mad", 3.2, "pJ", 45, "second-hand: sum of op.int_mul and op.int_add", true},
	{"op.int_div", fpAdd45PJ * 2.051 * 40, "pJ", 45, byFactor + "40 on a special-function unit, 2.051 times an FPU", true},
	{"op.f32_add", fpAdd45PJ, "pJ", 45, circuits + "fp32 add", true},
	{"op.f32_mul", 3.7, "pJ", 45, circuits + "fp32 mul", true},
	{"op.f32_fma", 4.6, "pJ", 45, "second-hand: sum of op.f32_mul and op.f32_add", true},
	{"op.f32_div", fpAdd45PJ * 48, "pJ", 45, byFactor + "48", true},
	{"op.f16", fpAdd45PJ, "pJ", 45, "assumed: two halves in a register cost what one single-precision addition does", true},
	{"op.special", fpAdd45PJ * 2.051 * 26.75, "pJ", 45, byFactor + "26.75, the mean of sqrt, log, sin and exp, on a special-function unit", true},
	{"op.special_sqrt", fpAdd45PJ * 2.051 * 25, "pJ", 45, byFactor + "25 on a special-function unit", true},
	{"op.special_log", fpAdd45PJ * 2.051 * 35, "pJ", 45, byFactor + "35 on a special-function unit", true},
	{"op.special_sin", fpAdd45PJ * 2.051 * 12, "pJ", 45, byFactor + "12 on a special-function unit", true},
	{"op.special_exp", fpAdd45PJ * 2.051 * 35, "pJ", 45, byFactor + "35 on a special-function unit", true},
	{"op.special_rcp", fpAdd45PJ * 48, "pJ", 45, byFactor + "48, that of a division", true},
	{"op.convert", 0.1, "pJ", 45, "assumed: as an integer addition", true},
	{"op.move", 0.025, "pJ", 45, "assumed: a quarter of an integer addition, nothing is computed", true},
	{"op.predicate", 0.003125, "pJ", 45, "assumed: one bit of the 32 of an integer addition", true},
	{"op.tensor", 2.3, "pJ", 45, "assumed: a fused multiply-add of half precision, half of a single one's", true},
	{"op.address", 6.4, "pJ per warp instruction", 45, "assumed: 32 additions of 64 bits, each as two of op.int_add", true},
	{"scheduler.instruction", 12.011, "pJ per warp instruction", 40, unscaled + "warp scheduler (window read, two searches, write, select)", false},
}

// CircuitCoefficients is the table with operations as circuits.
func CircuitCoefficients() *Coefficients {
	c := DefaultCoefficients()
	c.calibration = circuitName
	for _, row := range circuitTable {
		*c.get(row.Key) = row
	}
	return c
}
