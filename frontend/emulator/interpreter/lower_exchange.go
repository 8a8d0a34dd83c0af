// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"math/bits"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// exchange lowers the instructions by which the lanes of a warp talk to each
// other. Lanes outside of the member mask take no part; without a member mask
// those on another path of a divergent warp do not either.
func (l *lowering) exchange(in *ptx.Instruction) (operation, error) {
	switch in.Op {
	case ptx.OpShfl:
		return l.shuffle(in)
	case ptx.OpVote:
		return l.vote(in)
	case ptx.OpMatch:
		return l.match(in)
	case ptx.OpElect:
		return l.elect(in)
	case ptx.OpRedux:
		return l.reduction(in)
	}
	d, err := l.destination(&in.Operands[0], 32)
	return operation{kind: kindRun, run: runActivemask, d: d}, err
}

func runActivemask(c *warpContext, op *operation, mask uint32) error {
	d := lanes.Of[uint32](c.at(op.d))
	for m := mask; m != 0; m &= m - 1 {
		d[lanes.FirstLane(m)] = mask
	}
	return nil
}

// shuffleOperation is shfl (9.7.9.5, 9.7.9.6).
type shuffleOperation struct {
	mode  ptx.Mod
	valid uint32 // predicate that tells whether the source lane was in range
	// With immediate bounds, as almost always, sources has each lane's source
	// lane, inRange the lanes for which that was in range.
	fixed   bool
	sources [trace.WarpSize]uint8
	inRange uint32
}

// fix fills in the source lanes for given b and c.
func (k *shuffleOperation) fix(b, bounds uint32) {
	k.fixed = true
	for i := range uint32(trace.WarpSize) {
		j, ok := k.sourceLane(i, b&31, bounds)
		if !ok {
			j = i
		} else {
			k.inRange |= 1 << i
		}
		k.sources[i] = uint8(j & 31)
	}
}

func (l *lowering) shuffle(in *ptx.Instruction) (operation, error) {
	k := &shuffleOperation{valid: sink}
	for _, m := range []ptx.Mod{ptx.ModUp, ptx.ModDown, ptx.ModBfly, ptx.ModIdx} {
		if in.Mods.Has(m) {
			k.mode = m
		}
	}
	d, err := l.destination(&in.Operands[0], 32)
	if err != nil {
		return operation{}, err
	}
	if in.Destinations > 1 {
		if k.valid, err = l.predicateResult(&in.Operands[1]); err != nil {
			return operation{}, err
		}
	}
	operands := in.Operands[in.Destinations:]
	if operands[1].Kind == ptx.OperandImmediate && operands[2].Kind == ptx.OperandImmediate {
		k.fix(uint32(operands[1].Value), uint32(operands[2].Value))
	}
	s, err := l.sources(operands[:3], 32)
	return operation{kind: kindRun, run: runShuffle, d: d, a: s[0], b: s[1], c: s[2], extra: k}, err
}

func runShuffle(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*shuffleOperation)
	// All lanes read before any writes.
	source := *lanes.Of[uint32](c.at(op.a))
	if k.fixed {
		c.shuffleFixed(k, lanes.Of[uint32](c.at(op.d)), &source, mask)
		return nil
	}
	d, b, bounds := lanes.Of[uint32](c.at(op.d)), *lanes.Of[uint32](c.at(op.b)), *lanes.Of[uint32](c.at(op.c))
	var valid uint32
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		j, ok := k.sourceLane(uint32(i), b[i]&31, bounds[i])
		if ok {
			valid |= 1 << i
		} else {
			j = uint32(i)
		}
		d[i] = source[j&31]
	}
	if k.valid != sink {
		c.setPredicate(k.valid, valid, mask)
	}
	return nil
}

