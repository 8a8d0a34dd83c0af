// SPDX-License-Identifier: Apache-2.0

package divergence

import (
	"strings"
	"testing"
)

// TestTheTableComparesWithPdom: ratios of what was measured, and their geometric means; a
// measurement that is missing is named, with what makes it.
func TestTheTableComparesWithPdom(t *testing.T) {
	var rows []row
	for _, name := range workloads {
		for i, policy := range policies {
			n := uint64(1 << i)
			rows = append(rows, row{Machine: "m", Policy: policy, Trace: name, Cycles: 100 * n * n, Warps: 10 * n, Threads: 320, Transactions: 7, MicroJoules: 3})
		}
	}
	text, err := compared(rows, "m")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| bfs | 100.0 | 50.0 | 2.000 | 1.000 | 4.000 | 1.000 | 25.0 | 4.000 | 1.000 | 16.000 | 1.000 |\n",
		"| geometric mean | | | 2.000 | 1.000 | 4.000 | 1.000 | | 4.000 | 1.000 | 16.000 | 1.000 |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no line %q in\n%s", want, text)
		}
	}
	if _, err := compared(rows[1:], "m"); err == nil || !strings.Contains(err.Error(), "no bfs on m under pdom: run 'make divergence-tables'") {
		t.Errorf("%v", err)
	}
}
