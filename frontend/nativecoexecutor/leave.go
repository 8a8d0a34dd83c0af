// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/ptx"
)

// leave tells where the lanes of a visit go, by the segments in which they are next.
// executes are those that executed the last instruction.
func (c *context) leave(s *contaminator.Segment, mask, executes uint32, r *coexecution.Record) error {
	k := c.program.kernel
	last := s.First + s.Count - 1
	in := &k.PTX.Body[last]
	if in.Op == ptx.OpCall {
		return c.call(s, in, mask, executes, r)
	}
	taken := contaminator.Exit
	if in.Op == ptx.OpBra {
		taken = k.SegmentAt(in.Operands[0].Label.Index)
	}
	returns := in.Op == ptx.OpRet && s.Unit > 0
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		bit := uint32(1) << lane
		switch to := c.following(lane); {
		case to == contaminator.Exit && (s.FallThrough == contaminator.Exit || in.Op == ptx.OpRet || in.Op == ptx.OpExit || in.Op == ptx.OpBra && taken == contaminator.Exit || in.Op == ptx.OpBrx):
			r.Exited |= bit
		case in.Op == ptx.OpBrx && executes&bit != 0 && to >= 0:
			r.AddTarget(to, bit)
		case to == taken && in.Op == ptx.OpBra:
			r.Taken, r.TakenSegment = r.Taken|bit, taken
		case to == s.FallThrough && to >= 0:
			r.FallThrough |= bit
		case returns && to >= 0 && len(c.frames[lane]) > 1 && to == c.frames[lane][len(c.frames[lane])-1].back:
			r.Returned |= bit
			c.frames[lane] = c.frames[lane][:len(c.frames[lane])-1]
		default:
			return c.wrong(c.program.numbers[last], bit, "the lane goes on where the instruction does not lead")
		}
	}
	return nil
}

// call enters functions. Those that the device provides come back by themselves.
func (c *context) call(s *contaminator.Segment, in *ptx.Instruction, mask, executes uint32, r *coexecution.Record) error {
	k := c.program.kernel
	r.FallThrough = mask
	for m := executes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		to := c.following(lane)
		switch {
		case to == s.FallThrough && to >= 0:
			continue
		case to == contaminator.Exit && in.Operands[1].Register != nil:
			return deviceError(k, fmt.Errorf("%s: lane %d of warp %d of thread block %d calls through what is the address of no function that fits", in.Position, lane, c.identity.Warp, c.block))
		case to < 0 || k.Units[k.Segments[to].Unit].Entry != to:
			return c.wrong(c.program.numbers[s.First+s.Count-1], 1<<lane, "the lane goes on where the call does not lead")
		}
		unit := k.Segments[to].Unit
		at := c.frames[lane][len(c.frames[lane])-1]
		below := frame{variables: at.variables + k.FrameStep(s.Unit, unit), back: s.FallThrough}
		if c.program.mode == contamination.Segments {
			if need := below.variables + k.Units[unit].FrameBytes; need > c.program.rewritten.StackBytes {
				return deviceError(k, fmt.Errorf("%s: function %s needs %d bytes of stack, lane %d of warp %d of thread block %d has %d and is %d calls deep; does a recursion not end?",
					in.Position, k.Units[unit].PTX.Function.Name, need, lane, c.identity.Warp, c.block, c.program.rewritten.StackBytes, len(c.frames[lane])))
			}
			below.state = at.state + c.program.rewritten.Frames[s.Unit].Bytes
		}
		c.frames[lane] = append(c.frames[lane], below)
		r.Call = true
		r.AddTarget(to, 1<<lane)
	}
	return nil
}
