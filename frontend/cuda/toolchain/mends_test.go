// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEscapesOfInlinePTX(t *testing.T) {
	for _, c := range []struct {
		name, in, out string
		line, column  int
	}{
		{"a register", `asm("mov.u32 %0, %smid;" : "=r"(a));`, `asm("mov.u32 %0, %%smid;" : "=r"(a));`, 1, 20},
		{"one that is doubled", `asm("mov.u32 %0, %%tid.x; // 5% of" : "=r"(a));`, `asm("mov.u32 %0, %%tid.x; // 5%% of" : "=r"(a));`, 1, 34},
		{"a name in several strings", "f();\nasm(\"{ .reg .pred %p; setp.ne.u32 %p, %1, 0;\"\n\"selp.u32 %0, 1, 2, %p; }\" : \"=r\"(b) : \"r\"(f(a)));\ng(\"%p\");",
			"f();\nasm(\"{ .reg .pred %%p; setp.ne.u32 %%p, %1, 0;\"\n\"selp.u32 %0, 1, 2, %%p; }\" : \"=r\"(b) : \"r\"(f(a)));\ng(\"%p\");", 2, 23},
		{"a longer name stays", `asm("mov %0, %p; mov %1, %pq;" : "=r"(a));`, `asm("mov %0, %%p; mov %1, %pq;" : "=r"(a));`, 1, 16},
		{"a line that is not there", `asm("%x");`, `asm("%x");`, 7, 2},
		{"a column that is not there", `asm("%x");`, `asm("%x");`, 1, 99},
	} {
		if got := mended(c.in, escapes([]byte(c.in), c.line, c.column)); got != c.out {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

func mended(text string, list []edit) string {
	edits := map[int]edit{}
	for _, e := range list {
		edits[e.at] = e
	}
	return string(edited([]byte(text), edits))
}

func TestSharedMemoryThatIsDevice(t *testing.T) {
	for _, c := range []struct {
		in, out      string
		line, column int
	}{
		{"a;\n  __device__ __shared__ int x[4];", "a;\n             __shared__ int x[4];", 2, 3},
		{"  __shared__ __device__ int x[4];", "  __shared__            int x[4];", 1, 14},
		{"  __device__ int x[4];", "  __device__ int x[4];", 1, 3},
		{"  __device__ int x[4];", "  __device__ int x[4];", 1, 400},
	} {
		if got := mended(c.in, devices([]byte(c.in), c.line, c.column)); got != c.out {
			t.Errorf("%q became %q", c.in, got)
		}
	}
}

// A compiler that never has enough of the mends ends the build.
func TestEscapesWithoutEnd(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "a.cu")
	if err := os.WriteFile(source, []byte(`asm("`+strings.Repeat("%a ", 100)+`");`), 0o600); err != nil {
		t.Fatal(err)
	}
	b := Builder{overlay: overlay{folder: folder}}
	message := fmt.Sprintf("\x1b[1m%s:1:7: \x1b[0m\x1b[0;1;31merror: \x1b[0m\x1b[1minvalid %% escape in inline assembly string\x1b[0m\n", source)
	plain := colours.ReplaceAll([]byte(message), nil)
	if !b.mend(plain) {
		t.Fatalf("%q names nothing", plain)
	}
	text, err := b.overlay.read(source)
	if err != nil || bytes.Count(text, []byte("%%a ")) != 100 {
		t.Errorf("%s, %v", text, err)
	}
	if b.mend(plain) {
		t.Error("an escape is mended twice")
	}
}
