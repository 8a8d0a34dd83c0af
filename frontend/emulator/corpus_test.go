// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace/tracetest"
)

// TestWhatParsesLoads: the parser refuses what cannot be executed, so every
// module that it takes must load.
func TestWhatParsesLoads(t *testing.T) {
	files, err := filepath.Glob("../ptx/testdata/*/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatalf("no PTX found: %v", err)
	}
	for _, file := range tracetest.Draw(t, files, len(files)/tracetest.Fewer(10, 4)) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ptx.Parse(filepath.Base(file), text)
		if err != nil {
			continue // the parser's own tests say which these are
		}
		if _, err := NewDevice(Options{}).LoadModule(m); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
