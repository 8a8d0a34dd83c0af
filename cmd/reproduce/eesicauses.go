// SPDX-License-Identifier: Apache-2.0

package reproduce

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
}

func eesiByFreedom(d *Data) ([]Row, error) {
	return eesiPairs(d, eesiDrifting, delay, eesiFreed, eesiM, eesiT)
}
