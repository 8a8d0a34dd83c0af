// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
)

func mesh56(t testing.TB) (*arch.Machine, arch.Placement) {
	t.Helper()
	m, err := arch.Load("mesh56")
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.MeshPlacement()
	if err != nil {
		t.Fatal(err)
	}
	return m, p
}

// The paper's own examples (sections 3.2 and 4): loads of core 15 to LLC 5 and 6
// meet at core 36, those to LLC 0 and 6 nowhere.
func TestMeetNodesAreThoseOfThePaper(t *testing.T) {
	_, p := mesh56(t)
	table := newMeetNodes(&p, true, false)
	if got := table.at(15, 5, 6); got != 36 {
		t.Errorf("core 15, LLC 5 and 6 meet at %d, want core 36", got)
	}
	if got := table.at(15, 0, 6); got != nowhere {
		t.Errorf("core 15, LLC 0 and 6 meet at %d, want nowhere", got)
	}
}

// links is how many links lie between two nodes of a mesh, by coordinates.
func links(p *arch.Placement, a, b int) (n int) {
	for y, to := a/p.Columns, b/p.Columns; y != to; n++ {
		y += sign(to - y)
	}
	for x, to := a%p.Columns, b%p.Columns; x != to; n++ {
		x += sign(to - x)
	}
	return n
}

// onWay reports, by coordinates, whether a node is on the way from one to another
// that follows the column first, or the row.
func onWay(p *arch.Placement, from, to, node int, columnFirst bool) bool {
	y, x := node/p.Columns, node%p.Columns
	between := func(v, a, b int) bool { return v >= min(a, b) && v <= max(a, b) }
	fromY, fromX, toY, toX := from/p.Columns, from%p.Columns, to/p.Columns, to%p.Columns
	if node == from {
		return false
	}
	if columnFirst {
		return x == fromX && between(y, fromY, toY) || y == toY && between(x, fromX, toX)
	}
	return y == fromY && between(x, fromX, toX) || x == toX && between(y, fromY, toY)
}

func TestMeetNodesAreTheNearestOfAllCommonNodes(t *testing.T) {
	for _, spec := range []string{"mesh56", "mesh56-alt"} {
		m, err := arch.Load(spec)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.MeshPlacement()
		if err != nil {
			t.Fatal(err)
		}
		nearestOfAll(t, spec, &p, p.SMs, newMeetNodes(&p, true, false))
		nearestOfAll(t, spec, &p, append(slices.Clone(p.SMs), p.Slices...), newMeetNodes(&p, true, true))
	}
}

// nearestOfAll holds a table against the nearest of all nodes, which are those of the ends.
func nearestOfAll(t *testing.T, spec string, p *arch.Placement, nodes []int, table *meetNodes) {
	t.Helper()
	partitions := 0
	for core, from := range p.SMs {
		for a, toA := range p.Slices {
			for b, toB := range p.Slices {
				best := -1
				for _, node := range nodes {
					for _, columnFirst := range []bool{true, false} {
						if onWay(p, from, toA, node, columnFirst) && onWay(p, from, toB, node, columnFirst) {
							if d := links(p, node, toA) + links(p, node, toB); best < 0 || d < best {
								best = d
							}
						}
					}
				}
				got := table.at(core, a, b)
				if (got == nowhere) != (best < 0) {
					t.Fatalf("%s: core %d, slices %d and %d: meet at %d, nearest common node is at distance %d", spec, core, a, b, got, best)
				}
				if got != nowhere && links(p, nodes[got], toA)+links(p, nodes[got], toB) != best {
					t.Fatalf("%s: core %d, slices %d and %d: end %d is not at distance %d", spec, core, a, b, got, best)
				}
				if got >= len(p.SMs) && a != b {
					partitions++
				}
			}
		}
	}
	if (partitions > 0) != (len(nodes) > len(p.SMs)) {
		t.Errorf("%s: %d pairs of slices meet at partitions", spec, partitions)
	}
}

func TestAComputePacketIsOneFlitAndTwoWithMasks(t *testing.T) {
	if packetBytes != 32 || maxAddress != 1<<48-1 {
		t.Errorf("%d bytes and addresses up to %#x, want 32 and 48 bits (Fig. 5)", packetBytes, maxAddress)
	}
	for _, c := range []struct {
		masks bool
		flit  int
		want  uint16
	}{{false, 32, 1}, {true, 32, 2}, {false, 64, 1}, {true, 64, 1}, {false, 16, 2}, {true, 16, 4}} {
		if got := computeFlits(c.masks, c.flit); got != c.want {
			t.Errorf("masks %v, flits of %d bytes: %d flits, want %d", c.masks, c.flit, got, c.want)
		}
	}
}

// The last line of 48 bits has addresses of 48 bits, and no line behind it has.
func TestAPacketAddressesTheLastLineOf48Bits(t *testing.T) {
	last := uint64(1)<<48 - lineBytes
	for line, want := range map[uint64]bool{0: true, last - lineBytes: true, last: true, last + lineBytes: false, 1 << 63: false} {
		if addressed(line) != want {
			t.Errorf("line %#x: %v, want %v", line, !want, want)
		}
	}
}
