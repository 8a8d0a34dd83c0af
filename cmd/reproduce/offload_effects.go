// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// offloadEffects are the figures of the mechanisms on the mesh: Fig. 11, 12 and 14,
// and the latency of Fig. 13. None without a mechanism.
func offloadEffects(present []offloadMechanism) []Figure {
	if len(present) == 0 {
		return nil
	}
	specs, series := []string{}, []string{}
	for _, m := range present {
		specs, series = append(specs, offloadOff+"+"+m.overlay), append(series, m.label)
	}
	all := offloadLabels(true, offloadMicro, offloadNine)
	figure := func(id, title string, metric func(d *Data, m *Measurement) (float64, error)) Figure {
		return Figure{ID: id, Title: title, Unit: "% of no offloading", Series: series, Workloads: all, Architectures: append([]string{offloadOff}, specs...),
			Rows: offloadBoth(func(d *Data, workload string) ([]float64, error) {
				return offloadRelative(d, workload, offloadOff, specs, metric)
			})}
	}
	return []Figure{
		figure("11a", "performance", offloadSpeed),
		figure("11b", "performance per watt", offloadEfficiency),
		figure("11b-kernels", "performance per watt without copies from and to the host", offloadKernels),
		figure("11c", "weighted hop count", offloadWeighted),
		{ID: "12", Title: "chains that were computed elsewhere, by the answers to their packets", Unit: "% of offloadable chains", Series: series, Workloads: all, Architectures: specs, Rows: offloadBoth(offloadOfChains(specs))},
		figure("13", "mean latency of L1 misses", offloadMeanLatency),
		{ID: "14", Title: "time in which core and service queue contend for the ALU", Unit: "% of cycles", Series: series, Workloads: all, Architectures: specs,
			Rows: offloadBoth(offloadContention(specs))},
		offloadReadings(present),
	}
}

// offloadReadings is the performance of the mechanisms with each of the section's values the
// other way round that the paper's text leaves open. They are what operands carry, how long
// an answer with data is, what a partition's accesses pass in front of its slice, and where two
// loads may meet.
func offloadReadings(present []offloadMechanism) Figure {
	// The programs on which an audit of the model found effects, and those with operands apart.
	workloads := []string{"COMPARE", "COPY-STRIDED", "VECADD-STRIDED", "BFS", "KMN", "MVT", "STREAM-global"}
	f := Figure{ID: "11-readings", Title: "performance by what the text leaves open", Unit: "% of no offloading", Workloads: workloads, Architectures: []string{offloadOff}, Sizes: []string{"small"}}
	var specs []string
	add := func(series, spec string) {
		f.Series, specs = append(f.Series, series), append(specs, spec)
	}
	for _, m := range present {
		spec := offloadOff + "+" + m.overlay
		add(m.label, spec)
		add(m.label+", operands are lines", with(spec, "operands=lines"))
		add(m.label+", answers of the lanes' length", with(spec, "answers=lanes"))
		add(m.label+", partitions take the slice's latency", with(spec, "slice_latency=true"))
		if m.overlay == offloadOmni {
			add(m.label+", loads meet at cores", with(spec, "meet=cores"))
			add(m.label+", at the first operand's partition", with(spec, "meet=operand"))
		}
	}
	f.Architectures = append(f.Architectures, specs...)
	f.Rows = func(d *Data) ([]Row, error) {
		var rows []Row
		for _, label := range workloads {
			values, err := offloadRelative(d, label, offloadOff, specs, offloadSpeed)
			if err != nil {
				return nil, err
			}
			rows = append(rows, Row{Label: label, Values: values})
		}
		return rows, nil
	}
	return f
}

// offloadOfChains is the share of chains computed elsewhere among those that warps
// begin. Of a chain of several packets it counts the part of its packets that an
// answer came back for. A packet that finds a service queue full goes back, or its
// loads go on to the core: neither is offloaded (section 6.1, "lack of free slots in
// OQ/SQ"). Which chain a packet was of is not counted, so that the part is that of
// all.
func offloadOfChains(specs []string) func(d *Data, workload string) ([]float64, error) {
	return func(d *Data, workload string) ([]float64, error) {
		var values []float64
		for _, spec := range specs {
			m, err := offloadRun(d, workload, spec)
			if err != nil {
				return nil, err
			}
			values = append(values, offloadAnswered(m))
		}
		return values, nil
	}
}

// offloadAnswered is it for a measurement, in percent; NaN without any chain.
func offloadAnswered(m *Measurement) float64 {
	answers := m.Count("offload_answers")
	packets := answers + m.Count("offload_returned") + m.Count("offload_refused")
	if packets == 0 {
		return Percent(0, m.Count("offload_chains"))
	}
	return Percent(m.Count("offload_offloaded"), m.Count("offload_chains")) * answers / packets
}

// offloadContention is the part of the cores' cycles in which a chain waits for an
// ALU that is in use.
func offloadContention(specs []string) func(d *Data, workload string) ([]float64, error) {
	return func(d *Data, workload string) ([]float64, error) {
		return offloadCounted(d, workload, specs, "offload_alu_contention_cycles", func(m *Measurement, machine *arch.Machine) float64 {
			return float64(m.Cycles) * float64(machine.GPU.SMs)
		})
	}
}

// offloadCounted is a counter of the mechanism in percent of something, on each of
// the specifications.
func offloadCounted(d *Data, workload string, specs []string, counter string, of func(*Measurement, *arch.Machine) float64) ([]float64, error) {
	if _, ok := counters.Lookup(counter); !ok {
		return nil, fmt.Errorf("BUG: the mechanisms of %v have no counter %s", specs, counter)
	}
	var values []float64
	for _, spec := range specs {
		m, err := offloadRun(d, workload, spec)
		if err != nil {
			return nil, err
		}
		machine, err := arch.Load(spec)
		if err != nil {
			return nil, err
		}
		values = append(values, Percent(m.Count(counter), of(m, machine)))
	}
	return values, nil
}

// offloadWeighted is the weighted hop count as a metric.
func offloadWeighted(_ *Data, m *Measurement) (float64, error) { return offloadHops(m), nil }

func offloadMeanLatency(_ *Data, m *Measurement) (float64, error) {
	l, err := m.missLatency()
	return l.Total(), err
}
