// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const tree = "../../.."

func TestThePageNamesEveryPackageThatHasDocumentation(t *testing.T) {
	var b bytes.Buffer
	if err := WritePage(&b, tree); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| `trace/wtape` | writes and reads trace files", "| `timing/sm` | is the baseline streaming multiprocessor"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestASynopsisIsTheFirstClause(t *testing.T) {
	folder := t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, "a.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("// Package a does one thing (Lee, 2010): this; that. It does another.\npackage a\n")
	if got, err := synopsis(folder); got != "does one thing" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	write("// The package does one thing.\npackage a\n")
	if _, err := synopsis(folder); err == nil || !strings.Contains(err.Error(), "Package a") {
		t.Errorf("documentation that does not begin with the name gives %v", err)
	}
	write("package a\n")
	if got, err := synopsis(folder); got != "" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestEveryFileThatThePageNamesExists(t *testing.T) {
	for _, path := range []string{"timing/replacement/nru.go", "timing/perfectmemory", "timing/tinycache", "timing/core/coretest", "docs/example-policy/youngest.go", "timing/arch/machines", "docs/adding-a-core.md"} {
		if !strings.Contains(text, strings.TrimPrefix(path, "docs/")) {
			t.Errorf("the page no longer names %s", path)
		}
		if _, err := os.Stat(filepath.Join(tree, path)); err != nil {
			t.Error(err)
		}
	}
}
