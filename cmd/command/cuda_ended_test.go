// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// A trace whose program did not come to its end says so: its launches look like all.
func TestTracesSayWhatEndedTheirProgram(t *testing.T) {
	tracetest.Nightly(t)
	program := cudaProgram(t, "endings.cu", "-O3", "-lineinfo")
	for how, want := range map[string]string{"abort": "a signal (aborted)", "exit": ""} {
		_, _, stderr, output := runIt(t, program, how)
		r, err := wtape.Open(output)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Header().Arguments[endNote]; got != want {
			t.Errorf("%s: the header says %q, not %q", how, got, want)
		}
		if told := strings.Contains(stderr, "the program was ended by a signal (aborted)"); told != (want != "") {
			t.Errorf("%s: it says %q", how, stderr)
		}
		r.Close()
	}
}

// A filter that no launch passes is told with the names that would.
func TestRunNamesKernelsWhereTheFilterPassesNone(t *testing.T) {
	tracetest.Nightly(t)
	program := cudaProgram(t, "endings.cu", "-O3", "-lineinfo")
	got := warptape(t, "run", "--kernel", "goood*", "-o", filepath.Join(t.TempDir(), "x.wtape"), "--", program, "exit")
	if !strings.Contains(got.stderr, "the program launched _Z4goodPi") {
		t.Errorf("it says %q", got.stderr)
	}
}
