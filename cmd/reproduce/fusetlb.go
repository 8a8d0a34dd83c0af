// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"math"
	"slices"

	cputraces "github.com/warptape/warptape/traces/cpu"
)

// The systems of the thesis's Table 4.3.
const (
	typSoC  = "gpsim-soc+cpu+typsoc"
	copySoC = "gpsim-soc+cpu+copysoc"
	fuseTLB = "gpsim-soc+cpu+fusetlb"
	noSTLB  = "gpsim-soc+cpu+nostlb"
	privTLB = "gpsim-soc+cpu+privtlb"
)

// stlbSizes are FuseTLB with other shared TLBs (Figures 4.14 and 4.15).
var stlbSizes = []struct{ label, spec string }{
	{"256", with(fuseTLB, "tlb_entries=256")}, {"512", fuseTLB}, {"1024", with(fuseTLB, "tlb_entries=1024")}, {"2048", with(fuseTLB, "tlb_entries=2048")},
}

// fuseBlocks are what section 4.6.1 counts to the memory hierarchy, with the parts
// of the chip that they are.
var fuseBlocks = []struct {
	label string
	nodes []string
}{
	{"scratchpad", []string{"chip/sm/shared memory"}},
	{"SM-L1", []string{"chip/sm/L1"}},
	{"SM-L2", []string{"chip/L2"}},
	{"TLB", []string{"chip/shared TLB", "chip/sm/TLB"}},
	{"LLC", []string{"chip/LLC"}},
	{"coherence", []string{"chip/coherence"}},
}

// fuseExtreme are the applications that the thesis leaves out of its second mean
// (section 4.6.2): they gain 20 to 50 times.
var fuseExtreme = []string{"saxpy", "convo", "spmv"}

