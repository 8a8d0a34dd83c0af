// SPDX-License-Identifier: Apache-2.0

package runtime

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The source has what the linker takes the library's symbols from.
func TestTheSourceHasTheSymbols(t *testing.T) {
	if _, err := fs.Stat(Source(), "libOpenCL.map"); err != nil {
		t.Error(err)
	}
}

// The file for loaders has one line, with the library's path. A file that has it already stays as it is, for a
// process may be reading it; another one is replaced.
func TestLoadersFindTheLibrary(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "vendors", "warptape.icd")
	written := func() time.Time {
		t.Helper()
		if err := writeVendors(folder); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if want := folder + "/libOpenCL.so.1\n"; err != nil || string(text) != want {
			t.Fatalf("%q, %v, want %q", text, err, want)
		}
		at, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return at.ModTime()
	}
	written()
	old := time.Unix(1e9, 0)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	if at := written(); !at.Equal(old) {
		t.Errorf("a right file was written again at %v", at)
	}
	if err := os.WriteFile(path, []byte("/elsewhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	written()
	if err := writeVendors(path); err == nil {
		t.Error("a folder inside of a file is written")
	}
}
