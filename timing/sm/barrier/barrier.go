// SPDX-License-Identifier: Apache-2.0

// Package barrier is where the warps of a thread block meet: its barriers, and the
// order between them and the memory accesses that they separate.
package barrier

import (
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
)

// Named is the number of barriers of a thread block that bar and barrier name (PTX ISA
// 9.7.13.1); behind them comes that of barrier.cluster, Cluster. Count is all of them.
const (
	Named   = 16
	Cluster = Named
	Count   = Named + 1
)

// Block is the barriers of one thread block.
type Block struct {
	running  int // warps with instructions left
	barriers [Count]barrier
	parts    []part // of warps that go on with other lanes
	// phase numbers what is issued between barriers. handing counts the accesses of a
	// phase that the port has yet to be handed. The oldest phase with such accesses is first;
	// without any, first is phase. The port has yet to be told of the barriers at the ends
	// of the phases from first on, before phase.
	phase, first uint8
	handing      [phases]uint16
	late         bool // so it is of one in phase, which no number was left to end
}

// phases is how many phases may have accesses that the port has yet to be handed.
const phases = 1 << 8

// barrier is one of them. One for all threads of the block counts the warps that have
// come with all their lanes; one for a number of threads counts threads.
type barrier struct {
	warps   int
	threads uint32
	// expected threads, zero for all of the thread block.
	expected uint32
	loose    bool
	waiting  warpset.Set // that have come with all their lanes
}

// Begin is a thread block of so many warps.
func (b *Block) Begin(warps int) { *b = Block{running: warps, parts: b.parts[:0]} }

// Visit is how a warp comes to a barrier.
type Visit struct {
	ID int
	// Expected threads, zero for all of the thread block.
	Expected uint32
	// Loose says that the barrier may be another: then it expects no more threads than
	// warps with instructions left have.
	Loose bool
	// Threads that come with the visit; zero for those of a warp that counts when all
	// its lanes have come.
	Threads uint32
}

// Arrive counts a visit of a warp that does not wait. Open follows.
func (b *Block) Arrive(v Visit) {
	bar := &b.barriers[v.ID]
	bar.warps++
	bar.threads += v.Threads
	bar.expected, bar.loose = v.Expected, bar.loose || v.Loose
}

// Wait is a visit of warp w with all its lanes, which wait. Open follows.
func (b *Block) Wait(v Visit, w int) {
	b.Arrive(v)
	bar := &b.barriers[v.ID]
	bar.waiting = bar.waiting.With(w)
}

// Open opens a barrier at which all have arrived, and gives the warps that waited there
// with all their lanes. All are the threads that it expects, or all warps with
// instructions left. False when it stays closed.
func (b *Block) Open(id int) (waited warpset.Set, ok bool) {
	bar := &b.barriers[id]
	if !b.Complete(id) {
		return waited, false
	}
	waited = bar.waiting
	*bar = barrier{}
	return waited, true
}

// Complete reports whether all have arrived at a barrier, which Open opens.
func (b *Block) Complete(id int) bool {
	bar := &b.barriers[id]
	if bar.warps == 0 && bar.threads == 0 {
		return false
	}
	if bar.expected > 0 {
		return bar.threads >= b.threads(bar)
	}
	return bar.warps >= b.running
}

// threads is the number of threads that a barrier expects.
func (b *Block) threads(bar *barrier) uint32 {
	if bar.loose {
		return min(bar.expected, uint32(b.running)*trace.WarpSize)
	}
	return bar.expected
}

// Leave drops warp w, which has issued its last instruction. Barriers for all threads
// expect it no more; threads that it brought to others stay. Open follows for each.
func (b *Block) Leave(w int) {
	b.running--
	for i := range b.barriers {
		if bar := &b.barriers[i]; bar.waiting.Has(w) {
			bar.waiting = bar.waiting.Without(w)
			bar.warps--
		}
	}
	b.drop(func(p *part) bool { return int(p.warp) == w })
}

// Issued notes an access to memory, and gives the phase in which it is.
func (b *Block) Issued() (phase uint8) {
	b.handing[b.phase]++
	return b.phase
}

// Phase is the phase of what is issued now.
func (b *Block) Phase() uint8 { return b.phase }

// Opened begins the next phase, after Open; it reports whether the port has been handed
// all accesses before it, and is told now. Otherwise Handed says when. The port hears of a
// barrier together with the one before where no access was between the two, and the port
// has yet to be told of that one.
func (b *Block) Opened() (tell bool) {
	if b.handing[b.phase] == 0 {
		return b.phase == b.first
	}
	if b.late = b.phase+1 == b.first; !b.late {
		b.phase++
	}
	return false
}

// Handed notes that the port has been handed an access of a phase; it reports whether
// the port is told now of the barriers behind it that have opened.
func (b *Block) Handed(phase uint8) (tell bool) {
	b.handing[phase]--
	for b.first != b.phase && b.handing[b.first] == 0 {
		b.first++
		tell = true
	}
	if b.late && b.first == b.phase && b.handing[b.phase] == 0 {
		b.late, tell = false, true
	}
	return tell
}
