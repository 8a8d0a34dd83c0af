// SPDX-License-Identifier: Apache-2.0

package dac_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/affine/dac"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/memory"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// lockWatch is the memory system of a machine, watched where its L1s are asked to lock lines.
type lockWatch struct {
	seam.MemorySystem
	t       *testing.T
	l1      *arch.Cache
	ports   []*lockPort
	refused int
	granted int
	most    int // ways of a set that were locked at a time
}

// lockPort counts the locks of each set by the set's definition: line numbers, modulo sets.
type lockPort struct {
	seam.LineLocker
	watch *lockWatch
	locks map[uint64]map[uint64]int // by set and line
}

// Port implements seam.MemorySystem.
func (w *lockWatch) Port(sm int, to seam.Completions) (seam.Entry, error) {
	entry, err := w.MemorySystem.Port(sm, to)
	p := &lockPort{LineLocker: entry.Locks, watch: w, locks: map[uint64]map[uint64]int{}}
	w.ports = append(w.ports, p)
	entry.Locks = p
	return entry, err
}

func (w *lockWatch) place(address uint64) (set, line uint64) {
	line = address / uint64(w.l1.LineBytes)
	return line % uint64(w.l1.Bytes/w.l1.LineBytes/w.l1.Ways), line
}

// LockLine implements seam.LineLocker.
func (p *lockPort) LockLine(address uint64) bool {
	w := p.watch
	set, line := w.place(address)
	if !p.LineLocker.LockLine(address) {
		w.refused++
		return false
	}
	if p.locks[set] == nil {
		p.locks[set] = map[uint64]int{}
	}
	p.locks[set][line]++
	w.granted++
	w.most = max(w.most, len(p.locks[set]))
	if n := len(p.locks[set]); n > w.l1.Ways-1 {
		w.t.Errorf("%d of %d ways of set %d are locked: no line that misses finds a place", n, w.l1.Ways, set)
	}
	return true
}

// UnlockLine implements seam.LineLocker.
func (p *lockPort) UnlockLine(address uint64) {
	set, line := p.watch.place(address)
	if p.locks[set][line]--; p.locks[set][line] == 0 {
		delete(p.locks[set], line)
	}
	p.LineLocker.UnlockLine(address)
}

// crowdTrace is a run whose warps load lines of few sets of an L1. They are loads at
// random distances, most of them multiples of what all sets together span, of threads
// that are a random stride apart.
func crowdTrace(t *testing.T, rng *rand.Rand, span int64) *wtape.Reader {
	t.Helper()
	const blocks, warps = 6, 4
	stride := []int64{4, 64, 128, span}[rng.IntN(4)]
	k := copyKernel()
	k.Instructions[5].Operands[2].Value = stride
	load, exit := k.Instructions[7], k.Instructions[9]
	var offsets []int64
	k.Instructions = k.Instructions[:7]
	for range 4 + rng.IntN(8) {
		in := load
		in.Operands = append([]trace.Operand(nil), load.Operands...)
		at := span * rng.Int64N(16)
		if rng.IntN(4) == 0 {
			at = 4 * rng.Int64N(1024)
		}
		in.Operands[1].Value = at
		offsets = append(offsets, at)
		k.Instructions = append(k.Instructions, in)
	}
	k.Instructions = append(k.Instructions, exit)
	k.Blocks[0].Count = uint32(len(k.Instructions))
	return record(t, k, blocks, warps, bufferBase, func(w *wtape.Writer, b int) {
		for i := range warps {
			w.Visit(i, 0, math.MaxUint32)
			w.AccessStrided(i, math.MaxUint32, 0, 0)
			for _, at := range offsets {
				w.AccessStrided(i, math.MaxUint32, uint64(bufferBase+stride*int64(32*(b*warps+i))+at), stride)
			}
		}
	})
}

