// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// No warp of a random pipeline has an item before it is there, on random machines, in clusters and
// without. The bytes are the same when every cycle is visited, and with several cores.
func TestNoWarpOvertakesItsPipeline(t *testing.T) {
	ran := 0
	seeds := tracetest.Seeds(t, 300, tracetest.Fewer(30, 80))
	for _, seed := range seeds {
		var first *gpu.Run
		for variant := range 3 {
			r := rand.New(rand.NewPCG(seed, 21))
			m, memory := gputest.RandomClusterMachine(r), gputest.RandomMemory(r)
			p := gputest.RandomPipeline(r, seed%2 == 0)
			memory.TakesCycles = clock.Cycle(r.IntN(2) * r.IntN(20))
			clusters := 1 + r.IntN(4)
			marks := p.NewMarks()
			memory.Seen = marks.Seen
			o := optionsWith(memory, nil)
			o.EveryCycle = variant == 1
			if variant == 2 {
				o.Cores, o.Apart = 2, true
				memory.Seen = nil // of several cores at a time
			}
			g, err := gpu.New(m, o)
			if err != nil {
				t.Fatal(err)
			}
			run, err := g.Replay(context.Background(), gputest.NewSource(gputest.Trace(t, p.Launch(clusters))), nil)
			if err != nil {
				if strings.Contains(err.Error(), "too large: a GPC has room") {
					break
				}
				t.Fatalf("seed %d, %+v: %v", seed, p, err)
			}
			gputest.Conserves(t, m, &run.Total)
			if variant < 2 {
				if block, warp, item, overtaken := marks.Overtaken(clusters, memory.LatencyCycles); overtaken {
					t.Fatalf("seed %d, %+v: warp %d of thread block %d has item %d before it is there", seed, p, warp, block, item)
				}
			}
			if first == nil {
				first, ran = run, ran+1
				continue
			}
			if diff := cmp.Diff(first, run); diff != "" {
				t.Fatalf("seed %d: variant %d gives another result:\n%s", seed, variant, diff)
			}
		}
	}
	if tracetest.Whole() && ran < len(seeds)/2 {
		t.Errorf("%d of %d draws were replayed", ran, len(seeds))
	}
}

// A pipeline of a trace that lacks some thread blocks of a cluster, or numbers, and one whose
// lanes run in another order than they did, comes to its end.
func TestAPipelineOfWhichTooLittleIsKnownEnds(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 22))
		p := gputest.RandomPipeline(r, true)
		p.Ranks = max(p.Ranks, 2)
		l := p.Launch(3)
		m := clusterMachine()
		m.GPU.Clusters.GPCs = 1
		switch seed % 4 {
		case 0:
			l.Stored = func(block int) bool { return block%p.Ranks != 0 } // no producer
		case 1:
			l.Stored = func(block int) bool { return block%p.Ranks == 0 } // no consumer of other thread blocks
		case 2:
			plain := l.Record
			l.Record = func(w *gputest.Warp) {
				if w.Block%p.Ranks == 0 && w.Warp == 0 {
					w.Word = trace.AddressOf
				}
				plain(w)
			}
		case 3:
			m.GPU.Divergence = "serial"
			p.Bytes = 0 // which no other order has
			l = p.Launch(3)
		}
		run := replay(t, build(t, m, &gputest.Memory{LatencyCycles: 100}), l)
		if run.Cycles == 0 {
			t.Errorf("seed %d: no cycles", seed)
		}
	}
}

