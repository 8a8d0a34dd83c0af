// SPDX-License-Identifier: Apache-2.0

package gpu

import "github.com/warptape/warptape/timing/limits"

// Certificate says, after a replay, with which other values of the machine's limits and caches
// it would have been the same: all replays of this GPU together. Nil: nothing is known.
func (g *GPU) Certificate() *limits.Certificate {
	if g.memory.Certifier == nil {
		return nil
	}
	c := new(limits.Certificate)
	g.memory.Certifier.Certify(c)
	return c
}
