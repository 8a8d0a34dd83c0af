// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/results"
)

// TestAStatusCountsEachPointOnce: of the points some are made, some refused, some failed,
// some missing, and some impossible; two have one key.
func TestAStatusCountsEachPointOnce(t *testing.T) {
	root := filepath.Join(t.TempDir(), "r")
	r := runnerAt(t, root)
	p := planOf(t, "name: s\ntraces: [RECORDED/spmv.wtape]\nmachines: [gtx480, \"gtx480+set(dram.queue=16)\"]\nparameters: {dram.queue: [8, 16], sm.max_warps: [4, 48], l1.ways: [4, 7]}")
	e, err := r.Prepare(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWatcher(r.Store, "s")
	if err != nil {
		t.Fatal(err)
	}
	look := func() *Status {
		t.Helper()
		s, err := w.Observe(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if s.Done+s.Refused+s.Failed+s.Missing != s.Points {
			t.Errorf("the parts of %+v do not add up", s)
		}
		return s
	}
	keys := map[string]bool{}
	for i := range e.Manifest.Points {
		if key := e.Manifest.Points[i].Key; key != "" {
			keys[key] = true
		}
	}
	if s := look(); s.Points != len(keys) || s.Missing != len(keys) || s.InstructionsLeft != uint64(len(keys))*3467 || s.SecondsLeft != nil || s.Impossible+8 != len(e.Manifest.Points) {
		t.Errorf("%+v for %d keys", s, len(keys))
	}
	if _, err := r.Make(context.Background(), e); err != nil {
		t.Fatal(err)
	}
	s := look()
	if s.Missing != 0 || s.Done == 0 || s.Refused == 0 || len(s.Failures) != s.Refused || s.TimeLeft() != "nothing is missing" {
		t.Errorf("%+v", s)
	}
	var text bytes.Buffer
	if err := s.Write(&text); err != nil || !strings.Contains(text.String(), "refused") || !strings.Contains(text.String(), "a thread block needs 6 warps") {
		t.Errorf("%v: %s", err, text.String())
	}
}

// TestAStatusAddsUpProcesses of this node.
func TestAStatusAddsUpProcesses(t *testing.T) {
	if place() == "" {
		t.Skip("processes are not told apart here")
	}
	r := runnerAt(t, filepath.Join(t.TempDir(), "r"))
	if _, err := r.Prepare(context.Background(), planOf(t, "name: s\ntraces: RECORDED/spmv.wtape\nmachines: gtx480")); err != nil {
		t.Fatal(err)
	}
	born, _ := birth(os.Getpid())
	for i, birth := range []string{born, born, "1"} {
		err := r.Store.PutProcess("s", &results.Process{
			ID: string(rune('a' + i)), PID: os.Getpid(), Birth: birth, Place: place(), Seconds: 2, Instructions: 3467, Made: 10, Shard: i, Shards: 3,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := NewWatcher(r.Store, "s")
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Look()
	if err != nil || len(s.Processes) != 3 || s.PointsPerSecond != 10 || s.InstructionsPerSecond != 3467 || *s.SecondsLeft != 1 || s.Processes[2].State != "dead" {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestPreparedSweepsAreCheckedBeforeWork: a manifest of another build is refused, and a
// machine that has changed since.
func TestPreparedSweepsAreCheckedBeforeWork(t *testing.T) {
	root := filepath.Join(t.TempDir(), "r")
	r := runnerAt(t, root)
	machine := filepath.Join(t.TempDir(), "m.yaml")
	text, err := os.ReadFile("../../timing/arch/machines/gtx480.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(machine, text, 0o666); err != nil {
		t.Fatal(err)
	}
	e, err := r.Prepare(context.Background(), planOf(t, "name: s\ntraces: RECORDED/spmv.wtape\nmachines: "+machine))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Prepared(r.Store, "s"); err != nil {
		t.Fatal(err)
	}
	changed := bytes.ReplaceAll(text, []byte("max_warps: 48"), []byte("max_warps: 32"))
	if bytes.Equal(text, changed) {
		t.Fatal("nothing was changed")
	}
	if err := os.WriteFile(machine, changed, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Prepared(r.Store, "s"); err == nil || !strings.Contains(err.Error(), "is not what it was") {
		t.Error(err)
	}
	e.Manifest.Model = "another"
	if err := r.Store.PutManifest(e.Manifest); err != nil {
		t.Fatal(err)
	}
	if _, err := Prepared(r.Store, "s"); err == nil || !strings.Contains(err.Error(), "another build") {
		t.Error(err)
	}
}

// TestATraceIsFoundByItsDigest where it is fetched to, and never taken by its name alone.
func TestATraceIsFoundByItsDigest(t *testing.T) {
	t.Setenv("WARPTAPE_STORE", t.TempDir()) // which has no trace
	text, err := os.ReadFile("../../traces/recorded/spmv.wtape")
	if err != nil {
		t.Fatal(err)
	}
	here, there := filepath.Join(t.TempDir(), "spmv.wtape"), filepath.Join(t.TempDir(), "there.wtape")
	for _, path := range []string{here, there} {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := runnerAt(t, filepath.Join(t.TempDir(), "r"))
	e, err := r.Prepare(context.Background(), planOf(t, "name: s\ntraces: "+here+"\nmachines: gtx480"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile("../../traces/recorded/reduction.wtape")
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func() error{
		func() error { return os.WriteFile(here, other, 0o666) },
		func() error { return os.Remove(here) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		r.Pull = nil
		if _, err := r.Make(context.Background(), e); err == nil || !strings.Contains(err.Error(), "--pull") {
			t.Error(err)
		}
		r.Pull = func(context.Context, string) (string, error) { return "../../traces/recorded/reduction.wtape", nil }
		if _, err := r.Make(context.Background(), e); err == nil || !strings.Contains(err.Error(), "is not the trace") {
			t.Error(err)
		}
		broken := errors.New("the line is cut")
		r.Pull = func(context.Context, string) (string, error) { return "", broken }
		if _, err := r.Make(context.Background(), e); !errors.Is(err, broken) {
			t.Error(err)
		}
	}
	r.Pull = func(_ context.Context, digest string) (string, error) {
		if digest != e.Manifest.Traces[0].Digest {
			t.Errorf("asked for %s", digest)
		}
		return there, nil
	}
	if s, err := r.Make(context.Background(), e); err != nil || s.Made != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}
