// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/loadstore"
	"github.com/warptape/warptape/timing/sm/operand"
	"github.com/warptape/warptape/timing/sm/wheel"
)

// An SM is busy while any of its stages has anything under way, and no other is.
func TestAnSMIsBusyWhileAnyOfItsStagesIs(t *testing.T) {
	for name, start := range map[string]func(s *SM){
		"nothing": func(*SM) {}, "an access": func(s *SM) { s.queue.Push(3) }, "a load": func(s *SM) { s.tokens.Give(loadstore.InFlight{}) },
		"an event": func(s *SM) { s.events.Put(3, wheel.Event{}) },
		"a collector": func(s *SM) {
			s.collectors.Stage(0, operand.Instruction{Operands: new(operand.Operands)})
		},
	} {
		m := gputest.Machine()
		if name == "a collector" {
			m.SM.Collectors.General = arch.CollectorSet{Count: 1, Ports: 1}
		}
		s, err := New(core.Parts{Machine: m, Memory: seam.Path{MemorySystem: new(gputest.Memory)}, Counters: new(counters.Set), Clock: new(clock.Cycle)})
		if err != nil {
			t.Fatal(err)
		}
		if start(s); s.Busy() != (name != "nothing") {
			t.Errorf("%s is under way: busy is %v", name, s.Busy())
		}
	}
}
