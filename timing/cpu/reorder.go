// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"math/bits"

	"github.com/warptape/warptape/trace"
)

// entry is an instruction in the reorder buffer.
type entry struct {
	doneAt     Cycle // never while it is not known
	readyAt    Cycle // from when its sources are there, once waits is zero
	latest     Cycle // of its accesses that have ended
	dependents int32 // the first edge of a list, none
	waits      int8  // sources that are not known
	accesses   int8  // that have not ended
	loads      uint8
	stores     uint8
	forwarded  uint8 // bit per load that an older store serves
	held       bool  // a mispredicted branch: what follows has not been fetched

	loadAddresses, storeAddresses [trace.CPUOperands]uint64
	physical                      [trace.CPUOperands]uint64 // of the stores
}

// edges an entry may have to its producers: registers, and stores to its loads.
const edgesEach = 2 * trace.CPUOperands

// forwards is the size of the table of the youngest stores.
const forwards = 1024

// forward is the youngest store to a word.
type forward struct{ word, sequence uint64 }

// reorder is the reorder buffer. Instructions have a sequence number, from 1; that
// of a slot is the number modulo the size.
type reorder struct {
	entries []entry
	next    []int32 // per entry: the next in a bucket of the wheel
	edges   []int32 // per edge: the next dependent of the same producer
	head    uint64  // sequence of the oldest
	count   int
	issued  uint64 // in order: sequence of the next to issue

	writers   [256]uint64 // per register: the sequence of the youngest writer
	youngest  [forwards]forward
	performed uint64 // sequence of the last instruction whose stores were all performed
}

func newReorder(n int) reorder {
	return reorder{entries: make([]entry, n), next: make([]int32, n), edges: make([]int32, n*edgesEach), head: 1, issued: 1}
}

// forget makes the registers and the words of memory depend on nothing.
func (r *reorder) forget() {
	clear(r.writers[:])
	clear(r.youngest[:])
}

func (r *reorder) slot(sequence uint64) int { return int(sequence % uint64(len(r.entries))) }

func (r *reorder) full() bool { return r.count == len(r.entries) }

// depend makes the entry of a slot, by its n-th edge, wait for a producer.
func (r *reorder) depend(slot, n int, producer uint64) {
	if producer < r.head {
		return // it has retired
	}
	p := &r.entries[r.slot(producer)]
	e := &r.entries[slot]
	if p.doneAt != never {
		e.readyAt = max(e.readyAt, p.doneAt)
		return
	}
	edge := int32(slot*edgesEach + n)
	r.edges[edge], p.dependents = p.dependents, edge
	e.waits++
}

// word hashes the address of eight bytes.
func wordOf(address uint64) (word uint64, at int) {
	word = address >> 3
	return word, int(word * 0x9e3779b97f4a7c15 >> (64 - 10))
}

// store notes the youngest store to a word.
func (r *reorder) store(address, sequence uint64) {
	word, at := wordOf(address)
	r.youngest[at] = forward{word, sequence}
}

// source is the youngest store to the word of a load that has not been performed; 0
// without any.
func (r *reorder) source(address uint64) uint64 {
	word, at := wordOf(address)
	if f := &r.youngest[at]; f.word == word && f.sequence > r.performed {
		return f.sequence
	}
	return 0
}

// wheelSize is more than the longest time between the end of an access and its
// beginning that is known in advance.
const wheelSize = 128

// wheel holds instructions by the cycle from which they may issue.
type wheel struct {
	buckets [wheelSize]int32 // 1 + the first slot of a list
	marks   [wheelSize / 64]uint64
	from    Cycle // nothing is due before it
}

// put files an instruction for a cycle that has not been collected and is less than
// the wheel's size later than the last that has.
func (w *wheel) put(at Cycle, slot int, next []int32) {
	b := at % wheelSize
	next[slot] = w.buckets[b]
	w.buckets[b] = int32(slot) + 1
	w.marks[b/64] |= 1 << (b % 64)
}

// collect moves what is due to the ready instructions.
func (w *wheel) collect(now Cycle, ready *bitmap, next []int32) {
	for at := w.next(w.from - 1); at <= now; at = w.next(at) {
		b := at % wheelSize
		for i := w.buckets[b]; i != 0; i = next[i-1] {
			ready.set(int(i - 1))
		}
		w.buckets[b] = 0
		w.marks[b/64] &^= 1 << (b % 64)
	}
	w.from = max(w.from, now+1)
}

// next is the first cycle after now with an instruction, never without any. All
// cycles in the wheel are later than now, by less than its size.
func (w *wheel) next(now Cycle) Cycle {
	first := (now + 1) % wheelSize
	mark := w.marks[first/64] & (^uint64(0) << (first % 64))
	if mark != 0 {
		return now + 1 + Cycle(bits.TrailingZeros64(mark)) - first%64
	}
	for k := Cycle(1); k <= wheelSize/64; k++ {
		word := (first/64 + k) % (wheelSize / 64)
		if w.marks[word] != 0 {
			b := word*64 + Cycle(bits.TrailingZeros64(w.marks[word]))
			return now + 1 + (b-first+wheelSize)%wheelSize
		}
	}
	return never
}

// bitmap is a set of slots.
type bitmap struct {
	words []uint64
	count int
}

func newBitmap(n int) bitmap { return bitmap{words: make([]uint64, (n+63)/64)} }

func (b *bitmap) set(i int)      { b.words[i/64] |= 1 << (i % 64); b.count++ }
func (b *bitmap) clear(i int)    { b.words[i/64] &^= 1 << (i % 64); b.count-- }
func (b *bitmap) has(i int) bool { return b.words[i/64]>>(i%64)&1 != 0 }

// from is the first member at i or later, none without any.
func (b *bitmap) from(i int) int {
	for w := i / 64; w < len(b.words); w++ {
		word := b.words[w]
		if w == i/64 {
			word &= ^uint64(0) << (i % 64)
		}
		if word != 0 {
			return w*64 + bits.TrailingZeros64(word)
		}
	}
	return none
}
