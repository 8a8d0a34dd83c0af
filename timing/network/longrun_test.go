// SPDX-License-Identifier: Apache-2.0

package network

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace/tracetest"
)

// gpuTraffic is the traffic of a GPU on an 8x8 mesh that carries both directions:
// inputs are 56 cores, then 8 memories; outputs are the memories, then the cores.
// A memory takes a request only when it can send the reply at once, so that full
// replies hold requests back. That is the dependency by which a network that let
// replies wait for requests would deadlock.
type gpuTraffic struct {
	f              *Fabric
	rng            *rand.Rand
	next           uint32
	core           map[uint32]int // of requests and replies on their way
	sent, received int
}

const (
	trafficCores, trafficMemories = 56, 8
	requestFlits, replyFlits      = 1, 5 // section 3.1 of the near-data paper: register or acknowledgement to data
)

func newGPUTraffic(flits, queue int) *gpuTraffic {
	var cores, memories []int
	for n := range 64 {
		if n%8 == n/8*3%8 {
			memories = append(memories, n)
		} else {
			cores = append(cores, n)
		}
	}
	c := buffered(2, flits)
	c.InputQueue, c.OutputQueue, c.Classes, c.ClassOf = queue, queue, 2, make([]uint8, 64)
	for o := trafficMemories; o < 64; o++ {
		c.ClassOf[o] = 1
	}
	topology := Mesh(8, 8, true, append(append([]int(nil), cores...), memories...), append(append([]int(nil), memories...), cores...))
	return &gpuTraffic{f: fabric(topology, c, new(counters.Set), nil), rng: rand.New(rand.NewPCG(uint64(flits), uint64(queue))), core: map[uint32]int{}}
}

// cycle lets every core send what it can, memories answer, and a core take its
// reply in half of the cycles.
func (g *gpuTraffic) cycle(t *testing.T, now int64, sending bool) {
	for core := range trafficCores {
		if !sending || !g.f.CanSend(core) {
			continue
		}
		flits := uint16(requestFlits)
		if g.rng.IntN(3) == 0 {
			flits = replyFlits // a write carries the data
		}
		g.f.Send(core, Packet{ID: g.next, To: uint16(g.rng.IntN(trafficMemories)), Flits: flits})
		g.core[g.next] = core
		g.next++
		g.sent++
	}
	g.f.Cycle(now)
	for memory := range trafficMemories {
		if p, ok := g.f.Head(memory); ok && g.f.CanSend(trafficCores+memory) {
			g.f.Pop(memory, now+1)
			g.f.Send(trafficCores+memory, Packet{ID: p.ID, To: uint16(trafficMemories + g.core[p.ID]), Flits: replyFlits})
		}
	}
	for core := range trafficCores {
		p, ok := g.f.Head(trafficMemories + core)
		if !ok || g.rng.IntN(2) == 0 {
			continue
		}
		if to, known := g.core[p.ID]; !known || to != core {
			t.Fatalf("core %d receives packet %d, which is core %d's (known: %v)", core, p.ID, to, known)
		}
		delete(g.core, p.ID)
		g.f.Pop(trafficMemories+core, now+1)
		g.received++
	}
}

// TestLongRunsOfRequestsAndRepliesEndAtEveryBufferSize: saturated for ten thousand
// cycles and then left alone, the network delivers each reply once and is empty.
func TestLongRunsOfRequestsAndRepliesEndAtEveryBufferSize(t *testing.T) {
	for _, i := range tracetest.Seeds(t, 8, tracetest.Fewer(1, 2)) {
		flits := 1 + int(i)
		for _, queue := range []int{1, 16} {
			t.Run(fmt.Sprintf("%d flits, queues of %d", flits, queue), func(t *testing.T) {
				g := newGPUTraffic(flits, queue)
				const saturated = 10000
				now := int64(0)
				for ; now < saturated; now++ {
					g.cycle(t, now, true)
				}
				for ; g.f.InFlight() > 0; now++ {
					if now > 20*saturated {
						t.Fatalf("stuck with %d packets:\n%v", g.f.InFlight(), g.f.Describe())
					}
					g.cycle(t, now, false)
				}
				if g.sent != g.received || len(g.core) > 0 {
					t.Errorf("%d requests, %d replies", g.sent, g.received)
				}
				// A memory's channel moves as many flits as it has credits in the time
				// that one takes on its way round: a router's cycle and two links'.
				bound := min(1, float64(flits)/3)
				if rate := float64(g.received*replyFlits) / float64(now) / trafficMemories; rate < 0.6*bound || rate > bound {
					t.Errorf("memories send %.2f flits a cycle of %.2f", rate, bound)
				}
			})
		}
	}
}