func init() {
	sizes, all := fuseSpecs(stlbSizes), fuseSpecs(fuseSystems)
	alone := []string{}        // the sets have architectures of their own
	small := []string{"small"} // three systems more, on which no program differs
	register("fusetlb", "GPSim thesis, chapter 4: a CPU and a GPU on one die that share a TLB and pages", func() *Study {
		return &Study{
			Title: "FuseTLB",
			Workloads: append([]Workload{
				{Label: "backprop", Name: "backprop"}, {Label: "bfs", Name: "bfs"}, {Label: "convo", Name: "convolution"}, {Label: "hotspot", Name: "hotspot"},
				{Label: "lbm", Name: "lbm"}, {Label: "saxpy", Name: "saxpy"}, {Label: "sgemm", Name: "sgemm"}, {Label: "spmv", Name: "spmv"},
				{Label: "srad", Name: "srad-v2"}, {Label: "transpose", Name: "transpose"},
			}, slices.Concat(fuseMixes(), fuseSharing())...),
			Sizes:         []string{"small", "paper"},
			Architectures: all,
			Figures: append([]Figure{
				{ID: "4.1", Title: "time of memory transfers over time of GPU compute, with copies (copySoC)", Unit: "x", Series: []string{"ratio"}, Architectures: []string{copySoC}, Rows: fuseTransfer},
				{ID: "4.3", Title: "dynamic energy of the memory hierarchy: what is gone without coherence, and without copies", Unit: "% of typSoC", Series: []string{"coherence", "copies", "FuseTLB"}, Architectures: all[:3], Rows: fuseContributions},
				{ID: "4.4", Title: "coherence messages among the messages of the SMs", Unit: "%", Series: []string{"GPU"}, Architectures: all[:1], Rows: fuseTraffic},
				{ID: "4.4-cpu", Title: "coherence messages among the messages of the cores, without a GPU workload", Unit: "%", Series: []string{"CPU"}, Architectures: alone, Rows: fuseCPUTraffic(cputraces.Sets(), 1)},
				{ID: "4.5", Title: "dynamic energy of the memory hierarchy", Unit: "% of copySoC", Series: []string{"typSoC", "FuseTLB"}, Architectures: all[:3], Rows: fuseEnergies(typSoC, fuseTLB)},
				{ID: "4.5-cores", Title: "the same with the private caches and TLBs of the cores", Unit: "% of copySoC", Series: []string{"typSoC", "FuseTLB"}, Architectures: all[:3], Rows: fuseEnergiesWithCores(typSoC, fuseTLB)},
				{ID: "4.6", Title: "dynamic energy of the memory hierarchy by block, copySoC", Unit: "%", Series: blockLabels(), Architectures: []string{copySoC}, Rows: fuseShares(copySoC)},
				{ID: "4.7-nostlb", Title: "dynamic energy of the memory hierarchy by block, noSTLB", Unit: "%", Series: blockLabels(), Architectures: []string{noSTLB}, Rows: fuseShares(noSTLB)},
				{ID: "4.7-privtlb", Title: "dynamic energy of the memory hierarchy by block, privTLB", Unit: "%", Series: blockLabels(), Architectures: []string{privTLB}, Rows: fuseShares(privTLB)},
				{ID: "4.8", Title: "dynamic energy of the memory hierarchy by the organisation of TLBs", Unit: "% of copySoC", Series: []string{"FuseTLB", "noSTLB", "privTLB"}, Architectures: all[1:], Rows: fuseEnergies(fuseTLB, noSTLB, privTLB)},
				{ID: "4.9", Title: "time with FuseTLB, of the whole program and of its parts; means are of times", Unit: "% of copySoC, x", Series: []string{"time", "speed-up", "CPU time", "GPU time"}, Architectures: all[1:3], Rows: fuseSpeedUp},
				{ID: "4.10", Title: "misses of the last-level cache per million instructions", Unit: "% of copySoC", Series: []string{"FuseTLB", "misses alone"}, Architectures: all[1:3], Rows: fuseMisses},
				{ID: "4.11", Title: "instructions per cycle: of the CPU with copies, of the GPU in percent of copySoC", Unit: "IPC, % of copySoC", Series: []string{"CPU copySoC", "GPU FuseTLB"}, Architectures: all[1:3], Rows: fuseIPC},
				{ID: "4.12", Title: "programs on the CPU beside a GPU workload, FuseTLB", Unit: "of alone", Series: []string{"weighted speed-up", "harmonic speed-up"}, Architectures: alone, Rows: fuseFairness},
				{ID: "4.13", Title: "programs on the CPU beside a GPU workload: distribution over the mixes", Unit: "of alone", Series: boxSeries, Architectures: alone, Rows: fuseBoxes},
				{ID: "4.14-ipc", Title: "GPU instructions per cycle by entries of the shared TLB", Unit: "% of 512", Series: labelsOf(stlbSizes), Architectures: sizes, Sizes: small, Rows: fuseSizes(fuseGPUIPC)},
				{ID: "4.14-misses", Title: "page walks per million instructions by entries of the shared TLB", Unit: "% of 512", Series: labelsOf(stlbSizes), Architectures: sizes, Sizes: small, Rows: fuseSizes(walksPerMillion)},
				{ID: "4.15-ipc", Title: "CPU programs alone: sum of instructions per cycle by entries of the shared TLB", Unit: "% of 512", Series: labelsOf(stlbSizes), Architectures: alone, Rows: fuseSets(cputraces.Sets(), throughput)},
				{ID: "4.15-misses", Title: "CPU programs alone: page walks per million instructions by entries of the shared TLB", Unit: "% of 512", Series: labelsOf(stlbSizes), Architectures: alone, Rows: fuseSets(cputraces.Sets(), walksPerMillion)},
				{ID: "4.4-threads", Title: "coherence messages among the messages of the cores, programs whose threads share memory", Unit: "%", Series: []string{"CPU", "CPU, of all loads and stores"}, Architectures: []string{fuseTLB}, Workloads: fuseSharingLabels(), Sizes: small, Rows: fuseCPUTraffic(cputraces.SharingSets(), 2)},
				{ID: "4.15-threads-ipc", Title: "programs whose threads share memory: sum of instructions per cycle by entries of the shared TLB", Unit: "% of 512", Series: labelsOf(stlbSizes), Architectures: sizes, Workloads: fuseSharingLabels(), Sizes: small, Rows: fuseSets(cputraces.SharingSets(), throughput)},
				{ID: "4.15-threads-misses", Title: "programs whose threads share memory: page walks per million instructions by entries of the shared TLB", Unit: "% of 512", Series: labelsOf(stlbSizes), Architectures: sizes, Workloads: fuseSharingLabels(), Sizes: small, Rows: fuseSets(cputraces.SharingSets(), walksPerMillion)},
				{ID: "4.16", Title: "page walks per million instructions", Unit: "% of copySoC", Series: []string{"FuseTLB", "noSTLB", "privTLB"}, Architectures: all[1:], Rows: fuseWalks},
			}, fuseCauses(all)...),
			Headline: &Headline{Title: "mean energy of the memory hierarchy with FuseTLB", Unit: "% of copySoC", Value: fuseHeadline},
		}
	})
}

