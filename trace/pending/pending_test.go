// SPDX-License-Identifier: Apache-2.0

package pending

import (
	"os"
	"path/filepath"
	"testing"
)

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func create(t *testing.T, path, text string) *File {
	t.Helper()
	f, err := Create(path, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	return f
}

// A killed writer leaves its file unlocked.
func TestWhatKilledWritersLeftIsGoneAfterTheNext(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.bin")
	for _, n := range []int{0, 1, 2} {
		if err := os.WriteFile(Name(path, n), []byte("much longer than what comes"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := create(t, path, "new")
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); string(text) != "new" {
		t.Errorf("%q, %v", text, err)
	}
	if got := files(t, dir); len(got) != 1 {
		t.Errorf("files %q", got)
	}
}

func TestWritersAtOnceDoNotMeet(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	first, second := create(t, path, "first"), create(t, path, "second")
	third := create(t, path, "third")
	second.Discard()
	if err := first.Commit(); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); string(text) != "first" {
		t.Errorf("%q", text)
	}
	if err := third.Commit(); err != nil {
		t.Fatal(err)
	}
	third.Discard() // without effect
	if text, _ := os.ReadFile(path); string(text) != "third" {
		t.Errorf("%q", text)
	}
	if got := files(t, dir); len(got) != 1 {
		t.Errorf("files %q", got)
	}
}

func TestLinksAreNotWrittenThrough(t *testing.T) {
	dir := t.TempDir()
	path, victim := filepath.Join(dir, "x"), filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, Name(path, 0)); err != nil {
		t.Skip(err)
	}
	f := create(t, path, "new")
	defer f.Discard()
	if text, _ := os.ReadFile(victim); string(text) != "precious" {
		t.Errorf("%q", text)
	}
}
