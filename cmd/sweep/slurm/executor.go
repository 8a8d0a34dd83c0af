// SPDX-License-Identifier: Apache-2.0

// Package slurm makes the points of a prepared sweep by the tasks of Slurm job arrays. A
// task makes a shard of the points with warptape sweep work; results come through the
// folder, which the nodes share. The folder, not Slurm, tells what a task has not made
// when it ends, so that no state of this package can be lost. Repeated, the command
// finds its tasks by the name of their job and goes on.
package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep"
)

// Executor submits and watches the tasks of one sweep.
type Executor struct {
	Store    *results.Store
	Manifest *results.Manifest
	// Work is the command of a task, warptape sweep work FOLDER NAME with its flags. The
	// shard, and workers and memory as Slurm grants them, are added unless it has them.
	Work []string
	// Options are those of sbatch: partition, time, memory, processors.
	Options []string
	// Setup are lines of shell that come before the command, such as module load.
	Setup string
	// Tasks is how many parts the points are shared among.
	Tasks int
	// Poll is how often the queue is asked, after it was asked more often at first; zero:
	// every fifteen seconds.
	Poll time.Duration
	// Say is told what happens; Progress how far the sweep is, once in a poll.
	Say      func(line string)
	Progress func(*sweep.Status)

	shards [][]string // keys
	tasks  []task     // by shard
	pause  time.Duration
	silent bool // the controller did not answer when it was asked last
}

// Tries is how often a task that brings no new point is submitted, at most. One that
// brings points is submitted until it has made them all.
const Tries = 4

const (
	firstPoll   = 500 * time.Millisecond
	defaultPoll = 15 * time.Second
)

// task is a shard on its way.
type task struct {
	job     string // array job that it is in now; "" when it is not in the queue
	tries   int    // submissions since it has last brought a point
	missing int    // points without a result or a reason when it was submitted
	reason  string // why it is given up; "" when it is not
}

// Run submits what is missing and waits until all of it is made or given up. The error
// names the tasks that were given up.
func (e *Executor) Run(ctx context.Context) (*sweep.Status, error) {
	watcher, err := sweep.NewWatcher(e.Store, e.Manifest.Name)
	if err != nil {
		return nil, err
	}
	if err := e.begin(ctx); err != nil {
		return nil, err
	}
	for {
		status, err := watcher.Look()
		if err != nil {
			return nil, err
		}
		if e.Progress != nil {
			e.Progress(status)
		}
		if !e.waiting() {
			return status, e.givenUp()
		}
		if err := e.wait(ctx); err != nil {
			e.leave()
			return status, err
		}
		if err := e.poll(ctx); err != nil {
			return status, err
		}
	}
}

// begin adopts the tasks of an earlier call and submits the other shards that have
// something to make.
func (e *Executor) begin(ctx context.Context) error {
	queue, err := e.queue(ctx)
	if err != nil {
		return err
	}
	shards := max(1, min(e.Tasks, len(e.Manifest.Points)))
	if running := queue.active(); len(running) > 0 {
		shards = running[len(running)-1].shards
	}
	e.shards, e.tasks = sweep.ShardKeys(e.Manifest, shards), make([]task, shards)
	var adopted []string
	for _, q := range queue.active() {
		if q.shards == shards && q.shard < shards {
			e.tasks[q.shard] = task{job: q.job, tries: 1, missing: e.missing(q.shard)}
			adopted = append(adopted, q.job)
		}
	}
	slices.Sort(adopted)
	if adopted = slices.Compact(adopted); len(adopted) > 0 {
		e.say("the tasks of job %s go on", strings.Join(adopted, ", "))
	}
	var todo []int
	for i := range e.tasks {
		if e.tasks[i].job == "" && e.toTry(i) {
			todo = append(todo, i)
		}
	}
	return e.submit(ctx, todo)
}

// toTry reports whether a shard has a point that a run of the sweep would replay: without
// a result and not refused.
func (e *Executor) toTry(shard int) bool {
	for _, key := range e.shards[shard] {
		if e.Store.Has(key) {
			continue
		}
		if f, err := e.Store.Failure(key); err != nil || f == nil || !f.Refused {
			return true
		}
	}
	return false
}

// missing counts the points of a shard that have neither a result nor a reason.
func (e *Executor) missing(shard int) int {
	n := 0
	for _, key := range e.shards[shard] {
		if e.Store.Has(key) {
			continue
		}
		if f, err := e.Store.Failure(key); err != nil || f == nil {
			n++
		}
	}
	return n
}

