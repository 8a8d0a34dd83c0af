// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// offloadAfter are variants of programs after Table 3, by what they stand for: two loads in
// global memory where ours has one, and operands in different partitions. "unrolled" has the inner loop as
// the compiler unrolls it, since nothing in the benchmarks' sources keeps it from that.
var offloadAfter = []struct {
	of string
	Workload
}{
	{"COMPARE", Workload{Label: "COMPARE-strided", Name: "compare-strided"}},
	{"KMN", Workload{Label: "KMN-global", Name: "kmeans-global"}},
	{"KMN", Workload{Label: "KMN-unrolled", Name: "kmeans-global", Set: map[string]string{"unrolled": "1"}}},
	{"SRAD", Workload{Label: "SRAD-global", Name: "srad-v2-global"}},
	{"STREAM", Workload{Label: "STREAM-global", Name: "streamcluster-global"}},
	{"STREAM", Workload{Label: "STREAM-unrolled", Name: "streamcluster-global", Set: map[string]string{"unrolled": "1"}}},
	{"TRIAD", Workload{Label: "TRIAD-strided", Name: "triad-strided"}},
}

// offloadLengths are the elements of the micro-benchmarks in the sweep. The first is a thread for
// every slot: 56 cores of 1536 threads (section 5, "large enough to fill the workgroup slots").
var offloadLengths = []int{86016, 2 * 86016, 4 * 86016, 8 * 86016, 16 * 86016}

// offloadLength is a micro-benchmark of some length.
func offloadLength(w Workload, n int) Workload {
	return Workload{Label: fmt.Sprintf("%s, %d", w.Label, n), Name: w.Name, Set: map[string]string{"n": fmt.Sprint(n)}, Apart: true}
}

// offloadAligned are the micro-benchmarks whose chains have all data in one partition.
var offloadAligned = []Workload{{Label: "COPY-ALIGNED", Name: "copy-aligned"}, {Label: "DENSITY", Name: "density"}, {Label: "VECADD-ALIGNED", Name: "vecadd-aligned"}, {Label: "NORM", Name: "norm"}}

// offloadExtra are the workloads that only the figures here show.
func offloadExtra() []Workload {
	var list []Workload
	for _, v := range offloadAfter {
		w := v.Workload
		w.Apart = true
		list = append(list, w)
	}
	for _, w := range offloadMicro {
		for _, n := range offloadLengths {
			list = append(list, offloadLength(w, n))
		}
	}
	return list
}

// offloadInPlace are the labels of a group with variants in the place of what they stand for;
// where there are two, those whose label ends as said.
func offloadInPlace(group []Workload, ending string) []string {
	labels := offloadLabels(false, group)
	for _, v := range offloadAfter {
		i := slices.IndexFunc(group, func(w Workload) bool { return w.Label == v.of })
		if i >= 0 && (labels[i] == v.of || strings.HasSuffix(v.Label, ending)) {
			labels[i] = v.Label
		}
	}
	return labels
}

// offloadVariantRows are the variants' rows of a table, and the means of the groups with variants
// in place.
func offloadVariantRows(value func(d *Data, workload string) ([]float64, error)) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		var rows []Row
		add := func(list *[]Row, label string) error {
			values, err := value(d, label)
			*list = append(*list, Row{Label: label, Values: values})
			return err
		}
		for _, v := range offloadAfter {
			if err := add(&rows, v.Label); err != nil {
				return nil, err
			}
		}
		for _, mean := range []struct {
			label, ending string
			group         []Workload
		}{{"micro mean with variants", "-strided", offloadMicro}, {"mean with variants", "-global", offloadNine}, {"mean with variants, unrolled", "-unrolled", offloadNine}} {
			var of []Row
			for _, label := range offloadInPlace(mean.group, mean.ending) {
				if err := add(&of, label); err != nil {
					return nil, err
				}
			}
			rows = append(rows, meanOf(mean.label, of, Mean(of)))
		}
		return rows, nil
	}
}

