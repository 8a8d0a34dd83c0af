// SPDX-License-Identifier: Apache-2.0

package wtape

import (
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/lanecode"
)

// AccessPattern is where the lanes of a memory instruction lie to each other, for a
// caller that meets the same pattern again and again.
type AccessPattern struct {
	// Mask are the lanes that take part; there is one at least.
	Mask uint32
	// Offsets are the distances of these lanes from the lowest of them; those of the
	// other lanes are zero.
	Offsets [trace.WarpSize]uint64
	// Note belongs to the recorder of the pattern. The caller clears it when the
	// pattern becomes another one.
	Note PatternNote
}

// PatternNote says by which number a recorder knows a pattern.
type PatternNote struct {
	Recorder any
	Epoch    uint64 // how many times the recorder had begun to number patterns anew
	Number   int32
}

// Place computes the lane addresses of the pattern; base is that of the lowest lane.
func (p *AccessPattern) Place(base uint64, addresses *[trace.WarpSize]uint64) {
	lanecode.PlacePattern(addresses, base, &p.Offsets)
}

// AccessPattern is Access for lanes that lie in a pattern; base is the address of the
// lowest one. The pattern is looked at once for each chunk.
func (w *Writer) AccessPattern(warp int, base uint64, p *AccessPattern) {
	b := &w.block
	known := p.Note.Recorder == w && p.Note.Epoch == b.Epoch()
	if !known {
		if from, stride, ok := lanecode.DetectStride(p.Mask, &p.Offsets); ok {
			w.AccessStrided(warp, p.Mask, base+from, int64(stride))
			return
		}
	}
	if !b.HasRoom() {
		return
	}
	if !known {
		p.Note = PatternNote{w, b.Epoch(), b.Number(p.Mask, &p.Offsets)}
	}
	b.AccessPattern(warp, p.Mask, base, p.Note.Number)
}
