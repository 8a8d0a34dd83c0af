// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"slices"
	"strings"
)

// The configurations of the near-data computing paper (section 5). Mechanisms are
// overlays; a figure has their columns when they exist.
const (
	offloadOff  = "mesh56"
	offloadLLC  = "llc-compute"
	offloadOmni = "omni-compute"
	// offloadPriced prices router buffers as the paper's DSENT does (section 5).
	offloadPriced = "+dsent-buffers"
	offloadDeep   = offloadOff + "+deep-injection"
)

// offloadMechanism is a mechanism with the paper's name for it.
type offloadMechanism struct{ label, overlay string }

var offloadMechanisms = []offloadMechanism{{"LLC-Compute", offloadLLC}, {"Omni-Compute", offloadOmni}}

// offloadMicro and offloadNine are the rows of Table 3.
var (
	offloadMicro = []Workload{
		{Label: "COMPARE", Name: "compare"}, {Label: "COPY-ALIGNED", Name: "copy-aligned"}, {Label: "COPY-STRIDED", Name: "copy-strided"},
		{Label: "DENSITY", Name: "density"}, {Label: "VECADD-ALIGNED", Name: "vecadd-aligned"}, {Label: "VECADD-STRIDED", Name: "vecadd-strided"},
		{Label: "NORM", Name: "norm"},
	}
	offloadNine = []Workload{
		{Label: "BFS", Name: "bfs"}, {Label: "FDTD", Name: "fdtd"},
		{Label: "KMN", Name: "kmeans"},
		{Label: "MVT", Name: "mvt"}, offloadRED("RED", "shared"), {Label: "SCP", Name: "scalar-product", Set: offloadFilled},
		{Label: "SRAD", Name: "srad-v2"}, {Label: "STREAM", Name: "streamcluster"}, {Label: "TRIAD", Name: "triad"},
	}
)

// offloadFilled are the sizes of SCP with which it fills the slots for thread blocks, as
// section 5 says of all inputs. The 56 cores take 336 blocks of 256 threads, and the
// sample's own launch has 128.
var offloadFilled = map[string]string{"blocks": "512", "vectors": "512"}

// offloadVariants are the versions of RED of section 6.2 other than the unmodified one.
var offloadVariants = []string{"global", "hybrid-1", "hybrid-2", "hybrid-3"}

// offloadSweepSizes are those at which more than the three systems of Fig. 11 is
// replayed: queues, ALUs, networks and the other placement. The programs of size paper
// execute 260 million warp instructions, which is ten core minutes a system.
var offloadSweepSizes = []string{"small"}

// offloadHybrid is the one with offloading.
const offloadHybrid = "RED-hybrid-2"

// offloadRED is a version of RED.
func offloadRED(label, variant string) Workload {
	return Workload{Label: label, Name: "reduction-variants", Set: map[string]string{"variant": variant}}
}

// offloadRun is the run of a workload. Without offloading all are unmodified
// (section 5); with it RED is its second hybrid (section 6.2).
func offloadRun(d *Data, workload, spec string) (*Measurement, error) {
	if workload == "RED" && slices.ContainsFunc(offloadMechanisms, func(m offloadMechanism) bool { return strings.Contains(spec, m.overlay) }) {
		workload = offloadHybrid
	}
	return d.Run(workload, spec)
}

func init() {
	register("offload", "Pattnaik, Tang, Kayiran, Jog, Mishra, Kandemir, Sivasubramaniam and Das, Opportunistic computing in GPU architectures, ISCA 2019: computing at last-level caches and on the way to them", func() *Study { return newOffloadStudy(hasOverlay) })
}

