// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// callable registers a word with parameters for the test.
func callable(t *testing.T) {
	t.Helper()
	l := machineSchema.byPath["l1.prefetcher"]
	words := l.words
	RegisterCall("l1.prefetcher", "ahead", []CallParameter{
		{Name: "degree", Unit: "lines", Min: 1, Max: 8, Default: 2}, {Name: "entries", Unit: "entries", Min: 1, Max: 64, Default: 16, PowerOfTwo: true},
	})
	t.Cleanup(func() {
		l.words = words
		delete(calls["l1.prefetcher"], "ahead")
	})
}

func TestAWordWithArgumentsHasThemOrTheirDefaults(t *testing.T) {
	callable(t)
	for spec, want := range map[string][2]int{
		"gtx480+set(l1.prefetcher=ahead)":                                               {2, 16},
		"gtx480+set(l1.prefetcher=ahead(degree=5),l1.ways=4)":                           {5, 16},
		"gtx480+set(l1.ways=4,l1.prefetcher=ahead(entries=4,degree=1))+big-l1+lrr":      {1, 4},
		"gtx480+set(l1.prefetcher=ahead(degree=3))+set(l1.prefetcher=ahead(entries=8))": {2, 8},
	} {
		m, err := Load(spec)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		c, err := ParseCall("l1.prefetcher", m.L1.Prefetcher)
		if err != nil || c.Word != "ahead" || c.Arguments["degree"] != want[0] || c.Arguments["entries"] != want[1] {
			t.Errorf("%s: %+v, %v", spec, c, err)
		}
	}
	path := filepath.Join(t.TempDir(), "m.yaml")
	if err := os.WriteFile(path, []byte("base: gtx480\nname: m\ndescription: m\nl1:\n  prefetcher: ahead(degree=7, entries=2)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := Load(path); err != nil || m.L1.Prefetcher != "ahead(degree=7, entries=2)" {
		t.Errorf("%v", err)
	}
}

func TestWrongArgumentsOfAWordAreRefusedWithWhatIsRight(t *testing.T) {
	callable(t)
	for value, want := range map[string]string{
		"ahed":                       "did you mean ahead?",
		"ahead(degree=9)":            "ahead: degree: 9 is out of range, expected lines, 1..8",
		"ahead(degree=0)":            "out of range",
		"ahead(entries=12)":          "entries: 12 is not a power of two, expected a power of two of entries, 1..64",
		"ahead(degre=2)":             `ahead has no parameter "degre"; did you mean degree?`,
		"ahead(degree=2,degree=3)":   "degree is given twice",
		"ahead(degree=two)":          `expected a whole number of lines, found "two"`,
		"ahead(degree)":              "expected NAME=VALUE",
		"ahead()":                    "expected NAME=VALUE",
		"ahead(degree=2)x":           "nothing may follow the parenthesis",
		"ahead(degree=(2))":          "unexpected '('",
		"none(degree=2)":             "none takes no arguments",
		"ahead(degree=2":             "a parenthesis is not closed",
		"ahead(degree=2,{entries=2)": "arguments are NAME=VALUE with commas between",
	} {
		if _, err := Load("gtx480+set(l1.prefetcher=" + value + ")"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got\n%v", value, want, err)
		}
	}
	if _, err := Load("gtx480+set(llc.prefetcher=ahead)"); err == nil || !strings.Contains(err.Error(), "known: none") {
		t.Errorf("a cache that knows no such word: %v", err)
	}
}

func TestAWordThatIsNotGivenChangesNoDigest(t *testing.T) {
	callable(t)
	plain, ahead := mustLoad(t, "gtx480"), mustLoad(t, "gtx480+set(l1.prefetcher=ahead)")
	if plain.Digest() == ahead.Digest() {
		t.Error("a prefetcher does not change the digest")
	}
	ahead.L1.Prefetcher = ""
	if plain.Digest() != ahead.Digest() {
		t.Error("no prefetcher changes the digest")
	}
}

func TestAWordWithAnImpossibleDefaultIsABug(t *testing.T) {
	defer func() {
		if message, ok := recover().(string); !ok || !strings.HasPrefix(message, "BUG: ") {
			t.Errorf("recovered %v", message)
		}
	}()
	RegisterCall("l1.prefetcher", "impossible", []CallParameter{{Name: "degree", Unit: "lines", Min: 1, Max: 8, Default: 9}})
}
