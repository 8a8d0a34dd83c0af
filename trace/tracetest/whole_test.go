// SPDX-License-Identifier: Apache-2.0

package tracetest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What go test leaves out or does less of, make whole runs: each test that calls Nightly or Fewer, and no
// other. The target finds them in the texts; here the parser does.
func TestWholeRunsAllThatGoTestLeavesOut(t *testing.T) {
	const root = "../.."
	listed, err := exec.Command("git", "-C", root, "ls-files", "*_test.go").Output()
	if err != nil {
		t.Skip("needs a clone of the repository: ", err)
	}
	tests, packages := map[string]bool{}, map[string]bool{}
	for _, file := range strings.Fields(string(listed)) {
		for _, name := range callers(t, filepath.Join(root, file)) {
			if !strings.HasPrefix(name, "Test") {
				t.Errorf("%s: %s calls Nightly or Fewer; only a test may, for make whole to find it", file, name)
			}
			if tests[name] {
				t.Errorf("%s: another package has a test %s that calls Nightly or Fewer; name it otherwise, so that lists are clear", file, name)
			}
			tests[name], packages["./"+path.Dir(file)] = true, true
		}
	}
	if len(tests) < 8 {
		t.Fatalf("only %d tests call Nightly or Fewer", len(tests))
	}
	// Read here, too, so that go test knows that its result depends on it.
	if text, err := os.ReadFile(filepath.Join(root, "Makefile")); err != nil || len(text) == 0 {
		t.Fatal(err)
	}
	said, err := exec.Command("make", "-s", "--no-print-directory", "-C", root, "whole", "GO=echo").Output()
	if err != nil {
		t.Skip("needs make: ", err)
	}
	words := strings.Fields(string(said))
	at := slices.Index(words, "-run")
	if at < 1 || at+1 >= len(words) || words[0] != "test" {
		t.Fatalf("make whole runs %q", said)
	}
	if want := slices.Sorted(maps.Keys(packages)); !slices.Equal(want, words[1:at]) {
		t.Errorf("make whole tests %q, want %q", words[1:at], want)
	}
	names := strings.Split(strings.TrimSuffix(strings.TrimPrefix(words[at+1], "^("), ")$"), "|")
	slices.Sort(names)
	if want := slices.Sorted(maps.Keys(tests)); !slices.Equal(want, names) {
		t.Errorf("make whole runs %q, want %q", names, want)
	}
}

// callers names the functions of a file that call Nightly or Fewer, each once.
func callers(t *testing.T, file string) (names []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		name := "a declaration"
		if f, ok := d.(*ast.FuncDecl); ok {
			name = f.Name.Name
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "Nightly" || s.Sel.Name == "Fewer") {
				if of, ok := s.X.(*ast.Ident); ok && of.Name == "tracetest" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			return true
		})
	}
	return names
}