// Words of a damaged trace may say anything: the replay ends, or is stuck and says where, the same
// way each time.
func TestDamagedWordsAtMbarriersEndOrAreStuck(t *testing.T) {
	stuck := 0
	seeds := tracetest.Seeds(t, 400, tracetest.Fewer(40, 100))
	for _, seed := range seeds {
		var first string
		for range 2 {
			r := rand.New(rand.NewPCG(seed, 23))
			m, memory := clusterMachine(), gputest.RandomMemory(r)
			p := gputest.RandomPipeline(r, true)
			l := p.Launch(1 + r.IntN(3))
			plain, rare := l.Record, 1+r.IntN(60)
			bits := func() uint64 { return r.Uint64() & r.Uint64() & r.Uint64() >> r.IntN(64) }
			l.Record = func(w *gputest.Warp) {
				w.Word = func(word uint64) uint64 {
					if r.IntN(rare) == 0 {
						word ^= bits()
					}
					return word
				}
				w.Copy = func(b *trace.BulkCopy) {
					if r.IntN(rare) == 0 {
						b.Barrier, b.Blocks, b.TxBytes, b.Several = b.Barrier^bits(), b.Blocks^uint16(bits()), b.TxBytes^uint32(bits()), r.IntN(4) == 0
					}
				}
				plain(w)
			}
			_, err := build(t, m, memory).Replay(context.Background(), gputest.NewSource(gputest.Trace(t, l)), nil)
			said := fmt.Sprint(err)
			if err != nil && !strings.Contains(said, "the replay is stuck") {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if first == "" {
				first = said
			} else if said != first {
				t.Fatalf("seed %d: %s\nand then\n%s", seed, first, said)
			}
		}
		if first != "<nil>" {
			stuck++
		}
	}
	if stuck == 0 || stuck == len(seeds) {
		t.Errorf("%d of %d are stuck: the damage is not what it should be", stuck, len(seeds))
	}
}

// The words of a bulk copy are no addresses of lanes: a copy within shared memory takes as long
// whichever lane executes it.
func TestACopyWithinSharedMemoryIsTheSameByAnyLane(t *testing.T) {
	m := clusterMachine()
	m.GPU.Clusters.GPCs = 1
	cycles := func(lane int) clock.Cycle {
		k := gputest.NewKernel("shared")
		k.BulkCopy()
		k.Instructions[0].Space = trace.SpaceShared
		k.Block()
		k.Exit()
		return replay(t, build(t, m, &gputest.Memory{LatencyCycles: 10}), gputest.Launch{Kernel: k, Blocks: 2, Threads: 32, Cluster: inRow(2), Record: func(w *gputest.Warp) {
			var b trace.BulkCopy
			b.Add(0x400, 128)
			b.Completes(2<<trace.ClusterRankShift|8, 0, 128) // in the other thread block
			w.Copied(0, 1<<lane, &b)
			w.Visit(1, w.Lanes)
		}}).Cycles
	}
	if first, second := cycles(0), cycles(1); first != second {
		t.Errorf("%d cycles by lane 0, %d by lane 1", first, second)
	}
}

// handOver is a warp that works and arrives, and another one that looks: the cycles of both.
func handOver(t *testing.T, m *arch.Machine, work int, remote bool) clock.Cycle {
	t.Helper()
	p := &gputest.Pipeline{Stages: 1, Items: 1, Ranks: 1, Warps: 2}
	if remote {
		p.Ranks, p.Warps = 2, 1
	}
	l := p.Launch(1)
	plain := l.Record
	l.Record = func(w *gputest.Warp) {
		w.Before = nil
		if w.Block == 0 && w.Warp == 0 {
			w.Before = map[uint32]int{6: work} // the arrival, behind that much work
		}
		plain(w)
	}
	return replay(t, build(t, m, &gputest.Memory{LatencyCycles: 10}), l).Cycles
}

// The looker goes on with the arrival, so later by each operation before it; an arrival at another
// thread block takes the network's latency.
func TestALookWaitsForTheArrival(t *testing.T) {
	m := clusterMachine()
	m.GPU.Clusters.GPCs = 1
	for _, remote := range []bool{false, true} {
		short, long := handOver(t, m, 100, remote), handOver(t, m, 150, remote)
		want := clock.Cycle(50 * (gputest.ALULatency + gputest.OperandRead))
		if remote {
			want *= 2 // it works before each of two arrivals
		}
		if got := long - short; got != want {
			t.Errorf("remote %v: 50 operations more before an arrival make %d cycles more, want %d", remote, got, want)
		}
	}
	slow := *m
	slow.GPU.Clusters.RemoteCycles += 60
	// The arrival at the consumer's thread block, and the consumer's at the producer's, for which
	// the last barrier waits.
	if got := handOver(t, &slow, 100, true) - handOver(t, m, 100, true); got != 2*60 {
		t.Errorf("60 cycles more of latency make %d", got)
	}
}

// What a look waits for is said when it never comes.
func TestAWaitForAnMbarrierIsDescribed(t *testing.T) {
	p := &gputest.Pipeline{Stages: 1, Items: 2, Ranks: 1, Warps: 3}
	l := p.Launch(1)
	plain := l.Record
	l.Record = func(w *gputest.Warp) {
		if w.Warp != 2 { // one consumer never arrives
			plain(w)
		} else {
			w.Visit(1, w.Lanes)
			w.Visit(2, w.Lanes)
			w.Visit(1, w.Lanes)
			w.Visit(2, w.Lanes)
			w.Visit(10, w.Lanes)
		}
	}
	_, err := build(t, gputest.Machine(), &gputest.Memory{LatencyCycles: 10}).Replay(context.Background(), gputest.NewSource(gputest.Trace(t, l)), nil)
	if err == nil || !strings.Contains(err.Error(), "mbarrier at 0x8") || !strings.Contains(err.Error(), "1 of 2 arrivals") {
		t.Errorf("%v", err)
	}
}