func labelsOf(list []struct{ label, spec string }) []string {
	var labels []string
	for _, x := range list {
		labels = append(labels, x.label)
	}
	return labels
}

func blockLabels() []string {
	var labels []string
	for _, b := range fuseBlocks {
		labels = append(labels, b.label)
	}
	return labels
}

// hierarchy is the dynamic energy of the memory hierarchy in joules.
func hierarchy(d *Data, m *Measurement) (float64, error) {
	report, err := d.Energy(m)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, b := range fuseBlocks {
		for _, node := range b.nodes {
			sum += report.Node(node).DynamicJ
		}
	}
	return sum, nil
}

// hierarchyWithCores adds the private caches, TLBs and directory of the cores.
func hierarchyWithCores(d *Data, m *Measurement) (float64, error) {
	sum, err := hierarchy(d, m)
	if err != nil {
		return 0, err
	}
	report, err := d.Energy(m)
	if err != nil {
		return 0, err
	}
	for _, part := range []string{"l1i", "l1d", "l2", "itlb", "dtlb", "directory"} {
		sum += report.Node("chip/cpu/" + part).DynamicJ
	}
	return sum, nil
}

// instructions are those of all threads of the GPU and of the cores.
func instructions(m *Measurement) float64 {
	return m.Count("issued_thread_instructions") + m.Count("cpu_instructions")
}

func fuseGPUIPC(_ *Data, m *Measurement) (float64, error) {
	return m.Count("issued_thread_instructions") / float64(m.Cycles), nil
}

// walksPerMillion counts each page that was not in the TLBs once: accesses that wait
// for the same walk are not misses of their own.
func walksPerMillion(_ *Data, m *Measurement) (float64, error) {
	return 1e6 * m.Count("soc_walks") / instructions(m), nil
}

func llcMissesPerMillion(d *Data, m *Measurement) (float64, error) {
	return 1e6 * m.Count("llc_read_misses") / instructions(m), nil
}

// fuseMetric is a figure of a run.
type fuseMetric func(d *Data, m *Measurement) (float64, error)

// fuseOver is a metric on an architecture in percent of that on another.
func fuseOver(d *Data, workload, spec, base string, value fuseMetric) (float64, error) {
	v, err := fuseOf(d, workload, value, spec, base)
	if err != nil {
		return 0, err
	}
	return Percent(v[0], v[1]), nil
}

func overCopySoC(d *Data, workload, spec string, value fuseMetric) (float64, error) {
	return fuseOver(d, workload, spec, copySoC, value)
}

// fuseOf gives the values of a metric on each of the specifications.
func fuseOf(d *Data, workload string, value fuseMetric, specs ...string) ([]float64, error) {
	var values []float64
	for _, spec := range specs {
		m, err := d.Run(workload, spec)
		if err != nil {
			return nil, err
		}
		v, err := value(d, m)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

func fuseTransfer(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		return fuseOf(d, workload, func(_ *Data, m *Measurement) (float64, error) { return m.Count("copy_cycles") / float64(m.Cycles), nil }, copySoC)
	})
}

func fuseContributions(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		e, err := fuseOf(d, workload, hierarchy, typSoC, copySoC, fuseTLB)
		if err != nil {
			return nil, err
		}
		return []float64{Percent(e[0]-e[1], e[0]), Percent(e[1]-e[2], e[0]), Percent(e[2], e[0])}, nil
	})
}

func fuseTraffic(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		m, err := d.Run(workload, typSoC)
		if err != nil {
			return nil, err
		}
		// An invalidation or a downgrade is a message to an SM; an upgrade, and what they
		// ask for, is among the requests already.
		messages := coherenceMessages(m)
		return []float64{Percent(messages, m.Count("requests_sent")+messages-m.Count("soc_upgrades"))}, nil
	})
}

func fuseEnergies(specs ...string) func(*Data) ([]Row, error) { return overCopies(hierarchy, specs) }

func fuseEnergiesWithCores(specs ...string) func(*Data) ([]Row, error) {
	return overCopies(hierarchyWithCores, specs)
}

