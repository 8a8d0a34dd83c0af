package tables

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/ptx"
)

// WriteCoverage writes docs/ptx-coverage.md from the instruction table.
func WriteCoverage(b *bytes.Buffer) error {
	b.WriteString("# PTX coverage\n\n" + page.Note)
	b.WriteString("What the front end executes, from its table. Everything else is refused when a file is loaded, with file, line and column.\n" +
		"Sections are those of PTX ISA 9.1. One row is one legal combination: at most one modifier of each group in braces, exactly one of\n" +
		"each group without. How functions, textures and asynchronous copies appear in a trace stands in [deviations.md](deviations.md).\n" +
		"Cache operators, eviction priorities, sizes of prefetches and cache policies (`.L2::cache_hint`, `createpolicy`) are hints: they\n" +
		"change no result, and a trace keeps them among the modifiers of its instructions. What old modules imply is written out when they\n" +
		"are loaded: `.f32` instructions for `sm_10` to `sm_13` get `.ftz`, and `map_f64_to_f32` makes `.f64` instructions `.f32`.\n" +
		"Constant expressions (4.5.4) stand wherever a number does. Launches do not overlap, so that `griddepcontrol` does nothing.\n\n" +
		"## Instructions\n\n| instruction | section | modifiers | state spaces | types | operands | class |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, op := range ptx.Opcodes() {
		spec := ptx.SpecOf(op)
		for i := range spec.Forms {
			writeForm(b, spec, &spec.Forms[i])
		}
	}
	writeAvailability(b)
	b.WriteString("\n## Refused, with the reason\n\n| instruction or suffix | why |\n| --- | --- |\n")
	for _, r := range ptx.Refused() {
		fmt.Fprintf(b, "| `%s` | %s |\n", r.What, r.Reason)
	}
	b.WriteString("\n## Functions that modules may call without defining them\n\nCompilers leave calls of these where no device library is linked.\n\n")
	for i, name := range emulator.ProvidedFunctions() {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(b, "`%s`", name)
	}
	b.WriteString("\n\nOpenCL C's image functions are provided under the names that clang gives them: `read_imagef`, `read_imagei`, `read_imageui`,\n" +
		"`write_imagef`, `write_imagei`, `write_imageui` and `get_image_...` of images of one to three dimensions, of arrays of them and of\n" +
		"buffers. An image is a texture of the host program, a sampler the sum of its `CLK_` numbers as a `u64`.\n")
	return nil
}

// writeAvailability lists what instructions need of .version and .target.
func writeAvailability(b *bytes.Buffer) {
	b.WriteString("\n## Which version and target an instruction needs\n\n" +
		"What a module uses beside its own `.version` and `.target` is executed all the same, with a warning, or refused with `--strict`\n" +
		"(`ptx check`, `record`). All rows that fit an instruction count; instructions without a row are in PTX 1.0 for all targets.\n" +
		"Sections are those of the notes in PTX ISA 9.1.\n\n" +
		"| instruction | of which forms | PTX | target | section |\n| --- | --- | --- | --- | --- |\n")
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
