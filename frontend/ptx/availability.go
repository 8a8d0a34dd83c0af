// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Version is a version of the PTX ISA.
type Version struct{ Major, Minor int }

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// before reports whether v is older than o.
func (v Version) before(o Version) bool {
	return v.Major < o.Major || v.Major == o.Major && v.Minor < o.Minor
}

// isa makes a version.
func isa(major, minor int) Version { return Version{major, minor} }

// Availability says which PTX and which target an instruction needs when it is of
// a certain form: a line of the ISA's "PTX ISA Notes" and "Target ISA Notes". It
// holds for instructions that meet all conditions that are given. All rows of an
// opcode that hold count.
type Availability struct {
	// Conditions: the first type, or any type, is in the set. The space is in the set.
	// One modifier of each of Mods and With is written, and none of Without. There are
	// so many vector elements, or operands, or more; an address operand is a register
	// (textures); the module is for this very target.
	First, Any, Second  TypeSet
	Mods, With, Without Modifiers
	Spaces              SpaceSet
	Vector, Operands    int
	Indirect            bool
	Only                int
	Suffix              string // is written; for what is no modifier, as a state space

	// Version is the first with the form; Target the lowest sm_ number, zero for
	// all. Specific wants a target of its own architecture, such as sm_90a.
	Version  Version
	Target   int
	Specific bool
	// Until is the first version that has the form no more for Removed and later
	// targets.
	Until   Version
	Removed int
	// Section of PTX ISA 9.1; that of the opcode's row when empty.
	Section string
}

// holds reports whether the row is about the instruction.
func (a *Availability) holds(in *Instruction, target int) bool {
	some := func(set TypeSet) bool {
		return slices.ContainsFunc(in.Types[:], func(t Type) bool { return t != TypeNone && set.Has(t) })
	}
	has := func(set *Modifiers) bool { return *set == Modifiers{} || in.Mods.common(set) > 0 }
	return (a.First == 0 || a.First.Has(in.Types[0])) && (a.Second == 0 || a.Second.Has(in.Types[1])) && (a.Any == 0 || some(a.Any)) &&
		has(&a.Mods) && has(&a.With) && in.Mods.common(&a.Without) == 0 &&
		(a.Spaces == 0 || a.Spaces.Has(in.Space)) && in.Vector >= a.Vector && len(in.Operands) >= a.Operands &&
		(!a.Indirect || indirect(in)) && (a.Only == 0 || a.Only == target) &&
		(a.Suffix == "" || slices.Contains(in.Suffixes, a.Suffix))
}

// indirect reports whether a texture or surface is named by a register.
func indirect(in *Instruction) bool {
	return slices.ContainsFunc(in.Operands, func(o Operand) bool { return o.Kind == OperandAddress && o.Register != nil })
}

// Warning is something in a module that its own .version or .target does not have.
type Warning struct {
	Position // of the first
	Message  string
	Count    int // how often it stands in the module
}

func (w *Warning) String() string {
	text := fmt.Sprintf("%s: %s", w.Position, w.Message)
	if w.Count > 1 {
		text += fmt.Sprintf(" (%d times)", w.Count)
	}
	return text
}

// Strict is an error that lists a module's warnings; nil when there are none.
func Strict(m *Module) error {
	var list []error
	for i := range m.Warnings {
		list = append(list, errors.New(m.Warnings[i].String()))
	}
	return errors.Join(list...)
}

// architecture is what a module says that it is for.
type architecture struct {
	version  Version
	target   int // the sm_ number; zero when none is given
	name     string
	specific bool // sm_90a, sm_100f
}

// architecture reads .version and .target. Of several targets the oldest counts.
func (m *Module) architecture() architecture {
	a := architecture{version: Version{m.VersionMajor, m.VersionMinor}}
	for _, name := range m.Targets {
		digits, found := strings.CutPrefix(name, "sm_")
		plain := strings.TrimRight(digits, "af")
		n, err := strconv.Atoi(plain)
		if found && err == nil && (a.target == 0 || n < a.target) {
			a.target, a.name, a.specific = n, name, plain != digits
		}
	}
	return a
}

