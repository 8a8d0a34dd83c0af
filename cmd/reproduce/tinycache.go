// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	// The overlays of the studies.
	_ "github.com/warptape/warptape/timing/mechanisms"
)

// The configurations of the thesis's section 5.5.1. Diverged threads go one after the other,
// the default of Table 3.1. A warp gives its scheduler up when it misses in the small cache
// of the simulator's source of the thesis's year (D28).
const (
	tinySerial       = "gpsim-tiny+divergence(policy=serial)"
	tinyOff          = tinySerial + "+switch(on=mem-miss)"          // notC
	tinyBase         = tinyOff + "+tinycache"                       // tCbase: bypass_none
	tinyBypassShared = tinyOff + "+tinycache(policy=bypass_shared)" // global references only
	tinyBypassGlobal = tinyOff + "+tinycache(policy=bypass_global)" // scratchpad references only
)

// What bounds the hits: four times the lines, and of these a warp at a time.
const (
	tinyLarge  = tinyOff + "+tinycache(lines=64,line_bytes=64)"
	tinyAtMost = tinySerial + "+switch(on=non)+tinycache(lines=64,line_bytes=64)"
)

// configuration is an architecture under the name that a figure gives it.
type configuration struct{ label, spec string }

// tinySizes are the configurations of section 5.5.2, entries x bytes of a line.
var tinySizes = []configuration{
	{"8 x 32 B", tinyOff + "+tinycache(lines=8,line_bytes=32)"}, {"8 x 64 B", tinyOff + "+tinycache(lines=8,line_bytes=64)"}, {"8 x 128 B", tinyOff + "+tinycache(lines=8,line_bytes=128)"},
	{"16 x 32 B", tinyOff + "+tinycache(lines=16,line_bytes=32)"}, {"16 x 64 B", tinyBase}, {"16 x 128 B", tinyOff + "+tinycache(lines=16,line_bytes=128)"},
	{"32 x 32 B", tinyOff + "+tinycache(lines=32,line_bytes=32)"}, {"32 x 64 B", tinyOff + "+tinycache(lines=32,line_bytes=64)"}, {"32 x 128 B", tinyOff + "+tinycache(lines=32,line_bytes=128)"},
	{"64 x 64 B", tinyLarge},
}

// tinyTriggers are notC under the triggers at which schedulers go to the next warp
// (Table 6.5).
var tinyTriggers = []configuration{
	{"MEM", tinyOff}, {"ALL", tinySerial + "+switch(on=all)"}, {"NON", tinySerial + "+switch(on=non)"}, {"BRA", tinySerial + "+switch(on=bra)"},
}

// tinyReadings are what switches the warp on record (D28). The source of 2015 has misses in a
// small cache, with serial divergence; that of 2014 has every access. This model first had loads
// of global memory. The last reading is misses with the reconvergence of the other studies.
var tinyReadings = []configuration{
	{"misses, serial (source of 2015)", tinyOff}, {"every access (source of 2014)", "gpsim-tiny+switch(on=mem-every)"}, {"global loads", "gpsim-tiny"}, {"misses, post-dominator", "gpsim-tiny+switch(on=mem-miss)"},
}

// tinyMachines are what the source of the simulator has otherwise than this machine. Loads
// of constants and parameters go through the DL1G, and so through the tinyCache. Arithmetic
// has other latencies. The file says "3*2" for all but additions of integers.
var tinyMachines = []configuration{
	{"as is", tinyOff}, {"constants and parameters through the DL1G", tinyConstants},
	{"arithmetic of 3 cycles", tinyOff + "+gpsim-arithmetic"}, {"arithmetic of 6 cycles", tinyOff + "+gpsim-arithmetic(float_factor=2)"},
	{"both, 3 cycles", tinyConstants + "+gpsim-arithmetic"},
}

// tinyLatencies have what answers in 18 cycles (Table 5.1) answer in one, as tinyCaches do.
var tinyLatencies = []configuration{
	{"as is", tinyOff}, {"scratchpad of 1 cycle", tinyOff + "+set(shared_memory.latency_cycles=1)"},
	{"scratchpad and DL1G of 1 cycle", tinyOff + "+set(shared_memory.latency_cycles=1,l1.latency_cycles=1)"},
}

const tinyConstants = tinyOff + "+constants-in-l1"

