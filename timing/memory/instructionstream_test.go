// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
)

// present counts the lines from the first on that an SM has without a gap.
func present(r *rig, first uint64, most int) int {
	f := &r.sms[0].port.(*Port).instructions
	for n := range most {
		if i := f.tags.Find(f.tags.Line(r.system.code + first + uint64(n)*128)); i < 0 || f.tags.Pending(i) != 0 {
			return n
		}
	}
	return most
}

// fetchLine fetches a line and waits until nothing is on its way; it gives the cycles
// until the line was there.
func (r *rig) fetchLine(address uint64) clock.Cycle {
	at := r.now
	if r.sms[0].port.FetchLine(r.now, address) {
		r.drain()
		return 0
	}
	r.sms[0].next = min(r.sms[0].next, r.now+1)
	r.drain()
	return r.sms[0].fetched[address] - at
}

// A miss brings as many lines behind it as the stream buffer has entries, and each line that
// is then fetched one more. Another miss begins anew.
func TestAStreamStaysAheadOfFetch(t *testing.T) {
	for _, entries := range []int{0, 1, 4, 16} {
		m := machine(t, "v100", func(m *arch.Machine) { m.GPU.SMs, m.Instruction.StreamLines = 1, entries })
		r := newRig(t, m)
		alone := r.fetchLine(0)
		if got := present(r, 0, 64); got != 1+entries {
			t.Errorf("%d entries: %d lines after a miss", entries, got)
		}
		for line := 1; line <= 5; line++ {
			wait := r.fetchLine(uint64(line) * 128)
			if entries == 0 && wait < alone/2 || entries > 0 && wait != 0 {
				t.Errorf("%d entries: line %d takes %d cycles, the first took %d", entries, line, wait, alone)
			}
			if got := present(r, 0, 64); got != 1+line+entries {
				t.Errorf("%d entries: %d lines after line %d", entries, got, line)
			}
		}
		const far = 1 << 16
		r.fetchLine(far)
		if got := present(r, far, 64); got != 1+entries {
			t.Errorf("%d entries: %d lines after another miss", entries, got)
		}
	}
}

// A stream asks for a line a cycle, as the way to the network takes them: eight lines in eight cycles.
func TestAStreamAsksForALineACycle(t *testing.T) {
	const entries = 8
	m := machine(t, "v100", func(m *arch.Machine) { m.GPU.SMs, m.Instruction.StreamLines = 1, entries })
	r := newRig(t, m)
	p := r.system.ports[0]
	if p.FetchLine(r.now, 0) {
		t.Fatal("the first line is there")
	}
	r.sms[0].next = r.now + 1
	asked := 0
	for range 100 {
		r.tick(r.now + 1)
		if p.stream.wants() || asked > 0 && asked < entries {
			asked++
		}
		if asked > 0 && !p.stream.wants() {
			break
		}
	}
	if asked != entries {
		t.Errorf("%d lines are asked for in %d cycles", entries, asked)
	}
}
