// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// electOperation is elect.sync (9.7.13.14): d is the leader's lane, and p holds
// in the leader. Which member leads is for the machine to choose; here it is the
// lowest active one.
type electOperation struct{ d, p, members uint32 }

func (l *lowering) elect(in *ptx.Instruction) (operation, error) {
	k := &electOperation{}
	var err error
	if k.d, k.p, err = l.valueAndPredicate(in); err != nil {
		return operation{}, err
	}
	k.members, err = l.source(&in.Operands[in.Destinations], 32)
	return operation{kind: kindRun, run: runElect, extra: k}, err
}

func runElect(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*electOperation)
	for rest := mask; rest != 0; {
		group, members := c.peers(op, k.members, rest)
		rest &^= group
		if members == 0 {
			members = group // lanes outside of their own member mask: undefined
		}
		leader := lanes.FirstLane(members)
		if k.d != sink {
			d := lanes.Of[uint32](c.at(k.d))
			for m := group; m != 0; m &= m - 1 {
				d[lanes.FirstLane(m)] = uint32(leader)
			}
		}
		if k.p != sink {
			c.setPredicate(k.p, 1<<leader, group)
		}
	}
	return nil
}