// shuffleFixed is runShuffle with the source lanes known.
func (c *warpContext) shuffleFixed(k *shuffleOperation, d, source *[trace.WarpSize]uint32, mask uint32) {
	if mask == lanes.FullMask {
		for i := range d {
			d[i] = source[k.sources[i]&31]
		}
	} else {
		for m := mask; m != 0; m &= m - 1 {
			i := lanes.FirstLane(m)
			d[i] = source[k.sources[i]&31]
		}
	}
	if k.valid != sink {
		c.setPredicate(k.valid, k.inRange, mask)
	}
}

// sourceLane is the lane that a lane reads from, and whether it is in range.
func (k *shuffleOperation) sourceLane(lane, b, bounds uint32) (uint32, bool) {
	clamp, segment := bounds&31, bounds>>8&31
	last := lane&segment | clamp&^segment
	switch k.mode {
	case ptx.ModUp:
		return lane - b, int32(lane-b) >= int32(last)
	case ptx.ModDown:
		return lane + b, lane+b <= last
	case ptx.ModBfly:
		return lane ^ b, lane^b <= last
	}
	j := lane&segment | b&^segment
	return j, j <= last
}

// voteOperation is vote (9.7.13.9): a predicate or a ballot of a predicate.
type voteOperation struct {
	mode        ptx.Mod
	a, flip     uint32
	members     uint32 // slot of the member mask
	d           uint32
	isPredicate bool
}

func (l *lowering) vote(in *ptx.Instruction) (operation, error) {
	k := &voteOperation{mode: ptx.ModBallot, isPredicate: true}
	for _, m := range []ptx.Mod{ptx.ModAll, ptx.ModAny, ptx.ModUni} {
		if in.Mods.Has(m) {
			k.mode = m
		}
	}
	var err error
	if k.a, k.flip, err = l.predicate(&in.Operands[1]); err != nil {
		return operation{}, err
	}
	if k.members, err = l.members(in.Operands[2:]); err != nil {
		return operation{}, err
	}
	if k.mode == ptx.ModBallot {
		k.isPredicate = false
		k.d, err = l.destination(&in.Operands[0], 32)
	} else {
		k.d, err = l.predicateResult(&in.Operands[0])
	}
	return operation{kind: kindRun, run: runVote, extra: k}, err
}

// members gives the slot of a member mask, all lanes if there is none.
func (l *lowering) members(operands []ptx.Operand) (uint32, error) {
	if len(operands) == 0 {
		return l.layout.constant(uint64(lanes.FullMask), false), nil
	}
	return l.source(&operands[0], 32)
}

func runVote(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*voteOperation)
	for rest := mask; rest != 0; {
		group, members := c.peers(op, k.members, rest)
		rest &^= group
		c.vote(k, group, members)
	}
	return nil
}

// vote stores what the members vote in the lanes of a group.
func (c *warpContext) vote(k *voteOperation, group, members uint32) {
	votes := (c.predicates[k.a] ^ k.flip) & members
	if !k.isPredicate {
		d := lanes.Of[uint32](c.at(k.d))
		for m := group; m != 0; m &= m - 1 {
			d[lanes.FirstLane(m)] = votes
		}
		return
	}
	var result bool
	switch k.mode {
	case ptx.ModAll:
		result = votes == members
	case ptx.ModAny:
		result = votes != 0
	default:
		result = votes == 0 || votes == members
	}
	if k.d != sink {
		c.setPredicate(k.d, spread(result), group)
	}
}

// spread gives a predicate that is the same in all lanes.
func spread(v bool) uint32 {
	if v {
		return lanes.FullMask
	}
	return 0
}

// matchOperation is match (9.7.13.11).
type matchOperation struct {
	all, wide bool
	members   uint32
	valid     uint32
}

func (l *lowering) match(in *ptx.Instruction) (operation, error) {
	k := &matchOperation{all: in.Mods.Has(ptx.ModAll), wide: in.Type().Bits() == 64, valid: sink}
	d, err := l.destination(&in.Operands[0], 32)
	if err != nil {
		return operation{}, err
	}
	if in.Destinations > 1 {
		if k.valid, err = l.predicateResult(&in.Operands[1]); err != nil {
			return operation{}, err
		}
	}
	a, err := l.source(&in.Operands[in.Destinations], in.Type().Bits())
	if err != nil {
		return operation{}, err
	}
	k.members, err = l.members(in.Operands[in.Destinations+1:])
	return operation{kind: kindRun, run: runMatch, d: d, a: a, extra: k}, err
}

