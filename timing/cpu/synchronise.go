// SPDX-License-Identifier: Apache-2.0

package cpu

import "errors"

// synchronisation is how far a core is with the events before its next instruction.
type synchronisation struct {
	events Synchronised // of the stream, if it has any
	done   uint8        // events before the next instruction that have been begun
	waits  bool         // the last of them waits for other threads
	holds  bool         // nothing is dispatched: for that, or for what is older
}

func (s *synchronisation) begin(job *Job) {
	*s = synchronisation{}
	s.events, _ = job.Stream.(Synchronised)
}

// synchronise does the events before an instruction, each when all that is older has
// retired and its stores have been performed; false as long as something is left. So a
// lock is given back with everything that was stored under it.
func (c *core) synchronise(in *Instruction) bool {
	s := &c.sync
	s.holds = true
	if s.waits || s.done < in.Syncs && (c.rob.count > 0 || c.stores.Len() > 0) {
		return false
	}
	for s.done < in.Syncs {
		if s.events == nil || c.job.Process == nil {
			c.fail(errors.New("its thread synchronises, and is of no process"))
			return false
		}
		event := s.events.NextSync()
		s.done++
		c.count(countSync)
		goOn := c.job.Process.Do(c.job.Thread, &event)
		if err := c.job.Process.Err(); err != nil {
			c.fail(err)
			return false
		}
		if !goOn {
			s.waits = true
			return false
		}
	}
	s.holds = false
	return true
}

// released lets a thread go on that waits for others, from a cycle on.
func (c *core) released(at Cycle) {
	c.sync.waits = false
	c.wake(at)
}
