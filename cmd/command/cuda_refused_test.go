// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// A kernel that is refused makes a recording fail, although the program ends well: its
// launches are missing in the trace, whose header says so.
func TestRunSaysThatAKernelWasRefused(t *testing.T) {
	tracetest.Nightly(t)
	notUnderTheRaceDetector(t)
	withCUDA(t)
	code, _, stderr, output := runIt(t, cudaProgram(t, "refused.cu", "-rdc=true"))
	if code != 1 || !strings.Contains(stderr, "missing") || !strings.Contains(stderr, "the device refused _Z6kernelPi (see above), and the program went on") {
		t.Errorf("exit code %d, it says %q", code, stderr)
	}
	r, err := wtape.Open(output)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := r.Header().Arguments["refused kernels"]; got != "_Z6kernelPi" || len(r.Launches()) != 0 {
		t.Errorf("the header names %q as refused, with %d launches", got, len(r.Launches()))
	}
}
