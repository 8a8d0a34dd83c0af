// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/trace/tracetest"
)

// recordedTiny records a workload at its smallest size.
func recordedTiny(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".wtape")
	good(t, "record", name, "--size", "tiny", "-o", path, "--quiet")
	return path
}

func TestReplayIsTheSameBytesForAnyNumberOfWorkers(t *testing.T) {
	for _, name := range tracetest.Draw(t, demoWorkloads, 1) {
		path := recordedTiny(t, name)
		var first []byte
		for _, workers := range append([]string{"1"}, tracetest.Draw(t, []string{"2", "8"}, tracetest.Fewer(1, 2))...) {
			folder := t.TempDir()
			jsonPath, csvPath := filepath.Join(folder, "r.json"), filepath.Join(folder, "r.csv")
			got := []byte(good(t, "replay", path, "--arch", "gtx480", "--arch", "gpsim-soc", "--arch", "mesh56", "--arch", "gtx480+lrr",
				"--workers", workers, "--json", jsonPath, "--csv", csvPath))
			for _, p := range []string{jsonPath, csvPath} {
				b, err := os.ReadFile(p)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, b...)
			}
			if first == nil {
				first = got
			} else if !bytes.Equal(first, got) {
				t.Errorf("%s: --workers %s gives other results than --workers 1", name, workers)
			}
		}
	}
}

