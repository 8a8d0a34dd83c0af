// SPDX-License-Identifier: Apache-2.0

package network

import "fmt"

// The ports of a mesh router: its neighbours, and the node's own.
const (
	portNorth = iota // towards row 0
	portEast
	portSouth
	portWest
	portLocal
	meshPorts
	portSecond = meshPorts // the node's second one, where it has two
)

var meshPortNames = [...]string{"north", "east", "south", "west", "local", "second local"}

// Mesh is a two-dimensional mesh of rows x columns routers, numbered row by row.
// inputs and outputs name the router of each end; a router has at most one of
// either. Packets are routed in dimension order: along the column first and then
// along the row (YX), or the other way round (XY). Neither has a cycle of
// dependent channels (Dally and Seitz 1987), so it cannot deadlock as long as
// the outputs are emptied.
func Mesh(rows, columns int, yx bool, inputs, outputs []int) *Topology {
	return mesh(rows, columns, yx, meshPorts, locals(inputs, portLocal), locals(outputs, portLocal))
}

// TwoPortMesh is a Mesh whose nodes have two ports of their own: one for the first inputs and
// outputs, and one for the second, which come behind them.
func TwoPortMesh(rows, columns int, yx bool, inputs, outputs [2][]int) *Topology {
	return mesh(rows, columns, yx, meshPorts+1,
		append(locals(inputs[0], portLocal), locals(inputs[1], portSecond)...),
		append(locals(outputs[0], portLocal), locals(outputs[1], portSecond)...))
}

func mesh(rows, columns int, yx bool, ports int, inputs, outputs []Terminal) *Topology {
	t := newTopology(rows*columns, ports, inputs, outputs)
	for r := range t.Routers {
		y, x := r/columns, r%columns
		if y > 0 {
			t.wire(Terminal{r, portNorth}, Terminal{r - columns, portSouth})
		}
		if y < rows-1 {
			t.wire(Terminal{r, portSouth}, Terminal{r + columns, portNorth})
		}
		if x > 0 {
			t.wire(Terminal{r, portWest}, Terminal{r - 1, portEast})
		}
		if x < columns-1 {
			t.wire(Terminal{r, portEast}, Terminal{r + 1, portWest})
		}
		for o, to := range outputs {
			if t.route[r*len(outputs)+o] = meshRoute(y, x, to.Router/columns, to.Router%columns, yx); to.Router == r {
				t.route[r*len(outputs)+o] = uint8(to.Port)
			}
		}
	}
	t.describe = func(r int) string {
		return fmt.Sprintf("router %d (row %d, column %d)", r, r/columns, r%columns)
	}
	t.port = func(p int) string { return meshPortNames[p] }
	return t
}

func locals(routers []int, port int) []Terminal {
	out := make([]Terminal, len(routers))
	for i, r := range routers {
		out[i] = Terminal{r, port}
	}
	return out
}

// meshRoute is the port from (y, x) towards (toY, toX).
func meshRoute(y, x, toY, toX int, yx bool) uint8 {
	vertical := y != toY && (yx || x == toX)
	switch {
	case vertical && toY < y:
		return portNorth
	case vertical:
		return portSouth
	case toX < x:
		return portWest
	case toX > x:
		return portEast
	}
	return portLocal
}
