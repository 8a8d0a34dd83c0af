// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace/tracetest"
)

func kernelsOf(t testing.TB, m *ptx.Module) []*contaminator.Kernel {
	t.Helper()
	var list []*contaminator.Kernel
	for _, k := range m.Kernels {
		c, err := contaminator.Contaminate(k)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// What the two modes refuse of the catalogue, by reason.
var refused = map[Mode]map[string]string{}

// What is rewritten is PTX again, with the same kernels; each line that was there belongs
// to itself, and what cannot be rewritten is refused with its place.
func TestCatalogueStaysPTX(t *testing.T) {
	files, err := filepath.Glob("../../traces/*/*.ptx")
	if err != nil || len(files) < 50 {
		t.Fatal(files, err)
	}
	for _, file := range tracetest.Draw(t, files, 20) {
		name := strings.TrimSuffix(filepath.Base(file), ".ptx")
		m := parse(t, file)
		for _, mode := range []Mode{Straight, Segments} {
			r, err := Rewrite(kernelsOf(t, m), Options{Mode: mode})
			if why := refused[mode][name]; why != "" || err != nil {
				if err == nil || why == "" || !strings.Contains(err.Error(), why) || !strings.HasPrefix(err.Error(), file+":") {
					t.Errorf("%s of %s: %v, want a refusal because of %q", mode, file, err, why)
				}
				continue
			}
			again, err := ptx.Parse(file, r.Text)
			if err != nil {
				t.Errorf("%s: %v", mode, err)
				continue
			}
			if len(again.Kernels) != len(m.Kernels) {
				t.Errorf("%s: %s has %d kernels, then %d", file, mode, len(m.Kernels), len(again.Kernels))
			}
			text := m.Text
			if kernels := kernelsOf(t, m); declaredLate(kernels, newSource(text)) || mode == Segments && beginsInside(kernels, newSource(text)) {
				text = flattenText(text)
			}
			checkLines(t, text, r)
		}
	}
}

// checkLines looks for the lines of a module in what it was rewritten to.
func checkLines(t *testing.T, before []byte, r *Result) {
	t.Helper()
	old, lines := strings.Split(string(before), "\n"), strings.Split(string(r.Text), "\n")
	if len(lines) != len(r.Lines) {
		t.Fatalf("%d lines, places of %d", len(lines), len(r.Lines))
	}
	at := 0
	for i, line := range old {
		line = strings.TrimSpace(line)
		for line != "" && at < len(lines) && strings.TrimSpace(lines[at]) != line {
			if changed := strings.Contains(line, "ctaid") || strings.Contains(line, "bar") || strings.Contains(line, "{") || strings.Contains(line, "; ") || strings.Contains(line, ": "); changed && r.Lines[at] == i+1 && at+1 < len(r.Lines) && r.Lines[at+1] > i+1 {
				break
			}
			at++
		}
		if at == len(lines) {
			t.Fatalf("line %d, %q, has gone", i+1, line)
		}
		if line != "" && r.Lines[at] != i+1 {
			t.Fatalf("line %d, %q, is said to be line %d", i+1, line, r.Lines[at])
		}
	}
}

func parse(t testing.TB, file string) *ptx.Module {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptx.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
