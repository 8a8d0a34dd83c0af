// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/native/clang"
)

// compilerWith is a compiler that says of itself that it has some architectures.
func compilerWith(t *testing.T, names ...string) *clang.Compiler {
	path := filepath.Join(t.TempDir(), "clang")
	text := "#!/bin/sh\ncat >&2 <<.\nAvailable CPUs for this target:\n\n\t" + strings.Join(names, "\n\t") + "\n\nUse -mcpu\n.\n"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return &clang.Compiler{Path: path, Release: 19}
}

// Makefiles name all architectures that their CUDA has, and nvcc makes code for each. A
// compiler that lacks the newest has code for another one.
func TestTheNewestArchitectureThatTheCompilerHas(t *testing.T) {
	for _, c := range []struct {
		args, known, want string
		notes             int
	}{
		{"-gencode=arch=compute_75,code=sm_75 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_120,code=[compute_120,sm_120]", "sm_20 sm_75 sm_90 sm_90a", "sm_90", 1},
		{"-gencode arch=compute_100,code=sm_100 -gencode arch=compute_120,code=sm_120", "sm_100 sm_100a sm_120 sm_90", "sm_120", 0},
		{"-gencode arch=compute_90a,code=sm_90a -gencode arch=compute_80,code=sm_80", "sm_80 sm_90", "sm_80", 1},
		{"-arch=sm_90a", "sm_90 sm_90a", "sm_90a", 0},
		{"-arch=sm_120", "sm_100 sm_90", "", 0},
	} {
		j, err := ParseArgs(append(strings.Fields(c.args), "a.cu"))
		if err != nil {
			t.Fatal(err)
		}
		err = j.chooseArchitecture(compilerWith(t, strings.Fields(c.known)...))
		if c.want == "" {
			if err == nil || !strings.Contains(err.Error(), "the newest it has is sm_100;") {
				t.Errorf("%s: %v", c.args, err)
			}
			continue
		}
		if got := (architecture{j.Arch, j.Suffix}).String(); err != nil || got != c.want || len(j.Notes) != c.notes {
			t.Errorf("%s: %s %q, %v, want %s and %d notes", c.args, got, j.Notes, err, c.want, c.notes)
		}
	}
}
