// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/trace"
)

// A constant comes from its own cache, from the instruction cache behind it as many cycles later
// as that takes, or from the L2 later by the same. A kernel finds neither cache with constants,
// unless they are kept.
func TestConstantsComeFromTheInstructionCacheBehind(t *testing.T) {
	const hit, behind = 27, 62
	build := func(where string, kept bool) *rig {
		return newRig(t, machine(t, "v100", func(m *arch.Machine) {
			oneClock(m)
			m.DRAM.Refresh = "none" // which both would wait for
			m.Constant.Bytes, m.Constant.Ways, m.Constant.LineBytes, m.Constant.SectorBytes = 2048, 4, 64, 64
			m.Constant.LatencyCycles, m.Constant.Behind, m.Constant.Kept = hit, where, kept
			m.Instruction.LatencyCycles, m.Instruction.SectorBytes = behind, 64
		}))
	}
	token := uint32(0)
	read := func(r *rig, address uint64) clock.Cycle {
		token++
		a := load(token, address, 0)
		a.Space = trace.SpaceConst
		return r.latency(0, a)
	}
	direct, r := build("l2", false), build(arch.BehindInstructions, false)
	far := read(direct, 0)
	if got := read(r, 0); got != far+behind {
		t.Errorf("from the L2 a constant takes %d cycles, want %d and %d", got, far, behind)
	}
	if got := read(r, 4); got != hit {
		t.Errorf("a constant that is there takes %d cycles, want %d", got, hit)
	}
	for way := uint64(1); way <= 4; way++ { // lines of the same set
		read(r, way*512)
	}
	if got := read(r, 0); got != hit+behind {
		t.Errorf("from the instruction cache a constant takes %d cycles, want %d and %d", got, hit, behind)
	}
	direct.sms[0].port.KernelEnd(direct.now)
	near := read(direct, 0)
	for _, kept := range []bool{false, true} {
		r := build(arch.BehindInstructions, kept)
		read(r, 0)
		r.fetchLine(0)
		r.sms[0].port.KernelEnd(r.now)
		want := near + behind
		if kept {
			want = hit
		}
		if got := read(r, 0); got != want {
			t.Errorf("kept %v: the next kernel's constant takes %d cycles, want %d", kept, got, want)
		}
		if !r.sms[0].port.HasLine(0) {
			t.Errorf("kept %v: the next kernel finds no code", kept)
		}
	}
}
