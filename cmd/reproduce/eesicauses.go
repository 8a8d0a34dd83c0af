// SPDX-License-Identifier: Apache-2.0

package reproduce

import "github.com/warptape/warptape/trace"

// Experiments on what keeps the EESI study from what is published: one thing changed at a
// time, and what was expected is in notes/eesi.md.

// eesiWaits take the waits of a lane that does not switch away, one after another.
var eesiWaits = []configuration{
	{"as is", ""},
	{"memory in a cycle", "+perfect-memory"},
	{"and results", "+perfect-memory" + eesiForwarded},
	{"and operands", "+perfect-memory" + eesiForwarded + "+set(eesi.read_cycles=0)"},
	{"and buffers of four", "+perfect-memory" + eesiForwarded + "+set(eesi.read_cycles=0,sm.instruction_buffer=4)"},
}

// eesiFetch is a fetch that keeps up with a warp that does not switch.
const eesiFetch = "+set(sm.instruction_buffer=8,sm.fetch_width=4)"

// eesiBaseWaits take the waits of a warp of GPU-PD that does not switch away, likewise.
var eesiBaseWaits = []configuration{
	{"as is", ""},
	{"memory in a cycle", "+perfect-memory"},
	{"and results", "+perfect-memory" + eesiForwarded},
	{"and registers", "+perfect-memory" + eesiForwarded + "+gpsim-registers"},
	{"and 32 banks of scratchpad", "+perfect-memory" + eesiForwarded + "+gpsim-registers+set(shared_memory.banks=32)"},
	{"and fetch", "+perfect-memory" + eesiForwarded + "+gpsim-registers+set(shared_memory.banks=32)" + eesiFetch},
}

// eesiByBaseWait compares GPU-PD that does not switch with GPU-PD that does.
func eesiByBaseWait(d *Data) ([]Row, error) {
	return eesiPairs(d, eesiFour, speed, eesiBaseWaits, eesiNON, eesiPD)
}

// eesiSource gives both systems, one after another, what the thesis's simulator has in the
// place of Fermi's pipeline.
var eesiSource = []struct{ label, base, lanes string }{
	{"as is", "", ""},
	{"arithmetic", "+gpsim-arithmetic", "+gpsim-arithmetic"},
	{"and registers", "+gpsim-arithmetic+gpsim-registers", "+gpsim-arithmetic+set(eesi.read_cycles=0)"},
	{"and fetch", "+gpsim-arithmetic+gpsim-registers" + eesiFetch, "+gpsim-arithmetic+set(eesi.read_cycles=0)" + eesiFetch},
	{"and strict turns", "+gpsim-arithmetic+gpsim-registers" + eesiFetch + "+srr", "+gpsim-arithmetic+set(eesi.read_cycles=0)" + eesiFetch + "+srr"},
}

func sourceNames() (names []string) {
	for _, c := range eesiSource {
		names = append(names, c.label)
	}
	return names
}

// sourceSpecs are a base, and lanes if there are any, with each change.
func sourceSpecs(lanes string, bases ...string) (specs []string) {
	for _, c := range eesiSource {
		for _, base := range bases {
			specs = append(specs, base+c.base)
		}
		if lanes != "" {
			specs = append(specs, lanes+c.lanes)
		}
	}
	return specs
}

