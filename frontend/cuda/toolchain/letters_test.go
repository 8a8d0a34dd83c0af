// SPDX-License-Identifier: Apache-2.0

//go:build linux

package toolchain

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/cuda/headers"
	"github.com/warptape/warptape/trace/tracetest"
)

// A program may call its sizes by a letter, as -DN=1024 does: no header has such a name of its own. T is
// the name that nvcc's headers have, too. Cooperative groups once had N.
func TestLettersOfAProgramLeaveTheHeadersAlone(t *testing.T) {
	tracetest.Nightly(t)
	var text strings.Builder
	list, err := fs.Glob(headers.Files(), "*.h")
	if err != nil || len(list) < 30 {
		t.Fatal(list, err)
	}
	groups, err := fs.Glob(headers.Files(), "cooperative_groups/*.h")
	if err != nil || len(groups) < 3 {
		t.Fatal(groups, err)
	}
	for _, name := range append(list, groups...) {
		if name == "cuda_gl_interop.h" || strings.HasPrefix(path.Base(name), "warptape_") {
			continue // needs OpenGL; is part of others
		}
		fmt.Fprintf(&text, "#include <%s>\n", name)
	}
	source := filepath.Join(t.TempDir(), "all.cu")
	write(t, source, text.String()+"int main() { return 0; }\n")
	args := []string{"-arch=sm_90", "-c", source, "-o", filepath.Join(t.TempDir(), "all.o")}
	for letter := 'A'; letter <= 'Z'; letter++ {
		if letter != 'T' {
			args = append(args, fmt.Sprintf("-D%c=7", letter))
		}
	}
	if messages, _, err := newBench(t).compile(t, args...); err != nil || messages != "" {
		t.Errorf("%v\n%s", err, messages)
	}
}
