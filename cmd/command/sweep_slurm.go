// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/sweep"
	"github.com/warptape/warptape/cmd/sweep/plan"
	"github.com/warptape/warptape/cmd/sweep/slurm"
)

// Executors of warptape sweep.
const (
	localExecutor = "local"
	slurmExecutor = "slurm"
)

// mostTasks of a job array: Slurm's own bound (MaxArraySize) is 1001 unless it is raised.
const mostTasks = 1000

func executorFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "executor", Usage: "`WHO` replays: local, this process; or slurm, tasks of a job array whose nodes share the folder of results", Value: localExecutor},
		&cli.IntFlag{Name: "tasks", Usage: "`NUMBER` of tasks that share the points, with --executor slurm", Value: 16},
		&cli.StringSliceFlag{Name: "slurm-option", Usage: "an `OPTION` of sbatch, such as --partition=long (repeatable)"},
		&cli.StringFlag{Name: "slurm-setup", Usage: "a `LINE` of shell that tasks begin with, such as 'module load warptape'"},
		&cli.StringFlag{Name: "slurm-program", Usage: "`PATH` of warptape on the nodes (default: that of this program)"},
	}
}

// checkExecutor refuses flags that do not go with the executor.
func checkExecutor(c *cli.Context) error {
	switch c.String("executor") {
	case localExecutor:
		for _, f := range executorFlags()[1:] {
			if name := f.Names()[0]; c.IsSet(name) {
				return commandline.Usagef("--%s: needs --executor slurm", name)
			}
		}
	case slurmExecutor:
		if c.IsSet("shard") {
			return commandline.Usagef("--shard: the tasks of --executor slurm are shards; leave one of them out")
		}
		if n := c.Int("tasks"); n < 1 || n > mostTasks {
			return commandline.Usagef("--tasks %d: must be from 1 to %d", n, mostTasks)
		}
	default:
		return commandline.Usagef("--executor %q: there are local and slurm; docs/executors.md has files for other schedulers", c.String("executor"))
	}
	return nil
}

// sweepOnSlurm makes the points of a prepared sweep by tasks of a cluster.
func sweepOnSlurm(c *cli.Context, r *sweep.Runner, m *sweepMeter, e *plan.Expansion) error {
	work, err := slurmWork(c, e)
	if err != nil {
		return err
	}
	var total uint64
	executor := &slurm.Executor{
		Store: r.Store, Manifest: e.Manifest, Work: work, Options: c.StringSlice("slurm-option"), Setup: c.String("slurm-setup"), Tasks: c.Int("tasks"),
		Say: m.say,
		Progress: func(s *sweep.Status) {
			total = max(total, s.InstructionsLeft)
			m.update(sweep.Progress{
				Wanted: s.Points, Present: s.Done, Refused: s.Refused, Failed: s.Failed, Total: total, Instructions: total - s.InstructionsLeft,
				Trace: strconv.Itoa(len(s.Processes)) + " processes",
			})
		},
	}
	s, err := executor.Run(c.Context)
	m.done()
	if err != nil {
		return err
	}
	return s.Write(c.App.Writer)
}

// slurmWork is the command of a task.
func slurmWork(c *cli.Context, e *plan.Expansion) ([]string, error) {
	program := c.String("slurm-program")
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	folder, err := filepath.Abs(c.String("results"))
	if err != nil {
		return nil, err
	}
	work := []string{program, "sweep", "work", folder, e.Manifest.Name, "--quiet"}
	for _, name := range []string{"workers", "memory", "pull", "plain-http", noShare} {
		if !c.IsSet(name) {
			continue
		}
		switch name {
		case "workers":
			work = append(work, "--workers", strconv.Itoa(c.Int(name)))
		case "plain-http", noShare:
			work = append(work, "--"+name+"="+strconv.FormatBool(c.Bool(name)))
		default:
			work = append(work, "--"+name, c.String(name))
		}
	}
	return work, nil
}
