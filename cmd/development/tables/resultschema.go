// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
)

// ResultSchemaPath is where the schema of results is kept.
const ResultSchemaPath = "docs/results.schema.json"

// WriteResultSchema makes the schema of stored points and of what warptape replay --json
// writes; descriptions are the comments of the structs in the source tree at root.
func WriteResultSchema(b *bytes.Buffer, root string) error {
	c := &structComments{root: root, packages: map[string]map[string]string{}}
	r := &jsonschema.Reflector{
		Anonymous:                 true,
		AllowAdditionalProperties: true, // a new member leaves the version as it is
		Mapper:                    mapped,
		LookupComment: func(t reflect.Type, field string) string {
			if !strings.HasPrefix(t.PkgPath(), modulePath) {
				return ""
			}
			return strings.TrimSpace(c.describe(t.PkgPath(), t.Name(), field))
		},
		Namer: definitionName,
	}
	s := r.ReflectFromType(reflect.TypeFor[results.Point]())
	statistics := r.ReflectFromType(reflect.TypeFor[replay.Result]())
	for name, d := range statistics.Definitions {
		s.Definitions[name] = d
	}
	if c.err != nil {
		return c.err
	}
	point := s.Definitions[definitionName(reflect.TypeFor[results.Point]())]
	set(point, "schema", &jsonschema.Schema{Const: results.SchemaVersion, Description: "Version of this schema."})
	set(point, "statistics", &jsonschema.Schema{Ref: "#/$defs/" + definitionName(reflect.TypeFor[replay.Result]()), Description: "What warptape replay --json writes for each machine."})
	set(point, "architecture", &jsonschema.Schema{Type: "object", Description: "The resolved machine: every key of warptape arch show."})
	s.ID = jsonschema.ID(fmt.Sprintf("urn:warptape:results:%d", results.SchemaVersion))
	s.Title = "Warptape results"
	s.Description = "A point of a folder of results (points/KK/KEY.json.zst), decompressed. What warptape replay --json writes is an array of its statistics."
	e := json.NewEncoder(b)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(s)
}

// set describes a member otherwise than its Go type does.
func set(s *jsonschema.Schema, member string, d *jsonschema.Schema) {
	if _, ok := s.Properties.Get(member); !ok {
		panic("BUG: a point has no member " + member)
	}
	s.Properties.Set(member, d)
}

// definitionName tells types of one name apart by their packages; empty for types without
// a name, which are described where they stand.
func definitionName(t reflect.Type) string {
	if t.Name() == "" || t.PkgPath() == "" {
		return ""
	}
	return t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:] + "." + t.Name()
}

// mapped describes what writes its JSON itself: objects by declared names.
func mapped(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[replay.Metrics]():
		s := objectOf("Metrics by name; null where one has no value.")
		for _, d := range replay.Declarations() {
			s.Properties.Set(d.Name, &jsonschema.Schema{
				OneOf:       []*jsonschema.Schema{{Type: "number"}, {Type: "null"}},
				Description: fmt.Sprintf("%s [%s]: %s", d.Title, d.Unit, d.Formula),
			})
		}
		return s
	case reflect.TypeFor[replay.Counts]():
		s := objectOf("Counters by name.")
		for id := range counters.ID(counters.Count) {
			addCounter(s, counters.Declared(id))
		}
		return s
	case reflect.TypeFor[replay.MechanismCounts]():
		s := objectOf("Counters of the mechanisms that are on, by mechanism and name.")
		for _, g := range counters.Groups() {
			group := objectOf("Counters of " + g.Name + ".")
			for _, d := range g.Rows {
				addCounter(group, d)
			}
			s.Properties.Set(g.Name, group)
		}
		return s
	}
	return nil
}

func objectOf(description string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), Description: description}
}

func addCounter(s *jsonschema.Schema, d counters.Declaration) {
	s.Properties.Set(d.Name, &jsonschema.Schema{Type: "integer", Minimum: "0", Description: fmt.Sprintf("%s [%s]", d.Meaning, d.Unit)})
}
