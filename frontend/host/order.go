// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/warptape/warptape/trace"
)

// event is what launches and other steps of the timeline return: a later step
// can wait for it with after=[...].
type event int

func (e event) String() string        { return fmt.Sprintf("event(%d)", int(e)) }
func (e event) Type() string          { return "event" }
func (e event) Freeze()               {}
func (e event) Truth() starlark.Bool  { return true }
func (e event) Hash() (uint32, error) { return uint32(e), nil }

// record appends an event to the timeline.
func (r *run) record(e trace.HostEvent) (starlark.Value, error) {
	if _, err := r.sink.AddEvent(e); err != nil {
		return nil, err
	}
	r.events++
	return event(r.events - 1), nil
}

// order is the place of a step among the others: its stream, and events of
// other streams that it waits for.
type order struct {
	stream uint32
	after  *starlark.List
}

// event starts a timeline event with that place.
func (o *order) event() (trace.HostEvent, error) {
	e := trace.HostEvent{Stream: o.stream}
	if o.after == nil {
		return e, nil
	}
	for i := range o.after.Len() {
		earlier, ok := o.after.Index(i).(event)
		if !ok {
			return e, fmt.Errorf("after[%d] is a %s, not an event: use what gpu.launch returns", i, o.after.Index(i).Type())
		}
		e.After = append(e.After, int(earlier))
	}
	slices.Sort(e.After)
	e.After = slices.Compact(e.After)
	return e, nil
}
