// SPDX-License-Identifier: Apache-2.0

package host

import (
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/trace"
)

// Sink takes what a host program does; *wtape.Writer is one.
type Sink interface {
	// UpdateHeader changes the provenance, as far as Run knows it.
	UpdateHeader(func(*trace.Header))
	// AddKernel registers a kernel before its first launch and gives its index.
	AddKernel(*trace.Kernel) (int, error)
	// AddEvent appends an event other than a launch to the host timeline and
	// gives its index, counted from 0 for the first event of the run.
	AddEvent(trace.HostEvent) (int, error)
	// BeginLaunch adds a launch with its event in the timeline, which waits for
	// the events in after, and gives the launch's index. Its thread blocks
	// follow through the Recorder's methods; EndLaunch closes it.
	BeginLaunch(l trace.Launch, after ...int) (int, error)
	EndLaunch() error

	emulator.Recorder
}

// silent is the Sink of a run without recording: it keeps nothing, and the
// emulator does not see it.
type silent struct{ emulator.Recorder }

func (silent) UpdateHeader(func(*trace.Header)) {}

func (silent) AddKernel(*trace.Kernel) (int, error) { return 0, nil }

func (silent) AddEvent(trace.HostEvent) (int, error) { return 0, nil }

func (silent) BeginLaunch(trace.Launch, ...int) (int, error) { return 0, nil }

func (silent) EndLaunch() error { return nil }
