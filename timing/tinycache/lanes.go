// SPDX-License-Identifier: Apache-2.0

package tinycache

import (
	"math/bits"

	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// request is what the lanes of one access want, by line.
type request struct {
	mask      uint32
	keys      [lanes]uint64
	halfWords [lanes]uint64
	// second are the lanes whose bytes reach into the next line, which no aligned
	// access does.
	second    uint32
	addresses [lanes]uint64 // of an access that is not strided
}

// set resolves the lane addresses of an access.
func (r *request) set(h *shape, a *seam.MemoryAccess) {
	r.mask, r.second = a.Mask, 0
	shared, window := a.Space == trace.SpaceShared, seam.Window(a.Space)
	relative := shared || window > 0
	strided, base := a.Access.Strided(), a.Access.Base
	if !strided {
		a.Chunk.Addresses(a.Access, a.Mask, &r.addresses)
	} else if relative {
		base &= trace.WindowBytes - 1
	}
	n := max(uint64(a.LaneBytes), 1)
	for m := a.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		address := r.addresses[i]
		if strided {
			address = base + uint64(int64(a.Access.Stride)*int64(i))
		}
		if relative {
			address = address&(trace.WindowBytes-1) + window
		}
		r.keys[i] = h.keyOf(address, shared, a.BlockSlot)
		offset := address & (1<<h.lineShift - 1)
		end := offset + n
		if end > 1<<h.lineShift {
			end = 1 << h.lineShift
			r.second |= 1 << i
		}
		r.halfWords[i] = upTo((end+1)/2) &^ upTo(offset/2)
	}
}

// upTo is the mask of the n lowest bits, n in 0..64.
func upTo(n uint64) uint64 { return uint64(1)<<n - 1 }
