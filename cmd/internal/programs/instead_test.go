// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A CUDA program in the place of a host program is no name that was mistyped: the message says which
// command takes it.
func TestProgramsThatOtherCommandsTakeAreNamed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode for programs here")
	}
	folder := t.TempDir()
	file := func(name string, mode os.FileMode) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("x"), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	source, program, text := file("add.cu", 0o644), file("add", 0o755), file("notes.txt", 0o644)
	for name, want := range map[string]string{
		source:                           "warptape cc -O3 " + source + " -o add",
		program:                          "warptape run -o add.wtape -- " + program,
		text:                             "there is no workload",
		folder:                           "there is no workload",
		filepath.Join(folder, "none.cu"): "there is no workload",
	} {
		if _, _, err := Load(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	t.Chdir(folder)
	if _, _, err := Load("add"); err == nil || !strings.Contains(err.Error(), "-- ./add") {
		t.Errorf("a program of the working folder: %v", err)
	}
}
