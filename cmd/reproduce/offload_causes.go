// SPDX-License-Identifier: Apache-2.0

package reproduce

import "slices"

// Experiments on what keeps the gains of the mechanisms, and the hops that they save, from what is
// published: one thing changed at a time, and what was expected is in notes/offload.md.

// offloadPorts has two slices of half the size for each memory partition, each at a node of its own, so
// that L2 has twice the ports. DRAM has four times the clock, so that it does not limit either.
const offloadPorts = offloadOff + "+set(l2.slices_per_partition=2,l2.slice.bytes=256KiB,network.placement=spread)+set(clocks.dram_mhz=4000)"

// offloadRoomy are the mechanisms with service queues that never fill. Those at cores take shared
// memory for the operands of all entries.
var offloadRoomy = []offloadMechanism{
	{"LLC-Compute", with(offloadLLC, "service_entries=512")}, {"Omni-Compute", with(offloadOmni, "service_entries=512") + "+set(shared_memory.bytes=176KiB)"},
}

// offloadTransfer has the bandwidth of Table 2 and 100 ns for each access, and neither rows nor turns
// between reads and writes. In offloadDrain 12 of the 16 places fill with writes before the DRAM turns.
const (
	offloadTransfer = offloadOff + "+set(dram.model=simple,dram.access_ns=100,dram.gigabytes_per_second=512)"
	offloadDrain    = offloadOff + "+set(dram.writes=drain,dram.write_high=12,dram.write_low=4)"
)

// offloadCauses are the figures of these experiments.
func offloadCauses(present []offloadMechanism) []Figure {
	if len(present) < len(offloadMechanisms) {
		return nil
	}
	const ports = " with twice the ports of L2, and DRAM of four times the clock"
	return []Figure{
		offloadWhole("11-whole", "performance", "% of no offloading", offloadMetricOver(offloadSpeed)),
		offloadWhole("11c-whole", "weighted hop count", "% of no offloading", offloadMetricOver(offloadWeighted)),
		offloadWhole("12-whole", "chains that were computed elsewhere", "% of offloadable chains", offloadOfChains),
		offloadRoom(),
		offloadArrivals(),
		offloadOtherDRAM("11-transfer", "performance where DRAM has bandwidth and access time only", offloadTransfer),
		offloadOtherDRAM("11-drain", "performance where writes wait in a queue of their own in DRAM", offloadDrain),
		offloadMorePorts("11-ports", "performance"+ports, offloadSpeed),
		offloadMorePorts("11c-ports", "weighted hop count"+ports, offloadWeighted),
	}
}

// offloadWholeChains are the mechanisms where a chain whose lanes touch several lines leaves as a whole
// or not at all (D262), and with operands of lines as well (D189).
var offloadWholeChains = []offloadMechanism{
	{"LLC-Compute", with(offloadLLC, "whole_chains=true")}, {"Omni-Compute", with(offloadOmni, "whole_chains=true")},
	{"LLC-Compute, operands are lines", with(offloadLLC, "whole_chains=true,operands=lines")}, {"Omni-Compute, operands are lines", with(offloadOmni, "whole_chains=true,operands=lines")},
}

// offloadWhole shows something of all programs with these.
func offloadWhole(id, what, unit string, value func(specs []string) func(*Data, string) ([]float64, error)) Figure {
	f := Figure{ID: id, Title: what + " where a chain of several lines leaves as a whole or not at all", Unit: unit, Sizes: offloadSweepSizes,
		Workloads: offloadLabels(true, offloadMicro, offloadNine), Architectures: []string{offloadOff}}
	var specs []string
	for _, m := range offloadWholeChains {
		f.Series, specs = append(f.Series, m.label), append(specs, offloadOff+"+"+m.overlay)
	}
	f.Architectures = append(f.Architectures, specs...)
	f.Rows = offloadBoth(value(specs))
	return f
}

