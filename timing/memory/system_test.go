// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/dram"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// oneClock gives all domains the core's frequency, so that times add up in
// cycles.
func oneClock(m *arch.Machine) {
	m.Clocks = arch.Clocks{CoreMHz: 700, NetworkMHz: 700, L2MHz: 700, DRAMMHz: 700}
}

func TestL1HitTakesItsLatencyToTheCycle(t *testing.T) {
	for _, latency := range []int{1, 2, 35, 36} {
		m := machine(t, "gtx480", func(m *arch.Machine) { m.L1.LatencyCycles = latency })
		r := newRig(t, m)
		r.latency(0, load(1, 0, 4))
		if got := r.latency(0, load(2, 0, 4)); int(got) != latency {
			t.Errorf("L1 latency %d: hit took %d cycles", latency, got)
		}
		if hits := r.sets[0][counters.L1ReadHit]; hits != 1 {
			t.Errorf("%d hits", hits)
		}
	}
}

// l2HitCycles is the time of a read of one sector that hits in L2. First come the L1
// pipeline, a cycle to arbitration, the switch, and a cycle to the slice and its
// latency. Then come a cycle to arbitration, the switch, and the other flits of the
// reply.
func l2HitCycles(m *arch.Machine) int {
	flits := (m.Network.HeaderBytes + m.L2.Slice.SectorBytes + m.Network.FlitBytes - 1) / m.Network.FlitBytes
	return m.L1.LatencyCycles + 1 + m.Network.LatencyCycles + 1 + m.L2.Slice.LatencyCycles + 1 + m.Network.LatencyCycles + flits - 1
}

func oneSector(token uint32, base uint64) seam.MemoryAccess {
	a := load(token, base, 0)
	a.Bypass = true
	return a
}

func TestL2HitIsTheSumOfItsStages(t *testing.T) {
	for _, longer := range []int{0, 1} {
		m := machine(t, "gtx480", func(m *arch.Machine) {
			oneClock(m)
			m.L1.LatencyCycles += longer
			m.Network.LatencyCycles += 3 * longer
			m.L2.Slice.LatencyCycles += 5 * longer
		})
		r := newRig(t, m)
		r.latency(0, oneSector(1, 512))
		if got, want := int(r.latency(0, oneSector(2, 512))), l2HitCycles(m); got != want {
			t.Errorf("L2 hit took %d cycles, want %d", got, want)
		}
		// The other three sectors of a whole line follow at two flits each.
		r.latency(0, load(3, 1024, 4))
		r.sms[0].port.KernelEnd(r.now)
		if got, want := int(r.latency(0, load(4, 1024, 4))), l2HitCycles(m)+3*2; got != want {
			t.Errorf("line from L2 took %d cycles, want %d", got, want)
		}
		if r.global[counters.L2ReadHit] != 5 || r.global[counters.L2ReadMiss] != 5 {
			t.Errorf("%d L2 hits, %d misses", r.global[counters.L2ReadHit], r.global[counters.L2ReadMiss])
		}
	}
}

func TestL2MissAddsTheTimeOfDRAM(t *testing.T) {
	for _, extra := range []int{0, 1, 132} {
		m := machine(t, "gtx480", func(m *arch.Machine) {
			oneClock(m)
			m.DRAM.ExtraCycles = extra
		})
		tm := dram.NewTiming(&m.DRAM)
		r := newRig(t, m)
		first, second := int(r.latency(0, oneSector(1, 0))), int(r.latency(0, oneSector(2, 32)))
		// A cycle to the channel (or its fixed delay), and one back to the slice.
		way := max(extra, 1) + 1
		if want := l2HitCycles(m) + way + int(tm.RCD+tm.CL+tm.Burst); first != want {
			t.Errorf("miss to a closed row took %d cycles, want %d", first, want)
		}
		if want := l2HitCycles(m) + way + int(tm.CL+tm.Burst); second != want {
			t.Errorf("miss to an open row took %d cycles, want %d", second, want)
		}
	}
}

