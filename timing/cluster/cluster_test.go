// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/coalesce"
)

func machine() *arch.Machine {
	m := new(arch.Machine)
	m.GPU.SMs = 6
	m.GPU.Clusters = arch.Clusters{GPCs: 1, RemoteCycles: 100, BytesPerCycle: 8, BarrierCycles: 40}
	m.Shared = arch.Shared{Banks: 32, BankBytes: 4, WavefrontCycles: 2}
	return m
}

// The whitepaper's H100 has 66 pairs of SMs in 8 GPCs. Each SM is in one group, and sizes differ
// by a pair at most.
func TestSMsAreDividedEvenly(t *testing.T) {
	if diff := cmp.Diff([]int{0, 16, 32, 48, 66, 82, 98, 114, 132}, Groups(132, 8)); diff != "" {
		t.Error(diff)
	}
	for sms := 1; sms < 40; sms++ {
		for groups := range 45 {
			first := Groups(sms, groups)
			n := len(first) - 1
			if n != max(1, min(groups, sms)) || first[0] != 0 || first[n] != sms {
				t.Errorf("%d SMs in %d groups: %v", sms, groups, first)
			}
			least, most := sms, 0
			for g := range n {
				least, most = min(least, first[g+1]-first[g]), max(most, first[g+1]-first[g])
			}
			if least < 1 || most-least > 2 {
				t.Errorf("%d SMs in %d groups: sizes from %d to %d", sms, groups, least, most)
			}
		}
	}
}

// H100 has 8 GPCs. Of clusters of 16 thread blocks, one each SM, 8 are there at a time, and of
// those of two all SMs have one. A GPC with fewer SMs than a cluster has thread blocks has one.
func TestClustersAtATime(t *testing.T) {
	h100 := Groups(132, 8)
	for _, c := range []struct{ perSM, n, want int }{{1, 16, 8}, {1, 2, 66}, {1, 8, 16}, {2, 8, 8 * 4}, {2, 16, 16}, {1, 4, 32}, {1, 3, 6*5 + 2*6}, {4, 1, 4 * 132}} {
		if got := Active(h100, c.perSM, c.n); got != c.want {
			t.Errorf("%d thread blocks an SM, clusters of %d: %d at a time, want %d", c.perSM, c.n, got, c.want)
		}
	}
	for _, c := range []struct{ perSM, n, want int }{{2, 5, 0}, {3, 5, 2}, {8, 5, 2}, {8, 2, 16}} {
		if got := Active(Groups(4, 2), c.perSM, c.n); got != c.want {
			t.Errorf("two pairs of SMs, %d thread blocks an SM, clusters of %d: %d at a time, want %d", c.perSM, c.n, got, c.want)
		}
	}
}

// opened takes down when the barrier opens.
type opened struct{ at []clock.Cycle }

func (o *opened) OpenCluster(at clock.Cycle, slot int) { o.at[slot] = at }

func (o *opened) Signal(clock.Cycle, int, *Cluster, Signal) {}

// twin is a cluster's barrier by its definition: per phase, the last arrival of warps that have
// not ended, and 40 cycles.
type twin struct {
	blocks  [][]int // per thread block, per warp: phases arrived at; -1 when it has ended
	last    clock.Cycle
	phase   int
	waiting []bool
	passed  []int
	opens   []clock.Cycle // per phase
}

func (w *twin) settle(now clock.Cycle) {
	arrived, running := 0, 0
	for _, b := range w.blocks {
		for _, phases := range b {
			if phases >= 0 {
				running++
				if phases > w.phase {
					arrived++
				}
			}
		}
	}
	if arrived > 0 && arrived == running {
		w.phase++
		w.opens = append(w.opens, w.last+40)
	}
	_ = now
}

// Random thread blocks of random warps arrive, wait and end. The barrier opens for each as its
// definition says.
func TestTheBarrierOpensBehindTheLastArrival(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		ranks, warps := 1+r.IntN(4), 1+r.IntN(3)
		sm := &opened{at: make([]clock.Cycle, ranks)}
		c := New(NewNetwork(machine()), ranks, ranks*warps)
		w := &twin{waiting: make([]bool, ranks), passed: make([]int, ranks)}
		for rank := range ranks {
			c.Join(rank, sm, 0, rank)
			w.blocks = append(w.blocks, make([]int, warps))
			sm.at[rank] = clock.Never
		}
		now := clock.Cycle(10)
		for step := range 400 {
			now += clock.Cycle(r.IntN(30))
			for rank := range ranks { // those that have been let go
				if w.waiting[rank] && w.phase > w.passed[rank] {
					t.Fatalf("seed %d step %d: thread block %d still waits, though phase %d is over", seed, step, rank, w.phase)
				}
			}
			rank := r.IntN(ranks)
			b := w.blocks[rank]
			i := r.IntN(warps)
			held := w.waiting[rank] || sm.at[rank] != clock.Never && now < sm.at[rank]
			switch {
			case b[i] < 0 || held:
				continue
			case r.IntN(12) == 0: // it ends
				c.Leave(now, uint64(b[i])) // over, unless it is more than w.phase
				b[i] = -1
				w.last = max(w.last, now)
				w.settle(now)
			case b[i] == w.phase && w.passed[rank] == w.phase:
				w.last = max(w.last, now)
				b[i]++
				if in := c.Arrive(now); in != uint64(b[i]) {
					t.Fatalf("seed %d step %d: the warp arrives in phase %d, want %d", seed, step, in, b[i])
				}
				w.settle(now)
			case !slices.ContainsFunc(b, func(p int) bool { return p >= 0 && p == w.passed[rank] }):
				// All have arrived in the phase that the thread block is in: it waits.
				phase := w.passed[rank]
				sm.at[rank] = clock.Never
				w.waiting[rank] = true
				c.Wait(now, rank)
				w.passed[rank]++
				if w.phase > phase {
					if want := max(w.opens[phase], now+1); sm.at[rank] != want {
						t.Fatalf("seed %d step %d: opens at %d, want %d", seed, step, sm.at[rank], want)
					}
				}
			}
			for rank := range ranks {
				if w.waiting[rank] && w.phase >= w.passed[rank] {
					w.waiting[rank] = false
					if sm.at[rank] < w.opens[w.passed[rank]-1] {
						t.Fatalf("seed %d step %d: thread block %d is let go at %d, before %d", seed, step, rank, sm.at[rank], w.opens[w.passed[rank]-1])
					}
				}
			}
		}
		running := 0
		for _, b := range w.blocks {
			for _, p := range b {
				if p >= 0 {
					running++
				}
			}
		}
		if _, expected := c.State(); expected != running {
			t.Errorf("seed %d: %d warps are expected, want %d", seed, expected, running)
		}
	}
}

