// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// Headers of libraries that are device code: programs check them against published
// numbers, closed forms and plain loops.
func TestDeviceHeadersOfCUDA(t *testing.T) {
	tracetest.Nightly(t)
	for _, c := range tracetest.Draw(t, []struct{ source, arch string }{{"random.cu", "sm_70"}, {"matrices.cu", "sm_80"}}, 1) {
		t.Run(c.source, func(t *testing.T) {
			code, stdout, stderr, _ := runIt(t, cudaProgram(t, c.source, "-O3", "-arch="+c.arch))
			if code != 0 || !strings.HasSuffix(stdout, "ok\n") {
				t.Fatalf("exit code %d, it says %q and %q", code, stdout, stderr)
			}
		})
	}
}