// offloadAfterTable3 are the figures of the variants.
func offloadAfterTable3(present []offloadMechanism) []Figure {
	labels := offloadLabels(true, offloadMicro, offloadNine)
	for _, v := range offloadAfter {
		labels = append(labels, v.Label)
	}
	figures := []Figure{{
		ID: "table-3-variants", Title: "what can be offloaded of variants after Table 3", Unit: "% of warp instructions; % of memory requests", Sizes: offloadSweepSizes,
		Series: []string{"instructions", "requests"}, Workloads: labels, Architectures: []string{offloadOff},
		Rows: offloadVariantRows(offloadTaggedOf),
	}}
	if len(present) == 0 {
		return figures
	}
	var series, specs []string
	for _, m := range present {
		series, specs = append(series, m.label), append(specs, offloadOff+"+"+m.overlay)
	}
	relative := func(id, title string, metric func(*Data, *Measurement) (float64, error)) Figure {
		return Figure{ID: id, Title: title, Unit: "% of no offloading", Sizes: offloadSweepSizes, Series: series, Workloads: labels, Architectures: append([]string{offloadOff}, specs...),
			Rows: offloadVariantRows(func(d *Data, workload string) ([]float64, error) {
				return offloadRelative(d, workload, offloadOff, specs, metric)
			})}
	}
	return append(figures,
		relative("11a-variants", "performance of variants after Table 3", offloadSpeed),
		relative("11c-variants", "weighted hop count of variants after Table 3", offloadWeighted),
		Figure{ID: "12-variants", Title: "chains of variants that were computed elsewhere", Unit: "% of offloadable chains", Sizes: offloadSweepSizes, Series: series, Workloads: labels, Architectures: specs,
			Rows: offloadVariantRows(offloadOfChains(specs))},
	)
}

// offloadTaggedOf are the columns of Table 3 for a workload; RED is the version that is offloaded.
func offloadTaggedOf(d *Data, workload string) ([]float64, error) {
	if workload == "RED" {
		workload = offloadHybrid
	}
	return offloadTaggedAs(d, workload)
}

// offloadTaggedAs are the columns for exactly that program.
func offloadTaggedAs(d *Data, workload string) ([]float64, error) {
	m, err := d.Run(workload, offloadOff)
	if err != nil {
		return nil, err
	}
	if m.Program == nil {
		return []float64{math.NaN(), math.NaN()}, nil // measured before this was counted
	}
	of := func(name string) float64 { return float64(m.Program[name]) }
	return []float64{Percent(of(programChainInstructions), of(programWarp)), Percent(of(programChainRequests), of(programRequests))}, nil
}

// offloadSweepOfLengths is the performance of the micro-benchmarks by their length.
func offloadSweepOfLengths(present []offloadMechanism) []Figure {
	if len(present) == 0 {
		return nil
	}
	f := Figure{ID: "11a-n", Title: "performance of the micro-benchmarks by elements", Unit: "% of no offloading; % of aligned packets", Sizes: offloadSweepSizes, Architectures: []string{offloadOff}, Workloads: []string{}}
	var specs []string
	for _, m := range present {
		f.Series, specs = append(f.Series, m.label), append(specs, offloadOff+"+"+m.overlay)
	}
	f.Architectures = append(f.Architectures, specs...)
	f.Series = append(f.Series, "aligned packets that find the service queue full")
	for _, w := range offloadExtra() {
		if w.Set["n"] != "" {
			f.Workloads = append(f.Workloads, w.Label)
		}
	}
	f.Rows = func(d *Data) ([]Row, error) {
		var rows []Row
		for _, n := range offloadLengths {
			var of, full []Row
			for _, w := range offloadMicro {
				at := offloadLength(w, n)
				values, err := offloadRelative(d, at.Label, offloadOff, specs, offloadSpeed)
				if err != nil {
					return nil, err
				}
				of = append(of, Row{Values: values})
				if !slices.ContainsFunc(offloadAligned, func(a Workload) bool { return a.Label == w.Label }) {
					continue
				}
				m, err := d.Run(at.Label, specs[0])
				if err != nil {
					return nil, err
				}
				full = append(full, Row{Values: []float64{offloadFull(m)}})
			}
			rows = append(rows, Row{Label: fmt.Sprint(n), Values: append(Mean(of), Mean(full)...)})
		}
		return rows, nil
	}
	return []Figure{f}
}

