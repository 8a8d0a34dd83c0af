// SPDX-License-Identifier: Apache-2.0

//go:build linux

package measure

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/command"
	"github.com/warptape/warptape/cmd/internal/median"
	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/trace/tracetest/heap"
	"github.com/warptape/warptape/trace/wtape"
)

// child makes the test program warptape-measure.
const child = "WARPTAPE_TEST_MEASURE"

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		heap.Usual()
		os.Exit(Main(os.Args, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// onOurDriver runs measure as a program that warptape run records: the driver's library is
// the project's own.
func onOurDriver(t *testing.T, arguments ...string) (code int, said string, trace string) {
	t.Helper()
	if _, err := clang.Find(); err != nil {
		t.Skip(err)
	}
	t.Setenv(child, "1")
	folder := t.TempDir()
	trace = filepath.Join(folder, "run.wtape")
	log := filepath.Join(folder, "log")
	var out bytes.Buffer
	code = command.Main(append([]string{"warptape", "run", "-o", trace, "--", "/bin/sh", "-c", `exec "$0" "$@" >` + log + " 2>&1", os.Args[0]}, arguments...), &out, &out)
	text, _ := os.ReadFile(log)
	return code, string(text) + out.String(), trace
}

// A program with two kernels in five launches, whose buffers change between them. Each
// launch comes to the driver with the memory and the arguments that it has then, or the
// kernels would fault or loop there.
func TestLaunchesReachTheDriver(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.csv")
	code, said, trace := onOurDriver(t, "backprop", "--size", "tiny", "--set", "inputs=50", "--repeat", "2", "-o", file)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || strings.Join(rows[0], ",") != "workload,size,inputs,kernel,launch,time_ns,cycles" {
		t.Fatalf("%v: %s", err, text)
	}
	var kernels []string
	for i, row := range rows[1:] {
		ns, err := strconv.ParseFloat(row[5], 64)
		if row[0] != "backprop" || row[2] != "50" || row[4] != strconv.Itoa(i) || err != nil || !(ns > 0) {
			t.Errorf("row %d: %v", i, row)
		}
		kernels = append(kernels, row[3])
	}
	if want := "layer_forward adjust_weights layer_forward adjust_weights"; strings.Join(kernels, " ") != want {
		t.Errorf("launches of %v, want %s", kernels, want)
	}
	// The driver has seen each launch three times, with the clock's kernel after each of
	// the two that count. Its kernels have ended as the program's own.
	r, err := wtape.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	counts := map[string]int{}
	for _, l := range r.Launches() {
		counts[r.Kernels()[l.Kernel].Name]++
	}
	if counts["layer_forward"] != 6 || counts["adjust_weights"] != 6 || counts["clock_rate"] != 8 {
		t.Errorf("the driver has seen %v", counts)
	}
}

// Constant memory is a variable of the module, whose place the driver tells.
func TestConstantsReachTheDriver(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.csv")
	if code, said, _ := onOurDriver(t, "convolution-variants", "--size", "tiny", "--repeat", "1", "-o", file); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
}

func TestWhatCannotBeMeasuredIsRefused(t *testing.T) {
	if code, said, _ := onOurDriver(t, "texture-rotate", "--size", "tiny", "-o", filepath.Join(t.TempDir(), "m.csv")); code != 1 || !strings.Contains(said, "has textures") {
		t.Errorf("textures: exit code %d: %s", code, said)
	}
	if code, said, _ := onOurDriver(t, "saxpy", "--size", "tiny", "--device", "7", "-o", filepath.Join(t.TempDir(), "m.csv")); code != 1 || !strings.Contains(said, "CUDA_ERROR_INVALID_DEVICE") {
		t.Errorf("no such device: exit code %d: %s", code, said)
	}
}

// Without a GPU the command says so, and writes nothing.
func TestWithoutAGPUItSaysSo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.csv")
	for _, c := range []struct {
		arguments []string
		want      string
		code      int
	}{
		{[]string{"saxpy", "--driver", "/nonexistent/libcuda.so", "-o", file}, "no GPU is at hand", 1},
		{[]string{"saxpy", "--driver", os.Args[0], "-o", file}, "no GPU is at hand", 1},
		{[]string{"saxpy", "--repeat", "0", "-o", file}, "want 1 to 10000", 2},
		{[]string{"saxpi", "-o", file}, "there is no workload", 2},
		{[]string{"saxpy", "--set", "m=3", "-o", file}, "m", 1},
	} {
		var out, errs bytes.Buffer
		if code := Main(append([]string{"warptape-measure"}, c.arguments...), &out, &errs); code != c.code || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%v: exit code %d, want %d; it says %q, want %q", c.arguments, code, c.code, errs.String(), c.want)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was written")
	}
}

func TestTheClockNeedsATimerThatGoesOn(t *testing.T) {
	for _, c := range []struct {
		cycles, ns uint64
		want       float64
	}{{1_530_000, 1_000_000, 1530}, {1_530_000, 0, 0}, {5, 1000, 0}, {0, 1_000_000, 0}} {
		if got := rate(c.cycles, c.ns); got != c.want {
			t.Errorf("%d cycles in %d ns: %v MHz, want %v", c.cycles, c.ns, got, c.want)
		}
	}
	if got := median.Of([]float64{5, 1, 9}); got != 5 {
		t.Errorf("median %v", got)
	}
	if got := median.Of([]float64{4, 1}); got != 2.5 {
		t.Errorf("median %v", got)
	}
}
