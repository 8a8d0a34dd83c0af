// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// ends notes which stretches of a port are over.
type ends struct{ ids []uint32 }

func (e *ends) Cleaned(_ clock.Cycle, id uint32) { e.ids = append(e.ids, id) }

// An L1 writes stretches of lines back in turn, some begun while answers to others are on
// their way. It tells the end of each once, in order, when all of it is written.
func TestAnL1WritesStretchesBackInOrderAndTellsTheirEnds(t *testing.T) {
	const lines, stretches = 30, 6
	r := newRig(t, machine(t, "gpsim-soc", func(m *arch.Machine) { m.L1.Write = "back_allocate" }))
	for n := range uint64(lines) {
		r.issue(0, store(n*128, 4))
	}
	r.drain()
	p, told := r.system.ports[0], &ends{}
	writes := r.sets[0][counters.RequestsSent]
	for n := range uint64(stretches) {
		first, last := n*lines/stretches*128, (n+1)*lines/stretches*128-1
		p.Clean(r.now, seam.Lines{Mask: ^uint64(0), First: first, Last: last}, told, uint32(n))
		r.sms[0].next = r.now + 1
		for range 3 * n {
			r.step()
		}
		for i := range told.ids {
			if !slices.IsSorted(told.ids) || int(told.ids[i]) != i {
				t.Fatalf("ends %v", told.ids)
			}
		}
	}
	r.drain()
	if !slices.Equal(told.ids, []uint32{0, 1, 2, 3, 4, 5}) {
		t.Errorf("ends %v, want one of each stretch in order", told.ids)
	}
	if sent := r.sets[0][counters.RequestsSent] - writes; sent != lines*128/uint64(r.m.L1.LineBytes) {
		t.Errorf("%d requests for %d bytes in lines of %d", sent, lines*128, r.m.L1.LineBytes)
	}
	for n := range uint64(lines) {
		if p.l1.tags.Find(n*128) >= 0 {
			t.Errorf("line %d is still there", n)
		}
	}
}
