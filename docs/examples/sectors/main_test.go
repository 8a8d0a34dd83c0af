// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// Saxpy's lanes read and write 4-byte elements that lie side by side from multiples of 128
// bytes, so that each of its full warps touches four sectors.
func TestSaxpyTouchesFourSectors(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{filepath.Join("..", "..", "..", "traces", "recorded", "tiny", "saxpy.wtape")}, &out); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 3 || strings.Count(out.String(), ": 4.00 sectors") != 3 || strings.Count(out.String(), ": ld: ") != 2 || strings.Count(out.String(), ": st: ") != 1 {
		t.Errorf("it says\n%s", out.String())
	}
}

func TestWrongArgumentsAreErrors(t *testing.T) {
	for _, args := range [][]string{nil, {"none.wtape"}, {"main.go"}} {
		if err := run(args, &bytes.Buffer{}); err == nil {
			t.Errorf("%v is no error", args)
		}
	}
}
