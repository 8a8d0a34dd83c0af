// SPDX-License-Identifier: Apache-2.0

package reproduce

// offloadReductions is Fig. 17.
func offloadReductions(llc bool) []Figure {
	labels := []string{"RED"}
	for _, v := range offloadVariants {
		labels = append(labels, "RED-"+v)
	}
	f := Figure{ID: "17", Workloads: labels, Title: "versions of RED", Unit: "% of the unmodified one without offloading", Architectures: []string{offloadOff},
		Series: []string{"performance", "hops"}}
	if llc {
		f.Architectures = append(f.Architectures, offloadOff+"+"+offloadLLC)
		f.Series = append(f.Series, "performance, LLC-Compute", "hops, LLC-Compute")
	}
	f.Rows = func(d *Data) ([]Row, error) {
		base, err := d.Run("RED", offloadOff)
		if err != nil {
			return nil, err
		}
		rows := make([]Row, len(labels))
		for i := range rows {
			rows[i].Label = labels[i]
			for _, spec := range f.Architectures {
				m, err := d.Run(rows[i].Label, spec)
				if err != nil {
					return nil, err
				}
				rows[i].Values = append(rows[i].Values, Percent(float64(base.Cycles), float64(m.Cycles)), Percent(offloadHops(m), offloadHops(base)))
			}
		}
		return rows, nil
	}
	return []Figure{f}
}

// offloadSweep is a study of section 6.2 over variants of Omni-Compute, overlays
// whose name begins with omni-compute.
type offloadSweep struct {
	id, title, unit string
	base            string // what the rows are relative to
	variants        []offloadMechanism
}

var offloadSweepList = []offloadSweep{
	{"queues", "sizes of offload and service queues", "% of no offloading", offloadOff, []offloadMechanism{
		{"(12, 24)", with(offloadOmni, "queue_entries=12,service_entries=24")}, {"(24, 48)", with(offloadOmni, "queue_entries=24,service_entries=48")}, {"(48, 96)", offloadOmni},
		{"(64, 128)", with(offloadOmni, "queue_entries=64,service_entries=128") + "+set(shared_memory.bytes=56KiB)"}, {"(96, 192)", with(offloadOmni, "queue_entries=96,service_entries=192") + "+set(shared_memory.bytes=72KiB)"}, {"(128, 256)", with(offloadOmni, "queue_entries=128,service_entries=256") + "+set(shared_memory.bytes=88KiB)"},
	}},
	{"alus", "ALUs of their own for the service queues of cores", "% of shared ALUs", offloadOff + "+" + offloadOmni, []offloadMechanism{
		{"4 lanes", with(offloadOmni, "core_lanes=4")}, {"8 lanes", with(offloadOmni, "core_lanes=8")}, {"16 lanes", with(offloadOmni, "core_lanes=16")}, {"32 lanes", with(offloadOmni, "core_lanes=32")},
	}},
}

// offloadSweeps has the sweeps with those variants that there are, a row each: the
// mean over the applications.
func offloadSweeps(has func(string) bool) []Figure {
	var figures []Figure
	for _, sweep := range offloadSweepList {
		var present []offloadMechanism
		var specs []string
		for _, v := range sweep.variants {
			if has(v.overlay) {
				present, specs = append(present, v), append(specs, offloadOff+"+"+v.overlay)
			}
		}
		if len(present) < 2 {
			continue
		}
		figures = append(figures, Figure{ID: sweep.id, Title: sweep.title, Unit: sweep.unit, Series: []string{"mean performance"}, Workloads: offloadLabels(true, offloadNine), Sizes: offloadSweepSizes,
			Architectures: append([]string{sweep.base}, specs...),
			Rows: func(d *Data) ([]Row, error) {
				var rows []Row
				for i, v := range present {
					of, err := offloadApplications(func(d *Data, workload string) ([]float64, error) {
						return offloadRelative(d, workload, sweep.base, specs[i:i+1], offloadSpeed)
					})(d)
					if err != nil {
						return nil, err
					}
					rows = append(rows, Row{Label: v.label, Values: of[len(of)-1].Values})
				}
				return rows, nil
			}})
	}
	return figures
}
