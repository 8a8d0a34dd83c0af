// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"strings"
	"testing"
)

func TestWhatALaunchBringsHasAPlace(t *testing.T) {
	mustLoad(t, "v100+set(constant_cache.launch_bytes=2KiB,instruction_cache.launch_bytes=512)")
	for spec, want := range map[string]string{
		"v100+set(constant_cache.launch_bytes=4KiB)":    "constant_cache.launch_bytes: 4096 bytes do not fit the 2048 of the cache",
		"v100+set(l1.launch_bytes=128)":                 "l1.launch_bytes: a launch brings code (instruction_cache) and parameters (constant_cache) alone; drop it",
		"qv100-ref+set(constant_cache.launch_bytes=64)": "nothing is missing in a perfect cache",
	} {
		if _, err := Load(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", spec, err, want)
		}
	}
}
