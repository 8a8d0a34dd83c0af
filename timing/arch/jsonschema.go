// SPDX-License-Identifier: Apache-2.0

package arch

import (
	_ "embed" // the schema that is committed
	"encoding/json"
	"reflect"
	"strings"
)

// CommittedJSONSchema is the JSON Schema (draft 2020-12) of machine and overlay
// files, with the sections of all mechanisms: what JSONSchema gives for the
// warptape command.
//
//go:embed architecture.schema.json
var CommittedJSONSchema []byte

// Describer gives the documentation of a field of a struct of the schema, of the
// struct itself when field is "", and "" when there is none. pkg is an import path.
type Describer func(pkg, structName, field string) string

// JSONSchema writes the schema of machine and overlay files for editors: types,
// ranges, units, words, defaults and descriptions of each key. It knows values
// one by one; combinations, missing keys and the range of sizes written with a
// unit (48KiB) are the loader's.
func JSONSchema(describe Describer) ([]byte, error) {
	g := schemaWriter{describe}
	properties := g.properties(reflect.TypeFor[Machine](), "")
	for i := range mechanisms {
		if mechanisms[i].fresh == nil {
			continue
		}
		t := reflect.TypeOf(mechanisms[i].fresh()).Elem()
		properties[mechanisms[i].key] = g.section(t, mechanisms[i].key, "")
	}
	sections := map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
	machine := map[string]any{}
	for key := range properties {
		machine[key] = map[string]any{"$ref": "#/$defs/sections/properties/" + key}
	}
	machine["base"] = described(map[string]any{"type": "string", "minLength": 1},
		"The machine that this one changes, a built-in name or a path, also with overlays. The first key of the file.")
	root := map[string]any{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "Warptape architecture",
		"description": "A machine, or an overlay that changes machines.",
		"type":        "object",
		"if":          map[string]any{"required": []string{"overlay"}},
		"then":        map[string]any{"$ref": "#/$defs/overlay"},
		"else":        map[string]any{"$ref": "#/$defs/machine"},
		"$defs": map[string]any{
			"machine":  map[string]any{"type": "object", "additionalProperties": false, "properties": machine},
			"overlay":  overlaySchema(),
			"sections": sections,
		},
	}
	text, err := json.MarshalIndent(root, "", " ")
	return append(text, '\n'), err
}

// overlaySchema describes overlay files.
func overlaySchema() map[string]any {
	var all, numbers []string
	for i := range machineSchema.leaves {
		l := machineSchema.leaves[i]
		all = append(all, l.path)
		if l.ranged {
			numbers = append(numbers, l.path)
		}
	}
	text := map[string]any{"type": "string", "minLength": 1}
	requirement := map[string]any{
		"type": "object", "additionalProperties": false, "required": []string{"key", "reason"},
		"oneOf": []any{map[string]any{"required": []string{"above"}}, map[string]any{"required": []string{"is"}}},
		"properties": map[string]any{
			"key": map[string]any{"enum": all}, "above": map[string]any{"type": "number"}, "is": text, "reason": text,
		},
	}
	parameter := map[string]any{
		"type": "object", "additionalProperties": false,
		"oneOf": []any{map[string]any{"required": []string{"key"}}, map[string]any{"required": []string{"scale"}}},
		"properties": map[string]any{
			"key":      map[string]any{"enum": all},
			"scale":    map[string]any{"type": "array", "minItems": 1, "items": map[string]any{"enum": numbers}},
			"range":    described(map[string]any{"type": "string", "pattern": `^[0-9.]+\.\.[0-9.]+$`}, "Limits within the key's own, such as 2..8."),
			"true_is":  described(text, "The word of the key for true; false_is comes with it."),
			"false_is": described(text, "The word of the key for false."),
			"about":    described(text, "What the parameter does, where its key does not say."),
		},
	}
	return map[string]any{
		"type": "object", "additionalProperties": false, "required": []string{"overlay"},
		"properties": map[string]any{
			"overlay":     described(text, "The overlay's name."),
			"description": described(text, "One line for lists."),
			"parameters": described(map[string]any{"type": "object", "additionalProperties": parameter},
				"What the user may choose, as in buddy(members=4): keys that the overlay sets, or the factor of keys that it scales. What the overlay says is the default."),
			"requires": described(map[string]any{"type": "array", "items": requirement}, "Conditions on the machine, each with the reason that a refusal gives."),
			"set":      described(map[string]any{"$ref": "#/$defs/sections"}, "New values, in sections as in a machine file."),
			"scale": described(map[string]any{
				"type": "object", "propertyNames": map[string]any{"enum": numbers},
				"additionalProperties": map[string]any{"type": "number", "exclusiveMinimum": 0, "maximum": maxScale},
			}, "Factors on numbers that the machine has, by dotted key."),
		},
	}
}

