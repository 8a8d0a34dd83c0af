// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// An SM's L1 holds as many lines as its kernel's shared memory leaves: all are hit when they
// are read again, and none is once each set has one more. Kernels of several sizes follow each other.
func TestTheL1HasWhatSharedMemoryLeaves(t *testing.T) {
	const kib, line, sets = 1 << 10, 128, 4
	for name, card := range map[string]struct {
		unified int
		shared  []int
	}{
		"v100": {128, []int{0, 96, 32, 8}}, "rtx2080ti": {96, []int{64, 32, 64}}, "rtx3090": {128, []int{100, 0, 64}},
		"a100": {192, []int{32, 164, 100}}, "h100": {256, []int{196, 228, 132}},
	} {
		r := newRig(t, machine(t, name, func(m *arch.Machine) { m.GPU.SMs = 1 }))
		token := uint32(0)
		read := func(lines int) (hits uint64) {
			before := r.sets[0][counters.L1ReadHit]
			for i := range lines {
				token++
				r.latency(0, load(token, uint64(i*line), 4))
			}
			return r.sets[0][counters.L1ReadHit] - before
		}
		for _, shared := range card.shared {
			r.sms[0].port.KernelBegin(seam.KernelStart{Division: seam.Division{L1Ways: r.m.L1Ways(shared * kib)}})
			lines := (card.unified - shared) * kib / line
			if first, again := read(lines), read(lines); first != 0 || again != uint64(lines) {
				t.Errorf("%s, %d KiB shared: of %d lines %d are hit at first and %d again", name, shared, lines, first, again)
			}
			if hits := read(lines + sets); hits > uint64(lines) || read(lines+sets) != 0 {
				t.Errorf("%s, %d KiB shared: lines beyond what the L1 has are hit", name, shared)
			}
			r.sms[0].port.KernelEnd(r.now)
		}
	}
}
