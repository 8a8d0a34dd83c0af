package trace

import (
	"fmt"

	"github.com/warptape/warptape/trace/internal/columns"
)

func (c *Chunk) decodePaths(p *plan) error {
	if err := c.paths.readLengths(&c.columns.paths); err != nil {
		return err
	}
	c.next = initialSuccessors(c.next, p)
	steps := columns.ZeroRunReader{Reader: columns.Reader{Data: c.columns.paths.code}}
	for i := range c.paths.ends {
		predicted, previous := uint32(0), NoBlock
		path := c.paths.at(i)
		for v := range path {
			if previous != NoBlock {
				predicted = c.next[previous]
			}
			id := predicted
			if step := steps.Next(); step != 0 {
				if step > uint64(len(p.blocks)) {
					return fmt.Errorf("basic block %d of %d does not exist", step-1, len(p.blocks))
				}
				id = uint32(step - 1)
			}
			if previous != NoBlock {
				c.next[previous] = id
			}
			path[v], previous = id, id
		}
	}
	return steps.Check()
}

func (c *Chunk) decodeMasks() error {
	if err := c.masks.readLengths(&c.columns.masks); err != nil {
		return err
	}
	codes := columns.ZeroRunReader{Reader: columns.Reader{Data: c.columns.masks.code}}
	values := columns.Reader{Data: c.columns.masks.value}
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
func (c *Chunk) decodeGuards(p *plan) error {
	codes := columns.ZeroRunReader{Reader: columns.Reader{Data: c.columns.guards.code}}
	values := columns.Reader{Data: c.columns.guards.value}
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

func (c *Chunk) decodeGuardSequence(p *plan, w int, codes *columns.ZeroRunReader, values *columns.Reader) error {
	path, masks := c.paths.at(int(c.warpPath[w])), c.masks.at(int(c.warpMasks[w]))
	guards := c.guards.at(int(c.warpGuards[w]))
	before := masks0(masks)
	for v, id := range path {
		for range p.blocks[id].guards {
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