// schemaWriter describes the structs of the schema.
type schemaWriter struct{ describe Describer }

// properties describes the keys of a struct.
func (g *schemaWriter) properties(t reflect.Type, prefix string) map[string]any {
	out := map[string]any{}
	for i := range t.NumField() {
		f := t.Field(i)
		key := f.Tag.Get("yaml")
		if key == "" {
			continue
		}
		text := g.describe(t.PkgPath(), t.Name(), f.Name)
		if f.Type.Kind() == reflect.Struct {
			out[key] = g.section(f.Type, join(prefix, key), text)
			continue
		}
		l := machineSchema.byPath[join(prefix, key)]
		out[key] = described(l.jsonSchema(), sentences(text, l.remark()))
	}
	return out
}

// section describes a struct: the documentation of the field that holds it, then
// its own.
func (g *schemaWriter) section(t reflect.Type, path, text string) map[string]any {
	return described(map[string]any{"type": "object", "additionalProperties": false, "properties": g.properties(t, path)},
		sentences(text, g.describe(t.PkgPath(), t.Name(), "")))
}

func described(s map[string]any, text string) map[string]any {
	out := map[string]any{}
	for k, v := range s {
		out[k] = v
	}
	if text != "" {
		out["description"] = text
	}
	return out
}

// sentences joins texts, each ended by a full stop.
func sentences(texts ...string) string {
	var out []string
	for _, t := range texts {
		t = strings.Join(strings.Fields(t), " ")
		if t == "" {
			continue
		}
		if !strings.HasSuffix(t, ".") {
			t += "."
		}
		out = append(out, t)
	}
	return strings.Join(out, " ")
}

// remark says the unit and the default of a value.
func (l *leaf) remark() string {
	unit, def := "", ""
	if l.unit != "" {
		unit = "Unit: " + l.unit + "."
	}
	if l.def != "" {
		def = "Default: " + l.def + "."
	}
	return sentences(unit, def)
}

// jsonSchema is the schema of the value.
func (l *leaf) jsonSchema() map[string]any {
	out := map[string]any{}
	switch {
	case l.kind == reflect.Bool:
		out["type"] = "boolean"
	case l.calls:
		out["type"], out["pattern"] = "string", l.callPattern()
	case l.words != nil:
		out["enum"] = l.words
	case l.kind == reflect.String:
		out["type"] = "string"
	case l.unit == "bytes":
		out["anyOf"] = []any{l.jsonNumber(), map[string]any{"type": "string", "pattern": "^[0-9]+( *(B|KiB|MiB|GiB))?$"}}
	default:
		out = l.jsonNumber()
	}
	if l.def != "" {
		out["default"] = l.defaultValue()
	}
	return out
}

// jsonNumber describes a number in its range. Zero takes away a set of operand
// collectors that a base has.
func (l *leaf) jsonNumber() map[string]any {
	if l.pow2 {
		var powers []int64
		for v := int64(1); float64(v) <= l.max; v *= 2 {
			if float64(v) >= l.min {
				powers = append(powers, v)
			}
		}
		return map[string]any{"enum": powers}
	}
	least := l.min
	if strings.HasPrefix(l.path, "sm.collectors.") {
		least = 0
	}
	kind := "integer"
	if l.kind == reflect.Float64 {
		kind = "number"
	}
	return map[string]any{"type": kind, "minimum": least, "maximum": l.max}
}

// defaultValue is the default with the type of the value.
func (l *leaf) defaultValue() any {
	switch l.kind {
	case reflect.Bool:
		return l.def == "true"
	case reflect.Int, reflect.Float64:
		return number(l.def)
	}
	return l.def
}
