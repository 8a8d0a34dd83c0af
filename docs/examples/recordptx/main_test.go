// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// The trace holds the ten instructions of the kernel for each of its 32 warps.
func TestTheRecordingIsWholeAndVerifies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "square.wtape")
	var out bytes.Buffer
	if err := run([]string{path}, &out); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := verification.Verify(r); err != nil {
		t.Error(err)
	}
	if n := r.Totals(); n.WarpInstructions != 10*blocks*threads/32 || n.ThreadInstructions != 32*n.WarpInstructions || out.String() != path+": 320 warp instructions\n" {
		t.Errorf("it says %s, and the trace has %+v", out.String(), n)
	}
}

func TestWrongArgumentsAreErrorsAndLeaveNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "square.wtape")
	for _, args := range [][]string{nil, {path}, {"a", "b"}} {
		if err := run(args, &bytes.Buffer{}); err == nil {
			t.Errorf("%v is no error", args)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was left")
	}
}
