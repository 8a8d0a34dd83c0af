// SPDX-License-Identifier: Apache-2.0

// Package replaytest holds what every mechanism's tests ask of its replays. These are
// results as bytes, that do not depend on workers or on a mechanism that is off,
// refusals with their place, and a steady state without allocations.
package replaytest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/wtape"
)

// Load gives the machine of a specification ("gtx480+buddy(members=4)").
func Load(t testing.TB, spec string) *arch.Machine {
	t.Helper()
	m, err := arch.Load(spec)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Recorded opens a trace of traces/recorded until the test ends.
func Recorded(t testing.TB, name string) *wtape.Reader {
	t.Helper()
	root, err := filepath.Abs(".") // a test runs in its package's folder
	if err != nil {
		t.Fatal(err)
	}
	for !exists(filepath.Join(root, "go.mod")) && filepath.Dir(root) != root {
		root = filepath.Dir(root)
	}
	r, err := wtape.Open(filepath.Join(root, "traces", "recorded", name+".wtape"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Run replays a trace on machines.
func Run(t testing.TB, r *wtape.Reader, o replay.Options, machines ...*arch.Machine) []replay.Result {
	t.Helper()
	results, err := replay.Run(context.Background(), r, machines, o)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// JSON is what replay --json writes of a replay.
func JSON(t testing.TB, r *wtape.Reader, o replay.Options, machines ...*arch.Machine) string {
	t.Helper()
	var b bytes.Buffer
	if err := replay.WriteJSON(&b, Run(t, r, o, machines...)); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Fatalf("not JSON: %.200s", b.String())
	}
	return b.String()
}

// SameBytes checks that replays on one, two and eight workers write the same bytes.
func SameBytes(t *testing.T, r *wtape.Reader, specs ...string) {
	t.Helper()
	var want string
	for _, workers := range []int{1, 2, 8} {
		var machines []*arch.Machine
		for _, spec := range specs {
			machines = append(machines, Load(t, spec))
		}
		got := JSON(t, r, replay.Options{Workers: workers}, machines...)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d workers: other bytes", workers)
		}
	}
}

// LeavesNoTrace checks that a machine with a mechanism that is switched off writes
// what the plain one does; the name of off is changed to that of plain.
func LeavesNoTrace(t *testing.T, r *wtape.Reader, plain, off *arch.Machine) {
	t.Helper()
	off.Name = plain.Name
	if a, b := JSON(t, r, replay.Options{}, plain), JSON(t, r, replay.Options{}, off); a != b {
		t.Error(cmp.Diff(a, b))
	}
}

// Refusal is a machine's file that must be refused.
type Refusal struct {
	Text string // of x.yaml
	// At and Want are parts of the message: the place, and the reason.
	At, Want string
}

// Refused checks that machines are refused as they should be.
func Refused(t *testing.T, list []Refusal) {
	t.Helper()
	for _, c := range list {
		path := filepath.Join(t.TempDir(), "x.yaml")
		if err := os.WriteFile(path, []byte(c.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := arch.Load(path)
		if err == nil || !strings.Contains(err.Error(), c.Want) || !strings.Contains(err.Error(), c.At) {
			t.Errorf("%s: %v; want a message with %q at %s", c.Text, err, c.Want, c.At)
		}
	}
}

// SteadyState checks that a machine that has replayed once allocates no more for a
// trace that is ten times as long. tape makes one of so many thread blocks.
func SteadyState(t *testing.T, spec string, tape func(blocks int) *wtape.Reader) {
	t.Helper()
	const short, long = 40, 400
	// The runtime may allocate for itself; a thread block that allocates would show
	// 360 times.
	const slack = 10
	g, err := gpu.New(Load(t, spec), gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	allocations := func(blocks int) float64 {
		src := gputest.NewSource(tape(blocks))
		return testing.AllocsPerRun(1, func() {
			if _, err := g.Replay(context.Background(), src, nil); err != nil {
				t.Fatal(err)
			}
		})
	}
	allocations(long) // pools and queues grow to what the largest replay needs
	if a, b := allocations(short), allocations(long); b > a+slack {
		t.Errorf("%v allocations for a short replay, %v for one ten times as long", a, b)
	}
}

// Benchmark replays traces of traces/recorded on machines, by one worker, in warp
// instructions a second.
func Benchmark(b *testing.B, traces []string, specs ...string) {
	for _, name := range traces {
		for _, spec := range specs {
			b.Run(name+"/"+spec, func(b *testing.B) {
				r, m := Recorded(b, name), Load(b, spec)
				for b.Loop() {
					Run(b, r, replay.Options{Workers: 1}, m)
				}
				b.ReportMetric(float64(r.Totals().WarpInstructions)*float64(b.N)/b.Elapsed().Seconds(), "warp-insn/s")
			})
		}
	}
}
