// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"slices"
	"strings"

	cputraces "github.com/warptape/warptape/traces/cpu"
)

// fuseBeside are the GPU workloads of Table 4.4, all at small inputs: a millisecond of
// four cores takes ten seconds.
var fuseBeside = []struct {
	label, name string
	inputs      map[string]string
}{
	{"backprop", "backprop", smallInput}, {"spmv", "spmv", smallInput}, {"saxpy", "saxpy", smallInput}, {"transpose", "transpose", smallInput},
	{"lbm", "lbm", map[string]string{"small": "tiny", "paper": "tiny"}}, {"bfs", "bfs", smallInput}, {"srad", "srad-v2", smallInput},
}

var smallInput = map[string]string{"paper": "small"}

// fuseSystems are the systems under the names of Table 4.3.
var fuseSystems = []struct{ label, spec string }{
	{"typSoC", typSoC}, {"copySoC", copySoC}, {"FuseTLB", fuseTLB}, {"noSTLB", noSTLB}, {"privTLB", privTLB},
}

// fuseMixes are a set of CPU programs each with a GPU workload, on every system, and
// the sets alone, with each size of the shared TLB.
func fuseMixes() []Workload {
	var list []Workload
	for _, set := range cputraces.Sets() {
		for _, g := range fuseBeside {
			list = append(list, Workload{Label: g.label + " " + set.Name, Name: g.name, CPU: set.Name, Inputs: g.inputs, Architectures: fuseSpecs(fuseSystems)})
		}
		list = append(list, Workload{Label: set.Name, CPU: set.Name, Architectures: fuseSpecs(stlbSizes)})
	}
	return list
}

// fuseSharing are programs whose four threads share memory, each alone.
func fuseSharing() []Workload {
	var list []Workload
	for _, set := range cputraces.SharingSets() {
		list = append(list, Workload{Label: set.Name, CPU: set.Name, Apart: true})
	}
	return list
}

func fuseSharingLabels() (labels []string) {
	for _, set := range cputraces.SharingSets() {
		labels = append(labels, set.Name)
	}
	return labels
}

func fuseSpecs(list []struct{ label, spec string }) []string {
	var specs []string
	for _, x := range list {
		specs = append(specs, x.spec)
	}
	return specs
}

// WeightedSpeedup is equation 4.1: the mean of what each program's instructions per
// cycle are of those that it has alone.
func WeightedSpeedup(programs []ProgramRun) float64 {
	sum := 0.0
	for i := range programs {
		sum += programs[i].speedup()
	}
	return sum / float64(len(programs))
}

// HarmonicSpeedup is equation 4.2: their harmonic mean.
func HarmonicSpeedup(programs []ProgramRun) float64 {
	sum := 0.0
	for i := range programs {
		sum += 1 / programs[i].speedup()
	}
	return float64(len(programs)) / sum
}

func (p *ProgramRun) speedup() float64 {
	return p.ipc() / (float64(p.AloneInstructions) / float64(p.AloneCycles))
}

// mixes are the labels of the mixes.
func (s *Study) mixes() []string {
	var labels []string
	for i := range s.Workloads {
		if w := &s.Workloads[i]; w.CPU != "" && w.Name != "" {
			labels = append(labels, w.Label)
		}
	}
	return labels
}

func fuseFairness(d *Data) ([]Row, error) {
	var rows []Row
	for _, mix := range d.Study.mixes() {
		m, err := d.Run(mix, fuseTLB)
		if err != nil {
			return nil, err
		}
		rows = append(rows, Row{Label: mix, Values: []float64{WeightedSpeedup(m.Programs), HarmonicSpeedup(m.Programs)}})
	}
	return append(rows, meanOf("mean", rows, Mean(rows))), nil
}

// fuseBoxes shows the distribution over the mixes on each system, as a box plot does.
// The last rows are what FuseTLB has more than copySoC.
func fuseBoxes(d *Data) ([]Row, error) {
	var rows []Row
	for _, measure := range []struct {
		label string
		of    func([]ProgramRun) float64
	}{{"weighted", WeightedSpeedup}, {"harmonic", HarmonicSpeedup}} {
		boxes := map[string][]float64{}
		for _, s := range fuseSystems {
			var values []float64
			for _, mix := range d.Study.mixes() {
				m, err := d.Run(mix, s.spec)
				if err != nil {
					return nil, err
				}
				values = append(values, measure.of(m.Programs))
			}
			boxes[s.label] = box(values)
			rows = append(rows, Row{Label: s.label + ", " + measure.label, Values: boxes[s.label]})
		}
		var more []float64
		for i, v := range boxes["FuseTLB"] {
			more = append(more, v-boxes["copySoC"][i])
		}
		rows = append(rows, Row{Label: "FuseTLB less copySoC, " + measure.label, Values: more})
	}
	return rows, nil
}

var boxSeries = []string{"least", "lower quartile", "median", "upper quartile", "greatest"}

// box is the five numbers of a box plot; quantiles between two values are on the line
// between them.
func box(values []float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	var out []float64
	for i := range boxSeries {
		at := float64(float64(i) / 4 * float64(len(sorted)-1))
		low := int(at)
		high := min(low+1, len(sorted)-1)
		out = append(out, sorted[low]+float64((at-float64(low))*(sorted[high]-sorted[low])))
	}
	return out
}

// fuseSets shows a metric of sets alone for each size of the shared TLB.
func fuseSets(sets []cputraces.Set, value fuseMetric) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		var rows []Row
		for _, set := range sets {
			var values []float64
			for _, size := range stlbSizes {
				v, err := fuseOver(d, set.Name, size.spec, fuseTLB, value)
				if err != nil {
					return nil, err
				}
				values = append(values, v)
			}
			rows = append(rows, Row{Label: fmt.Sprintf("%s (%s)", set.Name, strings.Join(set.Programs, ", ")), Values: values})
		}
		return append(rows, meanOf("mean", rows, Mean(rows))), nil
	}
}

// throughput is the sum of the programs' instructions per cycle.
func throughput(_ *Data, m *Measurement) (float64, error) {
	sum := 0.0
	for i := range m.Programs {
		sum += m.Programs[i].ipc()
	}
	return sum, nil
}

// fuseCPUTraffic is the coherence messages of the cores alone among their messages
// beyond the private caches and, as a second series, among all their loads and stores.
func fuseCPUTraffic(sets []cputraces.Set, series int) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		var rows []Row
		for _, set := range sets {
			m, err := d.Run(set.Name, fuseTLB)
			if err != nil {
				return nil, err
			}
			coherence := m.Count("cpu_probes") + m.Count("cpu_l2_upgrades")
			beyond, all := m.Count("cpu_l2_misses")+m.Count("cpu_l2_write_backs"), m.Count("cpu_loads")+m.Count("cpu_stores")
			values := []float64{Percent(coherence, coherence+beyond), Percent(coherence, coherence+all)}
			rows = append(rows, Row{Label: set.Name, Values: values[:series]})
		}
		return append(rows, meanOf("mean", rows, Mean(rows))), nil
	}
}