// offloadMetricOver is a metric in percent of that without offloading.
func offloadMetricOver(metric func(*Data, *Measurement) (float64, error)) func(specs []string) func(*Data, string) ([]float64, error) {
	return func(specs []string) func(*Data, string) ([]float64, error) {
		return func(d *Data, workload string) ([]float64, error) {
			return offloadRelative(d, workload, offloadOff, specs, metric)
		}
	}
}

// offloadArrivals is performance where loads and stores of partitions go in the order of their arrival (D269).
func offloadArrivals() Figure {
	f := Figure{ID: "11-order", Title: "performance where a partition's accesses and requests go in order of arrival", Unit: "% of no offloading", Sizes: offloadSweepSizes,
		Workloads: offloadLabels(true, offloadMicro, offloadNine), Architectures: []string{offloadOff}}
	var specs []string
	for _, m := range offloadMechanisms {
		f.Series, specs = append(f.Series, m.label), append(specs, offloadOff+"+"+with(m.overlay, "slice_order=arrival"))
	}
	f.Architectures = append(f.Architectures, specs...)
	f.Rows = offloadBoth(offloadMetricOver(offloadSpeed)(specs))
	return f
}

// offloadOtherDRAM is performance on a machine with another DRAM, of that machine without offloading.
func offloadOtherDRAM(id, title, base string) Figure {
	f := Figure{ID: id, Title: title, Unit: "% of no offloading likewise", Sizes: offloadSweepSizes, Workloads: offloadLabels(true, offloadMicro, offloadNine), Architectures: []string{base}}
	var specs []string
	for _, m := range offloadMechanisms {
		f.Series, specs = append(f.Series, m.label), append(specs, base+"+"+m.overlay)
	}
	f.Architectures = append(f.Architectures, specs...)
	f.Rows = offloadBoth(func(d *Data, workload string) ([]float64, error) {
		return offloadRelative(d, workload, base, specs, offloadSpeed)
	})
	return f
}

// offloadRoom is performance and hops with such service queues.
func offloadRoom() Figure {
	f := Figure{ID: "11-full", Title: "performance and weighted hop count with 512 entries of service queues", Unit: "% of no offloading", Sizes: offloadSweepSizes,
		Series:    []string{"performance, LLC-Compute", "performance, Omni-Compute", "hops, LLC-Compute", "hops, Omni-Compute"},
		Workloads: offloadLabels(true, offloadMicro, offloadNine), Architectures: []string{offloadOff}}
	var specs []string
	for _, m := range offloadRoomy {
		specs = append(specs, offloadOff+"+"+m.overlay)
	}
	f.Architectures = append(f.Architectures, specs...)
	f.Rows = offloadBoth(func(d *Data, workload string) ([]float64, error) {
		speed, err := offloadRelative(d, workload, offloadOff, specs, offloadSpeed)
		if err != nil {
			return nil, err
		}
		hops, err := offloadRelative(d, workload, offloadOff, specs, offloadWeighted)
		return append(speed, hops...), err
	})
	return f
}

// offloadMorePorts shows a metric with more ports: the programs, then the variants after Table 3 and
// the means with these in place.
func offloadMorePorts(id, title string, metric func(*Data, *Measurement) (float64, error)) Figure {
	f := Figure{ID: id, Title: title, Unit: "% of no offloading likewise", Sizes: offloadSweepSizes, Workloads: offloadLabels(true, offloadMicro, offloadNine), Architectures: []string{offloadPorts}}
	for _, v := range offloadAfter {
		f.Workloads = append(f.Workloads, v.Label)
	}
	var specs []string
	for _, m := range offloadMechanisms {
		f.Series, specs = append(f.Series, m.label), append(specs, offloadPorts+"+"+m.overlay)
	}
	f.Architectures = append(f.Architectures, specs...)
	value := func(d *Data, workload string) ([]float64, error) {
		return offloadRelative(d, workload, offloadPorts, specs, metric)
	}
	f.Rows = func(d *Data) ([]Row, error) {
		rows, err := offloadBoth(value)(d)
		if err != nil {
			return nil, err
		}
		more, err := offloadVariantRows(value)(d)
		return slices.Concat(rows, more), err
	}
	return f
}
