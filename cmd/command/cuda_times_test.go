// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/replay"

	"github.com/warptape/warptape/cmd/internal/machineset"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// Times of events are those of a replay of the same trace, when that is asked for: each
// launch alone, and what a launch costs besides.
func TestTimesOfEventsComeFromTheReplay(t *testing.T) {
	tracetest.Nightly(t)
	notUnderTheRaceDetector(t)
	program := cudaProgram(t, "times.cu", "-O3")
	output := filepath.Join(t.TempDir(), "times.wtape")
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"warptape", "run", "-q", "--arch", "gtx480", "--event-times", "replay", "-o", output, program}, &stdout, &stderr); code != 0 {
		t.Fatal(stdout.String(), stderr.String())
	}
	if !strings.Contains(stderr.String(), "those of replays of each launch alone on") {
		t.Errorf("it says %q", stderr.String())
	}
	var told [2]float64
	if _, err := fmt.Sscan(stdout.String(), &told[0], &told[1]); err != nil {
		t.Fatal(err, stdout.String())
	}
	r, err := wtape.Open(output)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	machines, err := machineset.Load([]string{"gtx480"})
	if err != nil {
		t.Fatal(err)
	}
	results, err := replay.Run(context.Background(), r, machines, replay.Options{WatchdogCycles: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for i, ms := range told {
		// The second launch of the whole trace finds caches that the first has filled.
		replayed := float64(results[0].Launches[i].Nanoseconds*1e-6) + 5e-3
		if ratio := ms / replayed; ratio < 0.98 || ratio > 1.02 {
			t.Errorf("launch %d took %g ms, in the replay of all %g", i, ms, replayed)
		}
	}
	bad(t, 2, "counts and replay", "run", "--event-times", "clock", program)
}

// With --slack, programs may touch bytes next to their buffers, as on a GPU.
func TestSlackLetsAccessesBesideBuffersPass(t *testing.T) {
	tracetest.Nightly(t)
	notUnderTheRaceDetector(t)
	program := cudaProgram(t, "beside.cu", "-O3")
	code, stdout, stderr, _ := runIt(t, program)
	if code == 0 || !strings.Contains(stderr, "out-of-bounds") || !strings.Contains(stderr, "--slack 64KiB") {
		t.Errorf("exit code %d, it says %q and %q", code, stdout, stderr)
	}
	var out, errors bytes.Buffer
	output := filepath.Join(t.TempDir(), "beside.wtape")
	if code := run(context.Background(), []string{"warptape", "run", "-q", "--slack", "4KiB", "-o", output, program}, &out, &errors); code != 0 || out.String() != "ok\n" {
		t.Errorf("exit code %d, it says %q and %q", code, out.String(), errors.String())
	}
	bad(t, 2, "--slack", "run", "--slack", "much", program)
}

// An access beyond one buffer that reaches the next is found where buffers are kept apart.
func TestRunChecksBoundsOnRequest(t *testing.T) {
	tracetest.Nightly(t)
	notUnderTheRaceDetector(t)
	program, output := cudaProgram(t, "beyond.cu", "-O3", "-lineinfo"), filepath.Join(t.TempDir(), "beyond.wtape")
	if got := warptape(t, "run", "-q", "-o", output, program); got.code != 0 || got.stdout != "no error\n" {
		t.Errorf("without the check: %+v", got)
	}
	got := warptape(t, "run", "-q", "-f", "-o", output, "--check", "bounds", program)
	if got.code == 0 || got.stdout != "an illegal memory access was encountered\n" || !strings.Contains(got.stderr, "beyond.cu:3") || !strings.Contains(got.stderr, "4 bytes past the end of buffer cudaMalloc (1024 bytes)") {
		t.Errorf("with the check: %+v", got)
	}
}
