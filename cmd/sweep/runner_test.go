// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/plan"
	_ "github.com/warptape/warptape/timing/mechanisms"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// twelve is a plan of twelve points; six of them have no machine.
const twelve = `
name: twelve
traces: [RECORDED/spmv.wtape, {workload: [saxpy], size: tiny, set: {n: [1000, 2000]}}]
machines: [gtx480]
overlays: [none, lrr]
zip: [{l1.ways: [4, 7], sm.max_warps: [48, 48]}]
`

func planOf(t *testing.T, text string) *plan.Plan {
	t.Helper()
	recorded, err := filepath.Abs("../../traces/recorded")
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Parse("plan.yaml", []byte(strings.ReplaceAll(text, "RECORDED", recorded)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func runnerAt(t *testing.T, root string) *Runner {
	t.Helper()
	s, err := results.Create(root)
	if err != nil {
		t.Fatal(err)
	}
	return &Runner{Store: s, Workers: 2}
}

// contents are the files of a folder of results by name.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestASweepThatWasCutOffEndsWithTheSameBytes: each run ends after one more point, and
// the last makes what is missing.
func TestASweepThatWasCutOffEndsWithTheSameBytes(t *testing.T) {
	whole, parts := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	p := planOf(t, twelve)
	want, err := runnerAt(t, whole).Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if want.Made != 6 || want.Impossible != 6 || want.Failed != 0 {
		t.Errorf("%+v", want.Progress)
	}
	runs := 0
	for made := 0; made < want.Made; runs++ {
		r := runnerAt(t, parts)
		ctx, stop := context.WithCancel(context.Background())
		r.Progress = func(p Progress) {
			if p.Made > 0 {
				stop()
			}
		}
		s, err := r.Run(ctx, p)
		stop()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if s.Present != made || s.Made == 0 {
			t.Fatalf("run %d: %d present of %d, %d made", runs, s.Present, made, s.Made)
		}
		made += s.Made
	}
	if runs < 2 {
		t.Errorf("%d runs: nothing was cut off", runs)
	}
	if d := cmp.Diff(contents(t, whole), contents(t, parts)); d != "" {
		t.Error(d)
	}
	again, err := runnerAt(t, whole).Run(context.Background(), p)
	if err != nil || again.Made != 0 || again.Present != want.Made {
		t.Errorf("%+v, %v", again.Progress, err)
	}
}

// TestShardsMakeEachPointOnce, whatever their number.
func TestShardsMakeEachPointOnce(t *testing.T) {
	p := planOf(t, "traces: RECORDED/tiny/saxpy.wtape\nmachines: gtx480\nparameters: {dram.queue: [8, 16, 32], l1.ways: [4, 8]}")
	for _, shards := range []int{1, 4, 9} {
		root, made := filepath.Join(t.TempDir(), "r"), 0
		for shard := range shards {
			r := runnerAt(t, root)
			r.Shard, r.Shards = shard, shards
			s, err := r.Run(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			if s.Wanted != s.Made {
				t.Errorf("shard %d of %d: %+v", shard, shards, s.Progress)
			}
			made += s.Made
		}
		if made != 6 {
			t.Errorf("%d shards made %d points", shards, made)
		}
	}
}

// TestRefusalsAndFailuresStopNobody: one machine has no room for a thread block, and one
// gives up after a cycle. A refusal is not tried again; a failure is.
func TestRefusalsAndFailuresStopNobody(t *testing.T) {
	root := filepath.Join(t.TempDir(), "r")
	p := planOf(t, "traces: RECORDED/spmv.wtape\nmachines: gtx480\nparameters: {sm.max_warps: [4, 48]}")
	s, err := runnerAt(t, root).Run(context.Background(), p)
	if err == nil && s.Instructions != s.Total {
		t.Errorf("%d of %d warp instructions: what is refused is still to come", s.Instructions, s.Total)
	}
	if err != nil || s.Made != 1 || s.Refused != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	s, err = runnerAt(t, root).Run(context.Background(), p)
	if err != nil || s.Made != 0 || s.Refused != 1 || s.Present != 1 {
		t.Errorf("again: %+v, %v", s.Progress, err)
	}
	p = planOf(t, "traces: RECORDED/spmv.wtape\nmachines: gtx480\noptions: {watchdog_cycles: 1}")
	for range 2 {
		s, err = runnerAt(t, root).Run(context.Background(), p)
		if err != nil || s.Failed != 1 {
			t.Fatalf("%+v, %v", s.Progress, err)
		}
		f, err := runnerAt(t, root).Store.Failure(s.Manifest.Points[0].Key)
		if err != nil || f == nil || f.Refused || f.Reason == "" {
			t.Errorf("%+v, %v", f, err)
		}
	}
}

// TestADamagedResultIsMadeAgain.
func TestADamagedResultIsMadeAgain(t *testing.T) {
	root := filepath.Join(t.TempDir(), "r")
	p := planOf(t, "traces: RECORDED/spmv.wtape\nmachines: gtx480")
	s, err := runnerAt(t, root).Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	sound := contents(t, root)
	key := s.Manifest.Points[0].Key
	path := filepath.Join(root, "points", key[:2], key+".json.zst")
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	if s, err = runnerAt(t, root).Run(context.Background(), p); err != nil || s.Made != 1 {
		t.Errorf("%+v, %v", s.Progress, err)
	}
	if d := cmp.Diff(sound, contents(t, root)); d != "" {
		t.Error(d)
	}
}

// TestAnEstimateMakesNothing, and counts what a run makes.
func TestAnEstimateMakesNothing(t *testing.T) {
	root := filepath.Join(t.TempDir(), "r")
	store, err := results.Look(root)
	if err != nil {
		t.Fatal(err)
	}
	p := planOf(t, twelve)
	e, err := (&Runner{Store: store}).Estimate(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if e.Wanted != 6 || e.Impossible != 6 || len(e.ToRecord) != 2 || len(e.Unknown) != 2 || e.Instructions != 2*3467 {
		t.Errorf("%+v", e)
	}
	if _, err := os.Stat(root); !errors.Is(err, os.ErrNotExist) {
		t.Error("a folder was made")
	}
}

// TestAFolderThatCannotBeWrittenStopsTheSweep with its own error, and leaves no half-written point.
func TestAFolderThatCannotBeWrittenStopsTheSweep(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	root := filepath.Join(t.TempDir(), "r")
	r := runnerAt(t, root)
	if err := os.Chmod(root, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(root, 0o777)
	if _, err := r.Run(context.Background(), planOf(t, "traces: RECORDED/spmv.wtape\nmachines: gtx480")); !errors.Is(err, os.ErrPermission) {
		t.Error(err)
	}
}

// TestWrongTracesAreNamedWithTheirPlace.
func TestWrongTracesAreNamedWithTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		"machines: gtx480\ntraces: nosuch.wtape":                      "plan.yaml:2:9: nosuch.wtape: no such file",
		"machines: gtx480\ntraces: nosuch*.wtape":                     "no file has such a name",
		"machines: gtx480\ntraces: {workload: saxpi}":                 `there is no workload "saxpi"`,
		"machines: gtx480\ntraces: {workload: saxpy, size: huge}":     `there is no size "huge"`,
		"machines: gtx480\ntraces: {workload: saxpy, set: {m: 1}}":    `there is no parameter "m"`,
		"machines: gtx480\ntraces: {workload: saxpy, set: {n: many}}": "n=many",
		"machines: gtx480\ntraces: {workload: saxpy, sample: some}":   `sampling policy "some"`,
		"machines: gtx480\ntraces: [{store: nosuch}]":                 "warptape pull nosuch",
	} {
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		t.Setenv("XDG_DATA_HOME", t.TempDir())
		_, err := runnerAt(t, filepath.Join(t.TempDir(), "r")).Run(context.Background(), planOf(t, text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
