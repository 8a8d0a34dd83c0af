// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"math/bits"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
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
		case to == taken && in.Op == ptx.OpBra:
			r.Taken, r.TakenSegment = r.Taken|bit, taken
		case to == s.FallThrough && to >= 0:
			r.FallThrough |= bit
		case in.Op == ptx.OpBrx && to >= 0:
			r.AddTarget(to, bit)
		case returns && to >= 0:
			r.Returned |= bit
			if n := len(c.frames[lane]); n > 1 {
				c.frames[lane] = c.frames[lane][:n-1]
			}
		default:
			return c.wrong(c.program.numbers[last], bit, "the lane goes on where the instruction does not lead")
		}
	}
	return nil
}

// call enters functions. Those that the device provides come back by themselves.
func (c *context) call(s *contaminator.Segment, in *ptx.Instruction, mask, executes uint32, r *coexecution.Record) error {
	k := c.program.kernel
	caller := &k.Units[s.Unit]
	saves := false
	for _, f := range in.Callees(k.PTX.Module) {
		saves = saves || f.Defined && k.Units[k.UnitOf(f)].Cycle == caller.Cycle
	}
	r.FallThrough = mask
	for m := executes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		to := c.following(lane)
		switch {
		case to == s.FallThrough && to >= 0:
			continue
		case to < 0 || k.Units[k.Segments[to].Unit].Entry != to:
			return c.wrong(c.program.numbers[s.First+s.Count-1], 1<<lane, "the lane goes on where the call does not lead")
		}
		callee := &k.Units[k.Segments[to].Unit]
		frame := c.frames[lane][len(c.frames[lane])-1] + caller.FrameBytes
		if saves {
			if callee.Cycle == caller.Cycle {
				frame += 4 * uint64(caller.Registers)
			}
			frame = memory.AlignUp(frame, k.FrameAlign)
		}
		c.frames[lane] = append(c.frames[lane], frame)
		r.Call = true
		r.AddTarget(to, 1<<lane)
	}
	return nil
}