// eesiBySource compares EESI that switches at every instruction with GPU-PD that does at
// memory instructions, both changed.
func eesiBySource(d *Data) ([]Row, error) {
	return d.per(eesiFour, func(workload string) ([]float64, error) {
		var values []float64
		for _, c := range eesiSource {
			v, err := relative(d, workload, on(eesiT+c.lanes), on(eesiMEM+c.base), speed)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		return values, nil
	})
}

// eesiSourceBases are the changes of the base.
func eesiSourceBases() (list []configuration) {
	for _, c := range eesiSource {
		list = append(list, configuration{c.label, c.base})
	}
	return list
}

// eesiBySourceSwitch compares GPU-PD that switches at every instruction with GPU-PD that does
// not, both changed.
func eesiBySourceSwitch(d *Data) ([]Row, error) {
	return eesiPairs(d, eesiFour, speed, eesiSourceBases(), eesiPD, eesiNON)
}

// eesiHalfLatencies halves the latencies of memories, which the simulator's file counts in
// cycles of twice its GPU's clock.
const eesiHalfLatencies = "+set(l1.latency_cycles=9,shared_memory.latency_cycles=9,l2.slice.latency_cycles=4,llc.latency_cycles=7,dram.access_ns=25)"

// eesiByLatency compares systems that do not switch with those that do at memory
// instructions, with all latencies of memory and with half of them.
func eesiByLatency(d *Data) ([]Row, error) {
	return d.per(eesiFour, func(workload string) ([]float64, error) {
		var values []float64
		for _, system := range eesiSwitching {
			for _, latencies := range []string{"", eesiHalfLatencies} {
				v, err := relative(d, workload, on(system.non+latencies), on(system.mem+latencies), speed)
				if err != nil {
					return nil, err
				}
				values = append(values, v)
			}
		}
		return values, nil
	})
}

// eesiSwitching are both systems without switching, and with that at memory instructions.
var eesiSwitching = []struct{ non, mem string }{{eesiNON, eesiMEM}, {eesiStays, "eesi+switch(on=mem)"}}

// latencySpecs are the architectures of eesiByLatency.
func latencySpecs() (specs []string) {
	for _, system := range eesiSwitching {
		specs = append(specs, system.non, system.mem, system.non+eesiHalfLatencies, system.mem+eesiHalfLatencies)
	}
	return specs
}

const eesiStays = "eesi+switch(on=non)"

// eesiByWait compares EESI that does not switch with EESI that does.
func eesiByWait(d *Data) ([]Row, error) {
	return eesiPairs(d, eesiFour, speed, eesiWaits, eesiStays, eesiT)
}

// pairSpecs are the architectures of eesiPairs: both systems with each change.
func pairSpecs(changes []configuration, systems ...string) (specs []string) {
	for _, c := range changes {
		for _, system := range systems {
			specs = append(specs, system+c.spec)
		}
	}
	return specs
}

// eesiPairs shows a metric of one system in percent of another's, both with the same
// changes.
func eesiPairs(d *Data, labels []string, metric tinyMetric, changes []configuration, system, other string) ([]Row, error) {
	return d.per(labels, func(workload string) ([]float64, error) {
		var values []float64
		for _, c := range changes {
			v, err := relative(d, workload, on(system+c.spec), on(other+c.spec), metric)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		return values, nil
	})
}

// eesiStrict have strict turns.
var eesiStrict = []configuration{{"GPU-PD", eesiPD + "+srr"}, {"EESI", eesiT + "+srr"}, {"EESI-M", eesiM + "+srr"}, {"GPU-PD/NON", eesiNON + "+srr"}}

// eesiAlone have no tiny instruction caches, and requests for each lane.
var eesiAlone = []configuration{
	{"shared requests", eesiNo},
	{"1 a cycle", "eesi+set(eesi.tiny_lines=0,eesi.requests_alone=true)"},
	{"8 a cycle", "eesi+set(eesi.tiny_lines=0,eesi.requests_alone=true,eesi.line_requests=8)"},
	{"16 a cycle", "eesi+set(eesi.tiny_lines=0,eesi.requests_alone=true,eesi.line_requests=16)"},
}

// eesiAloneSizes are sizes of the tiny instruction cache with such requests.
var eesiAloneSizes = []configuration{
	{"8 x 64 B", "eesi+set(eesi.requests_alone=true,eesi.tiny_lines=8)"},
	{"16 x 64 B", "eesi+set(eesi.requests_alone=true)"},
	{"32 x 64 B", "eesi+set(eesi.requests_alone=true,eesi.tiny_lines=32)"},
	{"64 x 64 B", "eesi+set(eesi.requests_alone=true,eesi.tiny_lines=64)"},
}

// eesiWarps are numbers of warps on an SM.
var eesiWarps = []configuration{{"24 warps", ""}, {"8 warps", "+set(sm.max_warps=8,sm.max_threads=256)"}}

// eesiByWarps compares EESI with the base at the same number of warps.
func eesiByWarps(d *Data) ([]Row, error) {
	return eesiPairs(d, eesiFour, speed, eesiWarps, eesiT, eesiPD)
}

// eesiOfFew shows a metric of systems for some of the workloads, in percent of GPU-PD/ALL.
func eesiOfFew(labels []string, metric tinyMetric, list []configuration) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) { return eesiOf(d, labels, metric, eesiPD, specList(list)...) }
}

// eesiDrifting are programs for what EESI-M costs.
var eesiDrifting = []string{"needle", "backprop", "srad"}

// eesiFreed are changes that may have hidden what skewed accesses cost under EESI-M.
var eesiFreed = []configuration{
	{"as is", ""},
	{"no tinyCaches", "+set(tinycache.enabled=false)"},
	{"8 warps", "+set(sm.max_warps=8,sm.max_threads=256)"},
	{"DL1 of 8 KB", "+set(l1.bytes=8KiB)"},
	{"accesses alone", "+set(eesi.accesses_alone=true)"},
	{"requests alone", eesiOwnLines},
}

// eesiOwnLines has each lane ask for its own lines of instructions.
const eesiOwnLines = "+set(eesi.requests_alone=true)"

// onChipOfLanes is onChip of a machine of warps, with registers of the pipeline that cost by
// the lanes that take part in an instruction.
func onChipOfLanes(d *Data, r run) (float64, error) {
	sum, instructions := 0.0, 0.0
	for _, m := range r {
		report, err := d.Energy(m)
		if err != nil {
			return 0, err
		}
		threads := m.Count("issued_thread_instructions")
		taking := threads / (trace.WarpSize * m.Count("issued_warp_instructions"))
		pipeline := report.Node("chip/sm/pipeline").DynamicJ + report.Node("chip/sm/front end/pipeline").DynamicJ
		sum += report.Node("chip").DynamicJ - report.Node("chip/DRAM").DynamicJ - float64(pipeline*(1-taking))
		instructions += threads
	}
	return sum / instructions, nil
}

// eesiEnergyByLanes compares the energy of EESI with that of such a base.
func eesiEnergyByLanes(d *Data) ([]Row, error) {
	return d.per(d.ownRows(), func(workload string) ([]float64, error) {
		var values [2]float64
		for i, c := range []struct {
			spec   string
			metric tinyMetric
		}{{eesiT, onChip}, {eesiPD, onChipOfLanes}} {
			r, err := on(c.spec)(d, workload)
			if err != nil {
				return nil, err
			}
			if values[i], err = c.metric(d, r); err != nil {
				return nil, err
			}
		}
		return []float64{Percent(values[0], values[1])}, nil
	})
}

func eesiByFreedom(d *Data) ([]Row, error) {
	return eesiPairs(d, eesiDrifting, delay, eesiFreed, eesiM, eesiT)
}