func TestSharedAccessTakesLatencyAndConflicts(t *testing.T) {
	m := machine(t, "gtx480", nil)
	r := newRig(t, m)
	for stride, conflicts := range map[int32]int{4: 1, 8: 2, 12: 1, 128: 32} {
		a := load(uint32(stride), 0, stride)
		a.Space = trace.SpaceShared
		at := r.issue(0, a)
		for k := 1; k < conflicts; k++ {
			if r.sms[0].port.Ready(r.now) {
				t.Fatalf("stride %d: port ready after %d of %d cycles", stride, k, conflicts)
			}
			r.tick(r.now + 1)
		}
		r.tick(at + clock.Cycle(conflicts))
		if !r.sms[0].port.Ready(r.now) {
			t.Errorf("stride %d: port not ready after %d cycles", stride, conflicts)
		}
		r.drain()
		if got, want := int(r.sms[0].completed[uint32(stride)]-at), m.Shared.LatencyCycles+conflicts-1; got != want {
			t.Errorf("stride %d: %d cycles, want %d", stride, got, want)
		}
	}
	if got := r.sets[0][counters.SharedConflictCycles]; got != 1+31 {
		t.Errorf("%d conflict cycles", got)
	}
}

func TestEveryTransactionHoldsTheEntryForACycle(t *testing.T) {
	m := machine(t, "gtx480", nil)
	r := newRig(t, m)
	at := r.issue(0, load(1, 0, 4096))
	for r.now < at+31 {
		r.tick(r.now + 1)
		if r.sms[0].port.Ready(r.now) {
			t.Fatalf("ready %d cycles after an access of 32 transactions", r.now-at)
		}
	}
	r.tick(r.now + 1)
	if !r.sms[0].port.Ready(r.now) {
		t.Error("not ready after 32 cycles")
	}
	r.drain()
}

func TestConstantReadsAreBroadcastAndSerialised(t *testing.T) {
	m := machine(t, "gtx480", nil)
	r := newRig(t, m)
	param := func(token uint32, stride int32) seam.MemoryAccess {
		a := load(token, 16, stride)
		a.Space = trace.SpaceParam
		return a
	}
	r.latency(0, param(1, 0))
	if got := int(r.latency(0, param(2, 0))); got != m.Constant.LatencyCycles {
		t.Errorf("uniform constant hit took %d cycles, want %d", got, m.Constant.LatencyCycles)
	}
	r.latency(0, param(3, 4))
	if got := int(r.latency(0, param(4, 4))); got != m.Constant.LatencyCycles+31 {
		t.Errorf("32 distinct constants took %d cycles, want %d", got, m.Constant.LatencyCycles+31)
	}
	if got := r.sets[0][counters.ConstantRead]; got != 1+1+32+32 {
		t.Errorf("%d constant reads", got)
	}
	r.sms[0].port.KernelEnd(r.now)
	if got := int(r.latency(0, param(5, 0))); got <= m.Constant.LatencyCycles {
		t.Error("the parameters of one launch were still there in the next")
	}
}

func TestLocalMemoryOfAWarpIsOneLinePerWord(t *testing.T) {
	m := machine(t, "gtx480", nil)
	r := newRig(t, m)
	a := load(1, 40, 0) // every thread's own word 10
	a.Space, a.LocalBytes, a.ThreadBase = trace.SpaceLocal, 64, 96
	r.latency(0, a)
	if got := r.sets[0][counters.GlobalTransactions]; got != 1 {
		t.Errorf("%d transactions for one word of each lane", got)
	}
	a.Token, a.LaneBytes = 2, 16
	r.latency(0, a)
	if got := r.sets[0][counters.GlobalTransactions]; got != 1+4 {
		t.Errorf("%d transactions for 16 bytes of each lane, want 4", got-1)
	}
	if got := r.sets[0][counters.L1ReadHit]; got != 1 {
		t.Errorf("%d L1 hits: word 10 was read before", got)
	}
	b := load(3, 40, 0)
	b.Space, b.LocalBytes, b.ThreadBase = trace.SpaceLocal, 64, 128
	r.latency(0, b)
	if got := r.sets[0][counters.L1ReadHit]; got != 1 {
		t.Error("two warps share local memory")
	}
}

