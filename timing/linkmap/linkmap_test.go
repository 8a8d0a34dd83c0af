// SPDX-License-Identifier: Apache-2.0

package linkmap

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/network"
	"github.com/warptape/warptape/timing/replay"
)

// result is that of a machine whose links are as the networks' topology has them,
// each with a use of its own.
func result(t *testing.T, spec string) replay.Result {
	t.Helper()
	m, err := arch.Load(spec)
	if err != nil {
		t.Fatal(err)
	}
	r := replay.Result{Machine: m.Name, Architecture: m}
	add := func(name string, topology *network.Topology) {
		f := network.NewFabric(topology, network.RouterConfig{VirtualChannels: 1, BufferFlits: 1, RouterCycles: 1, LinkCycles: 1, Iterations: 1, InputQueue: 1, OutputQueue: 1, Classes: 1},
			make([]network.Counts, 1), network.RouterCounts{}, nil)
		for i, l := range f.Links() {
			r.Links = append(r.Links, replay.Link{Network: name, From: l.From, To: l.To, Flits: uint64(i), Busy: float64(i%101) / 100})
		}
	}
	switch m.Network.Topology {
	case "mesh":
		p, err := m.MeshPlacement()
		if err != nil {
			t.Fatal(err)
		}
		add("request", network.Mesh(p.Rows, p.Columns, true, p.SMs, p.Slices))
		add("reply", network.Mesh(p.Rows, p.Columns, true, p.Slices, p.SMs))
	case "butterfly":
		p, err := m.ButterflyPlacement()
		if err != nil {
			t.Fatal(err)
		}
		add("request", network.Butterfly(m.Network.Radix, m.Network.Stages, p.SMs, p.Slices))
		add("reply", network.Butterfly(m.Network.Radix, m.Network.Stages, p.Slices, p.SMs))
	}
	return r
}

// elements counts the elements of an SVG by name, and fails if it is none.
func elements(t *testing.T, svg []byte) map[string]int {
	t.Helper()
	count := map[string]int{}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok {
			count[e.Name.Local]++
		}
	}
}

func TestEveryLinkAndRouterIsDrawnOnce(t *testing.T) {
	for _, c := range []struct {
		spec           string
		links, routers int
	}{
		{"mesh56", 2 * 2 * 2 * 8 * 7, 2 * 64},
		{"mesh56+butterfly", 2 * 2 * 64, 2 * 48},
	} {
		r := result(t, c.spec)
		var b bytes.Buffer
		if err := Write(&b, []replay.Result{r, {Machine: "crossbar"}, r}); err != nil {
			t.Fatal(err)
		}
		got := elements(t, b.Bytes())
		if got["line"] != 2*c.links || got["title"] != 2*(c.links+c.routers) {
			t.Errorf("%s twice: %d lines, %d tooltips; want %d and %d", c.spec, got["line"], got["title"], 2*c.links, 2*(c.links+c.routers))
		}
		again := new(bytes.Buffer)
		if err := Write(again, []replay.Result{r, {Machine: "crossbar"}, r}); err != nil || !bytes.Equal(again.Bytes(), b.Bytes()) {
			t.Errorf("%s: the second picture differs (%v)", c.spec, err)
		}
	}
}

func TestDirectionsOfALinkAreApart(t *testing.T) {
	p, err := newPanel(result(t, "mesh56").Architecture, "request")
	if err != nil {
		t.Fatal(err)
	}
	drawn := func(from, to int) string {
		var b bytes.Buffer
		p.line(&b, &replay.Link{From: from, To: to})
		return b.String()
	}
	// To the right of eastward is below, of westward above: the middle of row 0 is
	// at 61.
	if east, west := drawn(0, 1), drawn(1, 0); !strings.Contains(east, `y1="65.0"`) || !strings.Contains(west, `y1="57.0"`) {
		t.Errorf("eastward %s westward %s", east, west)
	}
}

// TestEndsOfAButterflyAreAtTheirRouters compares with the topology itself.
func TestEndsOfAButterflyAreAtTheirRouters(t *testing.T) {
	m := result(t, "mesh56+butterfly").Architecture
	at, err := m.ButterflyPlacement()
	if err != nil {
		t.Fatal(err)
	}
	topology := network.Butterfly(m.Network.Radix, m.Network.Stages, at.SMs, at.Slices)
	p, err := newPanel(m, "request")
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range topology.Inputs {
		if e := p.routers[in.Router].end; e != sm {
			t.Errorf("router %d sends for an SM and is drawn as %d", in.Router, e)
		}
	}
	for _, out := range topology.Outputs {
		if e := p.routers[out.Router].end; e != slice {
			t.Errorf("router %d receives for a slice and is drawn as %d", out.Router, e)
		}
	}
}

func TestCrossbarsHaveNothingToDraw(t *testing.T) {
	err := Write(io.Discard, []replay.Result{{Machine: "gtx480"}})
	if err == nil || !strings.Contains(err.Error(), "mesh56") {
		t.Errorf("%v", err)
	}
}

// TestBusierIsDarker: the luminance (ITU-R BT.601) falls all the way.
func TestBusierIsDarker(t *testing.T) {
	before := math.Inf(1)
	for i := range 101 {
		var r, g, b int
		if _, err := fmt.Sscanf(colour(float64(i)/100), "#%02x%02x%02x", &r, &g, &b); err != nil {
			t.Fatal(err)
		}
		y := 0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b)
		if y > before+1 { // channels are rounded
			t.Errorf("%d %% is brighter than %d %%", i, i-1)
		}
		before = y
	}
	if colour(-1) != colour(0) || colour(2) != colour(1) {
		t.Error("a use out of range has a colour of its own")
	}
}
