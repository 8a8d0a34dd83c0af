// SPDX-License-Identifier: Apache-2.0

package dump

import (
	"math/bits"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// barrier is at which barrier lanes arrive, in JSON.
type barrier struct {
	Number  uint32 `json:"number"`
	Threads uint32 `json:"threads,omitempty"` // that it expects; absent: all of the thread block
}

// barrierOf is what the lanes in mask, which is not empty, bring to a barrier with values.
func barrierOf(c *wtape.Chunk, a trace.Access, mask uint32) trace.BarrierVisit {
	return trace.BarrierOf(c.Lane(a, bits.TrailingZeros32(mask)))
}