func TestWindowAddressesAndSpaceAddressesAreTheSame(t *testing.T) {
	m := machine(t, "gtx480", nil)
	r := newRig(t, m)
	a := load(1, 64, 0)
	a.Space = trace.SpaceConst
	r.latency(0, a)
	b := load(2, trace.ConstWindowBase+64, 0)
	b.Space = trace.SpaceConst
	if got := int(r.latency(0, b)); got != m.Constant.LatencyCycles {
		t.Errorf("through its generic address a constant took %d cycles", got)
	}
}

func TestStoreIsPerformedWhenL2HasIt(t *testing.T) {
	m := machine(t, "gtx480", oneClock)
	r := newRig(t, m)
	a := store(0, 4)
	a.WarpSlot = 5
	at := r.issue(0, a)
	if got := r.sms[0].port.PendingWrites(5); got != 1 {
		t.Errorf("%d pending writes", got)
	}
	for r.sms[0].writes == 0 {
		if !r.step() {
			t.Fatal("the store was never performed")
		}
	}
	// The four flits of data, header included in the last: 8+128 bytes in flits
	// of 32 are 5, four more than a read; three more sectors at the slice.
	want := l2HitCycles(m) - 1 + 4 + 3
	if got := int(r.now - at); got != want {
		t.Errorf("performed after %d cycles, want %d", got, want)
	}
	r.drain()
	if r.global[counters.RequestFlits] != 5 || r.global[counters.ReplyFlits] != 4 || r.global[counters.ReplyPackets] != 4 {
		t.Errorf("%d request flits, %d reply packets of %d flits", r.global[counters.RequestFlits], r.global[counters.ReplyPackets], r.global[counters.ReplyFlits])
	}
	if r.global[counters.DRAMRead] != 0 {
		t.Error("a write fetched from DRAM")
	}
}

func TestWritePoliciesOfL1(t *testing.T) {
	for _, c := range []struct {
		write, hit string
		space      trace.Space
		rereadHits bool
		sent       uint64 // requests of load, store and load
	}{
		{"through_no_allocate", "update", trace.SpaceGlobal, true, 2},
		{"through_no_allocate", "evict", trace.SpaceGlobal, false, 3},
		{"local_back_no_allocate", "evict", trace.SpaceGlobal, false, 3},
		{"local_back_no_allocate", "evict", trace.SpaceLocal, true, 1},
		{"back_allocate", "evict", trace.SpaceGlobal, true, 1},
	} {
		m := machine(t, "gtx480", func(m *arch.Machine) { m.L1.Write, m.L1.WriteHit = c.write, c.hit })
		r := newRig(t, m)
		a, s, b := load(1, 0, 4), store(0, 4), load(2, 0, 4)
		if c.space == trace.SpaceLocal {
			a, s, b = load(1, 0, 0), store(0, 0), load(2, 0, 0)
		}
		a.Space, s.Space, b.Space = c.space, c.space, c.space
		r.latency(0, a)
		r.issue(0, s)
		r.drain()
		again := int(r.latency(0, b))
		name := fmt.Sprintf("%s, %s, %s", c.write, c.hit, c.space)
		if hit := again == m.L1.LatencyCycles; hit != c.rereadHits {
			t.Errorf("%s: reread took %d cycles", name, again)
		}
		if got := r.sets[0][counters.RequestsSent]; got != c.sent {
			t.Errorf("%s: %d requests, want %d", name, got, c.sent)
		}
	}
}

