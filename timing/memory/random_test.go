// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// tight makes every queue as small as is legal.
func tight(m *arch.Machine) {
	for _, c := range []*arch.Cache{&m.L1, &m.Constant, &m.Instruction, &m.Texture, &m.L2.Slice, &m.LLC} {
		if c.Bytes > 0 {
			c.MSHRs, c.MSHRMerges, c.MissQueue = c.LineBytes/c.SectorBytes, 1, 1
			c.Bytes, c.Ways = 4*c.LineBytes, 2
		}
	}
	if m.L2.Slice.Write == "back_fetch" {
		m.L2.Slice.MissQueue = arch.SendPlaces
	}
	m.L1.LatencyCycles, m.L2.Slice.LatencyCycles = 1, 1
	m.L2.InputQueue, m.DRAM.Queue, m.DRAM.ExtraCycles = 1, 1, 0
	m.Network.InputQueue, m.Network.OutputQueue, m.Network.LatencyCycles = 1, 1, 1
	m.Network.VCFlits, m.Network.VirtualChannels, m.Network.RouterCycles = 1, 1, 1
	if m.Network.Sharing == "shared" {
		m.Network.VirtualChannels = 2
	}
}

// randomMachine changes what may be changed.
func randomMachine(t testing.TB, rng *rand.Rand) *arch.Machine {
	specs := []string{"gtx480", "gtx480+l1-off", "gtx480+fcfs", "gpsim-soc", "gpsim-soc+llc-off", "mesh56", "gtx480-ref",
		"gtx480+mesh+xy-routing", "mesh56+shared-mesh", "gtx480+butterfly"}
	return machine(t, specs[rng.IntN(len(specs))], func(m *arch.Machine) {
		m.GPU.SMs = 1 + rng.IntN(6)
		m.Network.Placement = "spread"
		if rng.IntN(2) == 0 {
			tight(m)
		}
		if m.L1.Bytes > 0 {
			m.L1.Write = []string{"through_no_allocate", "local_back_no_allocate", "back_allocate"}[rng.IntN(3)]
			if m.L1.Write == "through_no_allocate" && rng.IntN(2) == 0 {
				m.L1.Allocate = "on_fill"
			}
			m.L1.WriteHit = []string{"update", "evict"}[rng.IntN(2)]
			m.L1.SectorBytes = m.L1.LineBytes >> rng.IntN(2)
			m.L1.MSHRs = max(m.L1.MSHRs, m.L1.LineBytes/m.L1.SectorBytes)
			m.L1.Banks = 1 << rng.IntN(3)
			m.Constant.LaunchBytes = rng.IntN(2) * rng.IntN(m.Constant.Bytes+1)
			m.Instruction.LaunchBytes = rng.IntN(2) * rng.IntN(m.Instruction.Bytes+1)
			m.L1.BytesPerCycle = []int{0, 0, 16, 64, 128}[rng.IntN(5)]
			m.L1.Index = []string{"linear", "xor"}[rng.IntN(2)]
			if sets := m.L1.Sets(); (sets == 32 || sets == 64) && rng.IntN(2) == 0 {
				m.L1.Index = "fermi"
			}
		}
		if m.DRAM.Model == "banked" {
			randomDRAM(rng, &m.DRAM)
		}
		m.Network.FlitBytes = 8 << rng.IntN(4)
		m.Clocks.NetworkMHz = []float64{500, 700, 1400}[rng.IntN(3)]
		m.Clocks.L2MHz = []float64{350, 700, 1400}[rng.IntN(3)]
	})
}

// randomDRAM changes the policies of a channel.
func randomDRAM(rng *rand.Rand, d *arch.DRAM) {
	d.Mapping = []string{"row_bank_column", "row_column_bank", "row_bank_column_group"}[rng.IntN(3)]
	d.BankHash = []string{"none", "xor"}[rng.IntN(2)]
	d.Writes = []string{"mixed", "drain"}[rng.IntN(2)]
	d.WriteHigh = 1 + rng.IntN(d.Queue)
	d.WriteLow = rng.IntN(d.WriteHigh)
	d.Refresh = []string{"none", "all_bank", "per_bank"}[rng.IntN(3)]
	d.CommandBus = []string{"shared", "row_and_column"}[rng.IntN(2)]
	d.TFAW, d.TRRDL, d.TWTRL = rng.IntN(60), rng.IntN(12), rng.IntN(12)
	d.TREFI, d.TRFC = 3000+rng.IntN(2000), 1+rng.IntN(100)
}

var randomSpaces = []trace.Space{trace.SpaceGlobal, trace.SpaceGlobal, trace.SpaceGlobal, trace.SpaceShared, trace.SpaceLocal, trace.SpaceConst, trace.SpaceParam}

