// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// constant is load as a read of constants or parameters.
func constant(token uint32, space trace.Space, base uint64, stride int32) seam.MemoryAccess {
	a := load(token, base, stride)
	a.Space = space
	return a
}

// Through the L1 a constant is a load, in lines of its own: global memory and parameters at the
// same numbers are others.
func TestConstantsThroughL1AreLoads(t *testing.T) {
	through := func(m *arch.Machine) { m.Constant.Through = "l1" }
	r := newRig(t, machine(t, "gtx480", through))
	missed := r.latency(0, constant(1, trace.SpaceConst, 0, 4))
	if plain := newRig(t, machine(t, "gtx480", through)); plain.latency(0, load(1, 0, 4)) != missed {
		t.Errorf("a constant takes %d cycles, not those of a load", missed)
	}
	for token, a := range []seam.MemoryAccess{load(2, 0, 4), constant(3, trace.SpaceParam, 0, 4)} {
		if got := r.latency(0, a); got < missed/2 {
			t.Errorf("access %d finds the constants' line", token+2)
		}
	}
	hits := r.sets[0][counters.L1ReadHit]
	for token, space := range []trace.Space{trace.SpaceConst, trace.SpaceParam} {
		r.latency(0, constant(uint32(4+token), space, 0, 4))
	}
	if got := r.sets[0]; got[counters.L1ReadHit] != hits+2 || got[counters.ConstantRead] != 0 {
		t.Errorf("%d loads hit of 2, %d reads of the constant cache, want none", got[counters.L1ReadHit]-hits, got[counters.ConstantRead])
	}
	own := newRig(t, machine(t, "gtx480", nil))
	own.latency(0, constant(1, trace.SpaceConst, 0, 4))
	if got := own.sets[0]; got[counters.ConstantRead] == 0 || got[counters.L1Read] != 0 {
		t.Errorf("with a cache of their own: %d reads of it, %d of L1", got[counters.ConstantRead], got[counters.L1Read])
	}
}

// Each address behind a warp's first takes address_cycles. Lanes of 16 bytes have two addresses.
func TestConstantsAtSeveralAddressesTakeTurns(t *testing.T) {
	for _, c := range []struct {
		cycles, bytes int
		stride        int32
		later         int // cycles behind a load of four bytes at one address
	}{
		{0, 4, 0, 0}, {0, 4, 4, 31}, {0, 16, 16, 31},
		{1, 4, 4, 31}, {2, 4, 0, 0}, {2, 4, 4, 62}, {3, 4, 4, 93},
		{2, 8, 8, 62}, {2, 16, 0, 2}, {2, 16, 16, 2 + 4*31},
	} {
		r := newRig(t, machine(t, "v100", func(m *arch.Machine) { m.Constant.AddressCycles, m.Constant.Perfect = c.cycles, true }))
		one := r.latency(0, constant(1, trace.SpaceConst, 0, 0))
		a := constant(2, trace.SpaceConst, 0, c.stride)
		a.LaneBytes = uint8(c.bytes)
		if got := r.latency(0, a); got != one+clock.Cycle(c.later) {
			t.Errorf("%d cycles an address, lanes of %d bytes %d apart: %d cycles behind a load of one address, want %d", c.cycles, c.bytes, c.stride, got-one, c.later)
		}
	}
}
