// SPDX-License-Identifier: Apache-2.0

package divergence

import (
	"math"
	"math/bits"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/projection"
	"github.com/warptape/warptape/trace/wtape"
)

// Gatherer makes an access of the addresses of lanes that were recorded in several.
type Gatherer struct {
	// Addresses are those of the lanes, for Access.
	Addresses [projection.MaxWidth]uint64
	// chunk has the irregular ones. It is never changed, as accesses are on their way to
	// memory for a while: when it is full, another takes its place.
	chunk *wtape.Chunk
}

// gathered is how many irregular accesses a chunk has.
const gathered = wtape.LanePage

// Access gives the access of some lanes, at their addresses. The chunk has those that are
// not strided; nil: they are.
func (g *Gatherer) Access(lanes uint32) (trace.Access, *wtape.Chunk) {
	if a, ok := strided(lanes, &g.Addresses); ok {
		return a, nil
	}
	if g.chunk == nil || g.chunk.LaneSets() == gathered {
		g.chunk = wtape.NewChunk()
	}
	return g.chunk.AddLanes(lanes, (*[trace.WarpSize]uint64)(g.Addresses[:])), g.chunk
}

// strided gives the access of lanes whose addresses are at one distance from lane to lane;
// false when they are not.
func strided(lanes uint32, addresses *[projection.MaxWidth]uint64) (trace.Access, bool) {
	a := trace.Access{Lanes: -1}
	if lanes == 0 {
		return a, true
	}
	first := bits.TrailingZeros32(lanes)
	stride := int64(0)
	if rest := lanes & (lanes - 1); rest != 0 {
		second := bits.TrailingZeros32(rest)
		stride = int64(addresses[second]-addresses[first]) / int64(second-first)
	}
	if stride != int64(int32(stride)) || stride == math.MinInt32 {
		return a, false
	}
	a.Base, a.Stride = addresses[first]-uint64(stride*int64(first)), int32(stride)
	for m := lanes; m != 0; m &= m - 1 {
		if l := bits.TrailingZeros32(m); addresses[l] != a.Base+uint64(stride*int64(l)) {
			return a, false
		}
	}
	return a, true
}
