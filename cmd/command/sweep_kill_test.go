// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/tracetest"
)

// make sweep-kill sets these to 1,000 points and twenty kills.
var (
	killPoints = flag.Int("sweep.points", 10, "`POINTS` of the sweep that is killed")
	killTimes  = flag.Int("sweep.kills", 1, "how many `TIMES` the sweep is killed")
	killSeed   = flag.Uint64("sweep.seed", 1, "`SEED` of the moments of the kills")
)

// killPlan has that many points, of a trace that is recorded first.
func killPlan(t *testing.T, points int) string {
	t.Helper()
	return write(t, filepath.Join(t.TempDir(), "killed.yaml"), fmt.Sprintf(`
traces: [{workload: saxpy, size: tiny, set: {n: [2000, 3000]}}]
machines: [gtx480]
parameters: {dram.queue: {from: 8, to: %d, step: 1}}
`, 8+points/2-1))
}

// kept are the files of a folder of results by their names, without those of processes
// and without files that were on their way when a process was killed.
func kept(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || strings.HasPrefix(name, ".incoming/") {
			return err
		}
		text, err := os.ReadFile(path)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// pointsIn counts the results in a folder.
func pointsIn(t *testing.T, root string) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, "points", "*", "*.json.zst"))
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// sweeps is a child that may take long.
func sweeps(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return childFor(t, 30*time.Minute, "", args...)
}

// runs starts a child and tells when it has ended.
func runs(t *testing.T, args ...string) (c *exec.Cmd, ended chan error) {
	t.Helper()
	c = sweeps(t, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended = make(chan error, 1)
	go func() { ended <- c.Wait() }()
	return c, ended
}

// killedAfter lets a child make some more points, and kills it with points in flight. It
// reports whether the child was killed before it had ended.
func killedAfter(t *testing.T, random *rand.Rand, root string, points int, args ...string) bool {
	t.Helper()
	c, ended := runs(t, args...)
	want := pointsIn(t, root) + points
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			return false
		case <-time.After(time.Millisecond):
		}
		if pointsIn(t, root) >= want {
			break
		}
	}
	time.Sleep(time.Duration(random.Int64N(int64(20 * time.Millisecond)))) // anywhere in a point
	if err := c.Process.Kill(); err != nil {
		return false
	}
	return <-ended != nil
}

// TestASweepThatIsKilledEndsWithTheSameBytes: kill -9 ends processes at random, and the next
// one goes on. In the end the folder is that of a sweep without any kill.
func TestASweepThatIsKilledEndsWithTheSameBytes(t *testing.T) {
	plan, whole, parts := killPlan(t, *killPoints), filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "parts")
	args := func(root string) []string { return []string{"sweep", plan, "--results", root, "--workers", "2"} }
	if code, said := ended(t, sweeps(t, args(whole)...)); code != commandline.ExitOK {
		t.Fatal(said)
	}
	random := rand.New(rand.NewPCG(*killSeed, 0))
	kills := 0
	for k := range *killTimes {
		// Enough is left for the kills to come.
		more := random.IntN(max(1, (*killPoints-pointsIn(t, parts))/(*killTimes-k+1)))
		if killedAfter(t, random, parts, more, args(parts)...) {
			kills++
			t.Logf("kill %d with %d of %d points", kills, pointsIn(t, parts), *killPoints)
		}
	}
	if kills == 0 {
		t.Error("nothing was killed")
	}
	code, said := ended(t, sweeps(t, args(parts)...))
	if code != commandline.ExitOK {
		t.Fatal(said)
	}
	t.Logf("killed %d times; the last run says: %s", kills, strings.TrimSpace(said))
	if n := pointsIn(t, parts); n != *killPoints {
		t.Errorf("%d points", n)
	}
	a, b := kept(t, whole), kept(t, parts)
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("%.2000s", d)
	}
	t.Logf("%d files have the same bytes", len(a))
}

// TestTwoProcessesShareASweep: one of them is killed; the other does not wait for it, and
// few points are made twice.
func TestTwoProcessesShareASweep(t *testing.T) {
	tracetest.Nightly(t)
	plan, whole, both := killPlan(t, 12), filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "both")
	args := func(root string) []string { return []string{"sweep", plan, "--results", root, "--workers", "1"} }
	if code, said := ended(t, sweeps(t, args(whole)...)); code != commandline.ExitOK {
		t.Fatal(said)
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	_, first := runs(t, args(both)...)
	random := rand.New(rand.NewPCG(2, 0))
	killedAfter(t, random, both, 5, args(both)...)
	select {
	case err := <-first:
		if err != nil {
			t.Fatal(err)
		}
	case <-ctx.Done():
		t.Fatal("the other process waits for the killed one")
	}
	// The killed one may have been the last to tell of itself: the next run clears up.
	if code, said := ended(t, sweeps(t, args(both)...)); code != commandline.ExitOK || !strings.Contains(said, " 0 made") {
		t.Errorf("%s", said)
	}
	if d := cmp.Diff(kept(t, whole), kept(t, both)); d != "" {
		t.Errorf("%.2000s", d)
	}
}
