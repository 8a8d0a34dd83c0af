// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
)

// offloadMovement are the figures of the baseline: Fig. 2, and the parts of the
// latency in cycles that Fig. 13 starts from.
func offloadMovement() []Figure {
	shares := []string{"LLC injection", "network", "service", "other queues"}
	cycles := []string{"queues of cores", "network", "ejection", "service", "LLC injection", "all"}
	nine := offloadLabels(false, offloadNine)
	return []Figure{
		{ID: "2a", Title: "where data are found, and the network's part of the power", Unit: "% of reads; % of the GPU's power",
			Series: []string{"L1", "LLC", "DRAM", "network", "network, SRAM buffers"}, Workloads: nine, Rows: offloadApplications(offloadFound)},
		{ID: "2a-leakage", Title: "leakage in the network's energy, and the network's part of dynamic energy", Unit: "% of the network's; % of the GPU's dynamic energy",
			Series: []string{"leakage, flip-flops", "of dynamic, flip-flops", "leakage, SRAM", "of dynamic, SRAM"}, Workloads: nine, Rows: offloadApplications(offloadLeakage)},
		{ID: "2b", Title: "where the latency of L1 misses passes", Unit: "% of it", Series: shares, Workloads: nine, Rows: offloadApplications(offloadShares(offloadOff))},
		{ID: "2b-deep", Title: "the same with injection queues that never fill", Unit: "% of it", Series: shares, Workloads: nine,
			Sizes: offloadSweepSizes, Architectures: []string{offloadOff, offloadDeep}, Rows: offloadApplications(offloadShares(offloadDeep))},
		{ID: "13-base", Title: "mean latency of L1 misses without offloading", Unit: "core cycles", Series: cycles, Rows: offloadBoth(offloadCycles)},
	}
}

// offloadFound is Fig. 2(a): where reads found their data, and the network's power
// with router buffers as DSENT has them and as CACTI's SRAM.
func offloadFound(d *Data, workload string) ([]float64, error) {
	m, err := d.Run(workload, offloadOff)
	if err != nil {
		return nil, err
	}
	set, err := m.set()
	if err != nil {
		return nil, err
	}
	found := replay.FoundIn(set)
	values := []float64{found.L1, found.L2, found.DRAM}
	for _, spec := range []string{offloadOff + offloadPriced, offloadOff} {
		r, err := d.EnergyAs(m, spec)
		if err != nil {
			return nil, err
		}
		values = append(values, Percent(r.Node("chip/network").TotalJ(), r.Total().TotalJ()))
	}
	return values, nil
}

// offloadLatency is the latency of a workload's misses on a machine.
func offloadLatency(d *Data, workload, spec string) (replay.MissLatency, error) {
	m, err := d.Run(workload, spec)
	if err != nil {
		return replay.MissLatency{}, err
	}
	return m.missLatency()
}

func (m *Measurement) missLatency() (replay.MissLatency, error) {
	set, err := m.set()
	if err != nil {
		return replay.MissLatency{}, err
	}
	machine, err := arch.Load(m.Architecture)
	if err != nil {
		return replay.MissLatency{}, err
	}
	return replay.MissLatencyOf(set, machine.Clocks), nil
}

// offloadShares is Fig. 2(b) on a machine.
func offloadShares(spec string) func(d *Data, workload string) ([]float64, error) {
	return func(d *Data, workload string) ([]float64, error) {
		l, err := offloadLatency(d, workload, spec)
		if err != nil {
			return nil, err
		}
		all := l.Total()
		return []float64{Percent(l.L2Queue, all), Percent(l.Network, all), Percent(l.Service, all), Percent(l.SMQueue+l.Ejection, all)}, nil
	}
}

func offloadCycles(d *Data, workload string) ([]float64, error) {
	l, err := offloadLatency(d, workload, offloadOff)
	return []float64{l.SMQueue, l.Network, l.Ejection, l.Service, l.L2Queue, l.Total()}, err
}

// offloadHeadline is the mean of Fig. 2(a)'s power.
func offloadHeadline(d *Data) (float64, error) {
	rows, err := offloadApplications(offloadFound)(d)
	if err != nil {
		return 0, err
	}
	return rows[len(rows)-1].Values[3], nil
}