func runMatch(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*matchOperation)
	source := *lanes.Of[uint32](c.at(op.a))
	var wide [trace.WarpSize]uint64
	if k.wide {
		wide = *lanes.Of[uint64](c.at(op.a))
	} else {
		for i, v := range source {
			wide[i] = uint64(v)
		}
	}
	for rest := mask; rest != 0; {
		group, members := c.peers(op, k.members, rest)
		rest &^= group
		c.match(op, k, &wide, group, members)
	}
	return nil
}

// match stores which members have the same value in the lanes of a group.
func (c *warpContext) match(op *operation, k *matchOperation, values *[trace.WarpSize]uint64, group, members uint32) {
	var results [trace.WarpSize]uint32
	allEqual := true
	for rest := members; rest != 0; { // one value after the other
		value, same := values[lanes.FirstLane(rest)], uint32(0)
		for m := rest; m != 0; m &= m - 1 {
			if i := lanes.FirstLane(m); values[i] == value {
				same |= 1 << i
			}
		}
		for m := same; m != 0; m &= m - 1 {
			results[lanes.FirstLane(m)] = same
		}
		allEqual = same == members
		rest &^= same
	}
	d := lanes.Of[uint32](c.at(op.d))
	for m := group; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		switch {
		case !k.all:
			d[i] = results[i]
		case allEqual:
			d[i] = members
		default:
			d[i] = 0
		}
	}
	if k.valid != sink {
		c.setPredicate(k.valid, spread(allEqual), group)
	}
}

// reduxOperation is redux.sync (9.7.13.13).
type reduxOperation struct {
	combine func(a, b uint32) uint32
	members uint32
}

func (l *lowering) reduction(in *ptx.Instruction) (operation, error) {
	k := &reduxOperation{combine: reduxFunction(in)}
	d, err := l.destination(&in.Operands[0], 32)
	if err != nil {
		return operation{}, err
	}
	a, err := l.source(&in.Operands[1], 32)
	if err != nil {
		return operation{}, err
	}
	k.members, err = l.members(in.Operands[2:])
	return operation{kind: kindRun, run: runRedux, d: d, a: a, extra: k}, err
}

func reduxFunction(in *ptx.Instruction) func(a, b uint32) uint32 {
	signed := in.Type().Signed()
	switch {
	case in.Mods.Has(ptx.ModAdd):
		return func(a, b uint32) uint32 { return a + b }
	case in.Mods.Has(ptx.ModMin) && signed:
		return func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }
	case in.Mods.Has(ptx.ModMin):
		return func(a, b uint32) uint32 { return min(a, b) }
	case in.Mods.Has(ptx.ModMax) && signed:
		return func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }
	case in.Mods.Has(ptx.ModMax):
		return func(a, b uint32) uint32 { return max(a, b) }
	case in.Mods.Has(ptx.ModAnd):
		return func(a, b uint32) uint32 { return a & b }
	case in.Mods.Has(ptx.ModOr):
		return func(a, b uint32) uint32 { return a | b }
	}
	return func(a, b uint32) uint32 { return a ^ b }
}

func runRedux(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*reduxOperation)
	a := *lanes.Of[uint32](c.at(op.a)) // all lanes read before any writes
	d := lanes.Of[uint32](c.at(op.d))
	for rest := mask; rest != 0; {
		group, members := c.peers(op, k.members, rest)
		rest &^= group
		if members == 0 {
			continue
		}
		value := a[bits.TrailingZeros32(members)]
		for m := members & (members - 1); m != 0; m &= m - 1 {
			value = k.combine(value, a[lanes.FirstLane(m)])
		}
		for m := group; m != 0; m &= m - 1 {
			d[lanes.FirstLane(m)] = value
		}
	}
	return nil
}