func TestWriteBackL1IsFlushedAtTheEndOfAKernel(t *testing.T) {
	m := machine(t, "gtx480", func(m *arch.Machine) { m.L1.Write = "back_allocate" })
	r := newRig(t, m)
	for i := range uint64(20) {
		r.issue(0, store(i*128, 4))
	}
	r.drain()
	if got := r.sets[0][counters.RequestsSent]; got != 0 {
		t.Errorf("%d requests before the kernel's end", got)
	}
	r.sms[0].port.KernelEnd(r.now)
	if r.sms[0].port.Ready(r.now) {
		t.Error("ready before the dirty lines are written back")
	}
	r.drain()
	if got := r.global[counters.L2Write]; got != 80 {
		t.Errorf("%d sectors written to L2, want 80", got)
	}
	if !r.sms[0].port.Ready(r.now) {
		t.Error("not ready after the dirty lines were written back")
	}
}

// A line that a load has brought is written back where a store has hit it, and else is not.
func TestWhatHitsAWriteBackL1IsFlushedToo(t *testing.T) {
	m := machine(t, "gtx480", func(m *arch.Machine) { m.L1.Write = "back_allocate" })
	for stores, want := range map[int]uint64{0: 0, 1: 4, 2: 4} {
		r := newRig(t, m)
		r.latency(0, load(1, 0, 4))
		for range stores {
			r.issue(0, store(0, 4))
			r.drain()
		}
		if got := r.sets[0][counters.L1WriteHit]; got != uint64(stores) {
			t.Errorf("%d stores: %d hits", stores, got)
		}
		r.sms[0].port.KernelEnd(r.now)
		r.drain()
		if got := r.global[counters.L2Write]; got != want {
			t.Errorf("%d stores: %d sectors written to L2, want %d", stores, got, want)
		}
	}
}

func TestBytesWrittenIntoAWriteBackL1AreReadWithoutAFetch(t *testing.T) {
	m := machine(t, "gtx480", func(m *arch.Machine) { m.L1.Write = "back_allocate" })
	r := newRig(t, m)
	r.issue(0, store(16, 0))
	r.drain()
	if got := int(r.latency(0, load(1, 16, 0))); got != m.L1.LatencyCycles {
		t.Errorf("reading back what was written took %d cycles", got)
	}
	if got := int(r.latency(0, load(2, 20, 0))); got == m.L1.LatencyCycles {
		t.Error("bytes that were not written were there without a fetch")
	}
}

func TestAtomicIsPerformedAtL2AndLeavesL1(t *testing.T) {
	m := machine(t, "gtx480", oneClock)
	r := newRig(t, m)
	r.latency(0, load(1, 0, 4))
	a := load(2, 0, 0)
	a.Class = trace.ClassAtomic
	if got := int(r.latency(0, a)); got < l2HitCycles(m) {
		t.Errorf("atomic took %d cycles, less than the way to L2", got)
	}
	if r.global[counters.L2Atomic] != 1 {
		t.Errorf("%d atomics", r.global[counters.L2Atomic])
	}
	if got := int(r.latency(0, load(3, 0, 4))); got == m.L1.LatencyCycles {
		t.Error("L1 kept a line that an atomic changed")
	}
}

func TestAtomicsHoldTheSliceForTheirCycles(t *testing.T) {
	end := func(cycles int) clock.Cycle {
		m := machine(t, "gtx480", func(m *arch.Machine) { oneClock(m); m.L2.AtomicCycles = cycles })
		r := newRig(t, m)
		r.latency(0, oneSector(1, 0))
		last := clock.Cycle(0)
		for token := range uint32(10) {
			a := load(10+token, 0, 0)
			a.Class = trace.ClassAtomic
			r.issue(0, a)
		}
		r.drain()
		for _, at := range r.sms[0].completed {
			last = max(last, at)
		}
		return last
	}
	if got := end(24) - end(4); got != 9*20 {
		t.Errorf("20 more cycles each delay the last of 10 atomics by %d, want 180", got)
	}
}