// overCopies shows a metric in percent of copySoC's.
func overCopies(value fuseMetric, specs []string) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		return d.PerWorkload(func(workload string) ([]float64, error) {
			var values []float64
			for _, spec := range specs {
				v, err := overCopySoC(d, workload, spec, value)
				if err != nil {
					return nil, err
				}
				values = append(values, v)
			}
			return values, nil
		})
	}
}

func fuseShares(spec string) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		return d.PerWorkload(func(workload string) ([]float64, error) {
			m, err := d.Run(workload, spec)
			if err != nil {
				return nil, err
			}
			report, err := d.Energy(m)
			if err != nil {
				return nil, err
			}
			all, err := hierarchy(d, m)
			if err != nil {
				return nil, err
			}
			var values []float64
			for _, b := range fuseBlocks {
				sum := 0.0
				for _, node := range b.nodes {
					sum += report.Node(node).DynamicJ
				}
				values = append(values, Percent(sum, all))
			}
			return values, nil
		})
	}
}

// fuseSpeedUp shows the time of the whole program, and the parts of it in which the
// GPU runs a kernel and in which it does not. Means are of times, as section 4.6.2 has
// them: a speed-up of 100 % is the execution time cut in half. That of the others
// leaves out what gains most.
func fuseSpeedUp(d *Data) ([]Row, error) {
	rows, err := d.PerWorkload(func(workload string) ([]float64, error) {
		t, err := fuseOf(d, workload, func(_ *Data, m *Measurement) (float64, error) { return float64(m.Elapsed), nil }, copySoC, fuseTLB)
		if err != nil {
			return nil, err
		}
		g, err := fuseOf(d, workload, func(_ *Data, m *Measurement) (float64, error) { return float64(m.Cycles), nil }, copySoC, fuseTLB)
		if err != nil {
			return nil, err
		}
		return []float64{Percent(t[1], t[0]), t[0] / t[1], Percent(t[1]-g[1], t[0]-g[0]), Percent(g[1], g[0])}, nil
	})
	if err != nil {
		return nil, err
	}
	own := rows[:len(rows)-1]
	others := slices.DeleteFunc(slices.Clone(own), func(r Row) bool { return slices.Contains(fuseExtreme, r.Label) })
	return append(slices.Clone(own), meanOfTimes("mean", own), meanOfTimes("mean of the others", others)), nil
}

// meanOfTimes is the mean of rows of fuseSpeedUp; its speed-up is that of the mean
// time.
func meanOfTimes(label string, rows []Row) Row {
	means := Mean(rows)
	means[1] = 100 / means[0]
	return meanOf(label, rows, means)
}

func fuseMisses(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		perMillion, err := overCopySoC(d, workload, fuseTLB, llcMissesPerMillion)
		if err != nil {
			return nil, err
		}
		alone, err := overCopySoC(d, workload, fuseTLB, func(_ *Data, m *Measurement) (float64, error) { return m.Count("llc_read_misses"), nil })
		return []float64{perMillion, alone}, err
	})
}

func fuseIPC(d *Data) ([]Row, error) {
	return d.PerWorkload(func(workload string) ([]float64, error) {
		m, err := d.Run(workload, copySoC)
		if err != nil {
			return nil, err
		}
		cpu := math.NaN()
		if cycles := m.Count("cpu_cycles"); cycles > 0 {
			cpu = m.Count("cpu_instructions") / cycles
		}
		gpu, err := overCopySoC(d, workload, fuseTLB, fuseGPUIPC)
		return []float64{cpu, gpu}, err
	})
}

func fuseSizes(value fuseMetric) func(*Data) ([]Row, error) {
	return func(d *Data) ([]Row, error) {
		return d.PerWorkload(func(workload string) ([]float64, error) {
			var values []float64
			for _, s := range stlbSizes {
				v, err := fuseOver(d, workload, s.spec, fuseTLB, value)
				if err != nil {
					return nil, err
				}
				values = append(values, v)
			}
			return values, nil
		})
	}
}

func fuseWalks(d *Data) ([]Row, error) {
	return overCopies(walksPerMillion, []string{fuseTLB, noSTLB, privTLB})(d)
}

func fuseHeadline(d *Data) (float64, error) {
	rows, err := fuseEnergies(fuseTLB)(d)
	if err != nil {
		return math.NaN(), err
	}
	return rows[len(rows)-1].Values[0], nil
}
