// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// victim is a mechanism that exists in this test only.
type victim struct {
	Entries int    `yaml:"entries" unit:"entries" range:"0..64"`
	Policy  string `yaml:"policy" oneof:"lru,random"`
}

func (v *victim) On() bool { return v.Entries > 0 }

func (v *victim) Check(m *Machine, complain func(key, message string)) {
	if m.L1.Bytes == 0 {
		complain("entries", "a victim buffer needs an L1")
	}
}

func (v *victim) Structures(*Machine) []Structure { return nil }

func init() {
	RegisterSection("victim_buffer", fstest.MapFS{"overlays/victim.yaml": {Data: []byte(
		"overlay: victim\ndescription: a victim buffer\nset:\n  victim_buffer:\n    entries: 8 # assumed: test\n    policy: lru\n")}}, func() Section { return new(victim) }, Declaration{})
}

func TestASectionThatIsOffDoesNotChangeTheMachine(t *testing.T) {
	m, err := Load("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	var show bytes.Buffer
	if err := m.Show(&show); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(show.String(), "victim") || bytes.Contains(text, []byte("victim")) || m.Section("victim_buffer") != nil {
		t.Errorf("the section shows: %s", text)
	}
	digest := m.Digest()
	m.SetSection("victim_buffer", &victim{})
	if m.Digest() != digest {
		t.Error("a section that is off counts for the digest")
	}
	m.SetSection("victim_buffer", &victim{Entries: 4, Policy: "lru"})
	if m.Digest() == digest {
		t.Error("a section that is on does not count for the digest")
	}
}

func TestAnOverlayOfAMechanismSetsItsSection(t *testing.T) {
	m, err := Load("gtx480+victim")
	if err != nil {
		t.Fatal(err)
	}
	v, ok := m.Section("victim_buffer").(*victim)
	if !ok || v.Entries != 8 || v.Policy != "lru" {
		t.Fatalf("section %+v", v)
	}
	var show bytes.Buffer
	if err := m.Show(&show); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(show.String(), "victim_buffer.entries") || !strings.Contains(show.String(), "assumed: test") {
		t.Errorf("not shown with its source:\n%s", show.String())
	}
	c := m.Clone()
	c.Section("victim_buffer").(*victim).Entries = 9
	if v.Entries != 8 {
		t.Error("a clone shares the section")
	}
}

func TestASectionRefusesWhatDoesNotFit(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"combination": {"base: gtx480+l1-off\nname: x\nvictim_buffer:\n  entries: 2\n  policy: lru\n", "4:12: victim_buffer.entries: a victim buffer needs an L1"},
		"missing":     {"base: gtx480\nname: x\nvictim_buffer:\n  entries: 2\n", "missing key victim_buffer.policy (one of lru, random)"},
		"range":       {"base: gtx480\nname: x\nvictim_buffer:\n  entries: 65\n  policy: lru\n", "4:12: victim_buffer.entries: 65 is out of range"},
		"unknown":     {"base: gtx480\nname: x\nvictim_buffer:\n  entry: 6\n", `4:3: unknown key "entry" in victim_buffer; known: entries, policy`},
	} {
		path := filepath.Join(t.TempDir(), "m.yaml")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}
