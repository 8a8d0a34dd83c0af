// SPDX-License-Identifier: Apache-2.0

package coexecution

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"slices"
	"sync/atomic"

	"github.com/warptape/warptape/frontend/emulator/memory"
)

// Footprint watches which thread blocks touch which pieces of global memory, while
// blocks run at the same time. Nothing that a block did depends on the others if no
// piece that one of them wrote was touched by a second one. Blocks claim a piece
// before they touch it, so that a conflict is found before a byte is read or
// written that the order of the blocks decides.
type Footprint struct {
	// Shift is the logarithm of the pieces' size in bytes.
	Shift uint
	// Noting says that one block runs alone, to find what the kernel writes to.
	Noting  bool
	Written []*memory.Allocation
	// Stopped tells all blocks that one has met a conflict.
	Stopped atomic.Bool
}

// ErrOrder says that the result depends on the order of the thread blocks, so
// that they must run one after the other. It never leaves Launch.
var ErrOrder = errors.New("BUG: thread blocks that depend on each other were not run again in order")

// ClaimShifts are the sizes of pieces that are tried: what a warp accesses at
// once, and, where blocks meet inside of that, words.
var ClaimShifts = [...]uint{7, 2}

// A claim is free (0), or that of a block that read the piece (its claimant), or
// wrote it (claimant|claimWritten), or of several that read it.
const (
	claimWritten = 1
	claimShared  = 2
	// claimantStep is the distance of two claimants; the first is that of block 0.
	claimantStep  = 4
	MaxClaimBlock = 1<<30 - 3
)

// Claimant is what stands for a block in claims.
func Claimant(block uint64) uint32 { return uint32(block+1) * claimantStep }

// ClaimRead claims a piece for reading; it fails if another block wrote it.
func ClaimRead(w *atomic.Uint32, mine uint32) bool {
	for {
		switch old := w.Load(); {
		case old == claimShared || old&^claimWritten == mine:
			return true
		case old&claimWritten != 0:
			return false
		case old == 0:
			if w.CompareAndSwap(0, mine) {
				return true
			}
		default:
			if w.CompareAndSwap(old, claimShared) {
				return true
			}
		}
	}
}

// ClaimWrite claims a piece for writing; it fails if another block touched it.
func ClaimWrite(w *atomic.Uint32, mine uint32) bool {
	for {
		old := w.Load()
		switch {
		case old == mine|claimWritten:
			return true
		case old != 0 && old != mine:
			return false
		case w.CompareAndSwap(old, mine|claimWritten):
			return true
		}
	}
}

// Touch notes or claims bytes of an allocation for the running block. Memory
// without claims is such that the kernel was not seen to write; a write to it
// after all is a conflict.
func (l *LaunchState) Touch(a *memory.Allocation, offset, bytes uint64, write bool) bool {
	f := l.Footprint
	switch {
	case f.Noting:
		if write {
			f.note(a)
		}
		return true
	case a.Claims == nil:
		return !write
	}
	mine := l.Claimant
	pieces := a.Claims[offset>>f.Shift : (offset+bytes-1)>>f.Shift+1]
	for i := range pieces {
		p := &pieces[i]
		switch old := p.Load(); {
		case old == mine|claimWritten || !write && (old == mine || old == claimShared):
		case write && !ClaimWrite(p, mine) || !write && !ClaimRead(p, mine):
			return false
		}
	}
	return true
}

// note remembers an allocation that was written to.
func (f *Footprint) note(a *memory.Allocation) {
	for _, b := range f.Written {
		if a == b {
			return
		}
	}
	f.Written = append(f.Written, a)
}

// Bytes is the size of the memory that was written to.
func (f *Footprint) Bytes() (n uint64) {
	for _, a := range f.Written {
		n += a.Bytes
	}
	return n
}

func (f *Footprint) Forget() {
	for _, a := range f.Written {
		a.Claims, a.Saved = nil, nil
	}
}

// Restore puts memory back to what it was when watch was called.
func (f *Footprint) Restore() {
	for _, a := range f.Written {
		copy(a.Data, a.Saved)
	}
	f.Forget()
}

// Watch begins to watch the memory that the first block wrote to, in pieces of a
// size, and keeps a copy of it.
func (f *Footprint) Watch(shift uint) {
	f.Noting, f.Shift = false, shift
	f.Stopped.Store(false)
	for _, a := range f.Written {
		a.Claims = make([]atomic.Uint32, (a.Bytes-1)>>shift+1)
		a.Saved = slices.Clone(a.Data)
	}
}

// HashWritten adds the pieces of memory that a block has written. While blocks run
// at the same time these are its own: no block writes what else it read, and the
// rest does not concern it.
func (f *Footprint) HashWritten(h *maphash.Hash, claimant uint32) {
	var place [8]byte
	for _, a := range f.Written {
		for i := range a.Claims {
			if a.Claims[i].Load() != claimant|claimWritten {
				continue
			}
			start := uint64(i) << f.Shift
			binary.LittleEndian.PutUint64(place[:], a.Base+start)
			h.Write(place[:])
			h.Write(a.Data[start:min(start+1<<f.Shift, uint64(len(a.Data)))])
		}
	}
}
