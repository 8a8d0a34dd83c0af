// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// copyOperation is cp.async (9.7.9.25.3). The copy is done at once, as it may be
// before any thread waits for it; the trace has the source's addresses.
type copyOperation struct {
	from, to accessOperation
	given    uint32 // slot of the source's size
}

func (l *lowering) copyAsync(in *ptx.Instruction, traced bool) (operation, error) {
	switch {
	case in.Mods.Has(ptx.ModBulk):
		return l.bulk(in, traced)
	case in.Mods.Has(ptx.ModMbarrier):
		return l.mbarrier(in, traced)
	case len(in.Operands) < 3:
		return operation{kind: kindRun, run: nothing}, nil // commits and waits
	}
	size := in.Operands[2].Value
	shared, global := *in, *in
	shared.Space, shared.Types[0] = ptx.SpaceShared, ptx.B8
	global.Types[0] = ptx.B8
	to, err := l.access(&shared, &in.Operands[0], false)
	if err != nil {
		return operation{}, err
	}
	from, err := l.access(&global, &in.Operands[1], traced)
	if err != nil {
		return operation{}, err
	}
	k := &copyOperation{from: *from, to: *to, given: l.layout.constant(size, false)}
	k.from.bytes, k.from.verb = size, "asynchronous copy"
	k.to.bytes, k.to.verb, k.to.write = size, "asynchronous copy", true
	if values := in.Values(); len(values) > 3 {
		k.given, err = l.source(&values[3], 32)
	}
	return operation{kind: kindRun, run: runCopy, always: traced, extra: k}, err
}

func runCopy(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*copyOperation)
	s := &c.access
	c.locate(&k.to, mask)
	var targets [trace.WarpSize]uint64
	for i := range targets {
		targets[i] = s.address(i)
	}
	c.locate(&k.from, mask)
	c.trace(&k.from, mask)
	var data [trace.WarpSize][16]byte
	given := lanes.Of[uint32](c.at(k.given))
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		n := min(uint64(given[i]), k.from.bytes) // the rest is zeros
		if n == 0 {
			continue
		}
		b, err := c.resolve(&k.from, i)
		if err != nil {
			return err
		}
		copy(data[i][:n], b)
	}
	s.strided, s.addresses = false, targets
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		b, err := c.resolve(&k.to, i)
		if err != nil {
			return err
		}
		copy(b, data[i][:])
	}
	return nil
}