// misses says what the module lacks for a form; "" when nothing.
func (a *architecture) misses(need *Availability) string {
	switch {
	case need.Removed > 0 && a.target >= need.Removed && !a.version.before(need.Until):
		return fmt.Sprintf("is not in PTX ISA %s and later for sm_%d and later, as this module is", need.Until, need.Removed)
	case need.Removed > 0:
		return ""
	case a.target > 0 && a.target < need.Target:
		return fmt.Sprintf("needs sm_%d, but .target is %s", need.Target, a.name)
	case need.Specific && a.target > 0 && !a.specific:
		return fmt.Sprintf("needs a target of its own architecture such as sm_%da, but .target is %s", need.Target, a.name)
	case a.version.before(need.Version):
		return fmt.Sprintf("needs PTX ISA %s, but .version is %s", need.Version, a.version)
	}
	return ""
}

// compare notes what the instruction needs that the module is not for.
func (p *parser) compare(in *Instruction) {
	rows := specs[in.Op].Available
	for i := range rows {
		p.need(&rows[i], in)
	}
	for _, s := range in.Suffixes {
		if row := suffixes[s].needs; row != nil {
			p.need(row, in)
		}
	}
	for i := range in.Operands {
		p.compareOperand(&in.Operands[i])
	}
}

func (p *parser) compareOperand(o *Operand) {
	if o.Kind == OperandSpecial {
		if need, ok := specialAvailability[o.Special]; ok {
			name := "special register %" + o.Special.String()
			p.warn(warningKind{what: name}, o.Position, name, p.target.misses(&need), need.Section)
		}
	}
	for i := range o.Elements {
		p.compareOperand(&o.Elements[i])
	}
}

func (p *parser) need(row *Availability, in *Instruction) {
	missing := p.target.misses(row)
	if missing == "" || !row.holds(in, p.target.target) {
		return
	}
	section := row.Section
	if section == "" {
		section = SpecOf(in.Op).Section
	}
	p.warn(warningKind{row: row, op: in.Op}, in.Position, strings.Join(append([]string{in.Op.String()}, in.Suffixes...), "."), missing, section)
}

// warningKind tells warnings apart: by a row of the tables and the opcode, or by
// what is needed outside of instructions.
type warningKind struct {
	row  *Availability
	op   Opcode
	what string
}

// warn notes that something is missing, once for each kind.
func (p *parser) warn(kind warningKind, at Position, what, missing, section string) {
	if missing == "" {
		return
	}
	if w := p.warnings[kind]; w != nil {
		w.Count++
		return
	}
	p.warnings[kind] = &Warning{Position: at, Message: fmt.Sprintf("%s %s (PTX ISA %s)", what, missing, section), Count: 1}
}

// compareTarget notes a target that came later than the module's version.
func (p *parser) compareTarget(name string, at Position) {
	if since, ok := targetVersions[name]; ok && (Version{p.module.VersionMajor, p.module.VersionMinor}).before(since) {
		p.warn(warningKind{what: name}, at, "target "+name, fmt.Sprintf("needs PTX ISA %s, but .version is %d.%d", since, p.module.VersionMajor, p.module.VersionMinor), "11.1.2")
	}
}

// noteEntries warns of a file without anything to launch.
func (p *parser) noteEntries() {
	if len(p.module.Kernels) > 0 {
		return
	}
	at := Position{p.file, 1, 1}
	if len(p.module.Functions) > 0 {
		at = p.module.Functions[0].Position
	}
	p.warnings[warningKind{what: noEntry}] = &Warning{Position: at, Message: noEntry, Count: 1}
}

// noEntry is what is said of a file without kernels.
const noEntry = "no .entry function with a body: nothing of this file can be launched"

// sortedWarnings lists the warnings by position.
func (p *parser) sortedWarnings() []Warning {
	list := make([]Warning, 0, len(p.warnings))
	for _, w := range p.warnings {
		list = append(list, *w)
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		switch {
		case a.Line != b.Line:
			return a.Line < b.Line
		case a.Column != b.Column:
			return a.Column < b.Column
		}
		return a.Message < b.Message
	})
	return list
}
