// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/warptape/warptape/"

// stages are the packages of traces, from what knows least to what knows most. A package
// imports those of stages before its own, and no others of this module but the schema's.
// Packages that are not named look at traces, or exchange or keep them.
var stages = [][]string{
	{"trace/hugepages"},
	{"trace/internal/limits", "trace/internal/jobs", "trace/internal/packed", "trace/internal/lanesets", "trace/internal/columns", "trace/internal/wire", "trace/samefloat", "trace/pending"},
	{"trace/internal/lanevector"},
	{"trace"},
	{"trace/internal/lanecode", "trace/internal/cpuchunks", "trace/internal/frames", "trace/internal/resemblance"},
	{"trace/internal/chunks", "trace/internal/references", "trace/internal/container", "trace/internal/messages"},
	{"trace/internal/content", "trace/internal/output"},
	{"trace/wtape", "trace/internal/transcriber"},
	{"trace/text", "trace/transcription", "trace/verification", "trace/recovery", "trace/info", "trace/internal/cursor", "trace/internal/testtraces"},
}

// atop is the stage of the packages that are not named: they may import each other.
var atop = len(stages)

func stage(p string) int {
	if i := slices.IndexFunc(stages, func(s []string) bool { return slices.Contains(s, p) }); i >= 0 {
		return i
	}
	return atop
}

// imports are those of each package's files that are no tests.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		own := path.Join("trace", filepath.ToSlash(filepath.Dir(name)))
		if found[own] == nil {
			found[own] = []string{}
		}
		for _, i := range f.Imports {
			if p, err := strconv.Unquote(i.Path.Value); err == nil && strings.HasPrefix(p, module) {
				found[own] = append(found[own], strings.TrimPrefix(p, module))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestPackagesImportWhatComesBeforeThem(t *testing.T) {
	found := imports(t)
	for _, s := range stages {
		for _, p := range s {
			if _, ok := found[p]; !ok {
				t.Errorf("there is no package %s", p)
			}
		}
	}
	for own, list := range found {
		for _, p := range list {
			switch {
			case strings.HasPrefix(p, "proto/"):
			case p != "trace" && !strings.HasPrefix(p, "trace/"):
				t.Errorf("%s imports %s: packages of traces import the schema alone", own, p)
			case stage(p) >= stage(own) && stage(own) < atop:
				t.Errorf("%s imports %s, which is not of a stage before it", own, p)
			}
		}
	}
}