func TestMissesOnOneLineMerge(t *testing.T) {
	m := machine(t, "gtx480", nil)
	r := newRig(t, m)
	for token := range uint32(12) {
		r.issue(0, load(token, 0, 4))
	}
	r.drain()
	s := r.sets[0]
	if s[counters.RequestsSent] != 1 || s[counters.L1ReadMiss] != 1 {
		t.Errorf("%d requests for one line", s[counters.RequestsSent])
	}
	if s[counters.L1ReadMerge]+s[counters.L1ReadHit] != 11 || s[counters.L1ReadMerge] != uint64(m.L1.MSHRMerges-1) {
		t.Errorf("%d merges, %d hits; 8 may wait on one MSHR", s[counters.L1ReadMerge], s[counters.L1ReadHit])
	}
	if s[counters.L1ReservationFail] == 0 {
		t.Error("the ninth load waited without being counted")
	}
}

func TestInstructionLineIsFetchedOnceAndStays(t *testing.T) {
	m := machine(t, "gtx480", nil)
	r := newRig(t, m)
	p := r.sms[0].port
	if p.FetchLine(r.now, 256) {
		t.Fatal("an instruction line is there before any fetch of it")
	}
	if p.FetchLine(r.now, 256) {
		t.Fatal("an instruction line is there at once")
	}
	r.sms[0].next = r.now + 1
	r.drain()
	if _, ok := r.sms[0].fetched[256]; !ok {
		t.Fatal("never reported")
	}
	if !p.FetchLine(r.now, 256) || p.FetchLine(r.now, 384) {
		t.Error("line 256 is not there, or line 384 is")
	}
	r.sms[0].next = r.now + 1
	r.drain()
	if got := r.sets[0][counters.RequestsSent]; got != 2 {
		t.Errorf("%d requests for two lines", got)
	}
}

func TestMachineWithoutCachesStillAnswers(t *testing.T) {
	m := machine(t, "gtx480+l1-off", func(m *arch.Machine) { m.Constant.Bytes, m.Instruction.Bytes = 0, 0 })
	r := newRig(t, m)
	r.latency(0, load(1, 0, 4))
	a := load(2, 0, 0)
	a.Space = trace.SpaceParam
	r.latency(0, a)
	if !r.sms[0].port.FetchLine(r.now, 0) {
		t.Error("without an instruction cache every instruction is at hand")
	}
	r.issue(0, store(0, 4))
	r.drain()
}

func TestLastLevelCacheStandsBetweenL2AndDRAM(t *testing.T) {
	m := machine(t, "gpsim-soc", nil)
	r := newRig(t, m)
	cold := r.latency(0, load(1, 0, 4))
	// 256 KiB of other lines push the line out of L2, not out of the LLC.
	for i := range uint64(2 * 256 << 10 / 64) {
		a := oneSector(uint32(10+i), 1<<20+i*64)
		r.issue(0, a)
	}
	r.drain()
	r.sms[0].port.KernelEnd(r.now)
	before := r.global[counters.DRAMRead]
	warm := r.latency(0, load(2, 0, 4))
	if r.global[counters.DRAMRead] != before {
		t.Error("the LLC went to DRAM for a line that it holds")
	}
	if warm >= cold {
		t.Errorf("from the LLC %d cycles, from DRAM %d", warm, cold)
	}
	if r.global[counters.LLCRead] == 0 || r.global[counters.LLCReadHit] == 0 {
		t.Errorf("%d LLC reads, %d hits", r.global[counters.LLCRead], r.global[counters.LLCReadHit])
	}
}

