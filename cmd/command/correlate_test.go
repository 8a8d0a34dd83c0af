// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/correlate"
	"github.com/warptape/warptape/cmd/internal/commandline"
)

func TestCorrelateComparesResultsWithAFile(t *testing.T) {
	folder := sweptFolder(t)
	measured := write(t, filepath.Join(t.TempDir(), "hw.csv"), "ID,Name,l1.bytes,time [us]\n1,spmv,16KiB,10\n2,spmv,32KiB,12\n3,other,16KiB,1\n")
	args := []string{"correlate", folder, "--measured", measured, "--rename", "Name=trace", "--ignore", "ID"}
	picture := filepath.Join(t.TempDir(), "fit.svg")
	out := good(t, append(args, "--scatter", picture)...)
	for _, want := range []string{"gtx480\n", "v100\n", "time_ns", "measurements without a result: 1", "line 4: trace other"} {
		if !strings.Contains(out, want) {
			t.Errorf("the report has no %q:\n%s", want, out)
		}
	}
	var r correlate.Report
	text := good(t, append(args, "--json", "-")...)
	if err := json.Unmarshal([]byte(text), &r); err != nil || len(r.Models) != 2 || len(r.Models[0].Figures[0].Pairs) != 2 {
		t.Errorf("%v:\n%s", err, text)
	}
	if text := good(t, append(args, "--csv", "-")...); !strings.HasPrefix(text, "model,figure,") {
		t.Errorf("standard output has more than the CSV:\n%s", text)
	}
	bad(t, commandline.ExitFailed, "exists already", append(args, "--scatter", picture)...)
	bad(t, commandline.ExitUsage, "--json - and --csv -", append(args, "--json", "-", "--csv", "-")...)
	bad(t, commandline.ExitUsage, "name a CSV file with --measured", "correlate", folder)
	bad(t, commandline.ExitUsage, "--repeats often", append(args, "--repeats", "often")...)
	bad(t, commandline.ExitUsage, "write THEIRS=OURS", append(args, "--rename", "x")...)
	bad(t, commandline.ExitUsage, "pictures are SVG", append(args, "--scatter", "fit.png")...)
	bad(t, commandline.ExitFailed, "hw.csv:1: column \"ID\"", "correlate", folder, "--measured", measured)
}
