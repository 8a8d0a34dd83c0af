// SPDX-License-Identifier: Apache-2.0

package report

// pareto shows which points no other one betters.
type pareto struct{ *points }

func (pareto) add(*point) error { return nil }

func (c pareto) section() *Section {
	measures := c.comparable()
	start := func(name string) Role {
		role := Role{name}
		for _, m := range measures {
			if m != name {
				role = append(role, m)
			}
		}
		return role
	}
	return &Section{ID: "pareto", Title: "Trade-offs", Text: []string{
		"A point is on the front when no other one of the chosen points is better in one of the two measures and at least as good in the other.",
	}, Parts: []Part{{Chart: &Chart{
		Kind: Scatter, Title: "Two measures against each other, with their Pareto front", Dataset: c.data, X: start("time_ns"), Y: start("energy_j"),
		Colour: append(Role{columnMachine}, c.at.parameters()...), Label: c.at.labels, One: []string{columnTrace}, Any: append([]string{columnMachine}, c.at.parameters()...),
		Reason: columnReason, Front: true,
	}}}}
}
