// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/trace"
)

// order is how far a lane is with the events before its next instruction.
type order struct {
	done  uint8 // events that have been done
	event trace.CPUSync
	taken bool // event is the next one
	waits bool // for other threads
}

// empty writes what a lane has stored back to the L1, drops all that its tinyCache
// holds, and reports whether that is over, and all its loads too.
func (l *lane) empty(now Cycle) bool {
	if l.loading > 0 {
		return false
	}
	held := false
	for i := range l.data.lines {
		if x := &l.data.lines[i]; x.address != noLine {
			l.evict(now, x)
			if l.chip.keepsOld {
				x.dirty = 0
				continue
			}
			x.drop()
			held = true
		}
	}
	if held {
		l.group.set[tinyFlushes]++
	}
	return l.writing == 0
}

// synchronise does the events before an instruction; false as long as something is
// left. What the lane has stored is performed before, and what it loads afterwards is
// what others have performed (release consistency).
func (l *lane) synchronise(now Cycle, in *cpu.Instruction) bool {
	o := &l.inOrder
	if o.waits {
		return false
	}
	for o.done < in.Syncs {
		if !o.taken {
			if l.events == nil || l.process == nil {
				l.fail(errNoProcess)
				return false
			}
			o.event, o.taken = l.events.NextSync(), true
			l.counts[cpu.Syncs]++
		}
		if !l.empty(now) {
			return false
		}
		o.done++
		o.taken = false
		goOn := l.process.Do(l.thread, &o.event)
		if err := l.process.Err(); err != nil {
			l.fail(err)
			return false
		}
		if o.event.Kind == trace.CPUCode {
			l.chip.codeChanged()
		}
		if !goOn {
			o.waits = true
			return false
		}
	}
	return true
}

// released lets a lane go on that waits for other threads.
func (l *lane) released(at Cycle) {
	l.inOrder.waits = false
	l.wake(at)
}

// atomic reports whether the accesses of the next instruction are made at once, in the L1.
func (l *lane) atomic() bool {
	o := &l.inOrder
	return o.done > 0 && o.event.Kind == trace.CPUAtomic
}