func TestResultFilesAreStampedAndReadable(t *testing.T) {
	path := recordedTiny(t, "sgemm")
	folder := t.TempDir()
	jsonPath, csvPath := filepath.Join(folder, "r.json"), filepath.Join(folder, "r.csv")
	table := good(t, "replay", path, "--arch", "gtx480", "--arch", "mesh56", "--json", jsonPath, "--csv", csvPath, "--full")
	text, err := os.ReadFile(jsonPath)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(text) {
		t.Fatal("the JSON result does not parse")
	}
	for _, stamp := range []string{`"trace_digest"`, `"architecture_digest"`, release.Number} {
		if !strings.Contains(string(text), stamp) {
			t.Errorf("the JSON result has no %s", stamp)
		}
	}
	f, err := os.Open(csvPath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + 2*2; len(rows) != want { // header; launch and total on two machines
		t.Errorf("the CSV result has %d rows, want %d", len(rows), want)
	}
	for _, line := range []string{"gtx480", "mesh56", "core cycles", "IPC", "occupancy", "L1 read hits", "L2 hits", "DRAM bandwidth", "DRAM row hits"} {
		if !strings.Contains(table, line) {
			t.Errorf("the table has no %q", line)
		}
	}
	for flag, file := range map[string]string{"--json": jsonPath, "--csv": csvPath} {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if out := good(t, "replay", path, "--arch", "gtx480", "--arch", "mesh56", flag, "-"); out != string(want) {
			t.Errorf("%s -: standard output is not the file", flag)
		}
	}
	bad(t, commandline.ExitUsage, "--json - and --csv -", "replay", path, "--arch", "gtx480", "--json", "-", "--csv", "-")
	bad(t, commandline.ExitUsage, "standard output holds one result", "replay", path, "--arch", "gtx480", "--json", "-", "--lines", "3")
	bad(t, commandline.ExitFailed, "exists already", "replay", path, "--arch", "gtx480", "--json", jsonPath)
	good(t, "replay", path, "--arch", "gtx480", "--json", jsonPath, "--force")
}

func TestDamagedTracesAreRefused(t *testing.T) {
	path := recordedTiny(t, "bfs")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged.wtape")
	folder := t.TempDir()
	for _, keep := range []int{0, 1, 7, 100, len(whole) / 2, len(whole) - 1} {
		write(t, damaged, string(whole[:keep]))
		bad(t, commandline.ExitFailed, damaged, "replay", damaged, "--arch", "gtx480", "--json", filepath.Join(folder, "r.json"))
		bad(t, commandline.ExitFailed, damaged, "trace", "verify", damaged)
		bad(t, commandline.ExitFailed, damaged, "trace", "info", damaged)
	}
	for i := 0; i < len(whole); i += len(whole)/40 + 1 {
		altered := bytes.Clone(whole)
		altered[i] ^= 0x20
		write(t, damaged, string(altered))
		bad(t, commandline.ExitFailed, damaged, "trace", "verify", damaged)
	}
	if got := files(t, folder); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
	bad(t, commandline.ExitFailed, "none.wtape", "replay", filepath.Join(folder, "none.wtape"), "--arch", "gtx480")
}

func TestUnknownArchitecturesAndKeysAreRefused(t *testing.T) {
	path := recordedTiny(t, "saxpy")
	bad(t, commandline.ExitFailed, "gtx480", "replay", path, "--arch", "gtx48")
	bad(t, commandline.ExitFailed, "lrrr", "replay", path, "--arch", "gtx480+lrrr")
	machine := write(t, filepath.Join(t.TempDir(), "mine.yaml"), "base: gtx480\nname: mine\nl1:\n  byte: 64KiB\n")
	bad(t, commandline.ExitFailed, machine+":4:3", "replay", path, "--arch", machine)
	bad(t, commandline.ExitFailed, "did you mean bytes?", "arch", "check", machine)
	write(t, machine, "base: gtx480\nname: mine\nl1:\n  bytes: 64KiB\n")
	good(t, "arch", "check", machine)
	good(t, "replay", path, "--arch", "gtx480", "--arch", machine)
}

func TestArchShowAndListPrintSources(t *testing.T) {
	if out := good(t, "arch", "show", "gtx480+lrr"); !strings.Contains(out, "Buddy SM Table III") || !strings.Contains(out, "lrr") {
		t.Errorf("arch show prints\n%s", out)
	}
	for _, name := range []string{"gtx480", "gpsim-soc", "mesh56", "lrr"} {
		if out := good(t, "arch", "list"); !strings.Contains(out, name) {
			t.Errorf("arch list does not name %s", name)
		}
	}
}

func TestTraceInfoAndDumpShowWhatIsThere(t *testing.T) {
	path := recordedTiny(t, "transpose")
	for _, line := range []string{"digest", "transpose_naive", "transpose_tiled", "warp instructions", "seed"} {
		if out := good(t, "trace", "info", path); !strings.Contains(out, line) {
			t.Errorf("trace info has no %q:\n%s", line, out)
		}
	}
	if out := good(t, "trace", "info", path, "--json"); !json.Valid([]byte(out)) {
		t.Error("trace info --json is not JSON")
	}
	if out := good(t, "trace", "dump", path, "--launch", "1", "--block", "0", "--warp", "0"); !strings.Contains(out, "ld") {
		t.Errorf("trace dump prints\n%s", out)
	}
	bad(t, commandline.ExitUsage, "launches 0 to 1", "trace", "dump", path, "--launch", "9")
	if out := good(t, "workload", "list"); !strings.Contains(out, "hotspot") || !strings.Contains(out, "tiny") {
		t.Errorf("workload list prints\n%s", out)
	}
}

func TestLinksOfMeshesAreDrawn(t *testing.T) {
	path := recordedTiny(t, "copy-strided")
	file := filepath.Join(t.TempDir(), "links.svg")
	good(t, "replay", path, "--arch", "gtx480", "--arch", "mesh56", "--arch", "mesh56+shared-mesh", "--links", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// Two networks of mesh56, and one that is shared, of 2 * 2 * 8 * 7 links each.
	if got, want := strings.Count(string(text), "<line "), 3*2*2*8*7; got != want {
		t.Errorf("%d links are drawn, want %d", got, want)
	}
	for _, name := range []string{">mesh56<", ">mesh56+shared-mesh<", "shared network:", "reply network:"} {
		if !strings.Contains(string(text), name) {
			t.Errorf("the picture does not say %q", name)
		}
	}
	bad(t, commandline.ExitUsage, "gtx480+mesh", "replay", path, "--arch", "gtx480", "--links", filepath.Join(t.TempDir(), "none.svg"))
}