// randomAccess makes any legal access; region bounds its addresses.
func randomAccess(rng *rand.Rand, m *arch.Machine, token uint32, region uint64) seam.MemoryAccess {
	a := seam.MemoryAccess{
		Class: trace.ClassLoad, Space: randomSpaces[rng.IntN(len(randomSpaces))], LaneBytes: 1 << rng.IntN(5),
		Mask: rng.Uint32() | 1<<rng.IntN(32), Token: token, WarpSlot: rng.IntN(m.SM.MaxWarps), LocalBytes: 256,
		Bypass: rng.IntN(8) == 0,
	}
	a.ThreadBase = 32 * a.WarpSlot
	if rng.IntN(10) == 0 {
		a.Class, a.Space = trace.ClassTexture, trace.SpaceTexture
	}
	width := uint64(a.LaneBytes)
	base := rng.Uint64N(region) / width * width
	a.Access = trace.Access{Base: base, Stride: int32(width) * int32(rng.IntN(40)), Lanes: -1}
	switch rng.IntN(4) {
	case 0:
		if a.Space == trace.SpaceGlobal || a.Space == trace.SpaceShared || a.Space == trace.SpaceLocal {
			a.Class, a.Token = trace.ClassStore, seam.NoToken
		}
	case 1:
		if a.Space == trace.SpaceGlobal || a.Space == trace.SpaceShared {
			a.Class = trace.ClassAtomic
		}
	}
	if rng.IntN(3) == 0 {
		a.Chunk = wtape.NewChunk()
		var lanes [32]uint64
		for lane := range lanes {
			lanes[lane] = rng.Uint64N(region) / width * width
		}
		a.Access = a.Chunk.AddLanes(^uint32(0), &lanes)
	}
	return a
}

// TestRandomTrafficIsAnsweredOnceOnRandomMachines runs long random streams, with
// queues of one entry in half of the machines: everything is answered exactly
// once and nothing is left inside.
func TestRandomTrafficIsAnsweredOnceOnRandomMachines(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 60, tracetest.Fewer(3, 6)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 7))
			m := randomMachine(t, rng)
			r := newRig(t, m)
			r.checked = true
			region := uint64(1) << (10 + rng.IntN(14))
			expected := make([]int, len(r.sms))
			fetches := 0
			for token := range uint32(400) {
				k := rng.IntN(len(r.sms))
				a := randomAccess(rng, m, token, region)
				r.issue(k, a)
				if a.Token != seam.NoToken {
					expected[k]++
				}
				if rng.IntN(5) == 0 {
					line := uint64(rng.IntN(64) * m.Instruction.LineBytes)
					if r.sms[k].port.FetchLine(r.now, line) {
						continue
					}
					fetches++
					r.sms[k].next = min(r.sms[k].next, r.now+1)
				}
				if rng.IntN(60) == 0 {
					r.drain()
					for _, s := range r.sms {
						s.port.KernelEnd(r.now)
						s.port.KernelBegin(seam.KernelStart{Code: uint64(rng.IntN(64) * m.Instruction.LineBytes), Division: seam.Division{L1Ways: m.L1Ways(m.Shared.Carveout(rng.IntN(m.Shared.Bytes + 1)))}})
					}
				}
			}
			r.drain()
			for k, s := range r.sms {
				if s.count != expected[k] {
					t.Errorf("SM %d: %d completions, expected %d", k, s.count, expected[k])
				}
			}
			if fetches > 0 && len(r.sms[0].fetched)+len(r.sms[len(r.sms)-1].fetched) == 0 && len(r.sms) < 3 {
				t.Errorf("%d fetches missed and none was reported", fetches)
			}
		})
	}
}

func TestSameTrafficGivesTheSameCountersAndTimes(t *testing.T) {
	for _, spec := range tracetest.Draw(t, []string{"gtx480", "gtx480+mesh", "gtx480+mesh+shared-mesh", "gtx480+butterfly"}, 1) {
		t.Run(spec, func(t *testing.T) { sameTraffic(t, spec) })
	}
}

func sameTraffic(t *testing.T, spec string) {
	run := func(everyCycle bool) (counters.Set, clock.Cycle, int) {
		rng := rand.New(rand.NewPCG(5, 5))
		m := machine(t, spec, func(m *arch.Machine) { m.GPU.SMs = 4 })
		r := newRig(t, m)
		for token := range uint32(2000) {
			r.issue(rng.IntN(4), randomAccess(rng, m, token, 1<<20))
			for range rng.IntN(8) {
				r.tick(r.now + 1)
			}
		}
		last := clock.Cycle(0)
		for more := true; more; {
			if everyCycle {
				r.tick(r.now + 1)
				more = r.system.InFlight() > 0
			} else {
				more = r.step()
			}
		}
		for _, s := range r.sms {
			for _, at := range s.completed {
				last = max(last, at)
			}
		}
		total := r.global
		for _, s := range r.sets {
			total.Add(s)
		}
		total[counters.DRAMChannelCycles] = 0 // counts until the last call
		return total, last, r.visited
	}
	a, lastA, jumped := run(false)
	b, lastB, all := run(true)
	if a != b || lastA != lastB {
		t.Errorf("jumping over idle cycles changes the result: last completion %d and %d", lastA, lastB)
	}
	if jumped >= all {
		t.Errorf("%d cycles visited when jumping, %d when not", jumped, all)
	}
}
