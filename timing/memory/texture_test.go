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

// fetch is load as a texture read.
func fetch(token uint32, base uint64, stride int32) seam.MemoryAccess {
	a := load(token, base, stride)
	a.Class, a.Space = trace.ClassTexture, trace.SpaceTexture
	return a
}

// Without a texture cache a fetch is a read through L1, by the addresses that the
// trace has, which are device addresses.
func TestTextureFetchesAreReadsThroughL1WithoutATextureCache(t *testing.T) {
	without := func(m *arch.Machine) { m.Texture.Bytes = 0 }
	r := newRig(t, machine(t, "gtx480", without))
	missed := r.latency(0, fetch(1, 0, 4))
	if got := r.latency(0, load(2, 0, 4)); got >= missed || r.sets[0][counters.L1ReadHit] != 1 {
		t.Errorf("a load of what was fetched takes %d cycles and the fetch took %d; %d hits", got, missed, r.sets[0][counters.L1ReadHit])
	}
	if plain := newRig(t, machine(t, "gtx480", without)); plain.latency(0, load(1, 0, 4)) != missed {
		t.Errorf("a fetch takes %d cycles, not those of a load", missed)
	}
}

func TestTextureCacheIsApartFromL1(t *testing.T) {
	r := newRig(t, machine(t, "gtx480", func(m *arch.Machine) { m.Texture.LatencyCycles = 50 }))
	missed := r.latency(0, fetch(1, 0, 4))
	if hit := r.latency(0, fetch(2, 0, 4)); hit != 50 {
		t.Errorf("a fetch that hits takes %d cycles, want 50", hit)
	}
	r.latency(0, load(3, 0, 4))
	c := r.sets[0]
	if c[counters.TextureRead] != 2 || c[counters.TextureMiss] != 1 || c[counters.L1Read] != 1 || c[counters.L1ReadMiss] != 1 {
		t.Errorf("%d texture reads, %d misses, %d L1 reads, %d misses", c[counters.TextureRead], c[counters.TextureMiss], c[counters.L1Read], c[counters.L1ReadMiss])
	}
	r.sms[0].port.KernelEnd(r.now)
	if again := r.latency(0, fetch(4, 0, 4)); again <= 50 || again >= missed {
		t.Errorf("after a kernel's end a fetch takes %d cycles, want that of an L2 hit", again)
	}
}

func TestFetchesOfALineOnItsWayJoinUpToTheMergeLimit(t *testing.T) {
	r := newRig(t, machine(t, "gtx480", func(m *arch.Machine) { m.Texture.MSHRMerges = 3 }))
	for token := range uint32(3) {
		r.issue(0, fetch(token, 0, 4))
		r.tick(r.now + 1)
	}
	r.drain()
	if c := r.sets[0]; c[counters.TextureMiss] != 1 || c[counters.TextureMerge] != 2 || c[counters.RequestsSent] != 1 {
		t.Errorf("%d misses, %d merges, %d requests", c[counters.TextureMiss], c[counters.TextureMerge], c[counters.RequestsSent])
	}
	last := clock.Cycle(0)
	for _, at := range r.sms[0].completed {
		if last != 0 && at != last {
			t.Errorf("fetches of one line end in cycles %d and %d", last, at)
		}
		last = at
	}
}
