// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// queued is a task as the queue has it.
type queued struct {
	job           string
	shard, shards int
	state         State
}

type queue []queued

// active gives the tasks that run or will, ascending by job.
func (q queue) active() queue {
	var list queue
	for _, t := range q {
		if t.state.active() {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b queued) int {
		return cmp.Or(cmp.Compare(len(a.job), len(b.job)), strings.Compare(a.job, b.job), a.shard-b.shard)
	})
	return list
}

// state of a task; "" when the queue does not have it.
func (q queue) state(job string, shard int) State {
	for _, t := range q {
		if t.job == job && t.shard == shard {
			return t.state
		}
	}
	return ""
}

// name of the jobs of this sweep in this folder; the number of shards comes behind it.
func (e *Executor) name() (string, error) {
	root, err := filepath.Abs(e.Store.Root())
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(root))
	return fmt.Sprintf("warptape-%s-%x-", e.Manifest.Name, sum[:4]), nil
}

// queue asks for all tasks of this sweep, those that have ended a short while ago, too.
func (e *Executor) queue(ctx context.Context) (queue, error) {
	name, err := e.name()
	if err != nil {
		return nil, err
	}
	text, err := command(ctx, "", "squeue", "--me", "--noheader", "--array", "--states=all", "--format=%F|%K|%T|%j")
	if err != nil {
		return nil, err
	}
	return parseQueue(text, name), nil
}

func parseQueue(text, name string) queue {
	var list queue
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 4 {
			continue
		}
		number, ours := strings.CutPrefix(f[3], name)
		shard, err := strconv.Atoi(f[1])
		shards, err2 := strconv.Atoi(number)
		if ours && err == nil && err2 == nil && shards > 0 && shard >= 0 {
			list = append(list, queued{f[0], shard, shards, State(f[2])})
		}
	}
	return list
}

// ended asks how a task has ended that the queue says nothing of, or not enough: the
// accounting where there is one, else the controller. Not ok: neither answers now.
func (e *Executor) ended(ctx context.Context, job string, shard int, known State) (s State, exit string, ok bool) {
	id := fmt.Sprintf("%s_%d", job, shard)
	if text, err := command(ctx, "", "sacct", "--noheader", "--parsable2", "--allocations", "--jobs="+id, "--format=State,ExitCode"); err == nil {
		if s, exit, ok := parseAccount(text); ok {
			return s, exit, true
		}
	}
	text, err := command(ctx, "", "scontrol", "--oneliner", "show", "job", id)
	if err != nil {
		return known, "", strings.Contains(err.Error(), "Invalid job id")
	}
	if s, exit, ok := parseJob(text); ok {
		return s, exit, true
	}
	return known, "", true
}

// parseAccount reads the last line of sacct: STATE|EXIT, where the state may be that of
// CANCELLED by UID.
func parseAccount(text string) (s State, exit string, ok bool) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	state, exit, ok := strings.Cut(lines[len(lines)-1], "|")
	word, _, _ := strings.Cut(state, " ")
	return State(word), exit, ok && word != ""
}

// parseJob reads JobState and ExitCode of scontrol.
func parseJob(text string) (s State, exit string, ok bool) {
	for _, word := range strings.Fields(text) {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "JobState":
			s = State(value)
		case "ExitCode":
			exit = value
		}
	}
	return s, exit, s != ""
}

// sbatch submits shards and gives the number of their job.
func (e *Executor) sbatch(ctx context.Context, shards []int) (job string, err error) {
	name, err := e.name()
	if err != nil {
		return "", err
	}
	logs, err := filepath.Abs(e.logs())
	if err != nil {
		return "", err
	}
	// What was lost is submitted by us, a bounded number of times.
	args := append([]string{"--parsable", "--no-requeue", "--open-mode=append"}, e.Options...)
	args = append(args,
		"--job-name="+name+strconv.Itoa(len(e.tasks)), "--array="+ranges(shards), "--output="+filepath.Join(escaped(logs), "%A_%a.log"))
	text, err := command(ctx, e.script(), "sbatch", args...)
	if err != nil {
		return "", err
	}
	job, _, _ = strings.Cut(strings.TrimSpace(text), ";") // the cluster's name comes behind
	if _, err := strconv.ParseUint(job, 10, 64); err != nil {
		return "", fmt.Errorf("sbatch: gives %q, not the number of a job", text)
	}
	return job, nil
}

// escaped is a path as sbatch reads it: a percent sign begins a pattern.
func escaped(path string) string { return strings.ReplaceAll(path, "%", "%%") }

// script is what a task runs.
func (e *Executor) script() string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	if e.Setup != "" {
		b.WriteString(strings.TrimRight(e.Setup, "\n") + "\n")
	}
	var memory string
	if !slices.Contains(e.Work, "--memory") {
		// Four fifths of what Slurm grants (MiB): the rest is the program's own.
		b.WriteString("memory=\"${SLURM_MEM_PER_NODE:-0}\"\n[ \"$memory\" -ge 512 ] && memory=\"--memory=$((memory * 4 / 5))MiB\" || memory=\n")
		memory = " $memory"
	}
	b.WriteString("exec")
	for _, word := range e.Work {
		b.WriteString(" " + quoted(word))
	}
	if !slices.Contains(e.Work, "--workers") {
		b.WriteString(` --workers "${SLURM_CPUS_PER_TASK:-1}"`)
	}
	fmt.Fprintf(&b, "%s --shard \"$SLURM_ARRAY_TASK_ID/%d\"\n", memory, len(e.tasks))
	return b.String()
}

// quoted is a word for a shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// ranges writes ascending numbers as sbatch --array has them: 0-3,7.
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		k := i
		for k+1 < len(numbers) && numbers[k+1] == numbers[k]+1 {
			k++
		}
		if part := strconv.Itoa(numbers[i]); k > i {
			parts = append(parts, part+"-"+strconv.Itoa(numbers[k]))
		} else {
			parts = append(parts, part)
		}
		i = k + 1
	}
	return strings.Join(parts, ",")
}

// command runs one of Slurm's programs with an input; the error has what it says.
func command(ctx context.Context, input, program string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, program, args...)
	c.Stdin = strings.NewReader(input)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%s is not installed here: run this where jobs are submitted, or use warptape sweep work with another scheduler", program)
	case err != nil:
		if said.Len() == 0 {
			return "", fmt.Errorf("%s: %w", program, err)
		}
		return "", fmt.Errorf("%s: %s", program, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}
