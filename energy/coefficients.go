// SPDX-License-Identifier: Apache-2.0

package energy

// Where the numbers of coefficientTable come from.
const (
	gpuwattch = "GPUWattch, SM2_GTX480 configuration: effective energy, fitted to a card, of "
	dsent     = "DSENT 0.91, 45 nm LVT, 256-bit flits, fitted over 5x5, 15x6 and 28x6 ports: "
)

// coefficientTable: energies of operations are per lane unless the key says
// otherwise. GPUWattch's contain its factors per operation (35 for a logarithm),
// so they stand for what a card draws, not for what an adder does.
var coefficientTable = []Coefficient{
	{"op.int_add", 43.116, "pJ", 40, gpuwattch + "int add/logic", false},
	{"op.int_mul", 193.41, "pJ", 40, gpuwattch + "int mul32", false},
	{"op.int_mad", 236.526, "pJ", 40, "sum of op.int_mul and op.int_add", false},
	{"op.int_div", 1934.1, "pJ", 40, gpuwattch + "int div", false},
	{"op.f32_add", 29.58, "pJ", 40, gpuwattch + "fp32 add", false},
	{"op.f32_mul", 53.244, "pJ", 40, gpuwattch + "fp32 mul", false},
	{"op.f32_fma", 82.824, "pJ", 40, "sum of op.f32_mul and op.f32_add", false},
	{"op.f32_div", 1419.8, "pJ", 40, gpuwattch + "fp32 div", false},
	{"op.f16", 29.58, "pJ", 40, "assumed: two halves in a register cost what one single-precision addition does", true},
	{"op.f64_factor", 2.051, "ratio", 0, "GPUWattch logic.cc: a double-precision unit draws 8/3.9 of a single-precision one", false},
	{"op.special", 1293.3, "pJ", 40, "mean of " + gpuwattch + "fp sqrt, log, sin and exp", false},
	{"op.special_sqrt", 1208.8, "pJ", 40, gpuwattch + "fp sqrt", false},
	{"op.special_log", 1692.3, "pJ", 40, gpuwattch + "fp log", false},
	{"op.special_sin", 580.22, "pJ", 40, gpuwattch + "fp sin", false},
	{"op.special_exp", 1692.3, "pJ", 40, gpuwattch + "fp exp", false},
	{"op.special_rcp", 1419.8, "pJ", 40, gpuwattch + "fp32 div, as which GPGPU-Sim's ptx_ir.cc counts a reciprocal", false},
	{"op.convert", 43.116, "pJ", 40, "assumed: as an integer addition", true},
	{"op.move", 10.8, "pJ", 40, "assumed: a quarter of an integer addition, nothing is computed", true},
	{"op.predicate", 1.35, "pJ", 40, "assumed: one bit of the 32 of an integer addition", true},
	{"op.tensor", 31.537, "pJ", 23, "AccelWattch, GV100 SASS configuration: effective energy of tensor", false},
	{"op.address", 29.58, "pJ per warp instruction", 40, gpuwattch + "the address path of a load or store", false},

	{"scheduler.instruction", 54.89, "pJ per warp instruction", 40, gpuwattch + "warp scheduler", false},
	{"decode.instruction", 2, "pJ per warp instruction", 40, "assumed: GPUWattch computes none", true},
	{"pipeline.instruction", 1136.5, "pJ per warp instruction", 40, "GPUWattch, SM2_GTX480 configuration: PIPE_A, 2273 pJ a core cycle at full duty, two warp instructions; charged by calibration gpuwattch", false},
	{"pipeline.cycle", 100.07, "pJ per active SM cycle", 22, "AccelWattch, GV100 SASS_SIM configuration: three quarters of 324.49 pJ of pipeline registers (its code, run), times 0.514 and a duty of 0.8; charged by calibration accelwattch", false},
	{"pipeline.front_end_share", 0.25, "ratio", 0, "GPUWattch core.cc: the pipeline's power is shared out alike to fetch, load-store, execution and memory management", false},
	{"collector.operands", 3, "operands", 0, "assumed: an operand collector holds three operands of a warp", true},
	{"stack.entry_bytes", 16, "bytes", 0, "assumed: mask, address and reconvergence address of a SIMT stack entry", true},
	{"stack.depth", 16, "entries", 0, "assumed: entries of the SIMT stack of a warp", true},
	{"scoreboard.entry_bytes", 6, "bytes", 0, "assumed: a warp's entry of 48 bits, as Buddy SM section 5.1.2 has one matched entry a warp", true},
	{"register.slice_bytes", 16, "bytes", 0, "assumed: register banks are read in slices of four lanes", true},
	{"register.slice_capacity", 1024, "bytes", 0, "assumed: a slice of an 8 KiB bank is one of its eight arrays", true},
	{"cache.tag_bytes", 4, "bytes", 0, "assumed: tag and state of a line", true},
	{"cache.address_bytes", 6, "bytes", 0, "assumed: a 48-bit address in an MSHR", true},

	{"crossbar.lane_pj_per_port", 0.0462, "pJ per 4 bytes and port", 45, dsent + "crossbar traversal, 0.3692 pJ per flit and port", false},
	{"crossbar.lane_pj", 0.0662, "pJ per 4 bytes", 45, dsent + "crossbar traversal, 0.53 pJ per flit for no port", false},
	{"network.buffer", 11.7, "pJ per 32-byte flit", 45, dsent + "buffer write and read", false},
	{"network.allocation_pj_per_port2", 0.0125, "pJ per flit and input x output", 45, dsent + "switch allocation, 2.106 pJ at 168 crosspoints", false},
	{"network.link_pj_per_mm", 10.33, "pJ per 32-byte flit and mm", 45, "DSENT 0.91, 45 nm LVT: repeated link, 40.36 fJ/bit/mm", false},
	{"network.clock_pj_per_port", 0.18, "pJ per cycle, port and network", 45, dsent + "clock distribution, 6.129 pJ at 34 ports; drawn where clocks are not gated", false},
	{"network.link_mm", 10, "mm", 0, "assumed: less than half the 23 mm edge of the die (Buddy SM section 4.7)", true},
	{"network.die_mm", 23, "mm", 0, "assumed: the 23 mm edge of a GTX480 (Buddy SM section 4.7) on every machine, shared out to the rows and columns of a mesh", true},
	{"network.stage_mm", 7.7, "mm", 0, "assumed: a link between stages of a butterfly crosses a third of the 23 mm edge of the die", true},
	{"network.leakage_mw_per_crosspoint", 0.167, "mW per input x output", 45, dsent + "router leakage, 6.0 mW an input buffer and this for the switch", false},
	{"network.mm2_per_crosspoint", 0.00283, "mm2 per input x output", 45, dsent + "router area, 0.0224 mm2 an input buffer and this for the switch", false},
	{"network.link_leakage_mw_per_mm", 0.1109, "mW per 32-byte link and mm", 45, "DSENT 0.91, 45 nm LVT: link leakage", false},
	{"network.link_mm2_per_mm", 0.005, "mm2 per 32-byte link and mm", 45, "assumed: two repeaters a wire and mm of 10 um2 each; the wires lie above logic", true},
	{"network.leakage_mw_per_port", 6.9, "mW per port and network", 45, dsent + "router leakage", false},
	{"network.mm2_per_port", 0.0387, "mm2 per port and network", 45, dsent + "router area", false},

	{"dram.activate", 4232.2, "pJ per command", 0, "assumed: as a precharge", true},
	{"dram.precharge", 4232.2, "pJ per command", 0, gpuwattch + "DRAM precharge", false},
	{"dram.byte", 125, "pJ per byte", 0, "second-hand: 16 nJ a DRAM line (op-energies, literature), taken as a line of 128 bytes", true},
	{"dram.background_mw", 1000, "mW per channel", 0, "assumed: standby of the two devices of a channel", true},

	{"lane.mm2", 0.08, "mm2 per lane", 40, "Affine paper section 4.8: 0.16 mm2 for two ALUs, by GPUWattch's model", false},
	{"sfu.lane_factor", 2.051, "ratio", 0, "GPUWattch logic.cc: a special-function unit is modelled as a double-precision one", false},
	{"lanes.per_sm", 32, "lanes", 0, "assumed: one ALU a lane of a warp in every SM, double-pumped or not", true},
	{"tensor.lane_factor", 4, "ratio", 0, "assumed: a tensor unit's share of a lane over an ALU's", true},
	{"logic.leakage_mw_per_mm2", 30, "mW per mm2", 0, "assumed: logic of mixed thresholds at 360 K; DSENT's all-low-threshold routers have 187", true},
	{"chip.constant_w_per_sm", 0.6875, "W per SM", 40, "GPUWattch, SM2_GTX480 configuration: CONST_DYNAMICN, a fitted 11 W, over 16 SMs", false},
	{"clock.sm_w", 1.59, "W per SM", 40, "GPUWattch, SM2_GTX480 configuration: idle_core_power, what a core draws that does nothing; drawn where clocks are not gated", false},
	{"frontend.logic_mm2", 0.5, "mm2 per SM", 40, "assumed: scheduler and decoder", true},
}
