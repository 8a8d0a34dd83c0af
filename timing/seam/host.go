// SPDX-License-Identifier: Apache-2.0

package seam

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/trace"
)

// HostSteps is of a path that executes steps of the host timeline itself, as a chip
// does whose CPU copies through its caches. The machine's clock then also runs while no
// launch does.
type HostSteps interface {
	// StartStep tells that the turn of a step (its number in the timeline) has come.
	// With true the memory system executes it, and gives it back by EndedStep; with
	// false the replay gives it its time. Launches are not among the steps.
	StartStep(now clock.Cycle, step int, e *trace.HostEvent) bool
	// EndedStep takes one of the executed steps that have ended; false without one.
	EndedStep() (step int, ok bool)
	// Settle brings counters up to date that count time, before they are read.
	Settle(now clock.Cycle)
	// EndHost tells that the last step has ended: what runs alongside the timeline stops.
	// It gives what has gone wrong in executing, if anything has.
	EndHost(now clock.Cycle) error
	// CheckTimeline refuses a timeline that the machine cannot execute.
	CheckTimeline(events []trace.HostEvent) error
}

// LaunchEnder is of a path that has something to do before a launch counts as ended, as
// to write the kernel's lines back.
type LaunchEnder interface {
	// EndLaunch tells that the last thread block of a launch has retired.
	EndLaunch(now clock.Cycle, launch int)
	// LaunchEnded reports whether what EndLaunch began is over. It changes only in
	// Advance and in the cycles of ports.
	LaunchEnded(launch int) bool
}