// tinyAssumed vary what the overlay assumes by 50 %.
var tinyAssumed = []configuration{
	{"queue of 4", tinyOff + "+tinycache(queue_entries=4)"}, {"as assumed", tinyBase}, {"queue of 12", tinyOff + "+tinycache(queue_entries=12)"},
	{"bus of 0.5 mm", tinyOff + "+tinycache(fill_mm=0.5)"}, {"bus of 1.5 mm", tinyOff + "+tinycache(fill_mm=1.5)"},
}

// specsOf lists notC and the specifications of configurations.
func specsOf(list []configuration) []string {
	specs := []string{tinyOff}
	for _, c := range list {
		specs = append(specs, c.spec)
	}
	return specs
}

// withTinyCache lists the specifications of configurations, each with and without
// tinyCaches.
func withTinyCache(list []configuration) []string {
	var specs []string
	for _, c := range list {
		specs = append(specs, c.spec, c.spec+"+tinycache")
	}
	return specs
}

// tinyWorkloads are those of Table 5.2. Two of our programs have several kernels,
// and Table 4.1 tells which of them the thesis ran. The scratchpad has no part in
// its transposition. Of the references of its sgemm, 6.7 % go to global memory, a
// fit for sums in registers (7.2 %) at the 11.99 MB of Parboil's input.
var tinyWorkloads = []Workload{
	{Label: "backprop", Name: "backprop"}, {Label: "bfs", Name: "bfs"}, {Label: "convo", Name: "convolution"}, {Label: "hotspot", Name: "hotspot"},
	{Label: "saxpy", Name: "saxpy", Inputs: map[string]string{"paper": "tiny-caches"}},
	{Label: "sgemm", Name: "sgemm", Set: map[string]string{"kernel": "registers"}},
	{Label: "spmv", Name: "spmv"}, {Label: "srad", Name: "srad-v2"},
	{Label: "transpose", Name: "transpose", Set: map[string]string{"kernels": "both"}, Kernel: "transpose_naive"},
}

