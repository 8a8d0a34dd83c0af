// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCachedResultsAreThoseOfAReplay, in the table, in JSON and in CSV, with the energy of
// mechanisms, whether they were kept before or are made now.
func TestCachedResultsAreThoseOfAReplay(t *testing.T) {
	dir := t.TempDir()
	recorded := "../../traces/recorded/spmv.wtape"
	replayed := func(name string, args ...string) [3]string {
		t.Helper()
		json, csv := filepath.Join(dir, name+".json"), filepath.Join(dir, name+".csv")
		args = append([]string{"replay", recorded, "-q", "--energy", "--json", json, "--csv", csv}, args...)
		files := [3]string{good(t, args...)}
		for i, path := range []string{json, csv} {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[i+1] = string(text)
		}
		return files
	}
	machines := []string{"-a", "gtx480+tinycache", "-a", "v100", "-a", "gpsim-soc+cpu+fusetlb"}
	cached := []string{"--cached", "--results", filepath.Join(dir, "results")}
	want := replayed("want", machines...)
	replayed("some", append(cached, "-a", "v100")...)
	for _, name := range []string{"first", "second"} {
		got := replayed(name, append(cached, machines...)...)
		if got != want {
			for i := range got {
				a, b := strings.Split(want[i], "\n"), strings.Split(got[i], "\n")
				for k := range a {
					if k >= len(b) || a[k] != b[k] {
						t.Errorf("%s, form %d, line %d:\n%s\n%s", name, i, k+1, a[k], b[min(k, len(b)-1)])
						break
					}
				}
			}
		}
	}
}

// TestCachedRefusesWhatNeedsAReplay.
func TestCachedRefusesWhatNeedsAReplay(t *testing.T) {
	for _, args := range [][]string{{"--interval", "100", "--interval-csv", "x.csv"}, {"--timeline", "x.pftrace"}, {"--energy", "--lines", "3"}, {"--full-check", "x.wtape"}} {
		o := warptape(t, append([]string{"replay", "../../traces/recorded/spmv.wtape", "-a", "gtx480", "--cached"}, args...)...)
		if o.code != 2 || !strings.Contains(o.stderr, "needs a replay") {
			t.Errorf("%v: %d, %s", args, o.code, o.stderr)
		}
	}
	if o := warptape(t, "replay", "../../traces/recorded/spmv.wtape", "-a", "gtx480", "--results", "x"); o.code != 2 {
		t.Errorf("%d, %s", o.code, o.stderr)
	}
}
