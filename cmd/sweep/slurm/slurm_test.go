// SPDX-License-Identifier: Apache-2.0

//go:build linux

package slurm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/cmd/command"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep"
	"github.com/warptape/warptape/cmd/sweep/plan"
	"github.com/warptape/warptape/cmd/sweep/slurm"
	"github.com/warptape/warptape/cmd/sweep/slurm/slurmtest"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/tracetest/heap"
)

// childVariable makes the test's program be the command, as tasks run it.
const childVariable = "WARPTAPE_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		heap.Usual()
		os.Exit(command.Main(os.Args, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// points of a plan on a trace that is in the repository.
const points = `
name: cluster
traces: [RECORDED/spmv.wtape]
machines: [gtx480]
parameters: {dram.queue: [8, 16, 24, 32], l1.ways: [4, 8, 7]}
`

func prepared(t *testing.T, root string) (*sweep.Runner, *plan.Expansion) {
	t.Helper()
	recorded, err := filepath.Abs("../../../traces/recorded")
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Parse("plan.yaml", []byte(strings.ReplaceAll(points, "RECORDED", recorded)))
	if err != nil {
		t.Fatal(err)
	}
	store, err := results.Create(root)
	if err != nil {
		t.Fatal(err)
	}
	r := &sweep.Runner{Store: store, Workers: 2}
	e, err := r.Prepare(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r, e
}

// said collects what the executor says.
type said struct {
	t     *testing.T
	mu    sync.Mutex
	lines []string
}

func (s *said) say(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.t.Log(line)
	s.lines = append(s.lines, line)
}

// count gives the lines that have a text.
func (s *said) count(text string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range s.lines {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// hold lets tasks 0 and 1 wait before they replay, until a file lets them go.
const hold = `case $SLURM_ARRAY_TASK_ID in 0|1)
	: > HOLD/began-$SLURM_ARRAY_TASK_ID-$SLURM_JOB_ID-$SLURMD_NODENAME
	n=0
	while [ ! -e HOLD/go ] && [ $n -lt 3000 ]; do sleep 0.1; n=$((n + 1)); done;;
esac`

// TestTasksThatAreLostGoAgain: on a real cluster two tasks are preempted; then a node
// dies with its task; and meanwhile another process takes the watcher's place. In the end
// the folder has the bytes of a sweep of this process.
func TestTasksThatAreLostGoAgain(t *testing.T) {
	tracetest.Nightly(t)
	cluster := slurmtest.Start(t)
	t.Setenv(childVariable, "1")
	root, holds := filepath.Join(t.TempDir(), "results"), t.TempDir()
	r, e := prepared(t, root)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	lines := &said{t: t}
	executor := func() *slurm.Executor {
		return &slurm.Executor{
			Store: r.Store, Manifest: e.Manifest, Work: []string{self, "sweep", "work", root, "cluster", "--quiet"}, Options: []string{"--partition=" + slurmtest.Low},
			Setup: strings.ReplaceAll(hold, "HOLD", holds), Tasks: 4, Poll: 100 * time.Millisecond, Say: lines.say,
		}
	}
	began := func(task int) []string { // its jobs that have begun, with their nodes
		names, _ := filepath.Glob(filepath.Join(holds, fmt.Sprintf("began-%d-*", task)))
		return names
	}
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	run := func(ctx context.Context) (ended chan error) {
		ended = make(chan error, 1)
		go func() {
			status, err := executor().Run(ctx)
			if err == nil && (status.Done != 8 || status.Impossible != 4 || status.Missing+status.Failed+status.Refused != 0) {
				err = fmt.Errorf("ended with %+v", status)
			}
			ended <- err
		}()
		return ended
	}

	first := run(ctx)
	cluster.Until("two tasks run", func() bool { return len(began(0)) > 0 && len(began(1)) > 0 })
	interrupt()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	second := run(context.Background())
	cluster.Until("the tasks are adopted", func() bool { return lines.count("go on") >= 2 })

	cluster.Command("sbatch", "--partition="+slurmtest.High, "--nodes=2", "--output=/dev/null", "--wrap=true")
	cluster.Until("both tasks were preempted and run again", func() bool {
		return lines.count("_0: PREEMPTED") > 0 && lines.count("_1: PREEMPTED") > 0 && len(began(0)) > 1 && len(began(1)) > 1
	})
	var node string
	cluster.Until("task 0 runs", func() bool {
		node = nodeOf(t, cluster, 0)
		return node != ""
	})
	cluster.KillNode(node)
	cluster.Until("its node's death is seen", func() bool { return lines.count("_0: NODE_FAIL") > 0 })
	cluster.StartNode(node)
	if err := os.WriteFile(filepath.Join(holds, "go"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := <-second; err != nil {
		t.Fatal(err)
	}

	alone := filepath.Join(t.TempDir(), "alone")
	r, e = prepared(t, alone)
	if _, err := r.Make(context.Background(), e); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(contents(t, alone), contents(t, root)); d != "" {
		t.Error(d)
	}
	commandLine(t, self, e)
}

// commandLine lets the command make a sweep by the cluster, and fail with the task's own words.
func commandLine(t *testing.T, self string, e *plan.Expansion) {
	t.Helper()
	root, file := filepath.Join(t.TempDir(), "results"), filepath.Join(t.TempDir(), "line.yaml")
	if err := os.WriteFile(file, []byte("traces: ["+e.Manifest.Traces[0].Path+"]\nmachines: [gtx480]\nparameters: {dram.queue: [8, 16]}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(more ...string) (code int, out, said string) {
		var stdout, stderr bytes.Buffer
		args := []string{"warptape", "sweep", file, "--results", root, "--executor", "slurm", "--tasks", "2", "--slurm-option=--partition=" + slurmtest.Low}
		code = command.Main(append(args, more...), &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	if code, _, said := run("--slurm-setup", "echo no such module; exit 3"); code == 0 || !strings.Contains(said, "has ended as FAILED") || !strings.Contains(said, "no such module") {
		t.Errorf("a task that fails: %d, %s", code, said)
	}
	if code, _, said := run("--slurm-option=--nosuch"); code == 0 || !strings.Contains(said, "sbatch: unrecognized option '--nosuch'") {
		t.Errorf("a wrong option: %d, %s", code, said)
	}
	if code, out, said := run("--slurm-program", self, "--memory", "300MiB"); code != 0 || !strings.Contains(out, "2 of 2 points") {
		t.Errorf("%d, %s, %s", code, out, said)
	}
}

// nodeOf is the node on which a task of the sweep runs.
func nodeOf(t *testing.T, c *slurmtest.Cluster, task int) string {
	t.Helper()
	for line := range strings.Lines(c.Command("squeue", "--noheader", "--array", "--states=RUNNING", "--partition="+slurmtest.Low, "--format=%K %N")) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == fmt.Sprint(task) {
			return f[1]
		}
	}
	return ""
}

// contents are the files of a folder of results, but for the logs of tasks.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || strings.Contains(name, "/logs/") || strings.HasPrefix(name, ".incoming") {
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
