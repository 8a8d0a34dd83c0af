// SPDX-License-Identifier: Apache-2.0

package report

import (
	"os"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
)

// TestEveryWhatIfIsAMachine, another one than that without it but for the scheduler that
// it has, and is in the document.
func TestEveryWhatIfIsAMachine(t *testing.T) {
	text, err := os.ReadFile("../../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	m, err := arch.Load("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range WhatIfs() {
		changed, err := arch.Load(w.Spec("gtx480", m))
		if err != nil {
			t.Errorf("%s: %v", w.Name, err)
			continue
		}
		if same := changed.Digest() == m.Digest(); same != (w.Name == "gto") {
			t.Errorf("%s: the same machine: %v", w.Name, same)
		}
		if !strings.Contains(string(text), "`"+w.Name+"`") {
			t.Errorf("docs/reports.md does not have %s", w.Name)
		}
	}
}
