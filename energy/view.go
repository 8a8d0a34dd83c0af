// SPDX-License-Identifier: Apache-2.0

package energy

// View groups leaves as a paper's figure does. Its groups do not overlap. What
// mechanisms add outside of them is a share of its own.
type View struct {
	Name   string
	Source string
	// Hierarchy says that the figure is about the on-chip memory hierarchy only; of
	// what mechanisms add it counts what belongs to that.
	Hierarchy bool
	// Static says that the figure includes static energy.
	Static bool
	Groups []Group
}

// Group is the nodes of one part of a figure.
type Group struct {
	Name  string
	Nodes []string
}

// Share is a group's energy and its part of the view.
type Share struct {
	Name    string
	Joules  float64
	Percent float64 // NaN when the view has no energy
}

// Views lists the named groupings.
func Views() []View { return views }

var views = []View{
	{"on-chip-memory", "GPSim thesis Fig. 5.1: dynamic energy of a GPU's on-chip memories", true, false, []Group{
		{"first-level data cache", []string{"chip/sm/L1", "chip/sm/coalescer"}},
		{"scratchpad", []string{"chip/sm/shared memory"}},
		{"constant cache", []string{"chip/sm/constant cache"}},
		{"texture cache", []string{"chip/sm/texture cache"}},
		{"L2", []string{"chip/L2"}},
	}},
	{"memory-hierarchy", "GPSim thesis Fig. 4.3: dynamic energy of the memory hierarchy down to the last-level cache", true, false, []Group{
		{"scratchpad", []string{"chip/sm/shared memory"}},
		{"first-level data cache", []string{"chip/sm/L1", "chip/sm/coalescer"}},
		{"L2", []string{"chip/L2"}},
		{"last-level cache", []string{"chip/LLC"}},
	}},
	{"front-end", "Buddy SM paper Fig. 1: dynamic energy by part of the GPU", false, false, []Group{
		{"fetch", []string{"chip/sm/front end/fetch", "chip/sm/front end/instruction buffer"}},
		{"decode, issue, stack", []string{"chip/sm/front end/decode", "chip/sm/front end/scheduler", "chip/sm/front end/scoreboard", "chip/sm/front end/SIMT stack", "chip/sm/front end/pipeline"}},
		{"register file", []string{"chip/sm/register file", "chip/sm/operand collector"}},
		{"functional units", []string{"chip/sm/functional units", "chip/sm/pipeline"}},
		{"first-level memories", []string{"chip/sm/L1", "chip/sm/coalescer", "chip/sm/shared memory", "chip/sm/constant cache", "chip/sm/texture cache"}},
		{"network", []string{"chip/network"}},
		{"L2 and last-level cache", []string{"chip/L2", "chip/LLC"}},
		{"DRAM", []string{"chip/DRAM"}},
	}},
	{"alu-register-file", "Affine paper section 5.6 and Fig. 21: dynamic energy of ALUs and register file", false, false, []Group{
		{"ALUs", []string{"chip/sm/functional units"}},
		{"register file", []string{"chip/sm/register file", "chip/sm/operand collector"}},
		{"the rest", []string{"chip/sm/front end", "chip/sm/pipeline", "chip/sm/L1", "chip/sm/coalescer", "chip/sm/shared memory", "chip/sm/constant cache", "chip/sm/texture cache", "chip/network", "chip/L2", "chip/LLC", "chip/DRAM", "chip/constant"}},
	}},
	{"data-movement", "near-data computing paper section 3 and Fig. 11: energy of the network against cores, caches and DRAM", false, true, []Group{
		{"cores", []string{"chip/sm"}},
		{"network", []string{"chip/network"}},
		{"L2 and last-level cache", []string{"chip/L2", "chip/LLC"}},
		{"DRAM", []string{"chip/DRAM"}},
		{"constant", []string{"chip/constant"}},
	}},
}

// Shares computes a view of the report.
func (v *View) Shares(r *Report) []Share {
	var shares []Share
	sum := 0.0
	for _, g := range v.Groups {
		s := Share{Name: g.Name}
		for _, n := range g.Nodes {
			node := r.Node(n)
			s.Joules += node.DynamicJ
			if v.Static {
				s.Joules += node.StaticJ
			}
		}
		sum += s.Joules
		shares = append(shares, s)
	}
	if added := v.added(r); added.TotalJ() > 0 {
		s := Share{Name: addedName, Joules: added.DynamicJ}
		if v.Static {
			s.Joules += added.StaticJ
		}
		sum += s.Joules
		shares = append(shares, s)
	}
	for i := range shares {
		shares[i].Percent = 100 * ratio(shares[i].Joules, sum)
	}
	return shares
}

// addedName is the share of what mechanisms add.
const addedName = "added by mechanisms"

// added sums what mechanisms have brought to the view's part of the chip outside
// of its groups.
func (v *View) added(r *Report) Leaf {
	sum := Leaf{Path: addedName}
	for _, l := range r.Leaves {
		if !l.Added || v.Hierarchy && !l.Hierarchy || v.grouped(l.Path) {
			continue
		}
		sum.DynamicJ += l.DynamicJ
		sum.StaticJ += l.StaticJ
	}
	return sum
}

// grouped reports whether a leaf belongs to a group.
func (v *View) grouped(path string) bool {
	for _, g := range v.Groups {
		for _, n := range g.Nodes {
			if under(path, n) {
				return true
			}
		}
	}
	return false
}
