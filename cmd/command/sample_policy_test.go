// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/machineset"
	"github.com/warptape/warptape/cmd/internal/samplepolicy"
	"github.com/warptape/warptape/trace/sample"
	"github.com/warptape/warptape/trace/tracetest"
)

// larger are machines that hold more than the default covers, rtx2080ti of kernels with fewer
// registers than PTX names: their samples name them, and a replay of another says so.
var larger = []string{"a100", "h100", "rtx2080ti", "rtx3090"}

func TestDefaultSampleSuitsBuiltInMachinesUpToV100(t *testing.T) {
	names, err := machineset.Names()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := samplepolicy.FillNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		base, _, _ := strings.Cut(name, "+")
		if covers := sample.DefaultFill.Cover(f) == sample.DefaultFill; covers == slices.Contains(larger, base) {
			t.Errorf("%s holds %s; that %s covers it is %t", name, f, sample.DefaultFill, covers)
		}
	}
}

func TestMachinesOfAPolicyAreReplacedByWhatTheyHold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte("base: gtx480\nname: mine\ngpu:\n  sms: 500\nsm:\n  registers_per_thread: 32\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"auto":                   "auto",
		"auto,for=gtx480,seed=3": "auto,for=16x8/1536/32768/49152/786432,seed=3",
		"auto,for=v100":          "auto,for=80x32/2048/65536/98304/6291456",
		"auto,for=gpsim-tiny":    "auto,for=4x8/768/65536/49152/8388608",
		// The registers of PTX do not bound what a machine holds of lowered kernels.
		"auto,for=rtx2080ti+lowering(generation=turing)":                                  "auto,for=68x16/1024/1099511627776/65536/5767168",
		"auto,for=rtx2080ti+lowering(generation=turing)+set(sm.registers_per_thread=128)": "auto,for=68x16/512/1099511627776/65536/5767168",
		"auto,for=mesh56":                  "auto,for=56x8/1536/16384/49152/4194304",
		"auto,for=gtx480,waves=2,for=v100": "auto,for=80x32/2048/65536/98304/6291456,waves=2",
		"auto,for=gtx480,for=gtx480-15":    "auto,for=16x8/1536/32768/49152/786432",
		"auto,for=1x1/1/1/1/1":             "auto,for=1x1/1/1/1/1",
		"auto,for=" + file:                 "auto,for=500x8/1024/1099511627776/49152/786432",
		"auto,for=gtx480+warp-limit(warps=2)+big-l2(factor=8),seed=2": "auto,for=16x8/1536/32768/49152/6291456,seed=2",
		"fraction=0.1,for=gtx480+tinycache":                           "fraction=0.1,for=16x8/1536/32768/49152/786432",
	} {
		got, err := samplepolicy.WithFill(text)
		if err != nil || got != want {
			t.Errorf("%s gives %s, %v; want %s", text, got, err, want)
		}
		if _, err := sample.Parse(got); err != nil {
			t.Error(err)
		}
	}
	bad(t, commandline.ExitUsage, "gtx4800", "record", "saxpy", "--sample", "auto,for=gtx4800", "-o", filepath.Join(t.TempDir(), "no.wtape"))
	bad(t, commandline.ExitUsage, "want waves=N in the place of min=N", "record", "saxpy", "--sample", "fraction=0.1,min=3,for=gtx480", "-o", filepath.Join(t.TempDir(), "no.wtape"))
}

// verdict is what a full check says of one machine, and whether a warning does.
var verdict = regexp.MustCompile(`(?m)^v100: sampled: .*(inside|OUTSIDE) the interval$`)

// A V100 holds 640 thread blocks of these kernels at a time, a GTX480 96. Samples whose waves
// were those of a GTX480 were wrong by a factor of two within ± 14 %.
func TestSamplesOnAMachineOfManySMsHoldTheTruth(t *testing.T) {
	tracetest.Nightly(t)
	folder := t.TempDir()
	type sampled struct {
		name, sample string
		set          []string
		warned       bool
	}
	for _, c := range tracetest.Draw(t, []sampled{
		{"saxpy", "fraction=0.05,waves=3", []string{"--set", "n=1048576"}, true},
		{"saxpy", "count=288", []string{"--set", "n=1048576"}, true}, // as by an older version
		{"pathfinder", "count=64,min=1", []string{"--size", "small"}, true},
	}, 1) {
		whole, part := filepath.Join(folder, "whole.wtape"), filepath.Join(folder, "part.wtape")
		good(t, append([]string{"record", c.name, "-o", whole, "-q", "-f"}, c.set...)...)
		good(t, "trace", "sample", whole, "--sample", c.sample, "-o", part, "-f")
		out := good(t, "replay", part, "-a", "v100", "-q", "--full-check", whole)
		if m := verdict.FindStringSubmatch(out); m == nil || m[1] != "inside" {
			t.Errorf("%s, %s:\n%s", c.name, c.sample, out)
		}
		if strings.Contains(out, "warning: the sample does not suit v100") != c.warned {
			t.Errorf("%s, %s: warned of, %t\n%s", c.name, c.sample, !c.warned, out)
		}
	}
}