func init() {
	sweep := specsOf(tinySizes)
	small := []string{"small"}
	four := []string{tinyOff, tinyBase, tinyBypassShared, tinyBypassGlobal}
	off := []string{tinyOff}
	register("tinycache", "GPSim thesis, chapter 5: a private incoherent write-back cache per lane", func() *Study {
		return &Study{
			Title:         "tinyCache",
			Workloads:     tinyWorkloads,
			Sizes:         []string{"small", "paper"},
			Calibrated:    true, // section 5.4: GPUSimPow, which is fitted to cards, and CACTI for the tinyCaches
			Architectures: four,
			PerLaunch:     four,
			Figures: []Figure{
				{ID: "T4.1", Title: "references of lanes to global memory, of those to global memory and scratchpad", Unit: "%", Series: []string{"notC"}, Architectures: off, Rows: tinyGlobal},
				{ID: "5.1", Title: "dynamic energy of notC by level", Unit: "% of the on-chip memory hierarchy", Series: []string{"DL1G", "scratchpad", "L2", "constant cache"}, Architectures: off, Rows: tinyBreakdownOf(perAccess)},
				{ID: "5.4", Title: "dynamic energy of the on-chip memory hierarchy", Unit: "% of notC", Series: baseAndPick, Rows: tinyRatios(tinyEnergy)},
				{ID: "5.1-lanes", Title: "dynamic energy of notC by level, with an access of DL1G and scratchpad for each lane (section 3.4)", Unit: "% of the on-chip memory hierarchy", Series: []string{"DL1G", "scratchpad", "L2", "constant cache"}, Architectures: off, Rows: tinyBreakdownOf(perLane)},
				{ID: "5.4-lanes", Title: "dynamic energy of the on-chip memory hierarchy, counted so", Unit: "% of notC", Series: baseAndPick, Rows: tinyRatios(tinyEnergyOf(perLane))},
				{ID: "5.7-lane-requests", Title: "requests of lanes to each level", Unit: "% of notC", Series: []string{"DL1G tCbase", "scratchpad tCbase"}, Rows: tinyLaneRequests},
				{ID: "5.5", Title: "IPC", Unit: "% of notC", Series: baseAndPick, Rows: tinyRatios(tinyIPC)},
				{ID: "5.6", Title: "energy-delay of the on-chip memory hierarchy", Unit: "% of notC", Series: baseAndPick, Rows: tinyRatios(tinyEnergyDelay)},
				{ID: "5.7", Title: "accesses to each level", Unit: "% of notC", Series: levelSeries, Rows: tinyLevels},
				{ID: "5.7-lanes", Title: "references of lanes that go on to the DL1G", Unit: "% of notC", Series: baseAndPick, Rows: tinyRatios(counts("global_lanes"))},
				{ID: "5.7-miss", Title: "global miss rate: DRAM accesses over references of lanes", Unit: "%", Series: []string{"notC", "tCbase", "tCpick"}, Rows: tinyMissRate},
				{ID: "5.8", Title: "what to cache: energy-delay and energy", Unit: "% of notC", Series: bypassSeries, Rows: tinyBypass},
				{ID: "5.9", Title: "sizing: IPC, mean of the workloads", Unit: "% of notC", Series: []string{"IPC"}, Architectures: sweep, Sizes: small, Rows: tinyMeans(tinySizes, tinyIPC)},
				{ID: "5.10", Title: "sizing: energy and energy-delay, means of the workloads", Unit: "% of notC", Series: []string{"E", "ED"}, Architectures: sweep, Sizes: small, Rows: tinyMeans(tinySizes, tinyEnergy, tinyEnergyDelay)},
				{ID: "hits", Title: "loads of lanes that hit in their tinyCache", Unit: "%", Series: []string{"tCbase", "64 lines", "64 lines, NON"}, Architectures: []string{tinyBase, tinyLarge, tinyAtMost}, Sizes: small, Rows: tinyHits},
				{ID: "triggers", Title: "tCbase under the triggers of Table 6.5, means of the workloads", Unit: "% of notC under the same trigger", Series: []string{"E", "ED", "IPC"}, Architectures: withTinyCache(tinyTriggers), Sizes: small, Rows: tinyByTrigger(tinyTriggers)},
				{ID: "readings", Title: "tCbase by what switches the warp (D28), means of the workloads", Unit: "% of notC under the same reading", Series: []string{"E", "ED", "IPC"}, Architectures: withTinyCache(tinyReadings), Sizes: small, Rows: tinyByTrigger(tinyReadings)},
				{ID: "machines", Title: "tCbase on the machine of the simulator's source, means of the workloads", Unit: "% of notC on the same machine", Series: []string{"E", "ED", "IPC"}, Architectures: withTinyCache(tinyMachines), Sizes: small, Rows: tinyByTrigger(tinyMachines)},
				{ID: "latencies", Title: "tCbase where scratchpad and DL1G answer as soon as tinyCaches do, means of the workloads", Unit: "% of notC on the same machine", Series: []string{"E", "ED", "IPC"}, Architectures: withTinyCache(tinyLatencies), Sizes: small, Rows: tinyByTrigger(tinyLatencies)},
				{ID: "latencies-ipc", Title: "IPC of tCbase likewise, by workload", Unit: "% of notC on the same machine", Series: []string{tinyLatencies[0].label, tinyLatencies[1].label, tinyLatencies[2].label}, Architectures: withTinyCache(tinyLatencies), Sizes: small, Rows: tinyByWorkload(tinyLatencies, tinyIPC)},
				{ID: "constants", Title: "tCbase with constants and parameters through the DL1G", Unit: "% of notC on the same machine", Series: []string{"E", "DL1G", "IPC"}, Architectures: []string{tinyConstants, tinyConstants + "+tinycache"}, Sizes: small, Rows: tinyConstantRows},
				{ID: "assumed", Title: "assumed values of the overlay, means of the workloads", Unit: "% of notC", Series: []string{"E", "ED", "IPC"}, Architectures: specsOf(tinyAssumed), Sizes: small, Rows: tinyMeans(tinyAssumed, tinyEnergy, tinyEnergyDelay, tinyIPC)},
			},
			Headline: &Headline{Title: "mean energy of the on-chip memory hierarchy with tCbase", Unit: "% of notC", Value: tinyHeadline},
		}
	})
}

var (
	baseAndPick  = []string{"tCbase", "tCpick"}
	levelSeries  = []string{"DL1G tCbase", "scratchpad tCbase", "L2 tCbase", "DL1G tCpick", "scratchpad tCpick", "L2 tCpick"}
	bypassSeries = []string{"ED bypass_none", "ED bypass_shared", "ED bypass_global", "E bypass_none", "E bypass_shared", "E bypass_global"}
)
