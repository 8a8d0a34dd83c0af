// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// What instructions count one by one is what the machine counts, where L1 writes through and nothing but
// instructions asks.
func TestInstructionsCountWhatTheMachineCounts(t *testing.T) {
	for seed, spec := range []string{"gtx480", "gtx480+l1-off", "mesh56", "gtx480+mesh", "v100", "gpsim-soc"} {
		rng := rand.New(rand.NewPCG(uint64(seed), 3))
		r := newRig(t, machine(t, spec, func(m *arch.Machine) { m.GPU.SMs, m.Network.Placement = 3, "spread" }))
		byInstruction := make([]counters.Set, 7)
		for _, s := range r.sms {
			s.port.(*Port).CountByInstruction(byInstruction)
		}
		for token := range uint32(3000) {
			a := randomAccess(rng, r.m, token, 1<<18)
			a.Instruction = uint32(rng.IntN(len(byInstruction)))
			r.issue(rng.IntN(3), a)
		}
		r.drain()
		var parts counters.Set
		for i := range byInstruction {
			if byInstruction[i][counters.RequestsSent] == 0 {
				t.Errorf("%s: instruction %d has sent nothing", spec, i)
			}
			parts.Add(&byInstruction[i])
		}
		whole := r.global
		for _, s := range r.sets {
			whole.Add(s)
		}
		same := append([]counters.ID{
			counters.RequestsSent, counters.RequestFlits, counters.ReplyFlits, counters.L2Read, counters.L2ReadHit, counters.L2ReadMerge, counters.L2ReadMiss, counters.L2Write, counters.L2Atomic,
		}, lookupCounters[:]...)
		if r.m.LLC.Bytes == 0 {
			same = append(same, counters.DRAMReadBytes)
		}
		for _, id := range same {
			if parts[id] != whole[id] || whole[id] == 0 && id == counters.L2ReadHit {
				t.Errorf("%s: instructions count %d of %s, the machine %d", spec, parts[id], counters.Declared(id).Name, whole[id])
			}
		}
	}
}

// What is fetched is of no instruction, also behind one that has accessed memory.
func TestFetchesAreCountedForNoInstruction(t *testing.T) {
	r := newRig(t, machine(t, "v100", func(m *arch.Machine) { m.GPU.SMs = 1 }))
	byInstruction := make([]counters.Set, 4)
	r.sms[0].port.(*Port).CountByInstruction(byInstruction)
	a := load(1, 0, 4)
	a.Instruction = 3
	r.latency(0, a)
	before, sent := byInstruction[3], r.sets[0][counters.RequestsSent]
	r.fetchLine(1 << 16)
	if n := r.sets[0][counters.RequestsSent]; n <= sent || before[counters.RequestsSent] == 0 {
		t.Fatalf("%d requests, %d before the fetch, %d of the load", n, sent, before[counters.RequestsSent])
	}
	if byInstruction[3] != before {
		t.Errorf("the load is charged with %d requests, it has sent %d", byInstruction[3][counters.RequestsSent], before[counters.RequestsSent])
	}
}
