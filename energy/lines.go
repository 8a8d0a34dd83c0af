// SPDX-License-Identifier: Apache-2.0

package energy

import "github.com/warptape/warptape/timing/counters"

// ByLine is the dynamic energy of a run by what caused it.
type ByLine struct {
	PJ []float64 // picojoules per line
	// Rest is what no line caused, by component: instruction fetch, write-backs,
	// DRAM commands, and whatever the counters of lines do not hold.
	Rest []Leaf
}

// Attribute divides the dynamic energy of a run among lines: lines holds what
// each has caused, total what was counted in all. Every component charges lines
// by its own prices; what remains of it goes to Rest, so that lines and rest add
// up to the account's dynamic energy.
func (m *Model) Attribute(lines []*counters.Set, total *counters.Set) ByLine {
	out := ByLine{PJ: make([]float64, len(lines))}
	for i := range m.Components {
		c := &m.Components[i]
		sum := 0.0
		for n, set := range lines {
			pj := float64(c.dynamicJ(set) * 1e12)
			out.PJ[n] += pj
			sum += pj
		}
		out.Rest = append(out.Rest, Leaf{Path: c.Path, DynamicJ: c.dynamicJ(total) - float64(sum*1e-12)})
	}
	return out
}

// Groups sums the leaves of a report by the parts that people compare: the parts
// of an SM, and the chip's other parts, in the order of their first leaf. Paths are
// without "chip/".
func (r *Report) Groups() []Leaf {
	var list []Leaf
	at := map[string]int{}
	for _, l := range r.Leaves {
		g := group(l.Path)
		i, ok := at[g]
		if !ok {
			i = len(list)
			at[g] = i
			list = append(list, Leaf{Path: g})
		}
		list[i].DynamicJ += l.DynamicJ
		list[i].StaticJ += l.StaticJ
		list[i].AreaMM2 += l.AreaMM2
	}
	return list
}

// group is the second level of a path, of an SM's the third, too.
func group(path string) string {
	var depth int
	for i := range path {
		if path[i] != '/' {
			continue
		}
		if depth++; depth == 2 && path[:i] != "chip/sm" || depth == 3 {
			return path[len("chip/"):i]
		}
	}
	return path[len("chip/"):]
}
