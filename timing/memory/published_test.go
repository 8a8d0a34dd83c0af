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
		{"v100", "l1", 28, 28, "Jia et al., arXiv 1804.06826, Table 3.1"},
		{"v100", "l2", 193, 193, "Jia et al., arXiv 1804.06826, Table 3.1"},
		{"v100", "shared", 19, 19, "Jia et al., arXiv 1804.06826, Table 3.1"},
		{"v100", "memory", 370, 380, "375 cycles, Jia et al., arXiv 1804.06826, section 3.1"},
		{"rtx2080ti", "l1", 32, 32, "Jia et al., arXiv 1903.07486, Table 3.1"},
		{"rtx2080ti", "l2", 188, 188, "Jia et al., arXiv 1903.07486, Table 3.1"},
		{"rtx2080ti", "shared", 19, 19, "Jia et al., arXiv 1903.07486, Table 3.1"},
		{"rtx2080ti", "memory", 424, 444, "434 cycles, Jia et al., arXiv 1903.07486, section 3.1"},
		{"rtx3090", "l1", 39, 39, "GPGPU-Sim SM86_RTX3070, measured on the card"},
		{"rtx3090", "l2", 226, 226, "GPGPU-Sim SM86_RTX3070: 39 and 187 cycles"},
		{"rtx3090", "shared", 29, 29, "GPGPU-Sim SM86_RTX3070, measured on the card"},
		{"rtx3090", "memory", 470, 490, "480 cycles, GPGPU-Sim SM86_RTX3070: 254 behind the L2"},
		{"a100", "l1", 37, 39, "37.9 cycles, Luo et al., arXiv 2402.13499, Table IV"},
		{"a100", "l2", 261, 262, "261.5 cycles, Luo et al., arXiv 2402.13499, Table IV"},
		{"a100", "shared", 29, 29, "29.0 cycles, Luo et al., arXiv 2402.13499, Table IV"},
		{"a100", "memory", 456, 476, "466.3 cycles, Luo et al., arXiv 2402.13499, Table IV"},
		{"h100", "l1", 40, 42, "40.7 cycles, Luo et al., arXiv 2402.13499, Table IV"},
		{"h100", "l2", 263, 263, "263.0 cycles, Luo et al., arXiv 2402.13499, Table IV"},
		{"h100", "shared", 29, 29, "29.0 cycles, Luo et al., arXiv 2402.13499, Table IV"},
		{"h100", "memory", 469, 489, "478.8 cycles, Luo et al., arXiv 2402.13499, Table IV"},
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