func (e *Executor) waiting() bool {
	return slices.ContainsFunc(e.tasks, func(t task) bool { return t.job != "" })
}

func (e *Executor) wait(ctx context.Context) error {
	most := e.Poll
	if most <= 0 {
		most = defaultPoll
	}
	e.pause = min(max(firstPoll, e.pause+e.pause/4), most) // short sweeps end soon
	timer := time.NewTimer(e.pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// leave says what becomes of the tasks of an interrupted call.
func (e *Executor) leave() {
	var jobs []string
	for i := range e.tasks {
		if job := e.tasks[i].job; job != "" && !slices.Contains(jobs, job) {
			jobs = append(jobs, job)
		}
	}
	e.say("the tasks go on: repeat the command to watch them, or end them with: scancel %s", strings.Join(jobs, " "))
}

// poll asks for the states of the tasks and submits again what was lost.
func (e *Executor) poll(ctx context.Context) error {
	queue, err := e.queue(ctx)
	if err != nil {
		if ctx.Err() == nil && !e.silent {
			e.say("the controller does not answer, and is asked again: %v", err)
		}
		e.silent = true
		return nil // the tasks are not lost: the controller restarts with its jobs
	}
	e.silent = false
	var again []int
	for i := range e.tasks {
		t := &e.tasks[i]
		if t.job == "" {
			continue
		}
		state, exit := queue.state(t.job, i), ""
		if state.active() {
			continue
		}
		if state == "" || state == failedState {
			var ok bool
			if state, exit, ok = e.ended(ctx, t.job, i, state); !ok || state.active() {
				continue
			}
		}
		if e.decide(i, state, exit) {
			again = append(again, i)
		}
	}
	return e.submit(ctx, again)
}

// decide says whether a shard whose task has ended is submitted again.
func (e *Executor) decide(shard int, s State, exit string) bool {
	t := &e.tasks[shard]
	missing := e.missing(shard)
	job := fmt.Sprintf("%s_%d", t.job, shard)
	t.job = ""
	if missing == 0 && (s == completedState || s.lost(exit)) {
		return false
	}
	if s == completedState {
		s = "COMPLETED without all of its points"
	} else if !s.lost(exit) {
		t.reason = fmt.Sprintf("task %s has ended as %s%s%s", job, s, s.remedy(), e.lastLines(job))
		return false
	}
	if missing < t.missing {
		t.tries = 0
	}
	if t.tries >= Tries {
		t.reason = fmt.Sprintf("task %s has ended as %s, and brought no point in %d tries%s", job, s.word(), Tries, e.lastLines(job))
		return false
	}
	e.say("task %s: %s; it goes again for %d points", job, s.word(), missing)
	return true
}

// submit puts shards into the queue as one job array.
func (e *Executor) submit(ctx context.Context, shards []int) error {
	if len(shards) == 0 {
		return nil
	}
	if err := os.MkdirAll(e.logs(), 0o777); err != nil {
		return err
	}
	job, err := e.sbatch(ctx, shards)
	if err != nil {
		return err
	}
	for _, i := range shards {
		t := &e.tasks[i]
		t.job, t.tries, t.missing = job, t.tries+1, e.missing(i)
	}
	e.say("job %s: %d tasks of %d", job, len(shards), len(e.tasks))
	return nil
}

// givenUp is the error of the tasks that were given up.
func (e *Executor) givenUp() error {
	var list []error
	for i := range e.tasks {
		if e.tasks[i].reason != "" {
			list = append(list, errors.New(e.tasks[i].reason))
		}
	}
	return errors.Join(list...)
}

func (e *Executor) say(format string, args ...any) {
	if e.Say != nil {
		e.Say(fmt.Sprintf(format, args...))
	}
}

// logs is the folder of what the tasks print.
func (e *Executor) logs() string {
	return filepath.Join(e.Store.Root(), "sweeps", e.Manifest.Name, "logs")
}

// lastLines are those of a task's log.
func (e *Executor) lastLines(job string) string {
	path := filepath.Join(e.logs(), job+".log")
	text, err := os.ReadFile(path)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if err != nil || lines[0] == "" {
		return "; its log " + path + " is empty"
	}
	return fmt.Sprintf("; its log %s ends:\n  %s", path, strings.Join(lines[max(0, len(lines)-3):], "\n  "))
}
