// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// afterCall is how long a program may take to end behind a call that has ended.
const afterCall = 300 * time.Millisecond

// supervise runs a part of the program until it ends or the run's context does. A step
// of the interpreter cannot be interrupted: a program that is cancelled in one and does
// not come back is left behind. It can do nothing any more, since the gate is closed;
// its goroutine and memory go when the step or the process ends.
func (r *run) supervise(part func() error) error {
	stopCancel := context.AfterFunc(r.ctx, func() { r.thread.Cancel(context.Cause(r.ctx).Error()) })
	defer stopCancel()
	defer r.budget.Watch(r.ctx.Done())()
	ended := make(chan error, 1)
	go func() { ended <- part() }()
	select {
	case err := <-ended:
		return err
	case err := <-r.budget.Stuck():
		// The program may be in a call of ours, which ends by itself and soon; then the
		// program does, too, and knows its place.
		grace := time.Duration(0)
		if r.gate.close() {
			grace = afterCall
		}
		if r.ctx.Err() != nil {
			err = context.Cause(r.ctx)
		}
		select {
		case got := <-ended:
			return got
		case <-time.After(grace):
		}
		line, column := r.budget.Place()
		if line == 0 {
			return &Error{File: r.program.path, Err: fmt.Errorf("%w (in a step that does not end)", err)}
		}
		return &Error{File: r.program.path, Line: line, Column: column, Function: "the program", Err: fmt.Errorf("%w (in a step that does not end, at this line or after it)", err)}
	}
}

// gate lets calls of the program through to the device and the recording until it is
// closed.
type gate struct {
	mu     sync.Mutex
	closed bool
}

// enter reports whether a call may be made, which leave ends.
func (g *gate) enter() bool {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return false
	}
	return true
}

func (g *gate) leave() { g.mu.Unlock() }

// close waits for the call that is being made, and reports whether there was one.
func (g *gate) close() (waited bool) {
	if !g.mu.TryLock() {
		g.mu.Lock()
		waited = true
	}
	g.closed = true
	g.mu.Unlock()
	return waited
}

func (g *gate) isClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}
