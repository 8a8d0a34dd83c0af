// SPDX-License-Identifier: Apache-2.0

package gpu

import "github.com/warptape/warptape/timing/seam"

// links is the traffic of each link between routers so far; nil without any.
func (g *GPU) links() []seam.LinkUse {
	if r := g.memory.Links; r != nil {
		return r.Links()
	}
	return nil
}

// linksSince is the traffic since a call of links.
func (g *GPU) linksSince(before []seam.LinkUse) []seam.LinkUse {
	now := g.links()
	for i := range now {
		now[i].Flits -= before[i].Flits
	}
	return now
}
