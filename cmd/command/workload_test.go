// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/traces"
)

func committed(t *testing.T) *traces.Catalogue {
	t.Helper()
	c, err := traces.ReadCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWorkloadListHasALineForEachWorkload(t *testing.T) {
	lines := strings.Split(good(t, "workload", "list"), "\n")
	for _, line := range lines {
		if len(line) > 160 {
			t.Errorf("a line has %d columns: %s", len(line), line)
		}
	}
	table := lines[1:slices.Index(lines, "")]
	var names, want []string
	for _, line := range table {
		names = append(names, strings.Fields(line)[0])
	}
	for _, e := range committed(t).Workloads {
		want = append(want, e.Name)
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if header := strings.Join(strings.Fields(lines[0]), " "); header != "workload suite tables size launches blocks threads warp insn lanes memory to device to host" {
		t.Errorf("header %q", header)
	}
}

func TestWorkloadListShowsSaxpysFigures(t *testing.T) {
	for _, line := range strings.Split(good(t, "workload", "list"), "\n") {
		if !strings.HasPrefix(line, "saxpy ") {
			continue
		}
		// 2^20 threads that all execute 20 instructions, two vectors in, one out.
		want := "saxpy BLAS T4.1 T5.2 small 1 4096 1.05M 655k 32.00 0.350 8.39MB 4.19MB"
		if got := strings.Join(strings.Fields(line), " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		return
	}
	t.Error("saxpy is not in the list")
}

func TestWorkloadListOfSizesHasEverySize(t *testing.T) {
	out := good(t, "workload", "list", "--sizes")
	want := 0
	for _, e := range committed(t).Workloads {
		want += len(e.Sizes)
	}
	table, _, _ := strings.Cut(out, "\n\n")
	if got := strings.Count(table, "\n"); got != want {
		t.Errorf("%d lines under the header, want %d", got, want)
	}
}

func TestWorkloadListAsJSONHasCountsAndRatios(t *testing.T) {
	var all []struct {
		Name, Description, Suite, Digest string
		Tables                           []string
		Sizes                            []struct {
			Name       string
			Parameters map[string]string
			Figures    struct {
				WarpInstructions   float64 `json:"warp_instructions"`
				ThreadInstructions float64 `json:"thread_instructions"`
				MemoryInstructions float64 `json:"memory_instructions"`
			}
			MeanActiveLanes float64 `json:"mean_active_lanes"`
			MemoryIntensity float64 `json:"memory_intensity"`
		}
	}
	if err := json.Unmarshal([]byte(good(t, "workload", "list", "--json")), &all); err != nil {
		t.Fatal(err)
	}
	if want := len(committed(t).Workloads); len(all) != want {
		t.Errorf("%d workloads, want %d", len(all), want)
	}
	for _, w := range all {
		if w.Description == "" || w.Suite == "" || len(w.Digest) != 64 || w.Tables == nil || len(w.Sizes) < 3 {
			t.Errorf("%+v", w)
		}
		for _, s := range w.Sizes {
			f := s.Figures
			if len(s.Parameters) == 0 || math.Abs(s.MeanActiveLanes*f.WarpInstructions-f.ThreadInstructions) > 1 ||
				math.Abs(s.MemoryIntensity*f.WarpInstructions-f.MemoryInstructions) > 1 {
				t.Errorf("%s: %+v", w.Name, s)
			}
		}
	}
}

func TestWorkloadShowHasTheTextAndTheParameters(t *testing.T) {
	out := strings.ReplaceAll(good(t, "workload", "show", "saxpy"), "  ", " ")
	for strings.Contains(out, "  ") {
		out = strings.ReplaceAll(out, "  ", " ")
	}
	for _, want := range []string{"SAXPY of the BLAS", "suite: BLAS", "tables: GPSim thesis Table 4.1, GPSim thesis Table 5.2", "\ntiny n=4000\n", "\npaper n=8388608\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	bad(t, commandline.ExitUsage, "saxpy", "workload", "show", "saxpi")
}

func TestShortCountsKeepThreeDigits(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0", 999: "999", 9999: "9999", 10_000: "10.0k", 12_345: "12.3k", 999_499: "999k", 999_500: "1.00M",
		1_048_576: "1.05M", 16_777_216: "16.8M", 9_994_999: "9.99M", 123_456_789_000: "123G", math.MaxUint64: "18446744T",
	} {
		if got := numbers.Short(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

// What is printed must be within half of its last digit of what it stands for.
func FuzzShortCountsAreRounded(f *testing.F) {
	for _, n := range []uint64{0, 9_999, 99_950, 999_500, 9_995_000_000} {
		f.Add(n)
	}
	scale := map[byte]float64{'k': 1e3, 'M': 1e6, 'G': 1e9, 'T': 1e12}
	f.Fuzz(func(t *testing.T, n uint64) {
		text, factor := numbers.Short(n), 1.0
		if s, ok := scale[text[len(text)-1]]; ok {
			text, factor = text[:len(text)-1], s
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Abs(x*factor-float64(n)) > 0.0051*float64(n) {
			t.Errorf("%d is printed as %s", n, numbers.Short(n))
		}
	})
}

func TestMarksStandForTables(t *testing.T) {
	got := traces.TableMarks([]string{"A table of our own", "Buddy SM Table II", "GPSim thesis Table 4.1"})
	if got != "T4.1 B2 A table of our own" {
		t.Errorf("got %q", got)
	}
}
