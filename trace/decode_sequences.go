package trace

import (
	"fmt"
)

func (c *Chunk) decodePaths(p *plan) error {
	if err := c.paths.readLengths(&c.columns.paths); err != nil {
		return err
	}
	c.next = initialSuccessors(c.next, p)
	steps := zeroRunReader{column: column{data: c.columns.paths.code}}
	for i := range c.paths.ends {
		predicted, previous := uint32(0), NoBlock
		path := c.paths.at(i)
		for v := range path {
			if previous != NoBlock {
				predicted = c.next[previous]
			}
			id := predicted
			if step := steps.next(); step != 0 {
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
	return steps.check()
}

func (c *Chunk) decodeMasks() error {
	if err := c.masks.readLengths(&c.columns.masks); err != nil {
		return err
	}
	codes := zeroRunReader{column: column{data: c.columns.masks.code}}
	values := column{data: c.columns.masks.value}
	for i := range c.masks.ends {
		history := newMaskHistory()
		masks := c.masks.at(i)
		for v := range masks {
			code := codes.next()
			if code == maskSame {
				masks[v] = history[0]
				continue
			}
			mask, ok := history.decode(code, &values)
			if !ok || mask == 0 {
				return fmt.Errorf("mask code %d of sequence %d yields no mask", code, i)
			}
			history.use(mask)
			masks[v] = mask
		}
	}
	if err := values.check(); err != nil {
		return err
	}
	return codes.check()
}

// decodeGuards needs the warps' references, since a guard sequence is coded in the
// context of the first warp that uses it.
func (c *Chunk) decodeGuards(p *plan) error {
	codes := zeroRunReader{column: column{data: c.columns.guards.code}}
	values := column{data: c.columns.guards.value}
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
	if err := values.check(); err != nil {
		return err
	}
	return codes.check()
}

func (c *Chunk) decodeGuardSequence(p *plan, w int, codes *zeroRunReader, values *column) error {
	path, masks := c.paths.at(int(c.warpPath[w])), c.masks.at(int(c.warpMasks[w]))
	guards := c.guards.at(int(c.warpGuards[w]))
	before := masks0(masks)
	for v, id := range path {
		for range p.blocks[id].guards {
			guard := masks[v]
			switch code := codes.next(); code {
			case guardAll:
			case guardNone:
				guard = 0
			case guardAsBefore:
				guard &= before
			case guardNotAsBefore:
				guard &^= before
			case guardSubset:
				guard = scatterBits(uint32(values.uvarint()), guard)
			default:
				return fmt.Errorf("unknown guard code %d of warp %d", code, w)
			}
			guards[0], before, guards = guard, guard, guards[1:]
		}
	}
	return nil
}
