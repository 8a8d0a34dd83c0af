// SPDX-License-Identifier: Apache-2.0

package reproduce

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
		{ID: "15", Title: "performance of the topologies", Unit: "% of the mesh", Series: series, Workloads: offloadLabels(omni, offloadNine), Sizes: offloadSweepSizes, Architectures: specs,
			Rows: offloadApplications(func(d *Data, workload string) ([]float64, error) {
				return offloadRelative(d, workload, offloadOff, specs, offloadSpeed)
			})},
		{ID: "15-area", Title: "area of the topologies", Unit: "mm2; % of the mesh; % of the chip",
			Series: []string{"routers", "links", "of the mesh", "of the chip"}, Workloads: []string{}, Rows: offloadArea},
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
		rows = append(rows, Row{Label: n.label, Values: []float64{routers, links, Percent(routers+links, mesh), Percent(routers+links, chip)}})
	}
	return rows, nil
}

// offloadPlacements is Fig. 16: the alternative placement against the other, and
// with Omni-Compute against itself.
func offloadPlacements(omni bool) []Figure {
	const alternative = offloadOff + "-alt"
	f := Figure{ID: "16", Title: "performance with the alternative placement of LLC slices", Unit: "% of the placement of Fig. 1; with Omni, of the alternative one",
		Sizes: offloadSweepSizes, Series: []string{"no offloading"}, Workloads: offloadLabels(omni, offloadNine), Architectures: []string{offloadOff, alternative}}
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