// An L2 that keeps writes, whatever the network in front of it: with back_fetch they go on at once.
func TestDirtyLinesReachDRAMOnce(t *testing.T) {
	for _, spec := range tracetest.Draw(t, []string{"gtx480", "gpsim-soc", "mesh56", "mesh56+butterfly", "mesh56+shared-mesh"}, 1) {
		m := machine(t, spec, func(m *arch.Machine) { m.L2.Slice.Write = "back_allocate" })
		r := newRig(t, m)
		capacity := m.L2.Slice.Bytes * m.L2.Partitions * m.L2.SlicesPerPartition
		if m.LLC.Bytes > 0 {
			capacity = m.LLC.Bytes
		}
		written := 2 * capacity
		for i := range uint64(written / 128) {
			r.issue(int(i)%m.GPU.SMs, store(i*128, 4))
		}
		r.drain()
		got := int(r.global[counters.DRAMWriteBytes])
		if got < written-capacity-m.L2.Slice.Bytes || got > written-capacity/2 {
			t.Errorf("%s: wrote %d KiB once through %d KiB of cache: %d KiB went to DRAM", spec, written>>10, capacity>>10, got>>10)
		}
		if r.global[counters.DRAMRead] != 0 {
			t.Errorf("%s: whole lines were written, yet DRAM was read %d times", spec, r.global[counters.DRAMRead])
		}
	}
}

// TestStreamingReadsAreBoundByDRAM: a slice asks for sectors and a burst brings
// 64 bytes, so sectors of 32 bytes can use half of what the pins carry.
func TestStreamingReadsAreBoundByDRAM(t *testing.T) {
	for _, sector := range []int{32, 64} {
		m := machine(t, "gtx480", func(m *arch.Machine) { m.L2.Slice.SectorBytes = sector })
		r := newRig(t, m)
		tr := newTraffic(r, 48, func(sm, n int) seam.MemoryAccess { return load(1, uint64(n*m.GPU.SMs+sm)*128, 4) })
		tr.run(5000)
		start, bytes := r.now, r.global[counters.DRAMReadBytes]
		tr.run(40000)
		seconds := float64(r.now-start) / (m.Clocks.CoreMHz * 1e6)
		rate := float64(r.global[counters.DRAMReadBytes]-bytes) / seconds
		pin := float64(m.L2.Partitions) * m.Clocks.DRAMMHz * 1e6 * float64(m.DRAM.BurstBytes) / float64(m.DRAM.BurstCycles)
		limit := pin * float64(sector) / float64(m.DRAM.BurstBytes)
		if rate > limit || rate < 0.85*limit {
			t.Errorf("sectors of %d bytes: %.1f GB/s of a limit of %.1f", sector, rate/1e9, limit/1e9)
		}
	}
}

func TestAddressMapIsOneToOneAndEven(t *testing.T) {
	for _, spec := range []string{"gtx480", "mesh56", "gpsim-soc"} {
		for _, hash := range []string{"none", "xor"} {
			m := machine(t, spec, nil)
			if m.L2.PartitionHash = hash; hash == "xor" && m.L2.Partitions == 6 {
				continue
			}
			a := newAddressMap(m)
			type place struct {
				slice  int
				inside uint64
			}
			seen := map[place]bool{}
			slices := m.L2.Partitions * m.L2.SlicesPerPartition
			per := make([]int, slices)
			const lines = 1 << 15
			for i := range uint64(lines) {
				s, in := a.slice(i * 128)
				if seen[place{s, in}] {
					t.Fatalf("%s %s: two lines at %d, %#x", spec, hash, s, in)
				}
				seen[place{s, in}] = true
				per[s]++
				part := a.inPartition(s, in)
				if s2, in2 := a.fromPartition(part); s2 != s%m.L2.SlicesPerPartition || in2 != in {
					t.Fatalf("%s: slice %d, %#x comes back from the partition as %d, %#x", spec, s, in, s2, in2)
				}
			}
			for s, n := range per {
				if math.Abs(float64(n)*float64(slices)/lines-1) > 0.02 {
					t.Errorf("%s %s: slice %d holds %d of %d lines", spec, hash, s, n, lines)
				}
			}
		}
	}
}

