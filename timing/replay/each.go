// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace/wtape"
)

// RefusedError says that a machine cannot run a trace, before any replay: a kernel needs
// more than an SM has, or the machine's parts do not go together.
type RefusedError struct{ Reason error }

func (e *RefusedError) Error() string { return e.Reason.Error() }

// Unwrap gives the reason.
func (e *RefusedError) Unwrap() error { return e.Reason }

// PanicError is a fault of the simulator that a replay ran into.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("BUG: the replay panicked: %v; please report it with the trace and the architecture", e.Value)
}

// Each replays the trace on every machine, as Run does, and tells ended of each machine
// as soon as it has a result or an error. The error is a *RefusedError from the machines
// that cannot run the trace, whatever else from those whose replay fails. A machine that
// fails stops no other. Calls of ended come one at a time, in no order, and none before
// the content of the trace is known to have its digest. The error is that of the trace or
// of the context; ended is then not called for the machines whose replay it has cut off.
func Each(ctx context.Context, r *wtape.Reader, machines []*arch.Machine, o Options, ended func(i int, result *Result, err error)) error {
	if o.Timelines != nil {
		return errors.New("BUG: Each records no timelines")
	}
	o.bound()
	var able []*arch.Machine
	var index []int
	for i, m := range machines {
		if _, err := o.check(r, m, i); err != nil {
			ended(i, nil, &RefusedError{err})
			continue
		}
		able, index = append(able, m), append(index, i)
	}
	if len(able) == 0 {
		return ctx.Err()
	}
	o.recovers = true
	if claim := o.Claim; claim != nil {
		o.Claim = func(i int) func() { return claim(index[i]) }
	}
	err := runChecked(ctx, r, able, &o, func(i int, result *Result, err error) {
		if err == nil || ctx.Err() == nil {
			ended(index[i], result, err)
		}
	})
	return errors.Join(err, ctx.Err())
}

// recovered replays machine i; a panic of a replay that o.recovers is its error.
func (r *runner) recovered(i int) (result *Result, err error) {
	if r.options.recovers {
		defer func() {
			if v := recover(); v != nil {
				result, err = nil, &PanicError{Value: v, Stack: debug.Stack()}
			}
		}()
	}
	return r.replay(i)
}
