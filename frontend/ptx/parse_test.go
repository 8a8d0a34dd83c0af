// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"os"
	"path/filepath"
	"testing"
)

// goodFiles are the testdata that must parse: compiler output, and text in the
// manner of other compilers.
func goodFiles(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, folder := range []string{"reference", "clang", "nvcc-style"} {
		list, err := filepath.Glob("testdata/" + folder + "/*.ptx")
		if err != nil || len(list) == 0 {
			t.Fatalf("no PTX in testdata/%s: %v", folder, err)
		}
		files = append(files, list...)
	}
	return files
}

func TestCompilerOutputParses(t *testing.T) {
	for _, file := range goodFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(file, text)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if len(m.Kernels) == 0 {
			t.Errorf("%s: no kernel found", file)
		}
	}
}
