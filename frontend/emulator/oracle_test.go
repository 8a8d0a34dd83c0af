// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// hostResult is one line of testdata/oracle.txt: what a C compiler and a host
// processor computed; testdata/oracle.c says how it was made.
type hostResult struct {
	operands [4]uint64
	result   uint64
}

// hostResults reads the lines by mnemonic, in the order of their first lines.
func hostResults(t *testing.T) (names []string, results map[string][]hostResult) {
	t.Helper()
	text, err := os.ReadFile("testdata/oracle.txt")
	if err != nil {
		t.Fatal(err)
	}
	results = map[string][]hostResult{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var name string
		var r hostResult
		if _, err := fmt.Sscanf(line, "%s %x %x %x %x", &name, &r.operands[0], &r.operands[1], &r.operands[2], &r.result); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		if results[name] == nil {
			names = append(names, name)
		}
		results[name] = append(results[name], r)
	}
	return names, results
}

func TestInstructionsAgreeWithTheHostProcessor(t *testing.T) {
	names, results := hostResults(t)
	if len(names) < 70 {
		t.Fatalf("%d instructions in the table", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			c := exactCase(name)
			if strings.HasPrefix(name, "cvt") {
				c = conversionCase(name, 0)
			}
			want := map[[4]uint64]uint64{}
			var records []operandRecord
			for _, r := range results[name] {
				want[r.operands] = r.result
				records = append(records, operandRecord{values: r.operands})
			}
			c.twin = func(v [4]uint64, _ bool) uint64 { return want[v] }
			runCases(t, []instructionCase{c}, records)
		})
	}
}
