// SPDX-License-Identifier: Apache-2.0

package dac_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
)

// A share has no unit to name.
func TestRangeOfAShareIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "negative.yaml")
	if err := os.WriteFile(file, []byte("overlay: negative\nset:\n  dac:\n    enabled: true\n    gather_share: -1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := arch.Load("gtx480-15+dac+" + file)
	if want := "dac.gather_share: -1 is out of range, expected 0..100"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
