// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"strings"
)

// Placement says at which node of a network each SM and each L2 slice is.
type Placement struct {
	Rows, Columns int   // of a mesh; a butterfly has one row of terminals
	SMs, Slices   []int // node numbers, row by row
}

// spread is the placement that is derived from the numbers of ends.
const spread = "spread"

// maxMeshNodes bounds routing tables and buffers, and with them the memory that a
// description can ask for.
const maxMeshNodes = 4096

// slices is the number of L2 slices.
func (m *Machine) slices() int { return m.L2.Partitions * m.L2.SlicesPerPartition }

// MeshPlacement reads Network.Placement. Its words are the rows of the mesh from
// the top, a letter a node. C is for an SM, M for an L2 slice with its memory, a
// dot for a router without either. SMs and slices are numbered row by row.
// "spread" is the smallest mesh near a square with the slices all over it. The
// error says what does not fit.
func (m *Machine) MeshPlacement() (Placement, error) {
	if m.Network.Placement == spread {
		if n := m.GPU.SMs + m.slices(); n > maxMeshNodes {
			return Placement{}, fmt.Errorf("%d SMs and %d L2 slices need more than %d nodes", m.GPU.SMs, m.slices(), maxMeshNodes)
		}
		return spreadPlacement(m.GPU.SMs, m.slices()), nil
	}
	p := Placement{}
	for _, row := range strings.Fields(m.Network.Placement) {
		if p.Rows > 0 && len(row) != p.Columns {
			return Placement{}, fmt.Errorf("row %d has %d nodes, the first one %d", p.Rows, len(row), p.Columns)
		}
		p.Columns = len(row)
		if (p.Rows+1)*p.Columns > maxMeshNodes {
			return Placement{}, fmt.Errorf("more than %d nodes", maxMeshNodes)
		}
		for x := range len(row) {
			switch row[x] {
			case 'C':
				p.SMs = append(p.SMs, p.Rows*p.Columns+x)
			case 'M':
				p.Slices = append(p.Slices, p.Rows*p.Columns+x)
			case '.':
			default:
				return Placement{}, fmt.Errorf("row %d, column %d: %q is not a node; write C for an SM, M for an L2 slice, a dot for neither, or %q alone", p.Rows, x, row[x:x+1], spread)
			}
		}
		p.Rows++
	}
	if len(p.SMs) != m.GPU.SMs || len(p.Slices) != m.slices() {
		return Placement{}, fmt.Errorf("has %d nodes for SMs and %d for L2 slices, and the machine has %d and %d; change the map, or let %q derive one",
			len(p.SMs), len(p.Slices), m.GPU.SMs, m.slices(), spread)
	}
	return p, nil
}

// spreadPlacement puts the slices at rows in even steps and at columns that are
// multiples of the golden ratio, which leaves no two of them near each other.
func spreadPlacement(sms, slices int) Placement {
	nodes := sms + slices
	p := Placement{Rows: 1}
	for p.Rows*p.Rows < nodes {
		p.Rows++
	}
	p.Columns = p.Rows
	for (p.Rows-1)*p.Columns >= nodes {
		p.Rows--
	}
	taken := make([]bool, p.Rows*p.Columns)
	const golden = 40503 // 2^16 times 0.618
	for i := range slices {
		row, column := (2*i+1)*p.Rows/(2*slices), (2*i+1)*golden%(1<<16)*p.Columns>>16
		at := row*p.Columns + column
		for taken[at] {
			at = (at + 1) % len(taken)
		}
		taken[at] = true
		p.Slices = append(p.Slices, at)
	}
	p.SMs = others(taken, sms)
	return p
}

// others lists the first n numbers that are not taken.
func others(taken []bool, n int) []int {
	out := make([]int, 0, n)
	for at := 0; len(out) < n; at++ {
		if !taken[at] {
			out = append(out, at)
		}
	}
	return out
}

// ButterflyPlacement gives the terminals of the ends: the slices in even steps
// from the first to the last, the SMs on those between. The error says that they
// are too few.
func (m *Machine) ButterflyPlacement() (Placement, error) {
	n, sms, slices := 1, m.GPU.SMs, m.slices()
	for range m.Network.Stages {
		if n *= m.Network.Radix; n > maxMeshNodes {
			return Placement{}, fmt.Errorf("a %d-ary %d-fly has more than %d terminals", m.Network.Radix, m.Network.Stages, maxMeshNodes)
		}
	}
	if n < sms+slices {
		return Placement{}, fmt.Errorf("a %d-ary %d-fly has %d terminals, and %d SMs and %d L2 slices need one each; add a stage", m.Network.Radix, m.Network.Stages, n, sms, slices)
	}
	p := Placement{Rows: 1, Columns: n}
	taken := make([]bool, n)
	for i := range slices {
		at := i * (n - 1) / max(slices-1, 1)
		taken[at] = true
		p.Slices = append(p.Slices, at)
	}
	p.SMs = others(taken, sms)
	return p, nil
}
