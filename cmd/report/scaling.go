// SPDX-License-Identifier: Apache-2.0

package report

// scaling shows measures over the parameters of a sweep: as lines over one, and as cells
// over two.
type scaling struct{ *points }

func (scaling) add(*point) error { return nil }

func (c scaling) section() *Section {
	axes := c.at.parameters()
	if len(axes) == 0 {
		return nil
	}
	across := append(Role{}, axes...)
	if c.at.overlaysVary() && len(axes) > 1 {
		across = append(across[1:], columnOverlays) // values of a parameter have an order
	}
	colours := append(Role{columnMachine}, axes...)
	s := &Section{ID: "scaling", Title: "Scaling over parameters", Text: []string{
		"Points that differ in nothing but the parameter across are joined by a line.",
	}, Parts: []Part{{Chart: &Chart{
		Kind: Lines, Title: "A measure over one parameter", Dataset: c.data, X: across, Y: c.measures(), Colour: colours,
		Label: c.at.labels, One: []string{columnTrace}, Any: append([]string{columnMachine}, axes...), Reason: columnReason,
	}}}}
	if both := append(across, columnMachine); len(both) > 1 {
		s.Text = append(s.Text, "In the cells below a measure stands over two parameters; the others have the values that are chosen.")
		y := append(Role{both[1], both[0]}, both[2:]...)
		s.Parts = append(s.Parts, Part{Chart: &Chart{
			Kind: Heat, Title: "A measure over two parameters", Dataset: c.data, X: both, Y: y, Value: c.measures(),
			Label: c.at.labels, One: append([]string{columnTrace, columnMachine}, axes...), Reason: columnReason,
		}})
	}
	return s
}

// overlaysVary reports whether overlays are the first of the parameters.
func (c *coordinates) overlaysVary() bool { return len(c.labels) > 2 && c.labels[2] == columnOverlays }
