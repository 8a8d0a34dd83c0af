// SPDX-License-Identifier: Apache-2.0

package chunks

import "fmt"

// CheckWarps checks what a writer takes for granted and a chunk may violate: that the
// masks of each warp lie within its lanes. also checks more of a warp. Neighbours that
// behave alike are checked once. It counts the thread instructions of all warps.
func (c *Decoder) CheckWarps(p *Plan, lanes func(warp int) uint32, also func(warp int, lanes uint32) error) (threads uint64, err error) {
	last := Behaviour{path: -1}
	for w := range c.warpPath {
		path, masks, guards, all := int(c.warpPath[w]), int(c.warpMasks[w]), int(c.warpGuards[w]), lanes(w%c.Warps)
		if !last.is(path, masks, guards, all) {
			var record WarpRecord
			record.Blocks, record.masks, record.guards = c.Warp(w)
			err := checkMasks(p, &record, all)
			if err == nil {
				err = also(w, all)
			}
			if err != nil {
				return 0, fmt.Errorf("thread block %d, warp %d: %w", c.Blocks[w/c.Warps], w%c.Warps, err)
			}
			last.path, last.masks, last.guards, last.lanes = path, masks, guards, all
			last.threads = p.threadInstructions(record.Blocks, record.masks, record.guards)
		}
		threads += last.threads
	}
	return threads, nil
}