func TestBanksAreUsedEvenlyAndRowsAreDense(t *testing.T) {
	m := machine(t, "gtx480", nil)
	a := newAddressMap(m)
	type row struct {
		partition, bank int
		row             int64
	}
	bytes := map[row]int{}
	for i := range uint64(1 << 16) {
		s, in := a.slice(i * 128)
		b, r := a.bank(s, in)
		bytes[row{s / 2, b, r}] += 128
	}
	full := 0
	for _, n := range bytes {
		if n > m.DRAM.RowBytes {
			t.Fatalf("%d bytes in a row of %d", n, m.DRAM.RowBytes)
		}
		if n == m.DRAM.RowBytes {
			full++
		}
	}
	if full < len(bytes)*9/10 {
		t.Errorf("8 MiB in a row fill %d of %d rows", full, len(bytes))
	}
}

func TestDescribeSaysWhatRequestsWaitFor(t *testing.T) {
	m := machine(t, "gtx480", nil)
	r := newRig(t, m)
	r.issue(3, load(1, 0, 4096))
	for range 60 {
		r.tick(r.now + 1)
	}
	text := strings.Join(r.system.Describe(), "\n")
	for _, want := range []string{"SM 3: 1 operations", "waits for 4 answers", "request network:", "L2 slice"} {
		if !strings.Contains(text, want) {
			t.Errorf("Describe lacks %q:\n%s", want, text)
		}
	}
	if r.system.InFlight() == 0 {
		t.Error("nothing in flight")
	}
	r.drain()
	if left := r.system.Describe(); len(left) != 0 {
		t.Errorf("an idle system describes %q", left)
	}
}

func TestImpossibleMachineIsRefused(t *testing.T) {
	m := machine(t, "gtx480", nil)
	clocks, err := NewClocks(m)
	if err != nil {
		t.Fatal(err)
	}
	m.L1.Ways = 3
	if _, err := New(m, clocks, make([]*counters.Set, m.GPU.SMs), new(counters.Set)); err == nil || !strings.Contains(err.Error(), "power of two of sets") {
		t.Errorf("%v", err)
	}
	m.Clocks.CoreMHz = 0
	if _, err := NewClocks(m); err == nil || !strings.Contains(err.Error(), "0 MHz is not a clock frequency") {
		t.Errorf("%v", err)
	}
}

func TestNothingIsAllocatedInSteadyState(t *testing.T) {
	tracetest.Nightly(t)
	for _, spec := range tracetest.Draw(t, []string{"gtx480", "gpsim-soc", "mesh56", "mesh56+butterfly", "mesh56+shared-mesh"}, 1) {
		m := machine(t, spec, nil)
		r := newRig(t, m)
		saxpy, transpose := saxpyPattern(m.GPU.SMs), transposePattern(m.GPU.SMs)
		a := make([]seam.MemoryAccess, 1) // one address for all, so that the test itself allocates nothing
		for _, s := range r.sms {
			s.lean = true
		}
		work := func() {
			for n := range 400 {
				for k, s := range r.sms {
					a[0] = saxpy(k, n)
					switch n % 5 {
					case 0:
						a[0] = transpose(k, n)
					case 1:
						a[0] = load(1, uint64(n), 4)
						a[0].Space = trace.SpaceShared
					case 2:
						a[0] = load(1, uint64(n%64)*4, 0)
						a[0].Space = trace.SpaceParam
					}
					for !s.port.Ready(r.now) {
						r.tick(r.now + 1)
					}
					s.port.Issue(r.now, &a[0])
					s.next = min(s.next, r.now+1)
				}
				r.tick(r.now + 1)
			}
			for r.step() {
			}
		}
		work()
		work()
		if n := testing.AllocsPerRun(2, work); n != 0 {
			t.Errorf("%s: %v allocations in %d accesses", spec, n, 400*m.GPU.SMs)
		}
	}
}