// offloadFull is the part of the packets that find a service queue full, in percent.
func offloadFull(m *Measurement) float64 {
	back := m.Count("offload_returned") + m.Count("offload_refused")
	return Percent(back, back+m.Count("offload_answers"))
}

// offloadFullness is how many packets of the aligned micro-benchmarks find the service queue full,
// with one thing changed at a time.
func offloadFullness(has func(string) bool) []Figure {
	if !has(offloadLLC) {
		return nil
	}
	base := offloadOff + "+" + offloadLLC
	f := Figure{ID: "full", Title: "packets that find the service queue full, with one thing changed", Unit: "% of packets", Sizes: offloadSweepSizes,
		Series:        []string{"as is", "512 entries", "DRAM of twice the clock", "copies leave their data in L2", "24 entries of offload queues"},
		Architectures: []string{base, offloadOff + "+" + with(offloadLLC, "service_entries=512"), base + "+set(clocks.dram_mhz=2000)", base + "+set(l2.preload_copies=true)", offloadOff + "+" + with(offloadLLC, "queue_entries=24")}}
	for _, w := range offloadAligned {
		f.Workloads = append(f.Workloads, w.Label, offloadLength(w, offloadLengths[0]).Label)
	}
	f.Rows = func(d *Data) ([]Row, error) {
		var rows []Row
		for _, label := range f.Workloads {
			row := Row{Label: label}
			for _, spec := range f.Architectures {
				m, err := d.Run(label, spec)
				if err != nil {
					return nil, err
				}
				row.Values = append(row.Values, offloadFull(m))
			}
			rows = append(rows, row)
		}
		return append(rows, meanOf("mean", rows, Mean(rows))), nil
	}
	return []Figure{f}
}

// offloadElsewhere is Omni-Compute on other networks than Fig. 15 has: on a mesh that requests
// and replies share, and on a butterfly whose routers compute.
func offloadElsewhere(has func(string) bool) []Figure {
	if !has(offloadOmni) {
		return nil
	}
	const shared, fly = offloadOff + "+shared-mesh", offloadOff + "+butterfly"
	specs := []string{shared, shared + "+" + offloadOmni, fly, fly + "+" + offloadOmni, fly + "+" + with(offloadOmni, "routers=compute")}
	return []Figure{{
		ID: "15-others", Title: "performance on a shared mesh, and on a butterfly whose routers compute", Unit: "% of the mesh", Sizes: offloadSweepSizes,
		Series:    []string{"shared mesh", "shared mesh, Omni", "butterfly", "butterfly, Omni", "butterfly, Omni in routers"},
		Workloads: offloadLabels(true, offloadNine), Architectures: append([]string{offloadOff}, specs...),
		Rows: offloadApplications(func(d *Data, workload string) ([]float64, error) {
			return offloadRelative(d, workload, offloadOff, specs, offloadSpeed)
		}),
	}}
}

// offloadKernels is performance per watt of kernels alone: DRAM's part of copies from and to the
// host is left out.
func offloadKernels(d *Data, m *Measurement) (float64, error) {
	r, err := d.EnergyAs(m, m.Architecture+offloadPriced)
	if err != nil {
		return 0, err
	}
	return 1 / (r.Total().TotalJ() - r.Node("chip/DRAM/copies").TotalJ()), nil
}

// offloadLeakage is how much of the network's energy is leakage, and the network's part of the
// GPU's dynamic energy, with router buffers of flip-flops and of SRAM.
func offloadLeakage(d *Data, workload string) ([]float64, error) {
	m, err := d.Run(workload, offloadOff)
	if err != nil {
		return nil, err
	}
	var values []float64
	for _, spec := range []string{offloadOff + offloadPriced, offloadOff} {
		r, err := d.EnergyAs(m, spec)
		if err != nil {
			return nil, err
		}
		network, all := r.Node("chip/network"), r.Total()
		values = append(values, Percent(network.StaticJ, network.TotalJ()), Percent(network.DynamicJ, all.DynamicJ))
	}
	return values, nil
}
