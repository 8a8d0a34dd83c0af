// SPDX-License-Identifier: Apache-2.0

package tracesizes

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/accelsim"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

const recorded = "../../../traces/recorded/tiny/"

// cells are those of a row of a table.
func cells(line string) (list []string) {
	for _, c := range strings.Split(strings.Trim(line, "|"), "|") {
		list = append(list, strings.TrimSpace(c))
	}
	return list
}

// number is a cell with a number, whose digits may be grouped.
func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil {
		t.Error(err)
	}
	return v
}

// exported is the size of a trace as an Accel-Sim folder in some compression.
func exported(t *testing.T, r *wtape.Reader, suffix string) (bytes float64) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "x")
	if err := accelsim.Export(r, folder, accelsim.ExportOptions{Compression: suffix}); err != nil {
		t.Fatal(err)
	}
	err := filepath.Walk(folder, func(_ string, f fs.FileInfo, err error) error {
		if err == nil && f.Mode().IsRegular() {
			bytes += float64(f.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// The table has what the files and the exported folders say.
func TestSizesAreThoseOfFilesAndFolders(t *testing.T) {
	const head, rule = "| trace | warp instructions | bytes | bytes each |", "| --- | ---: | ---: | ---: |"
	for _, c := range []struct {
		names      []string
		accelsim   bool
		head, rule string
	}{
		{[]string{"saxpy", "reduction"}, false, head, rule},
		{[]string{"saxpy"}, true, head + " Accel-Sim text | gzip | xz | zstd | xz over .wtape |", rule + " ---: | ---: | ---: | ---: | ---: |"},
	} {
		var args []string
		for _, name := range c.names {
			args = append(args, recorded+name+".wtape")
		}
		if c.accelsim {
			args = append(args, "--accelsim")
		}
		code, out, errs := sizes(args...)
		if code != commandline.ExitOK {
			t.Fatal(errs)
		}
		lines := strings.Split(out, "\n")
		if lines[0] != c.head || lines[1] != c.rule {
			t.Errorf("the table begins with\n%s\n%s", lines[0], lines[1])
		}
		product := 1.0
		for n, name := range c.names {
			r, err := wtape.Open(args[n])
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			file, err := os.Stat(args[n])
			if err != nil {
				t.Fatal(err)
			}
			executed, size, row := float64(r.Totals().WarpInstructions), float64(file.Size()), cells(lines[2+n])
			want := []float64{executed, size, size / executed}
			product *= size / executed
			if c.accelsim {
				xz := exported(t, r, ".xz")
				want = append(want, exported(t, r, "")/executed, exported(t, r, ".gz")/executed, xz/executed, exported(t, r, ".zst")/executed, xz/size)
			}
			if row[0] != name || len(row) != 1+len(want) {
				t.Fatalf("row %q", lines[2+n])
			}
			for k, w := range want {
				most := 0.0006 // of three digits behind the point; the last has one
				if k == 7 {
					most = 0.06
				}
				if got := number(t, row[1+k]); math.Abs(got-w) > most {
					t.Errorf("%s: column %d has %g, want %g", name, 1+k, got, w)
				}
			}
		}
		mean := math.Pow(product, 1/float64(len(c.names)))
		if want := fmt.Sprintf("Geometric mean of %d: %.3f bytes per warp instruction.", len(c.names), mean); !strings.Contains(out, want) {
			t.Errorf("it does not end by %q:\n%s", want, out)
		}
	}
}

// A file without a launch has no bytes per instruction, and a file that is none is named.
func TestSizesOfWhatHasNoInstructions(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.wtape")
	var b bytes.Buffer
	w, err := wtape.NewWriter(&b, "empty", trace.Header{}, wtape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(empty, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{empty: "holds no warp instruction", "none.wtape": "none.wtape"} {
		if code, _, errs := sizes(path); code == commandline.ExitOK || !strings.Contains(errs, want) {
			t.Errorf("code %d, %s; want %q", code, errs, want)
		}
	}
}

// The entropy of two dice in closed form, and in bins of two.
func TestEntropyOfTwoDice(t *testing.T) {
	part := func(n, of float64) float64 { return n / of * math.Log2(of/n) }
	for _, c := range []struct {
		far, bin int
		want     float64
	}{
		{0, 1, 0},
		{1, 1, 2*part(1, 9) + 2*part(2, 9) + part(3, 9)},
		{1, 2, part(3, 9) + part(5, 9) + part(1, 9)},
		{1, 5, 0},
	} {
		if got := noiseEntropy(c.far, c.bin); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("dice of %d sides in bins of %d: %g bits, want %g", 2*c.far+1, c.bin, got, c.want)
		}
	}
}

// Lower bounds are the logarithms of how many inputs there are, summed up one by one.
func TestLowerBoundsCountInputs(t *testing.T) {
	orders := func(n int) (bits float64) {
		for k := 2; k <= n; k++ {
			bits += math.Log2(float64(k))
		}
		return bits
	}
	noise := 0.0 // of a byte in bins of one: sums from 0 to 96 of two dice of 49 sides
	inFour := 0.0
	counts := make([]float64, 100)
	for sum := range 97 {
		counts[sum] = float64(min(sum, 96-sum) + 1)
		noise += counts[sum] / 2401 * math.Log2(2401/counts[sum])
	}
	for bin := 0; bin < 97; bin += 4 {
		n := counts[bin] + counts[bin+1] + counts[bin+2] + counts[bin+3]
		inFour += n / 2401 * math.Log2(2401/n)
	}
	want := map[string]float64{
		"aes": 16384 * 160 * 8, "spmv": 659952 * math.Log2(601), "pointer-chase": orders(1<<17) + 17*(128+4096), "merge-sort": orders(1 << 14),
		"atomics-contention": 131072 * (5 + 10), "histogram": 1048576 * (noise + inFour), "image-histogram": 3 * (1310720*3 + 5120*math.Log2(248)),
	}
	for _, f := range sizeFloors() {
		if math.Abs(f.bits-want[f.workload]) > 1e-6*want[f.workload] {
			t.Errorf("%s: %g bits, want %g", f.workload, f.bits, want[f.workload])
		}
		delete(want, f.workload)
	}
	if len(want) > 0 {
		t.Errorf("no bounds of %v", want)
	}
}

// made are sizes of three workloads; 20971520 bits of aes are 2621440 bytes.
var made = traces.FileSizes{Workloads: []traces.FileSize{
	{Name: "aes", WarpInstructions: 1000, File: 5242880, Stream: 3932160, XZ: 3 * 3932160},
	{Name: "saxpy", WarpInstructions: 1000, File: 50, Stream: 40, XZ: 119},
	{Name: "spmv", WarpInstructions: 1000, File: 2500, Stream: 2000, XZ: 8000},
	{Name: "copies", WarpInstructions: 1000, File: 2500, Stream: 2000, NoExport: "no counterpart"},
}}

func TestRowsAndTargetsCompareSizes(t *testing.T) {
	rows := floorRows(&made)
	if len(rows) != 2 || rows[0].Workload != "aes" || rows[0].Bytes != "2,621,440" || rows[0].Stream != "3,932,160" || rows[0].StreamOver != 1.5 || rows[0].XZOver != 4.5 || rows[1].Workload != "spmv" {
		t.Errorf("%+v", rows)
	}
	if diff := cmp.Diff([]sizeTarget{{"saxpy", 0.05, 0.05}, {"spmv", 2, 2.5}}, measuredTargets(&made)); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	met, missed := xzTargets(&made)
	if diff := cmp.Diff([]string{"saxpy 2.98"}, missed); met != 2 || diff != "" { // three times as many meet it
		t.Errorf("%d meet it; the others (-want +got):\n%s", met, diff)
	}
}

// The page's means are roots of products, its rows quotients, and it names what misses its target.
func TestPageHasTheMeansOfAllRows(t *testing.T) {
	all, err := traces.ReadFileSizes()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WritePage(&b); err != nil {
		t.Fatal(err)
	}
	mean, over, n, exported := 1.0, 1.0, 1/float64(len(all.Workloads)), 0
	for i := range all.Workloads {
		if all.Workloads[i].NoExport == "" {
			exported++
		}
	}
	for i := range all.Workloads {
		w := &all.Workloads[i]
		executed := float64(w.WarpInstructions)
		mean *= math.Pow(float64(w.File)/executed, n)
		if w.NoExport != "" {
			want := fmt.Sprintf("| %s | %s | %.3f | %.3f | %.3f | %.3f | - | - | - | - | - | %.0f |\n", w.Name, numbers.Grouped(w.WarpInstructions), float64(w.File)/executed,
				float64(w.Stream)/executed, float64(w.Fast)/executed, float64(w.Small)/executed, w.DecodeRate)
			if !strings.Contains(b.String(), want) {
				t.Errorf("there is no row %q", want)
			}
			continue
		}
		over *= math.Pow(float64(w.XZ)/float64(w.Stream), 1/float64(exported))
		want := fmt.Sprintf(" | %.3f | %.3f | %.3f | %.3f | %.1f | %.3f | %.3f | %.3f | %.1f | %.0f |\n", float64(w.File)/executed, float64(w.Stream)/executed, float64(w.Fast)/executed,
			float64(w.Small)/executed, float64(w.Text)/executed, float64(w.Gzip)/executed, float64(w.XZ)/executed, float64(w.Zstd)/executed, float64(w.XZ)/float64(w.Stream), w.DecodeRate)
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s: no row ends by %q", w.Name, want)
		}
	}
	met, missed := xzTargets(all)
	for _, want := range []string{
		fmt.Sprintf("Geometric means of %d: %.4f bytes per warp instruction for the file; xz over stream %.1f of the %d that Accel-Sim files can hold.", len(all.Workloads), mean, over, exported),
		fmt.Sprintf("times smaller than text under xz -9 | %d | %d |", exported, met), "Smaller than that: " + strings.Join(missed, ", ") + ".",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
