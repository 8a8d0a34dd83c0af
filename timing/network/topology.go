// SPDX-License-Identifier: Apache-2.0

package network

import "fmt"

// Topology is a graph of routers as data: what is wired to what, and the output
// port that leads towards each destination. Routing is deterministic.
type Topology struct {
	Routers int
	Ports   int // of each router, inputs and outputs alike
	Inputs  []Terminal
	Outputs []Terminal
	// links gives, by output port, the input port at the other end, both as
	// router*Ports+port; unwired without one.
	links []int32
	// route gives, by router*len(Outputs)+output, the output port to take.
	route []uint8
	// describe names a router for people, port one of its ports.
	describe func(router int) string
	port     func(port int) string
}

// Terminal is where an end of the network is attached: an input to an input
// port, an output to an output port.
type Terminal struct{ Router, Port int }

const unwired = int32(-1)

func newTopology(routers, ports int, inputs, outputs []Terminal) *Topology {
	t := &Topology{
		Routers: routers, Ports: ports, Inputs: inputs, Outputs: outputs,
		links: make([]int32, routers*ports), route: make([]uint8, routers*len(outputs)),
	}
	for i := range t.links {
		t.links[i] = unwired
	}
	return t
}

// wire joins an output port to an input port.
func (t *Topology) wire(from, to Terminal) {
	t.links[from.Router*t.Ports+from.Port] = int32(to.Router*t.Ports + to.Port)
}

// Hops is the number of links between routers from an input to an output. The
// error is that of a route which does not get there.
func (t *Topology) Hops(input, output int) (int, error) {
	at, hops := t.Inputs[input].Router, 0
	for {
		port := int(t.route[at*len(t.Outputs)+output])
		if end := t.Outputs[output]; at == end.Router && port == end.Port {
			return hops, nil
		}
		to := t.links[at*t.Ports+port]
		if to == unwired || hops > t.Routers {
			return 0, fmt.Errorf("BUG: network: no route from input %d to output %d: stopped at %s", input, output, t.describe(at))
		}
		at = int(to) / t.Ports
		hops++
	}
}
