package reproduce

// offloadEffects are the figures of the mechanisms on the mesh: Fig. 11 and the
// latency of Fig. 13. None without a mechanism.
func offloadEffects(present []offloadMechanism) []Figure {
	if len(present) == 0 {
		return nil
	}
	specs, series := []string{}, []string{}
	for _, m := range present {
		specs, series = append(specs, offloadOff+"+"+m.overlay), append(series, m.label)
	}
	figure := func(id, title string, metric func(d *Data, m *Measurement) (float64, error)) Figure {
		return Figure{ID: id, Title: title, Unit: "% of no offloading", Series: series, Architectures: append([]string{offloadOff}, specs...),
			Rows: offloadBoth(func(d *Data, workload string) ([]float64, error) {
				return offloadRelative(d, workload, offloadOff, specs, metric)
			})}
	}
	return []Figure{
		figure("11a", "performance", offloadSpeed),
		figure("11b", "performance per watt", offloadEfficiency),
		figure("11c", "weighted hop count", offloadWeighted),
		figure("13", "mean latency of L1 misses", offloadMeanLatency),
	}
}

// offloadWeighted is the weighted hop count as a metric.
func offloadWeighted(_ *Data, m *Measurement) (float64, error) { return offloadHops(m), nil }

func offloadMeanLatency(_ *Data, m *Measurement) (float64, error) {
	l, err := m.missLatency()
	return l.Total(), err
}

// offloadNetwork is a topology of Fig. 15 with the overlays that make it.
type offloadNetwork struct{ label, spec string }

var offloadNetworks = []offloadNetwork{
	{"mesh", offloadOff}, {"crossbar", offloadOff + "+crossbar"}, {"butterfly", offloadOff + "+butterfly"},
	{"mesh x 2", offloadOff + "+double-network"}, {"crossbar x 2", offloadOff + "+crossbar+double-network"}, {"butterfly x 2", offloadOff + "+butterfly+double-network"},
}

// offloadTopologies is Fig. 15: performance relative to the mesh, and area.
func offloadTopologies(omni bool) []Figure {
	var series, specs []string
	for _, n := range offloadNetworks {
		series, specs = append(series, n.label), append(specs, n.spec)
	}
	if omni {
		for _, n := range offloadNetworks {
			series, specs = append(series, n.label+", Omni"), append(specs, n.spec+"+"+offloadOmni)
		}
	}
	return []Figure{
		{ID: "15", Title: "performance of the topologies", Unit: "% of the mesh", Series: series, Architectures: specs,
			Rows: offloadApplications(func(d *Data, workload string) ([]float64, error) {
				return offloadRelative(d, workload, offloadOff, specs, offloadSpeed)
			})},
		{ID: "15-area", Title: "area of the topologies", Unit: "mm2; % of the mesh; % of the chip",
			Series: []string{"routers", "links", "of the mesh", "of the chip"}, Architectures: []string{offloadOff}, Rows: offloadArea},
	}
}

// offloadArea prices the networks; nothing is run.
func offloadArea(d *Data) ([]Row, error) {
	var rows []Row
	mesh := 0.0
	for _, n := range offloadNetworks {
		model, err := d.model(n.spec)
		if err != nil {
			return nil, err
		}
		routers, links, chip := 0.0, 0.0, 0.0
		for i := range model.Components {
			c := &model.Components[i]
			switch chip += c.AreaMM2; c.Path {
			case "chip/network/routers":
				routers += c.AreaMM2
			case "chip/network/links":
				links += c.AreaMM2
			}
		}
		if mesh == 0 {
			mesh = routers + links
		}
		rows = append(rows, Row{n.label, []float64{routers, links, Percent(routers+links, mesh), Percent(routers+links, chip)}})
	}
	return rows, nil
}

// offloadPlacements is Fig. 16: the alternative placement against the other, and
// with Omni-Compute against itself.
func offloadPlacements(omni bool) []Figure {
	const alternative = offloadOff + "-alt"
	f := Figure{ID: "16", Title: "performance with the alternative placement of LLC slices", Unit: "% of the placement of Fig. 1; with Omni, of the alternative one",
		Series: []string{"no offloading"}, Architectures: []string{offloadOff, alternative}}
	if omni {
		f.Series, f.Architectures = append(f.Series, "Omni-Compute"), append(f.Architectures, alternative+"+"+offloadOmni)
	}
	f.Rows = offloadApplications(func(d *Data, workload string) ([]float64, error) {
		values, err := offloadRelative(d, workload, offloadOff, f.Architectures[1:2], offloadSpeed)
		if err != nil || !omni {
			return values, err
		}
		with, err := offloadRelative(d, workload, alternative, f.Architectures[2:], offloadSpeed)
		return append(values, with...), err
	})
	return []Figure{f}
}

// offloadReductions is Fig. 17.
func offloadReductions(llc bool) []Figure {
	f := Figure{ID: "17", Title: "versions of RED", Unit: "% of the unmodified one without offloading", Architectures: []string{offloadOff},
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
		rows := []Row{{Label: "RED"}}
		for _, v := range offloadVariants {
			rows = append(rows, Row{Label: "RED-" + v})
		}
		for i := range rows {
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
		{"(12, 24)", offloadOmni + "-queues-12-24"}, {"(24, 48)", offloadOmni + "-queues-24-48"}, {"(48, 96)", offloadOmni},
		{"(64, 128)", offloadOmni + "-queues-64-128"}, {"(96, 192)", offloadOmni + "-queues-96-192"}, {"(128, 256)", offloadOmni + "-queues-128-256"},
	}},
	{"alus", "ALUs of their own for the service queues of cores", "% of shared ALUs", offloadOff + "+" + offloadOmni, []offloadMechanism{
		{"4 lanes", offloadOmni + "-alu-4"}, {"8 lanes", offloadOmni + "-alu-8"}, {"16 lanes", offloadOmni + "-alu-16"}, {"32 lanes", offloadOmni + "-alu-32"},
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
		figures = append(figures, Figure{ID: sweep.id, Title: sweep.title, Unit: sweep.unit, Series: []string{"mean performance"},
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
					rows = append(rows, Row{v.label, of[len(of)-1].Values})
				}
				return rows, nil
			}})
	}
	return figures
}
