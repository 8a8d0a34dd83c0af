// SPDX-License-Identifier: Apache-2.0

package replay

import "github.com/warptape/warptape/timing/gpu"

// Link is the traffic of one link between two routers over a whole replay.
// Routers of a mesh are numbered row by row, those of a butterfly stage by
// stage.
type Link struct {
	Network string `json:"network"` // "request", "reply", or "shared" for both
	From    int    `json:"from"`
	To      int    `json:"to"`
	Flits   uint64 `json:"flits"`
	// Busy is the share of the network's cycles, while a launch ran, in which it
	// carried a flit.
	Busy float64 `json:"busy"`
}

func newLinks(run *gpu.Run) []Link {
	cycles := float64(run.Cycles) * float64(run.Clocks.Network.KHz) / float64(run.Clocks.Core.KHz)
	var out []Link
	for _, l := range run.Links {
		out = append(out, Link{Network: l.Network, From: l.From, To: l.To, Flits: l.Flits, Busy: float64(l.Flits) / max(cycles, 1)})
	}
	return out
}
