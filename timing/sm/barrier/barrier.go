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
	// phase alternates with each barrier that opens. handing counts the accesses
	// of a phase that the port has yet to be handed; opens says that it is told of
	// the barrier at the phase's end then.
	phase   uint8
	handing [2]int
	opens   [2]bool
}

// barrier is one of them. Warps arrive, not threads.
type barrier struct {
	arrived int
	threads uint32 // expected, zero for all
	waiting warpset.Set
}

// Begin is a thread block of so many warps.
func (b *Block) Begin(warps int) { *b = Block{running: warps} }

// Arrive brings warp w to a barrier that expects so many threads, zero for all of the
// thread block; it waits there, or only arrives. Open follows.
func (b *Block) Arrive(id, w int, waits bool, threads uint32) {
	bar := &b.barriers[id]
	bar.arrived++
	bar.threads = threads
	if waits {
		bar.waiting = bar.waiting.With(w)
	}
}

// Open opens a barrier at which all have arrived, and gives the warps that waited
// there: as many as the count operand says, but never more than have instructions left,
// so that warps that exit do not keep the others. False when it stays closed.
func (b *Block) Open(id int) (waited warpset.Set, ok bool) {
	bar := &b.barriers[id]
	expected := b.running
	if bar.threads > 0 {
		expected = min(expected, int((bar.threads+trace.WarpSize-1)/trace.WarpSize))
	}
	if bar.arrived == 0 || bar.arrived < expected {
		return waited, false
	}
	waited = bar.waiting
	*bar = barrier{}
	return waited, true
}

// Leave drops warp w, which has issued its last instruction, from all barriers. Open
// follows for each.
func (b *Block) Leave(w int) {
	b.running--
	for i := range b.barriers {
		if bar := &b.barriers[i]; bar.waiting.Has(w) {
			bar.waiting = bar.waiting.Without(w)
			bar.arrived--
		}
	}
}

// Issued notes an access to memory, and gives the phase in which it is.
func (b *Block) Issued() (phase uint8) {
	b.handing[b.phase]++
	return b.phase
}

// Phase is the phase of what is issued now.
func (b *Block) Phase() uint8 { return b.phase }

// Opened begins the next phase, after Open; it reports whether the port has been handed
// all accesses of the last one, and is told now. Otherwise Handed says when.
func (b *Block) Opened() (tell bool) {
	before := b.phase
	b.phase ^= 1
	b.opens[before] = b.handing[before] > 0
	return !b.opens[before]
}

// Handed notes that the port has been handed an access of a phase; it reports whether
// the port is told now of the barrier at the phase's end.
func (b *Block) Handed(phase uint8) (tell bool) {
	b.handing[phase]--
	if b.handing[phase] > 0 || !b.opens[phase] {
		return false
	}
	b.opens[phase] = false
	return true
}

// State describes the barrier at which warp w waits: its number, the warps that have
// arrived and that wait there, and those with instructions left; false when it waits at
// none.
func (b *Block) State(w int) (id, arrived, waiting, running int, ok bool) {
	for i := range b.barriers {
		if bar := &b.barriers[i]; bar.waiting.Has(w) {
			return i, bar.arrived, bar.waiting.Count(), b.running, true
		}
	}
	return 0, 0, 0, 0, false
}
