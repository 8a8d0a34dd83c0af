// SPDX-License-Identifier: Apache-2.0

package reproduce

// offloadBounds is the performance of the mechanisms on machines that lack one of the
// limits that may keep their gain down: injection queues that fill, and DRAM that does
// not bring data as fast as the links of the slices take them.
func offloadBounds(present []offloadMechanism) []Figure {
	if len(present) == 0 {
		return nil
	}
	bases := []struct{ label, spec string }{
		{"queues never fill", offloadDeep}, {"DRAM of four times the clock", offloadOff + "+set(clocks.dram_mhz=4000)"},
	}
	f := Figure{ID: "11-bounds", Title: "performance where injection queues never fill, and with DRAM of four times the clock", Unit: "% of no offloading likewise",
		Workloads: offloadLabels(true, offloadMicro, offloadNine), Sizes: offloadSweepSizes}
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
			v, err := offloadRelative(d, workload, b.spec, specs, offloadSpeed)
			if err != nil {
				return nil, err
			}
			values = append(values, v...)
		}
		return values, nil
	})
	return []Figure{f}
}
