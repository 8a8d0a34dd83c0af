// SPDX-License-Identifier: Apache-2.0

package arch

// Technology is what the chip is made in and the point at which it runs. Timing
// does not depend on it: the clocks are given. The energy model reads it.
type Technology struct {
	NodeNM float64 `yaml:"node_nm" unit:"nm" range:"22..65"` // feature size
	// Devices are those of the memory structures: "high_performance" or
	// "low_power" (ITRS low operating power).
	Devices      string  `yaml:"devices" oneof:"high_performance,low_power"`
	TemperatureK float64 `yaml:"temperature_k" unit:"K" range:"300..400"`
	// VoltageRatio is supply voltage over the node's nominal one.
	VoltageRatio float64 `yaml:"voltage_ratio" unit:"of nominal" range:"0.5..1.3"`
	// ClockGating is "perfect" (what does not work draws leakage only) or "none"
	// (clock trees draw power in every cycle).
	ClockGating string `yaml:"clock_gating" oneof:"perfect,none"`
	// Calibration is the energy model's for the machine, unless a command names another:
	// "cacti" (the default), "circuit", "gpuwattch" or "accelwattch".
	Calibration string `yaml:"calibration" oneof:"cacti,circuit,gpuwattch,accelwattch" default:"cacti" digest:"used"`
	// Die is the chip of a card, whose process, area and DRAM the energy model knows: "none", "gv100", "tu102",
	// "ga102", "ga100" or "gh100".
	Die string `yaml:"die" oneof:"none,gv100,tu102,ga102,ga100,gh100" default:"none" digest:"used"`
	// Given holds energies, leakage and areas of memory structures that replace
	// those of the energy model, e.g. "l1.read_pj=120, l2.slice.area_mm2=2"; "none".
	Given string `yaml:"given"`
}
