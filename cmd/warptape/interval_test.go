package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"
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

func TestIntervalFlagsNeedEachOther(t *testing.T) {
	bad(t, exitUsage, "needs a file", "replay", "x.wtape", "--arch", "gtx480", "--interval", "5")
	bad(t, exitUsage, "needs a length", "replay", "x.wtape", "--arch", "gtx480", "--interval-csv", "x.csv")
	bad(t, exitUsage, "must be positive", "replay", "x.wtape", "--arch", "gtx480", "--interval", "-5", "--interval-csv", "x.csv")
}
