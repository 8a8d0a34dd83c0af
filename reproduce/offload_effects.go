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
		figure("11c", "weighted hop count", offloadWeighted),
		{ID: "12", Title: "offloaded chains", Unit: "% of offloadable chains", Series: series, Workloads: all, Architectures: specs, Rows: offloadBoth(offloadOfChains(specs))},
		figure("13", "mean latency of L1 misses", offloadMeanLatency),
		{ID: "14", Title: "time in which core and service queue contend for the ALU", Unit: "% of cycles", Series: series, Workloads: all, Architectures: specs,
			Rows: offloadBoth(offloadContention(specs))},
	}
}

// offloadOfChains is the share of the chains that warps begin for which a packet
// was sent.
func offloadOfChains(specs []string) func(d *Data, workload string) ([]float64, error) {
	return func(d *Data, workload string) ([]float64, error) {
		return offloadCounted(d, workload, specs, "offload_offloaded", func(m *Measurement, _ *arch.Machine) float64 { return m.Count("offload_chains") })
	}
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
