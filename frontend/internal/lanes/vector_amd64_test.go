// SPDX-License-Identifier: Apache-2.0

//go:build amd64 && linux && !purego

package lanes

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The sets of vector instructions that are tried, and the one that is taken, are those that the system says that the
// processor has.
func TestTheProcessorsVectorsAreTaken(t *testing.T) {
	if strings.Contains(os.Getenv("GODEBUG"), "cpu.") {
		t.Skip("GODEBUG takes features away")
	}
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip("the system does not say what the processor has")
	}
	_, line, _ := strings.Cut(string(text), "\nflags")
	line, _, _ = strings.Cut(line, "\n")
	flags := strings.Fields(line)
	has := func(names ...string) (n int) {
		for _, name := range names {
			if !slices.Contains(flags, name) {
				return 0
			}
		}
		return 1
	}
	avx2, avx512 := has("avx2", "fma"), has("avx512f", "avx512dq", "avx512vl")
	if got := len(availableVectors()); got != avx2+avx512 {
		t.Errorf("%d sets of vectors, the processor has AVX2: %d, AVX-512: %d", got, avx2, avx512)
	}
	if taken := hostVectors(); (taken.moved64 != nil) != (avx2+avx512 > 0) {
		t.Error("the processor's vectors are not taken")
	}
}
