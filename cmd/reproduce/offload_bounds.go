// SPDX-License-Identifier: Apache-2.0

package reproduce

// offloadBounds is what the mechanisms bring on machines that lack one of the limits that
// may keep their gain down: injection queues that fill, and DRAM that does not bring data
// as fast as the links of the slices take them.
func offloadBounds(present []offloadMechanism) []Figure {
	if len(present) == 0 {
		return nil
	}
	const where = " where injection queues never fill, and with DRAM of four times the clock"
	return []Figure{
		offloadBound(present, "11-bounds", "performance"+where, offloadSpeed),
		offloadBound(present, "11c-bounds", "weighted hop count"+where, offloadWeighted),
		offloadBound(present, "13-bounds", "mean latency of L1 misses"+where, offloadMeanLatency),
	}
}

// offloadBound shows a metric on these machines.
func offloadBound(present []offloadMechanism, id, title string, metric func(*Data, *Measurement) (float64, error)) Figure {
	bases := []struct{ label, spec string }{
		{"queues never fill", offloadDeep}, {"DRAM of four times the clock", offloadOff + "+set(clocks.dram_mhz=4000)"},
	}
	f := Figure{ID: id, Title: title, Unit: "% of no offloading likewise", Workloads: offloadLabels(true, offloadMicro, offloadNine), Sizes: offloadSweepSizes}
	for _, b := range bases {
		f.Architectures = append(f.Architectures, b.spec)
		for _, m := range present {
			f.Series, f.Architectures = append(f.Series, m.label+", "+b.label), append(f.Architectures, b.spec+"+"+m.overlay)
		}
	}
	f.Rows = offloadBoth(func(d *Data, workload string) ([]float64, error) {
		var values []float64
		for _, b := range bases {
			var specs []string
			for _, m := range present {
				specs = append(specs, b.spec+"+"+m.overlay)
			}
			v, err := offloadRelative(d, workload, b.spec, specs, metric)
			if err != nil {
				return nil, err
			}
			values = append(values, v...)
		}
		return values, nil
	})
	return f
}
