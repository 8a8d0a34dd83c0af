// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/tracetest"
)

func TestRecordedSampleIsReplayedWithAnInterval(t *testing.T) {
	folder := t.TempDir()
	whole, part := filepath.Join(folder, "whole.wtape"), filepath.Join(folder, "part.wtape")
	good(t, "record", "saxpy", "--set", "n=65536", "-o", whole, "-q")
	good(t, "record", "saxpy", "--set", "n=65536", "--sample", "fraction=0.5,min=100", "-o", part, "-q")
	good(t, "trace", "verify", part)
	if out := good(t, "trace", "info", part); !strings.Contains(out, "fraction=0.5,run=2048,min=100,seed=1") {
		t.Errorf("no policy in\n%s", out)
	}
	out := good(t, "replay", part, "-a", "gtx480", "-q", "--energy", "--full-check", whole)
	for _, want := range []string{"sampled: 50.0 % of thread blocks", "± ", "full check", "error ", "interval of energies", "Energy (mJ)"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	bad(t, commandline.ExitUsage, "is not a sample", "replay", whole, "-a", "gtx480", "-q", "--full-check", part)
	bad(t, commandline.ExitFailed, "is a sample itself", "replay", part, "-a", "gtx480", "-q", "--full-check", part)
	bad(t, commandline.ExitFailed, "is a sample already", "trace", "sample", part, "--sample", "fraction=0.5", "-o", filepath.Join(folder, "no.wtape"))
	bad(t, commandline.ExitUsage, "--sample POLICY is missing", "trace", "sample", whole, "-o", filepath.Join(folder, "no.wtape"))
	bad(t, commandline.ExitUsage, "fraction=0: want a number above 0", "record", "saxpy", "--sample", "fraction=0", "-o", filepath.Join(folder, "no.wtape"))
	if got := files(t, folder); len(got) != 2 {
		t.Errorf("left behind: %v", got)
	}
}

func TestSliceReplaysOnMachinesOfAnyNumberOfSMs(t *testing.T) {
	folder := t.TempDir()
	part := filepath.Join(folder, "part.wtape")
	good(t, "record", "saxpy", "--set", "n=65536", "--sample", "sms=1/8", "-o", part, "-q")
	good(t, "trace", "verify", part)
	for _, machine := range []string{"gtx480", "gtx480-15", "gpsim-tiny", "v100", "tesla-c870"} {
		if out := good(t, "replay", part, "-a", machine, "-q"); !strings.Contains(out, "sampled: 12.5 % of thread blocks") {
			t.Errorf("%s: no sample in\n%s", machine, out)
		}
	}
	bad(t, commandline.ExitFailed, "a part of a mesh network is not like the whole", "replay", part, "-a", "mesh56", "-q")
}

// A tiny program is stored whole: the trace is no sample.
func TestAutoIsAPolicyOfRecordAndTrace(t *testing.T) {
	folder := t.TempDir()
	whole, part := filepath.Join(folder, "whole.wtape"), filepath.Join(folder, "part.wtape")
	good(t, "record", "saxpy", "--set", "n=65536", "--sample", "auto", "-o", whole, "-q")
	if out := good(t, "replay", whole, "-a", "gtx480", "-q"); strings.Contains(out, "sampled:") {
		t.Errorf("a sample of a short program\n%s", out)
	}
	good(t, "trace", "sample", whole, "--sample", "auto", "-o", part)
	bad(t, commandline.ExitFailed, "is a sample already", "trace", "sample", sliceOf(t, whole), "--sample", "auto", "-o", filepath.Join(folder, "no.wtape"))
}

// Launches that overlap in the trace overlap in its sample, and the interval says
// that this is not known well.
func TestOverlappingLaunchesAreExtrapolatedTogether(t *testing.T) {
	tracetest.Nightly(t)
	folder := t.TempDir()
	whole, part := filepath.Join(folder, "whole.wtape"), filepath.Join(folder, "part.wtape")
	good(t, "record", "streams", "--size", "small", "-o", whole, "-q")
	good(t, "trace", "sample", whole, "--sample", "fraction=0.5,launches,min=16,work=1", "-o", part)
	out := good(t, "replay", part, "-a", "gtx480", "-q", "--full-check", whole)
	if !strings.Contains(out, "inside the interval") || strings.Contains(out, "± 0.") {
		t.Errorf("got\n%s", out)
	}
}

// sliceOf writes a sample of a trace to a folder of its own.
func sliceOf(t *testing.T, whole string) string {
	t.Helper()
	part := filepath.Join(t.TempDir(), "slice.wtape")
	good(t, "trace", "sample", whole, "--sample", "sms=1/8", "-o", part)
	return part
}

func TestSampleWithRepresentedLaunchesIsReplayed(t *testing.T) {
	folder := t.TempDir()
	part := filepath.Join(folder, "part.wtape")
	good(t, "record", "hotspot", "--size", "tiny", "--sample", "stratified,launches", "-o", part, "-q")
	good(t, "trace", "verify", part)
	merged := filepath.Join(folder, "merged.wtape")
	good(t, "trace", "merge", part, part, "-o", merged)
	good(t, "trace", "verify", merged)
	good(t, "replay", merged, "-a", "gtx480", "-q")
}
