// SPDX-License-Identifier: Apache-2.0

package projection

import (
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Thread is the path of one thread, visit by visit. It is a view into the chunk,
// valid until that is reused.
type Thread struct {
	plan  *Plan
	chunk *wtape.Chunk
	warp  trace.Warp
	lane  int
	// next is the recorded visit to look at next; guard and access belong to the
	// current one, whose basic block is block.
	next, guard, access int
	block               uint32
	started             bool
}

// Thread starts at the first visit of a thread (linear number in its thread block).
// The path is empty if the chunk does not hold the thread.
func (p *Plan) Thread(chunk *wtape.Chunk, block uint64, thread int) Thread {
	return Thread{plan: p, chunk: chunk, warp: chunk.Warp(block, thread/trace.WarpSize), lane: thread % trace.WarpSize}
}

// Next goes to the thread's next visit and gives its basic block; false at the end.
func (t *Thread) Next() (block uint32, ok bool) {
	for ; t.next < len(t.warp.Blocks); t.next++ {
		if t.started {
			b := &t.plan.blocks[t.warp.Blocks[t.next-1]]
			t.guard += int(b.guards)
			t.access += len(b.memory)
		}
		t.started = true
		if t.warp.Masks[t.next]>>t.lane&1 != 0 {
			t.block = t.warp.Blocks[t.next]
			t.next++
			return t.block, true
		}
	}
	return 0, false
}

// Guard reports whether the guard of the i-th guarded instruction of the current
// visit held.
func (t *Thread) Guard(i int) bool { return t.warp.Guards[t.guard+i]>>t.lane&1 != 0 }

// Address is the byte address of the i-th memory instruction of the current visit;
// false when its guard did not hold.
func (t *Thread) Address(i int) (address uint64, ok bool) {
	if g := t.plan.blocks[t.block].memory[i].guard; g >= 0 && !t.Guard(int(g)) {
		return 0, false
	}
	return t.chunk.Lane(t.warp.Accesses[t.access+i], t.lane), true
}

// Waits reports whether the thread waits at a barrier at the end of the current visit,
// for others of its thread block.
func (t *Thread) Waits() bool {
	b := &t.plan.blocks[t.block]
	return b.barrier && (b.barrierGuard < 0 || t.Guard(int(b.barrierGuard)))
}
