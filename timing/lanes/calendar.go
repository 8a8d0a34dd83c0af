// SPDX-License-Identifier: Apache-2.0

package lanes

import "github.com/warptape/warptape/timing/coherence"

type eventKind uint8

const (
	eventFilled  eventKind = iota // a line has come for a load
	eventWritten                  // a write-back has been performed
	eventAtOnce                   // an atomic access has been
	eventCode                     // a line of instructions has come for lanes of an SM
	eventGrant                    // the L2 answers an SM
)

// event is what happens in a lane, or in the SM whose number lane is then.
type event struct {
	at     Cycle
	line   uint64
	values values
	lane   int32
	slot   int32
	lanes  uint32
	state  coherence.State
	kind   eventKind
	code   bool
}

// calendarCycles are more than any latency inside the chip.
const calendarCycles = 4096

// calendar holds what happens in the next cycles.
type calendar struct {
	days  [calendarCycles][]event
	count int
}

func (c *calendar) put(e event) {
	day := &c.days[e.at%calendarCycles]
	*day = append(*day, e)
	c.count++
}

// next is the first cycle from one on with an event, never without any.
func (c *calendar) next(from Cycle) Cycle {
	if c.count == 0 {
		return never
	}
	for at := from; ; at++ {
		if len(c.days[at%calendarCycles]) > 0 {
			return at
		}
	}
}
