// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// Latencies that were measured on the cards, in core cycles of the model.
func TestLatenciesAreThoseMeasuredOnTheCards(t *testing.T) {
	for _, c := range []struct {
		machine, level string
		least, most    int
		source         string
	}{
		{"tesla-c870", "shared", 19, 19, "38 processor cycles, Wong et al., ISPASS 2010"},
		{"tesla-c870", "memory", 200, 300, "400 to 600 processor cycles, CUDA programming guide 1.0, section 6.1.1.3"},
	} {
		m := machine(t, c.machine, func(*arch.Machine) {})
		r := newRig(t, m)
		var access seam.MemoryAccess
		switch c.level {
		case "l1":
			r.latency(0, load(1, 512, 0))
			access = load(2, 512, 0)
		case "l2":
			r.latency(0, oneSector(1, 512))
			access = oneSector(2, 512)
		case "shared":
			access = load(1, 0, 0)
			access.Space = trace.SpaceShared
		case "memory":
			access = oneSector(1, 1<<20)
		}
		if got := int(r.latency(0, access)); got < c.least || got > c.most {
			t.Errorf("%s: %s takes %d cycles, measured %d to %d (%s)", c.machine, c.level, got, c.least, c.most, c.source)
		}
	}
}
