// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"fmt"

	"github.com/warptape/warptape/trace/internal/columns"
)

func (c *Decoder) decodePaths(p *Plan) error {
	if err := c.paths.readLengths(&c.Columns.Paths, &c.room); err != nil {
		return err
	}
	c.next = initialSuccessors(c.next, p)
	steps := columns.ZeroRunReader{Reader: columns.Reader{Data: c.Columns.Paths.Code}}
	for i := range c.paths.ends {
		predicted, previous := uint32(0), noBlock
		path := c.paths.at(i)
		for v := range path {
			if previous != noBlock {
				predicted = c.next[previous]
			}
			id := predicted
			if step := steps.Next(); step != 0 {
				if step > uint64(len(p.Blocks)) {
					return fmt.Errorf("basic block %d of %d does not exist", step-1, len(p.Blocks))
				}
				id = uint32(step - 1)
			}
			if previous != noBlock {
				c.next[previous] = id
			}
			path[v], previous = id, id
		}
	}
	return steps.Check()
}

func (c *Decoder) decodeMasks() error {
	if err := c.masks.readLengths(&c.Columns.Masks, &c.room); err != nil {
		return err
	}
	codes := columns.ZeroRunReader{Reader: columns.Reader{Data: c.Columns.Masks.Code}}
	values := columns.Reader{Data: c.Columns.Masks.Value}
	for i := range c.masks.ends {
		history := columns.NewMaskHistory()
		masks := c.masks.at(i)
		for v := range masks {
			code := codes.Next()
			if code == columns.MaskSame {
				masks[v] = history[0]
				continue
			}
			mask, ok := history.Decode(code, &values)
			if !ok || mask == 0 {
				return fmt.Errorf("mask code %d of sequence %d yields no mask", code, i)
			}
			history.Use(mask)
			masks[v] = mask
		}
	}
	if err := values.Check(); err != nil {
		return err
	}
	return codes.Check()
}

// decodeGuards needs the warps' references, since a guard sequence is coded in the
// context of the first warp that uses it.
func (c *Decoder) decodeGuards(p *Plan) error {
	codes := columns.ZeroRunReader{Reader: columns.Reader{Data: c.Columns.Guards.Code}}
	values := columns.Reader{Data: c.Columns.Guards.Value}
	unused := uint32(0)
	for w := range c.warpGuards {
		if c.warpGuards[w] != unused {
			continue
		}
		unused++
		if err := c.decodeGuardSequence(p, w, &codes, &values); err != nil {
			return err
		}
	}
	if err := values.Check(); err != nil {
		return err
	}
	return codes.Check()
}

func (c *Decoder) decodeGuardSequence(p *Plan, w int, codes *columns.ZeroRunReader, values *columns.Reader) error {
	path, masks := c.paths.at(int(c.warpPath[w])), c.masks.at(int(c.warpMasks[w]))
	guards := c.guards.at(int(c.warpGuards[w]))
	before := masks0(masks)
	for v, id := range path {
		for range p.Blocks[id].Guards {
			guard := masks[v]
			switch code := codes.Next(); code {
			case columns.GuardAll:
			case columns.GuardNone:
				guard = 0
			case columns.GuardAsBefore:
				guard &= before
			case columns.GuardNotAsBefore:
				guard &^= before
			case columns.GuardSubset:
				guard = columns.ScatterBits(uint32(values.Uvarint()), guard)
			default:
				return fmt.Errorf("unknown guard code %d of warp %d", code, w)
			}
			guards[0], before, guards = guard, guard, guards[1:]
		}
	}
	return nil
}
