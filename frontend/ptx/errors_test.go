// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// expectation is an "// ERROR" comment in the testdata.
type expectation struct {
	pattern *regexp.Regexp
	met     bool
}

// expectations collects the comments by line.
func expectations(t *testing.T, text string) map[int]*expectation {
	t.Helper()
	list := make(map[int]*expectation)
	for i, line := range strings.Split(text, "\n") {
		_, comment, ok := strings.Cut(line, `// ERROR "`)
		if !ok {
			continue
		}
		pattern, err := regexp.Compile(strings.ReplaceAll(strings.TrimSuffix(comment, `"`), `\"`, `"`))
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		list[i+1] = &expectation{pattern: pattern}
	}
	return list
}

func TestErrorsStandBesideTheirCause(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatalf("no error testdata: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := expectations(t, string(text))
		_, err = Parse(file, text)
		list, _ := AsErrorList(err)
		for _, e := range list {
			x := want[e.Line]
			switch {
			case x == nil:
				t.Errorf("unexpected: %v", e)
			case !x.pattern.MatchString(e.Message):
				t.Errorf("%v\n\tdoes not match %q", e, x.pattern)
			default:
				x.met = true
			}
			if e.File != file || e.Column < 1 {
				t.Errorf("%v: place is not in %s", e, file)
			}
		}
		for line, x := range want {
			if !x.met {
				t.Errorf("%s:%d: no error matches %q", file, line, x.pattern)
			}
		}
	}
}

func TestErrorsComeInOrderOfTheirPlace(t *testing.T) {
	text, err := os.ReadFile("testdata/errors/instructions.ptx")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse("x.ptx", text)
	list, ok := AsErrorList(err)
	if !ok || len(list) < 50 {
		t.Fatalf("%d errors", len(list))
	}
	for i := 1; i < len(list); i++ {
		if list[i].Line < list[i-1].Line {
			t.Errorf("%v comes after %v", list[i], list[i-1])
		}
	}
}

func TestErrorPointsAtTheToken(t *testing.T) {
	text := ".version 7.0\n.target sm_70\n.entry k() {\n\t.reg .b32 %r<4>;\n\tadd.u32 %r0, %r1, %r9;\n}\n"
	_, err := Parse("dir/k.ptx", []byte(text))
	list, ok := AsErrorList(err)
	if !ok || len(list) != 1 {
		t.Fatalf("errors: %v", err)
	}
	want := Position{"dir/k.ptx", 5, 20}
	if list[0].Position != want {
		t.Errorf("position %v, want %v", list[0].Position, want)
	}
}

func TestManyErrorsAreCutOff(t *testing.T) {
	text := ".version 7.0\n.entry k() {\n" + strings.Repeat("bogus;\n", 5000) + "}\n"
	_, err := Parse("k.ptx", []byte(text))
	list, _ := AsErrorList(err)
	if len(list) != maxErrors+1 || !strings.Contains(list[maxErrors].Message, "too many errors") {
		t.Errorf("%d errors, the last %v", len(list), list[len(list)-1])
	}
}

func TestTextOverTheLimitIsRefused(t *testing.T) {
	_, err := Parse("k.ptx", make([]byte, MaxTextBytes+1))
	if err == nil || !strings.Contains(err.Error(), "k.ptx:1:1") {
		t.Errorf("error %v", err)
	}
}
