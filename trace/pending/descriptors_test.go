// SPDX-License-Identifier: Apache-2.0

package pending

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// opened lists the files of a folder that this process has open, removed ones included.
func opened(t *testing.T, dir string) []string {
	t.Helper()
	const descriptors = "/proc/self/fd"
	entries, err := os.ReadDir(descriptors)
	if err != nil {
		t.Skip(err) // another system than Linux
	}
	var names []string
	for _, e := range entries {
		if name, err := os.Readlink(filepath.Join(descriptors, e.Name())); err == nil && strings.HasPrefix(name, dir) {
			names = append(names, name)
		}
	}
	return names
}

// A writer keeps its own file open and no other: neither those that it sweeps away, nor
// those of writers that live.
func TestAWriterKeepsNothingElseOpen(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "x")
	for n := range 5 {
		if err := os.WriteFile(Name(path, n), []byte("left"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first := create(t, path, "first")
	if got := opened(t, dir); len(got) != 1 {
		t.Errorf("a writer has %q open", got)
	}
	second := create(t, path, "second")
	if got := opened(t, dir); len(got) != 2 {
		t.Errorf("two writers have %q open", got)
	}
	first.Discard()
	third := create(t, path, "third") // sweeps, and finds the second
	if got := opened(t, dir); len(got) != 2 {
		t.Errorf("two writers have %q open", got)
	}
	second.Discard()
	third.Discard()
	if got := opened(t, dir); len(got) != 0 {
		t.Errorf("no writer is left, and %q are open", got)
	}
}
