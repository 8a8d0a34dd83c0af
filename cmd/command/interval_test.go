// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

func TestIntervalStatisticsAreWrittenAsCSV(t *testing.T) {
	trace := recordedTiny(t, "saxpy")
	path := filepath.Join(t.TempDir(), "i.csv")
	good(t, "replay", trace, "--arch", "gtx480", "--arch", "mesh56", "--interval", "200", "--interval-csv", path)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 5 || rows[1][0] != "gtx480" || rows[1][3] != "0" || rows[1][4] != "200" || rows[len(rows)-1][0] != "mesh56" {
		t.Errorf("%d rows, the first %v", len(rows), rows[1][:5])
	}
}

func TestEnergyOfIntervalsAddsUpToTheTotal(t *testing.T) {
	trace := recordedTiny(t, "hotspot")
	folder := t.TempDir()
	intervals, full := filepath.Join(folder, "i.csv"), filepath.Join(folder, "r.json")
	good(t, "replay", trace, "--arch", "gtx480", "--arch", "gpsim-soc", "--energy", "--interval", "500", "--interval-csv", intervals, "--json", full, "-q")
	f, err := os.Open(intervals)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(full)
	if err != nil {
		t.Fatal(err)
	}
	var list accounts
	decode(t, text, &list)
	for _, a := range list {
		var total leaves
		decode(t, a.Energy.Total, &total)
		dynamic, static := total.joules()
		var dynamicSum, staticSum, groupSum float64
		for _, row := range rows[1:] {
			if row[0] != a.Machine {
				continue
			}
			seconds := field(t, rows[0], row, "time_ns") * 1e-9
			dynamicSum += field(t, rows[0], row, "energy_dynamic_j")
			staticSum += field(t, rows[0], row, "energy_static_j")
			for i, name := range rows[0] {
				if strings.HasPrefix(name, "power_") && row[i] != "" {
					groupSum += field(t, rows[0], row, name) * seconds
				}
			}
		}
		for _, c := range []struct {
			what      string
			got, want float64
		}{{"dynamic energy", dynamicSum, dynamic}, {"static energy", staticSum, static}, {"power of groups times time", groupSum, dynamic + static}} {
			if math.Abs(c.got-c.want) > 1e-9*c.want || c.want == 0 {
				t.Errorf("%s: %s of intervals is %g J of %g", a.Machine, c.what, c.got, c.want)
			}
		}
	}
}

// field is a number of a CSV row by the name of its column.
func field(t *testing.T, header, row []string, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(row[slices.Index(header, name)], 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

func TestIntervalFlagsNeedEachOther(t *testing.T) {
	bad(t, commandline.ExitUsage, "needs a file", "replay", "x.wtape", "--arch", "gtx480", "--interval", "5")
	bad(t, commandline.ExitUsage, "needs a length", "replay", "x.wtape", "--arch", "gtx480", "--interval-csv", "x.csv")
	bad(t, commandline.ExitUsage, "must be positive", "replay", "x.wtape", "--arch", "gtx480", "--interval", "-5", "--interval-csv", "x.csv")
}
