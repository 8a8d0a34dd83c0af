// SPDX-License-Identifier: Apache-2.0

package replacement

import (
	"math/bits"
	"math/rand/v2"
)

// random replaces any candidate with the same probability. The generator is PCG of
// math/rand/v2, whose sequence Go keeps.
type random struct{ from *rand.Rand }

func newRandom(_, _ int, seed uint64) Policy {
	return &random{rand.New(rand.NewPCG(seed, 0x7265706c616365))}
}

func (*random) Insert(int, int) {}
func (*random) Use(int, int)    {}

func (r *random) Victim(_ int, candidates uint64) int {
	for n := r.from.IntN(bits.OnesCount64(candidates)); n > 0; n-- {
		candidates &= candidates - 1
	}
	return bits.TrailingZeros64(candidates)
}