// watched is a machine whose L1s' locks are watched.
func watched(t *testing.T, m *arch.Machine) (*gpu.GPU, *lockWatch) {
	t.Helper()
	w := &lockWatch{t: t, l1: &m.L1}
	g, err := gpu.New(m, gpu.Options{WatchdogCycles: 200_000, Memory: func(m *arch.Machine, c gpu.Clocks, sets []*counters.Set, global *counters.Set) (seam.Path, error) {
		s, err := memory.New(m, c, sets, global)
		w.MemorySystem = s
		return s.Path().In(w), err
	}})
	if err != nil {
		t.Fatal(err)
	}
	return g, w
}

// Sections 4.1 and 4.2: lines of local loads are locked as global ones are, a line for each
// word of each warp. No lock is left when the loads have read them.
func TestLinesOfLocalLoadsAreLockedUntilTheyAreRead(t *testing.T) {
	const blocks, warps = 4, 4
	for bytes, lines := range map[uint8]int{4: 1, 8: 2} {
		m := load(t, "gtx480-15+dac")
		m.L1.Index = "linear" // as the watch places lines
		g, w := watched(t, m)
		r := record(t, localKernel(bytes), blocks, warps, bufferBase, func(w *wtape.Writer, b int) {
			for i := range warps {
				w.Visit(i, 0, math.MaxUint32)
				w.AccessStrided(i, math.MaxUint32, 8, 0)
			}
		})
		if _, err := g.Replay(context.Background(), gputest.NewSource(r), nil); err != nil {
			t.Fatal(err)
		}
		if w.granted != lines*blocks*warps || w.refused != 0 || w.most == 0 {
			t.Errorf("%d bytes a thread: %d lines locked, want %d; %d refused", bytes, w.granted, lines*blocks*warps, w.refused)
		}
		for i, p := range w.ports {
			for set, lines := range p.locks {
				if len(lines) > 0 {
					t.Errorf("%d bytes a thread: locks are left in set %d of SM %d: %v", bytes, set, i, lines)
				}
			}
		}
	}
}

// Early requests crowd a few sets of a small L1. Whatever the order in which lines are
// locked and unlocked, one way of each set is left, every load gets its data, and at the
// end no lock is left.
func TestLockedLinesLeaveAWayOfEachSet(t *testing.T) {
	for _, c := range tracetest.Draw(t, []struct {
		ways   int
		before bool
	}{{2, false}, {2, true}, {4, false}, {4, true}}, tracetest.Fewer(1, 3)) {
		leavesAWay(t, c.ways, c.before)
	}
}

// leavesAWay tests it for so many ways, and for loads that may issue before their data are
// there.
func leavesAWay(t *testing.T, ways int, before bool) {
	t.Helper()
	refused, most := 0, 0
	for seed := range uint64(6) {
		m := load(t, "gtx480-15+dac")
		m.GPU.SMs = 2
		m.Section(dac.Key).(*dac.Section).IssueBeforeData = before
		m.L1.Ways, m.L1.Index = ways, "linear"
		m.L1.Bytes = 8 * ways * m.L1.LineBytes
		g, w := watched(t, m)
		r := crowdTrace(t, rand.New(rand.NewPCG(seed, uint64(ways))), int64(8*m.L1.LineBytes))
		run, err := g.Replay(context.Background(), gputest.NewSource(r), nil)
		if err != nil {
			t.Fatalf("%d ways, seed %d: %v", ways, seed, err)
		}
		if id, _ := counters.Lookup("dac_early_requests"); run.Total[id] == 0 {
			t.Errorf("%d ways, seed %d: nothing is asked for early", ways, seed)
		}
		if id, _ := counters.Lookup("dac_unlocked_requests"); run.Total[id] != uint64(w.refused) {
			t.Errorf("%d ways, seed %d: %d requests without a lock, and the L1 has refused %d", ways, seed, run.Total[id], w.refused)
		}
		for i, p := range w.ports {
			for set, lines := range p.locks {
				if len(lines) > 0 {
					t.Errorf("%d ways, seed %d: locks are left in set %d of SM %d: %v", ways, seed, set, i, lines)
				}
			}
		}
		refused, most = refused+w.refused, max(most, w.most)
	}
	if refused == 0 || most != ways-1 {
		t.Errorf("%d ways: at most %d were locked, and %d locks refused: nothing has been crowded", ways, most, refused)
	}
}
