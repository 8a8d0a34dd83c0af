// SPDX-License-Identifier: Apache-2.0

package lanecode

import "github.com/warptape/warptape/trace/internal/lanevector"

// The contexts of lane classes: by what a class is predicted. See LaneContext in
// wtape.proto.
const (
	ContextNone     = iota
	ContextSameLane // the class that the lane had last
	ContextKey      // the key of a model with a table
	ContextEnd
)

// maxContexts is the largest number of contexts; ContextCount is that of each kind.
const maxContexts = lanevector.MaxContexts

var ContextCount = [ContextEnd]int{ContextNone: 1, ContextSameLane: 16, ContextKey: maxContexts}

// contextOfClass is the context of the class after a class of the same lane.
var contextOfClass = func() (t [256]uint8) {
	for class := range t {
		t[class] = lanevector.ContextOf(uint8(class))
	}
	return t
}()

// KeyContexts finds the contexts of the lanes of the next execution by their keys.
func (m *Model) KeyContexts(warp int, out *[WarpLanes]uint8) {
	m.begin(warp)
	known, keys, unit := m.seen, &m.last, uint(0)
	if m.Kind == ModelMap {
		known, keys, unit = m.companion.known(m.warp), &m.companion.Addresses, m.unit
	}
	if known == AllWarpLanes {
		for l, key := range keys {
			out[l] = uint8(key>>(unit&63)) % maxContexts
		}
		return
	}
	for l, key := range keys {
		out[l] = uint8(key>>(unit&63)) % maxContexts & -uint8(known>>l&1)
	}
}

// The open bits of a code are symbols of at most nibbleBits bits, lowest first. The
// table of a symbol is chosen by its place and width.
const (
	nibbleBits   = 4
	nibbleTotal  = 1 << nibbleScale
	nibbleScale  = 10 // bits of a frequency
	nibbleTables = nibbleBits * 64 / nibbleBits
)
