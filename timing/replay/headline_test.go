// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/warptape/warptape/timing/counters"
)

// headlined are results of machines with names as users choose them.
func headlined(names ...string) []Result {
	var results []Result
	for i, name := range names {
		var s Section
		s.Cycles, s.Nanoseconds, s.lanes, s.maxWarps, s.sms, s.coreKHz = 123456789, 176366841.4, 32, 48, 15, 700e3
		s.Counters[counters.IssuedWarp], s.Counters[counters.IssuedThread] = 500, uint64(16000-i)
		s.Metrics = measure(&s)
		s.TopDown.Bottleneck, s.TopDown.Evidence = bottleneckDRAM, "15.7 % of issue slots issue; 48.0 % wait for memory; loads take 1058 cycles; L1 read hits 0.0 %"
		results = append(results, Result{Machine: name, Program: "saxpy", TraceDigest: strings.Repeat("d", 64), Version: "9", Total: s, Warnings: []string{"kernel k depends on timing: it spins on an atomic; the replay follows the recorded path"}})
	}
	return results
}

// TestTheHeadlineFitsTheWidth for any number of machines, names all of them, and has the
// cycles and a dozen rows.
func TestTheHeadlineFitsTheWidth(t *testing.T) {
	for _, width := range []int{80, 120, 200} {
		for machines := 1; machines <= 30; machines++ {
			var names []string
			for i := range machines {
				names = append(names, []string{"gtx480", "v100", "gtx480+buddy(members=8)", "mesh56"}[i%4]+fmt.Sprint(i))
			}
			results := headlined(names...)
			var b strings.Builder
			if err := WriteHeadline(&b, results, width); err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(b.String(), "\n") {
				if n := utf8.RuneCountInString(line); n > width {
					t.Errorf("%d machines, %d characters: a line of %d: %s", machines, width, n, line)
				}
			}
			for _, name := range names {
				if !strings.Contains(b.String(), name) {
					t.Errorf("%d machines, %d characters: %s is missing", machines, width, name)
				}
			}
			if n := strings.Count(b.String(), "123456789"); n != machines {
				t.Errorf("%d machines, %d characters: cycles stand %d times", machines, width, n)
			}
			if machines == 1 {
				table := strings.Split(strings.Split(b.String(), "\n\n")[1], "\n")
				if len(table) != 13 {
					t.Errorf("%d lines:\n%s", len(table), b.String())
				}
			}
		}
	}
}

// TestTheHeadlineSaysWhatItLeavesOut, and has the figures of the whole table.
func TestTheHeadlineSaysWhatItLeavesOut(t *testing.T) {
	results := headlined("gtx480", "v100", "gtx680", "mesh56", "gpsim-soc", "gtx480+lrr")
	var narrow, wide, whole strings.Builder
	for b, width := range map[*strings.Builder]int{&narrow: 80, &wide: 300} {
		if err := WriteHeadline(b, results, width); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteTable(&whole, results); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(narrow.String(), "no room for") || strings.Contains(wide.String(), "no room for") {
		t.Errorf("80 characters:\n%s300 characters:\n%s", narrow.String(), wide.String())
	}
	for _, line := range strings.Split(strings.Split(wide.String(), "\n\n")[1], "\n")[1:] {
		if !strings.Contains(strings.Join(strings.Fields(whole.String()), " "), strings.Join(strings.Fields(line), " ")) {
			t.Errorf("the whole table has no %q", line)
		}
	}
	var b strings.Builder
	if err := WriteHeadline(&b, nil, 80); err != nil || b.Len() > 0 {
		t.Errorf("%q, %v", b.String(), err)
	}
}