// newOffloadStudy is the study with the overlays that there are.
func newOffloadStudy(has func(overlay string) bool) *Study {
	s := &Study{
		Title:         "Opportunistic computing",
		Workloads:     slices.Concat(offloadMicro, offloadNine),
		Sizes:         []string{"small", "paper"},
		Calibrated:    true,                     // section 5: GPUWattch for cores, caches and DRAM
		Uncalibrated:  []string{"chip/network"}, // section 5: DSENT
		Architectures: []string{offloadOff},
		Program:       offloadProgram,
		Headline:      &Headline{Title: "mean network power", Unit: "% of the GPU's", Value: offloadHeadline},
	}
	var present []offloadMechanism
	for _, m := range offloadMechanisms {
		if has(m.overlay) {
			present = append(present, m)
		}
	}
	s.Figures = slices.Concat(offloadTagged(), offloadMovement(), offloadEffects(present), offloadTopologies(has(offloadOmni)), offloadPlacements(has(offloadOmni)),
		offloadReductions(has(offloadLLC)), offloadSweeps(has), offloadAfterTable3(present), offloadSweepOfLengths(present), offloadFullness(has), offloadElsewhere(has), offloadBounds(present), offloadCauses(present))
	for _, v := range offloadVariants {
		w := offloadRED("RED-"+v, v)
		w.Apart = true
		s.Workloads = append(s.Workloads, w)
	}
	s.Workloads = append(s.Workloads, offloadExtra()...)
	return s
}

// offloadRows makes a row for each workload of a group, and a last one of their
// means under a name.
func offloadRows(group []Workload, mean string, value func(workload string) ([]float64, error)) ([]Row, error) {
	var rows []Row
	for i := range group {
		values, err := value(group[i].Label)
		if err != nil {
			return nil, err
		}
		rows = append(rows, Row{Label: group[i].Label, Values: values})
	}
	return append(rows, meanOf(mean, rows, Mean(rows))), nil
}

// offloadLabels are those of groups, with the version of RED that stands for it
// where something is offloaded.
func offloadLabels(offloading bool, groups ...[]Workload) []string {
	var labels []string
	for _, w := range slices.Concat(groups...) {
		labels = append(labels, w.Label)
	}
	if offloading {
		labels = append(labels, offloadHybrid)
	}
	return labels
}

// offloadBoth has the micro-benchmarks with "micro mean", then the applications
// with "mean", each with means of its own as the paper states them.
func offloadBoth(value func(d *Data, workload string) ([]float64, error)) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		of := func(workload string) ([]float64, error) { return value(d, workload) }
		micro, err := offloadRows(offloadMicro, "micro mean", of)
		if err != nil {
			return nil, err
		}
		nine, err := offloadRows(offloadNine, "mean", of)
		return append(micro, nine...), err
	}
}

// offloadApplications has the nine applications and their mean.
func offloadApplications(value func(d *Data, workload string) ([]float64, error)) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		return offloadRows(offloadNine, "mean", func(workload string) ([]float64, error) { return value(d, workload) })
	}
}

// offloadRelative is a metric on each specification in percent of that on base.
func offloadRelative(d *Data, workload, base string, specs []string, metric func(d *Data, m *Measurement) (float64, error)) ([]float64, error) {
	of := func(spec string) (float64, error) {
		m, err := offloadRun(d, workload, spec)
		if err != nil {
			return 0, err
		}
		return metric(d, m)
	}
	reference, err := of(base)
	if err != nil {
		return nil, err
	}
	var values []float64
	for _, spec := range specs {
		v, err := of(spec)
		if err != nil {
			return nil, err
		}
		values = append(values, Percent(v, reference))
	}
	return values, nil
}

// offloadSpeed is performance: the same program in fewer cycles.
func offloadSpeed(_ *Data, m *Measurement) (float64, error) { return 1 / float64(m.Cycles), nil }

// offloadEfficiency is performance per watt, that is, programs per joule.
func offloadEfficiency(d *Data, m *Measurement) (float64, error) {
	r, err := d.EnergyAs(m, m.Architecture+offloadPriced)
	if err != nil {
		return 0, err
	}
	return 1 / r.Total().TotalJ(), nil
}

// offloadHops is the weighted hop count (section 6).
func offloadHops(m *Measurement) float64 {
	return m.Count("request_flit_hops") + m.Count("reply_flit_hops")
}