// lanes is an access of the first n lanes, each bytes wide, at a stride.
func lanes(n, bytes int, stride int64) coalesce.Warp {
	return coalesce.Warp{Mask: 1<<n - 1, LaneBytes: bytes, Strided: true, Base: 64, Stride: stride}
}

// An access alone takes the latency, and what its segments or its wavefronts take beyond one.
func TestAnAccessAlone(t *testing.T) {
	for _, c := range []struct {
		name       string
		lanes      coalesce.Warp
		atomic     bool
		left, done clock.Cycle
	}{
		{"one lane", lanes(1, 4, 0), false, 4, 100},
		{"one segment", lanes(8, 4, 4), false, 4, 100},
		{"four segments", lanes(31, 4, 4), false, 16, 112},
		{"across two segments", coalesce.Warp{Mask: 1, LaneBytes: 16, Strided: true, Base: 24}, false, 8, 104},
		{"words that lanes share", lanes(31, 4, 0), false, 4, 100},
		{"atomics on one word", lanes(31, 4, 0), true, 4, 100 + 31*2 - 4},
		{"every second word", lanes(16, 4, 8), false, 16, 112},
	} {
		n := NewNetwork(machine())
		left, done := n.Send(1000, &Access{From: 1, To: 2, Lanes: c.lanes, Atomic: c.atomic})
		if left != 1000+c.left || done != 1000+c.done {
			t.Errorf("%s: leaves within %d and is done within %d, want %d and %d", c.name, left-1000, done-1000, c.left, c.done)
		}
	}
}

// Lanes that stay take the latency of shared memory, and its wavefronts beyond one.
func TestLanesThatStayTakeTheirOwnSharedMemory(t *testing.T) {
	m := machine()
	m.Shared.LatencyCycles = 23
	for _, c := range []struct {
		name   string
		lanes  coalesce.Warp
		atomic bool
		more   int // wavefronts
	}{
		{"one lane", lanes(1, 4, 0), false, 0}, {"a word each", lanes(31, 4, 4), false, 0}, {"words that lanes share", lanes(31, 4, 0), false, 0},
		{"every second word", lanes(32, 4, 8), false, 1}, {"one bank", lanes(32, 4, 128), false, 31}, {"atomics on one word", lanes(31, 4, 0), true, 30},
	} {
		want := clock.Cycle(1000 + 23 + c.more*m.Shared.WavefrontCycles)
		if got := NewNetwork(m).Own(1000, &c.lanes, c.atomic); got != want {
			t.Errorf("%s: %d cycles, want %d", c.name, got-1000, want-1000)
		}
	}
}

// Accesses of one SM leave one after the other; those to one SM enter one after the other. Others
// have nothing to do with each other, and a thread block that is not in the trace has no port.
func TestPortsServeOneAccessAtATime(t *testing.T) {
	wide := lanes(31, 4, 4) // 16 cycles
	send := func(n *Network, from, to int) clock.Cycle {
		_, done := n.Send(0, &Access{From: from, To: to, Lanes: wide})
		return done
	}
	n := NewNetwork(machine())
	for i, want := range []clock.Cycle{112, 128, 144} {
		if got := send(n, 0, 1+i); got != want {
			t.Errorf("access %d of an SM is done at %d, want %d", i, got, want)
		}
	}
	n.Begin()
	for i, want := range []clock.Cycle{112, 128, 144} {
		if got := send(n, 1+i, 0); got != want {
			t.Errorf("access %d to an SM is done at %d, want %d", i, got, want)
		}
	}
	n.Begin()
	for i := range 3 {
		if got := send(n, i, 3+i); got != 112 {
			t.Errorf("access %d between other SMs is done at %d", i, got)
		}
	}
	n.Begin()
	for i := range 3 {
		if got := send(n, i, -1); got != 112 {
			t.Errorf("access %d to an unknown SM is done at %d", i, got)
		}
	}
}

func TestRanksOfACluster(t *testing.T) {
	c := New(NewNetwork(machine()), 3, 3)
	c.Join(2, &opened{}, 5, 0)
	c.Join(0, &opened{}, 4, 0)
	for rank, want := range map[int]int{-1: -1, 0: 4, 1: -1, 2: 5, 3: -1} {
		if got := c.SMOf(rank); got != want {
			t.Errorf("rank %d is on SM %d, want %d", rank, got, want)
		}
	}
}
