// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/cmd/results"
)

// TestAProcessOfAnotherNodeLivesByItsBeat, whatever its clock and ours say.
func TestAProcessOfAnotherNodeLivesByItsBeat(t *testing.T) {
	now := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC) // a clock that is wrong by decades
	w := newWatch()
	w.now = func() time.Time { return now }
	p := &results.Process{ID: "a", Beat: 7, PID: 1, Place: "another kernel"}
	for i, step := range []struct {
		beat  uint64
		after time.Duration
		want  state
	}{
		{7, 0, unknown}, {7, expiry - 1, unknown}, {8, 0, living}, {8, expiry - 1, living}, {8, 1, dead}, {9, 0, living}, {9, expiry, dead}, {3, 0, living},
	} {
		now, p.Beat = now.Add(step.after), step.beat
		if got := w.look(p); got != step.want {
			t.Errorf("step %d: %v, want %v", i, got, step.want)
		}
	}
}

// TestAProcessOfThisNodeIsDeadAtOnce when the kernel does not know it, also when another
// process has its number.
func TestAProcessOfThisNodeIsDeadAtOnce(t *testing.T) {
	if place() == "" {
		t.Skip("processes are not told apart here")
	}
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	born, _ := birth(os.Getpid())
	w := newWatch()
	for _, c := range []struct {
		pid  int
		born string
		want state
	}{{os.Getpid(), born, living}, {os.Getpid(), "1", dead}, {ended.Process.Pid, "1", dead}, {0, "", dead}, {-1, "", dead}} {
		if got := w.look(&results.Process{ID: "b", PID: c.pid, Birth: c.born, Place: place()}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestPointsOfALivingProcessAreLeftToIt, and those of a dead one are not.
func TestPointsOfALivingProcessAreLeftToIt(t *testing.T) {
	p := planOf(t, "name: shared\ntraces: RECORDED/spmv.wtape\nmachines: gtx480\nparameters: {dram.queue: [8, 16, 32]}")
	whole := filepath.Join(t.TempDir(), "whole")
	want, err := runnerAt(t, whole).Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	theirs := want.Manifest.Points[1].Key
	root := filepath.Join(t.TempDir(), "r")
	r := runnerAt(t, root)
	born, _ := birth(os.Getpid())
	other := &results.Process{ID: "other", Beat: 1, PID: os.Getpid(), Birth: born, Place: place(), Claims: []string{theirs}}
	if place() == "" {
		other.Place = "elsewhere"
	}
	if err := r.Store.PutProcess("shared", other); err != nil {
		t.Fatal(err)
	}
	// When our points are made the other process ends, with its result or without.
	var once sync.Once
	r.Progress = func(p Progress) {
		if p.Made < 2 {
			return
		}
		once.Do(func() {
			if r.Store.Has(theirs) {
				t.Error("a point was made that another process had")
			}
			point, err := (&Runner{Store: mustOpen(t, whole)}).Store.Get(theirs)
			if err == nil {
				err = r.Store.Put(point)
			}
			if err != nil {
				t.Error(err)
			}
			if err := r.Store.RemoveProcess("shared", other); err != nil {
				t.Error(err)
			}
		})
	}
	s, err := r.Run(context.Background(), p)
	if err != nil || s.Made != 2 || s.Others != 1 || s.Failed != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if d := cmp.Diff(contents(t, whole), contents(t, root)); d != "" {
		t.Error(d)
	}

	// A dead one's file and points do not stay.
	root = filepath.Join(t.TempDir(), "r")
	r = runnerAt(t, root)
	if place() == "" {
		return
	}
	other.Birth = "1"
	if err := r.Store.PutProcess("shared", other); err != nil {
		t.Fatal(err)
	}
	if s, err := r.Run(context.Background(), p); err != nil || s.Made != 3 {
		t.Errorf("%+v, %v", s, err)
	}
	if d := cmp.Diff(contents(t, whole), contents(t, root)); d != "" {
		t.Error(d)
	}
}

func mustOpen(t *testing.T, root string) *results.Store {
	t.Helper()
	s, err := results.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestReplaysWaitForMemory: so many run at a time as have room, and one in any case.
func TestReplaysWaitForMemory(t *testing.T) {
	for _, c := range []struct{ budget, live, want int64 }{
		{0, 1 << 40, 8}, {8 * replayBytes, 0, 8}, {3 * replayBytes, 0, 3}, {3*replayBytes + 1, replayBytes, 3}, {4 * replayBytes, 4 * replayBytes, 1}, {1, 1 << 40, 1},
	} {
		m := newMemory(c.budget)
		m.live = func() int64 { return c.live }
		var running, most int64
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 8 {
			m.mu.Lock()
			fits := m.running == 0 || m.fits()
			m.mu.Unlock()
			if !fits {
				break
			}
			m.begin()
			running++
		}
		if running != c.want {
			t.Errorf("budget %d, %d alive: %d replays, want %d", c.budget, c.live, running, c.want)
		}
		// Those that wait go on when others end.
		for range 8 {
			all.Go(func() {
				m.begin()
				mu.Lock()
				running++
				most = max(most, running)
				running--
				mu.Unlock()
				m.end()
			})
		}
		for range c.want {
			mu.Lock()
			running--
			mu.Unlock()
			m.end()
		}
		all.Wait()
		if m.running != 0 || most > c.want+8 {
			t.Errorf("%d are left", m.running)
		}
	}
}

// TestASweepWithLittleMemoryHasTheSameBytes.
func TestASweepWithLittleMemoryHasTheSameBytes(t *testing.T) {
	p := planOf(t, "name: m\ntraces: RECORDED/spmv.wtape\nmachines: gtx480\nparameters: {dram.queue: [8, 16, 32]}")
	whole, little := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	if _, err := runnerAt(t, whole).Run(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	r := runnerAt(t, little)
	r.Workers, r.MemoryBytes = 3, 1
	if _, err := r.Run(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(contents(t, whole), contents(t, little)); d != "" {
		t.Error(d)
	}
}
