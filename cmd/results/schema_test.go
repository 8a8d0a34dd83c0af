// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/warptape/warptape/docs"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// compiled makes a schema of a document.
func compiled(t testing.TB, document any) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("results.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("results.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func document(t testing.TB) map[string]any {
	t.Helper()
	d, err := jsonschema.UnmarshalJSON(bytes.NewReader(docs.ResultSchema))
	if err != nil {
		t.Fatal(err)
	}
	return d.(map[string]any)
}

// closeObjects forbids members that a schema does not describe, at any depth.
func closeObjects(node any) {
	switch n := node.(type) {
	case map[string]any:
		if _, ok := n["properties"].(map[string]any); ok {
			n["additionalProperties"] = false
		}
		for _, v := range n {
			closeObjects(v)
		}
	case []any:
		for _, v := range n {
			closeObjects(v)
		}
	}
}

func instance(t testing.TB, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTheSchemaDescribesEveryMember of every kind of point: with mechanisms, several
// launches at a time, links, copies, and none of that.
func TestTheSchemaDescribesEveryMember(t *testing.T) {
	strict := document(t)
	closeObjects(strict)
	s := compiled(t, strict)
	for _, c := range [][2]string{{"spmv", "gtx480+tinycache"}, {"tiny/streams", "gtx480"}, {"spmv", "mesh56"}, {"tiny/saxpy", "gtx480-15+dac"}, {"spmv sampled", "gtx480"}} {
		p, _ := point(t, c[0], c[1])
		if sampled := p.Trace.Sampling != ""; sampled != (c[0] == "spmv sampled") {
			t.Errorf("%s: sampled is %t", c[0], sampled)
		}
		if err := s.Validate(instance(t, p)); err != nil {
			t.Errorf("%s on %s: %v", c[0], c[1], err)
		}
	}
}

// TestTheSchemaFindsWhatIsWrong: another version, a member that lacks or has another type;
// but a member that a later program adds is none of its business.
func TestTheSchemaFindsWhatIsWrong(t *testing.T) {
	s := compiled(t, document(t))
	p, _ := point(t, "saxpy", "gtx480")
	for name, c := range map[string]struct {
		change func(p map[string]any)
		good   bool
	}{
		"as it is":   {func(map[string]any) {}, true},
		"new member": {func(p map[string]any) { p["new"] = 1 }, true},
		"version":    {func(p map[string]any) { p["schema"] = json.Number("2") }, false},
		"no energy":  {func(p map[string]any) { delete(p, "energy") }, false},
		"cycles": {func(p map[string]any) {
			p["statistics"].(map[string]any)["total"].(map[string]any)["cycles"] = "many"
		}, false},
		"counter": {func(p map[string]any) {
			p["statistics"].(map[string]any)["total"].(map[string]any)["counters"].(map[string]any)["issue_slots"] = json.Number("-1")
		}, false},
		"metric": {func(p map[string]any) {
			p["statistics"].(map[string]any)["total"].(map[string]any)["metrics"].(map[string]any)["ipc_warp"] = nil
		}, true},
	} {
		changed := instance(t, p).(map[string]any)
		c.change(changed)
		if err := s.Validate(changed); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}
