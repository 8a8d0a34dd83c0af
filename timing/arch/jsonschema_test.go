// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// committedSchema compiles the committed file with a validator that is not ours.
func committedSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(CommittedJSONSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("architecture.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("architecture.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate checks a YAML text as an editor does.
func validate(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	form, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(instance)
}

func TestBuiltInFilesAreValidByTheJSONSchema(t *testing.T) {
	s := committedSchema(t)
	for _, kind := range []string{"machines", "overlays"} {
		for _, name := range yamlNames(builtin, kind) {
			text, err := builtin.ReadFile(kind + "/" + name + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			if err := validate(t, s, string(text)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// asYAML is a file that gives one key.
func asYAML(path, value string) string {
	keys := strings.Split(path, ".")
	text := "name: m\n"
	for i, key := range keys {
		text += strings.Repeat(" ", i) + key + ":"
		if i < len(keys)-1 {
			text += "\n"
		}
	}
	return text + " " + value + "\n"
}

// The loader and the schema alike refuse, for every key of the schema, wrong types, values
// below and above the range, unknown words, and additional keys.
func TestSchemaAndLoaderRefuseTheSameValues(t *testing.T) {
	s := committedSchema(t)
	refused := 0
	for _, l := range machineSchema.leaves {
		if l.section != "" || l.path == "name" || l.path == "description" {
			continue
		}
		wrong := []string{"[1]", "{a: 1}", "null"}
		switch {
		case l.words != nil:
			wrong = append(wrong, "nosuchword", "17")
		case l.unit == "bytes":
			wrong = append(wrong, "true", "48KB", "1.5", fmt.Sprint(int64(l.max)+1), "-1")
		case l.ranged:
			wrong = append(wrong, "true", "many", fmt.Sprint(int64(l.max)+1), "-1")
		}
		files := []string{asYAML(l.path+"_", "1")}
		for _, value := range wrong {
			files = append(files, asYAML(l.path, value))
		}
		for _, file := range files {
			if err := validate(t, s, file); err == nil {
				t.Errorf("the schema accepts\n%s", file)
			}
			if !refusedByLoader(t, file, l.path) {
				t.Errorf("the loader accepts\n%s", file)
			}
			refused++
		}
	}
	if refused < 500 {
		t.Errorf("only %d values were tried", refused)
	}
}

// refusedByLoader parses a machine and checks the value at path by itself: in a
// whole machine a value without meaning (the ways of a cache that is absent) is
// not looked at.
func refusedByLoader(t *testing.T, file, path string) bool {
	t.Helper()
	doc, err := parseDocument("m.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	l := &loader{m: &Machine{origins: map[string]Origin{}}}
	if l.machine(doc, "m.yaml", ".", 0) != nil {
		return true
	}
	return machineSchema.byPath[path].complaint(l.m) != ""
}

func TestSchemaRefusesBadOverlays(t *testing.T) {
	s := committedSchema(t)
	for _, text := range []string{
		"overlay: o\nset: {l1: {ways: 999}}",
		"overlay: o\nst: {}",
		"overlay: o\nscale: {l1.way: 2}",
		"overlay: o\nscale: {l1.write: 2}",
		"overlay: o\nscale: {l1.ways: -2}",
		"overlay: o\nscale: {l1.ways: 1025}",
		"overlay: o\nrequires: [{key: l1.ways}]",
		"overlay: o\nrequires: [{key: l1.ways, abve: 2}]",
		"overlay: o\nset: 1",
		"overlay: o\nset: {base: gtx480}",
	} {
		if err := validate(t, s, text); err == nil {
			t.Errorf("the schema accepts\n%s", text)
		}
		doc, err := parseDocument("o.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseOverlay(doc); err == nil {
			t.Errorf("the loader accepts\n%s", text)
		}
	}
}

// committedDescription is what the committed schema says of a key.
func committedDescription(t *testing.T, path string) string {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(CommittedJSONSchema, &doc); err != nil {
		t.Fatal(err)
	}
	at := doc["$defs"].(map[string]any)["sections"].(map[string]any)
	for _, key := range strings.Split(path, ".") {
		at, _ = at["properties"].(map[string]any)[key].(map[string]any)
		if at == nil {
			return ""
		}
	}
	text, _ := at["description"].(string)
	return text
}

func TestTheSchemaSaysUnitDefaultAndMeaning(t *testing.T) {
	for path, want := range map[string][]string{
		"gpu.launch_cycles":        {"pass between the end of one kernel and the first block of the next", "Unit: core cycles."},
		"sm.coalescing":            {"segments of half warps", "Default: lines."},
		"l2.slice.sector_bytes":    {"what a miss fetches", "Unit: bytes."},
		"technology.voltage_ratio": {"supply voltage", "Unit: of nominal."},
		"sm.lacks.double":          {"double precision", "Default: false."},
	} {
		got := committedDescription(t, path)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q does not say %q", path, got, w)
			}
		}
	}
}
