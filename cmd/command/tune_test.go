// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Variants are ranked by their time, as many as are asked for, and the file has all. What the program
// refuses is counted with its reason.
func TestVariantsAreRankedByTheirTime(t *testing.T) {
	csv := filepath.Join(t.TempDir(), "ranking.csv")
	ranked := func(top string) (places []string, out string) {
		out = good(t, "tune", "saxpy", "--size", "tiny", "--arch", "gtx480", "--vary", "n=32768,1024,-4,8192", "--quiet", "--top", top, "--csv", csv)
		last := 0.0
		for _, line := range strings.Split(out, "\n") {
			var rank int
			var us float64
			if n, _ := fmt.Sscan(line, &rank, &us); n < 2 {
				continue
			}
			if rank != len(places)+1 || us < last {
				t.Errorf("row %q stands behind %d others, the last of %g us", line, len(places), last)
			}
			last = us
			places = append(places, line[strings.Index(line, "n="):])
		}
		return places, out
	}
	for top, want := range map[string]int{"0": 3, "1": 1, "2": 2, "3": 3, "9": 3} {
		places, out := ranked(top)
		if got, all := strings.Join(places, " "), []string{"n=1024", "n=8192", "n=32768"}; got != strings.Join(all[:want], " ") {
			t.Errorf("--top %s shows %q", top, got)
		}
		if more := strings.Contains(out, fmt.Sprintf("and %d more", 3-want)); more != (want < 3) || !strings.Contains(out, "refused: 1, such as n=-4") {
			t.Errorf("--top %s:\n%s", top, out)
		}
	}
	data, err := os.ReadFile(csv)
	if lines := strings.Split(strings.TrimSpace(string(data)), "\n"); err != nil || len(lines) != 1+4 {
		t.Errorf("%v: the file has\n%s", err, data)
	}
}
