// SPDX-License-Identifier: Apache-2.0

package pending

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A writer that comes to the first free name passes over those that write under later
// ones: their files stay, and become complete.
func TestALaterWriterIsNotSweptAway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	first, second := create(t, path, "first"), create(t, path, "second")
	first.Discard()
	third := create(t, path, "third")
	if third.Name() != first.Name() {
		t.Fatalf("the third writer writes %s, not %s, which is free", third.Name(), first.Name())
	}
	if err := second.Commit(); err != nil {
		t.Errorf("the second writer, swept away by the third: %v", err)
	}
	if text, err := os.ReadFile(path); string(text) != "second" {
		t.Errorf("%q, %v", text, err)
	}
	third.Discard()
}

// What a killed writer has left and another process reads is neither taken over nor swept away,
// until it is closed.
func TestWhatIsKeptStaysUntilItIsClosed(t *testing.T) {
	for n := range 2 {
		path := filepath.Join(t.TempDir(), "x")
		left := Name(path, n)
		if err := os.WriteFile(left, []byte("left"), 0o600); err != nil {
			t.Fatal(err)
		}
		read, err := os.Open(left)
		if err != nil {
			t.Fatal(err)
		}
		Keep(read)
		w := create(t, path, "new")
		if text, err := os.ReadFile(left); string(text) != "left" || w.Name() == left {
			t.Errorf("a writer of %s leaves %q of %s, which is kept: %v", w.Name(), text, left, err)
		}
		read.Close()
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		create(t, path, "newer").Discard()
		if got := files(t, filepath.Dir(path)); len(got) != 1 {
			t.Errorf("files %q behind the next writer", got)
		}
	}
}

// A file that cannot have its name is removed, and said to have failed.
func TestACommitThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	f := create(t, path, "new")
	if err := os.MkdirAll(filepath.Join(path, "inside"), 0o777); err != nil {
		t.Fatal(err)
	}
	if f.Commit() == nil {
		t.Error("a file replaces a folder that is not empty")
	}
	if got := files(t, dir); len(got) != 1 || got[0] != "x" {
		t.Errorf("files %q, want the folder alone", got)
	}
}

// Nothing can be written behind Discard.
func TestADiscardedFileIsClosed(t *testing.T) {
	f := create(t, filepath.Join(t.TempDir(), "x"), "new")
	f.Discard()
	if _, err := f.WriteString("more"); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a write behind Discard gives %v", err)
	}
}
