// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Show writes every value of the machine with its unit, its source, what it
// overrides and its default when it has one, in the order of the schema. The error
// is w's.
func (m *Machine) Show(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s\ndigest %s\n", m.Name, m.Description, m.Digest())
	for i := range machineSchema.leaves {
		l := machineSchema.leaves[i]
		switch {
		case l.path == "name" || l.path == "description":
		case m.defaulted(l):
			fmt.Fprintf(&b, "%-34s %-26s default\n", l.path, l.withUnit(l.def))
		case !m.unused(l.path):
			m.showLeaf(&b, l)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (m *Machine) showLeaf(b *bytes.Buffer, l *leaf) {
	value := l.shown(m)
	at, known := m.origins[l.path]
	if !known {
		fmt.Fprintf(b, "%-34s %s\n", l.path, value)
		return
	}
	fmt.Fprintf(b, "%-34s %-26s %s", l.path, value, at.place())
	if at.Source != "" {
		fmt.Fprintf(b, "  # %s", at.Source)
	}
	if l.def != "" {
		fmt.Fprintf(b, "  (default %s)", l.def)
	}
	b.WriteByte('\n')
	for _, o := range at.Overrides {
		fmt.Fprintf(b, "%-34s   overrides %s\n", "", o)
	}
}

// defaulted reports whether no file set a value that has a default and a meaning
// on the machine.
func (m *Machine) defaulted(l *leaf) bool {
	if l.def == "" || l.section != "" && m.Section(l.section) == nil || !l.get(m).IsZero() {
		return false
	}
	if _, given := m.origins[l.path]; given {
		return false
	}
	c := m.cache(l.path[:strings.LastIndexByte(l.path, '.')])
	return c == nil || c.Bytes > 0
}

// MarshalJSON writes the machine with the keys of its YAML form, in the order
// of the schema; sizes are plain numbers of bytes.
func (m *Machine) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := encodeMachine(&b, m, nil)
	return b.Bytes(), err
}

// encodeMachine writes the machine, without the dotted keys in skip, with the
// sections of the mechanisms that are on after its own.
func encodeMachine(b *bytes.Buffer, m *Machine, skip map[string]bool) error {
	if err := encode(b, reflect.ValueOf(m).Elem(), "", skip); err != nil {
		return err
	}
	for _, key := range m.Mechanisms() {
		if m.sections[key] == nil {
			continue // it has no keys of its own
		}
		b.Truncate(b.Len() - 1) // the closing brace
		fmt.Fprintf(b, ",%q:", key)
		if err := encode(b, reflect.ValueOf(m.Section(key)).Elem(), key, skip); err != nil {
			return err
		}
		b.WriteByte('}')
	}
	return nil
}

// encode writes a struct of the schema, whose key is prefix, without the dotted
// keys in skip.
func encode(b *bytes.Buffer, v reflect.Value, prefix string, skip map[string]bool) error {
	b.WriteByte('{')
	first := true
	for i := range v.NumField() {
		key := v.Type().Field(i).Tag.Get("yaml")
		path := join(prefix, key)
		if key == "" || skip[path] || allSkipped(v.Field(i).Type(), path, skip) {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		fmt.Fprintf(b, "%q:", key)
		if v.Field(i).Kind() == reflect.Struct {
			if err := encode(b, v.Field(i), path, skip); err != nil {
				return err
			}
			continue
		}
		text, err := json.Marshal(v.Field(i).Interface())
		if err != nil {
			return fmt.Errorf("architecture key %s: %w", key, err)
		}
		b.Write(text)
	}
	b.WriteByte('}')
	return nil
}

// allSkipped reports whether t is a section without a key left.
func allSkipped(t reflect.Type, prefix string, skip map[string]bool) bool {
	if t.Kind() != reflect.Struct || len(skip) == 0 {
		return false
	}
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("yaml"); key != "" && !skip[join(prefix, key)] {
			return false
		}
	}
	return true
}

// Digest is the lower-case hex SHA-256 of what the machine is, whatever its
// name, description, comments and order of keys. Values that have no meaning on
// the machine (the ways of an absent cache) do not count. Those of keys that
// came after the first digests were published are left out altogether, so that a
// new topology changes no digest of a machine without it.
func (m *Machine) Digest() string {
	c := m.Clone()
	skip := map[string]bool{"name": true, "description": true}
	for i := range machineSchema.leaves {
		l := machineSchema.leaves[i]
		switch {
		case l.apart:
			skip[l.path] = true
		case !m.unused(l.path):
		case l.section == "":
			l.get(c).SetZero()
			skip[l.path] = l.optional
		case m.Section(l.section) != nil:
			skip[l.path] = l.optional
		}
	}
	c.Network.Placement = strings.Join(strings.Fields(c.Network.Placement), " ")
	var b bytes.Buffer
	if err := encodeMachine(&b, c, skip); err != nil {
		// Only a NaN or infinity fails, and no loaded machine has one.
		return "invalid: " + err.Error()
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:])
}

// TimingDigest is Digest without what no replay reads: the technology in which energy and
// area are accounted for. Machines with the same one replay any trace in the same cycles.
func (m *Machine) TimingDigest() string {
	c := m.Clone()
	c.Technology = Technology{}
	return c.Digest()
}
