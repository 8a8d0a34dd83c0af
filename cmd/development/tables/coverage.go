// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"bytes"

	"github.com/warptape/warptape/frontend/emulator/interpreter"

	_ "embed"
	"fmt"
	"strings"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/frontend/ptx"
)

//go:embed coverage.md.tmpl
var coveragePage string

// WriteCoverage writes docs/ptx-coverage.md from the instruction table.
func WriteCoverage(b *bytes.Buffer) error {
	var forms, availability bytes.Buffer
	for _, op := range ptx.Opcodes() {
		spec := ptx.SpecOf(op)
		for i := range spec.Forms {
			writeForm(&forms, spec, &spec.Forms[i])
		}
	}
	writeAvailability(&availability)
	return page.Write(b, coveragePage, map[string]any{
		"Forms": forms.String(), "Availability": availability.String(),
		"Refused": ptx.Refused(), "Functions": interpreter.ProvidedFunctions(),
	})
}

// writeAvailability lists what instructions need of .version and .target.
func writeAvailability(b *bytes.Buffer) {
	for _, op := range ptx.Opcodes() {
		rows := ptx.Availabilities(op)
		for i := range rows {
			version, target := rows[i].Needs()
			condition, section := rows[i].Condition(), rows[i].Section
			if condition == "" && version == "1.0" && target == "" {
				continue
			}
			if section == "" {
				section = ptx.SpecOf(op).Section
			}
			fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", op, condition, version, target, section)
		}
	}
	for _, n := range ptx.NamedAvailabilities() {
		version, target := n.Needs()
		fmt.Fprintf(b, "| any | `%s` | %s | %s | %s |\n", n.Name, version, target, n.Section)
	}
}

func writeForm(b *bytes.Buffer, spec *ptx.Spec, form *ptx.Form) {
	var modifiers, types, operands []string
	for _, g := range form.Groups {
		modifiers = append(modifiers, g.String())
	}
	for _, set := range form.Types {
		types = append(types, set.String())
	}
	for _, slot := range form.Shape {
		operands = append(operands, slot.Name)
	}
	spaces := ""
	if form.Spaces != 0 {
		spaces = form.Spaces.String()
	}
	if lengths := form.VectorLengths(); lengths != "" {
		modifiers = append(modifiers, lengths)
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", spec.Name, spec.Section,
		strings.Join(modifiers, "; "), spaces, strings.Join(types, "; "), strings.Join(operands, ", "), form.Class)
}
