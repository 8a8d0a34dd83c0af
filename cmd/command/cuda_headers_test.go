// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"testing"
)

// Headers of libraries that are device code: programs check them against published
// numbers, closed forms and plain loops.
func TestDeviceHeadersOfCUDA(t *testing.T) {
	for source, arch := range map[string]string{"random.cu": "sm_70", "matrices.cu": "sm_80"} {
		t.Run(source, func(t *testing.T) {
			code, stdout, stderr, _ := runIt(t, cudaProgram(t, source, "-O3", "-arch="+arch))
			if code != 0 || !strings.HasSuffix(stdout, "ok\n") {
				t.Fatalf("exit code %d, it says %q and %q", code, stdout, stderr)
			}
		})
	}
}
