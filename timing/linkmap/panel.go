// SPDX-License-Identifier: Apache-2.0

package linkmap

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
)

// end says what is attached to a router.
type end uint8

const (
	nothing end = iota
	sm
	slice
	both // a router of a butterfly may have several ends
)

// router is a router in a panel, its place in steps between neighbours.
type router struct {
	x, y float64
	end  end
}

// panel is one network of one machine.
type panel struct {
	machine, network string
	routers          []router
	columns, rows    float64 // of steps
	links            []replay.Link
	labels           bool // whether letters fit into routers
}

// Drawable reports whether a machine has links between routers.
func Drawable(m *arch.Machine) bool { return m.Network.Topology != "crossbar" }

// panels gives the networks of a result, in the order of its links.
func panels(r *replay.Result) ([]panel, error) {
	var list []panel
	for _, l := range r.Links {
		if n := len(list); n > 0 && list[n-1].network == l.Network {
			list[n-1].links = append(list[n-1].links, l)
			continue
		}
		p, err := newPanel(r.Architecture, l.Network)
		if err != nil {
			return nil, err
		}
		p.links = append(p.links, l)
		list = append(list, p)
	}
	return list, nil
}

func newPanel(m *arch.Machine, network string) (panel, error) {
	switch m.Network.Topology {
	case "mesh":
		return meshPanel(m, network)
	case "butterfly":
		return butterflyPanel(m, network)
	}
	return panel{}, fmt.Errorf("BUG: linkmap: %s has links and no routers that are known here", m.Name)
}

func meshPanel(m *arch.Machine, network string) (panel, error) {
	at, err := m.MeshPlacement()
	if err != nil {
		return panel{}, err
	}
	p := panel{machine: m.Name, network: network, columns: float64(at.Columns), rows: float64(at.Rows), labels: true}
	for n := range at.Rows * at.Columns {
		p.routers = append(p.routers, router{x: float64(n % at.Columns), y: float64(n / at.Columns)})
	}
	for _, n := range at.SMs {
		p.routers[n].end = sm
	}
	for _, n := range at.Slices {
		p.routers[n].end = slice
	}
	return p, nil
}

// columnStep is the distance of the columns of a butterfly, whose wires cross.
const columnStep = 4

// butterflyPanel puts the stages side by side. Routers of the first column have
// the ends that send, those of the last the ends that receive.
func butterflyPanel(m *arch.Machine, network string) (panel, error) {
	at, err := m.ButterflyPlacement()
	if err != nil {
		return panel{}, err
	}
	radix, stages := m.Network.Radix, m.Network.Stages
	column := at.Columns / radix
	p := panel{machine: m.Name, network: network, columns: float64((stages-1)*columnStep + 1), rows: float64(column)}
	for n := range stages * column {
		p.routers = append(p.routers, router{x: float64(n / column * columnStep), y: float64(n % column)})
	}
	from, to := at.SMs, at.Slices
	fromEnd, toEnd := sm, slice
	if network == "reply" {
		from, to, fromEnd, toEnd = to, from, slice, sm
	}
	// In column s, terminals that differ in digit stages-1-s only share a router
	// (network.Butterfly): those of the first differ in the highest digit.
	for _, terminal := range from {
		p.attach(terminal%column, fromEnd)
	}
	for _, terminal := range to {
		p.attach((stages-1)*column+terminal/radix, toEnd)
	}
	return p, nil
}

func (p *panel) attach(n int, e end) {
	if r := &p.routers[n]; r.end == nothing || r.end == e {
		r.end = e
	} else {
		r.end = both
	}
}

// load gives the mean and the highest use of the panel's links, zero to one.
func (p *panel) load() (mean, most float64) {
	for _, l := range p.links {
		mean += l.Busy
		most = max(most, l.Busy)
	}
	return mean / float64(len(p.links)), most
}
