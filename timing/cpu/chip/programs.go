// SPDX-License-Identifier: Apache-2.0

package chip

import (
	"fmt"

	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/cpu/process"
	"github.com/warptape/warptape/trace/wtape"
)

// Program is a process of one thread, with an address space of its own, or a thread of a
// process of several, which share one.
type Program struct {
	Name   string
	Stream cpu.Stream
	// Process and Thread are of a thread that synchronises with others; nil without any.
	// The threads of a process follow each other in a list of programs, all of them.
	Process *process.Process
	Thread  int
}

// ProgramsOf makes a program of each CPU thread of a trace, for cores of a section.
// The reader stays open as long as they run. A trace without CPU threads is refused,
// one that has lost some of their instructions, and one that was captured with pages of
// another size.
func ProgramsOf(name string, r *wtape.Reader, s *cpu.Section) ([]Program, error) {
	if err := cpu.CheckPages(r, s); err != nil {
		return nil, err
	}
	return ThreadsOf(name, r)
}

// ThreadsOf is ProgramsOf for what has no pages.
func ThreadsOf(name string, r *wtape.Reader) ([]Program, error) {
	if r.CPUThreads() == 0 {
		return nil, fmt.Errorf("%s has no CPU threads: import some with warptape trace import champsim or lackey", r.Name())
	}
	there := uint64(0)
	for _, c := range r.CPUChunks() {
		there += uint64(c.Instructions)
	}
	if all := r.Totals().CPU.Instructions; there < all {
		return nil, fmt.Errorf("%s holds %d of %d instructions of its CPU threads: it was cut off; capture the program again", r.Name(), there, all)
	}
	var p *process.Process
	if r.Totals().CPU.Syncs > 0 {
		p = process.New(name, r.CPUThreads())
	}
	var all []Program
	for i := range r.CPUThreads() {
		t, err := cpu.NewThread(r, i)
		if err != nil {
			return nil, err
		}
		one := Program{Name: name, Stream: t, Process: p, Thread: i}
		if r.CPUThreads() > 1 {
			one.Name = fmt.Sprintf("%s/%d", name, i)
		}
		all = append(all, one)
	}
	return all, nil
}

// Launches gives programs to the cores 0, 1 and so on, each its own.
type Launches struct {
	programs []Program
	spaces   []cpu.Space
}

// NewLaunches numbers the address spaces of programs from first on.
func NewLaunches(programs []Program, first cpu.Space) Launches {
	l := Launches{programs: programs}
	for i := range programs {
		if i > 0 && (programs[i].Process == nil || programs[i].Process != programs[i-1].Process) {
			first++
		}
		l.spaces = append(l.spaces, first)
	}
	return l
}

// First is the job of a core.
func (l *Launches) First(core int) cpu.Job {
	p := &l.programs[core]
	return cpu.Job{Token: uint32(core), Space: l.spaces[core], Stream: p.Stream, Process: p.Process, Thread: p.Thread, Repeat: p.Process == nil}
}

// Ended takes note of the end of a core's job. The cores that are given begin again
// with what again gives: when all threads of a process have ended, it is relaunched as
// other programs are.
func (l *Launches) Ended(core int) (from, to int, err error) {
	p := &l.programs[core]
	if p.Process == nil {
		return 0, 0, nil
	}
	last := p.Process.End(p.Thread)
	if err := p.Process.Err(); err != nil || !last {
		return 0, 0, err
	}
	from = core - p.Thread
	to = from + p.Process.Threads()
	for i := from; i < to; i++ {
		if err := l.programs[i].Stream.Rewind(); err != nil {
			return 0, 0, err
		}
	}
	return from, to, nil
}

// Again is the job of a core that begins again, which is not counted.
func (l *Launches) Again(core int) cpu.Job {
	job := l.First(core)
	job.Uncounted = true
	return job
}

// stuck says that no thread of a process can go on, and what each waits for.
func (l *Launches) Stuck() error { return stuck(l.programs) }

// stuck is Launches.Stuck for a list of programs.
func stuck(programs []Program) error {
	for i := range programs {
		if p := programs[i].Process; p != nil && programs[i].Thread == 0 {
			if err := p.Stuck(); err != nil {
				return err
			}
		}
	}
	return nil
}
