// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// runStepwise executes a segment one instruction at a time, if the thread that is
// watched takes part.
func (c *warpContext) runStepwise(segment int, mask uint32) error {
	w := c.launch.Watch
	lane, ok := w.Lane(c.identity)
	if !ok || mask>>lane&1 == 0 {
		err := c.execute(c.program.segments[segment], mask)
		c.record.Resume.Segment = segment
		return err
	}
	if w.Launch != c.launch.ID {
		w.Launch = c.launch.ID
		t, b := c.launch.Thread(int(w.Thread)), c.identity.Block.Index
		fmt.Fprintf(w.Out, "launch %d: kernel %s, block (%d,%d,%d), thread (%d,%d,%d)\n", w.Launch, c.program.kernel.PTX.Name, b.X, b.Y, b.Z, t.X, t.Y, t.Z)
	}
	return c.stepFrom(segment, 0, mask)
}

// stepFrom executes the instructions of a segment from one on, one at a time.
func (c *warpContext) stepFrom(segment, from int, mask uint32) error {
	w := c.launch.Watch
	lane, _ := w.Lane(c.identity)
	seg := &c.program.kernel.Segments[segment]
	if from > 0 && c.record.Meeting.Mask>>lane&1 != 0 { // the instruction at which the run was suspended
		c.show(w, seg.First+from-1, lane)
	}
	for i := seg.First + from; i < seg.First+seg.Count; i++ {
		executes := c.guardHolds(i, lane)
		if err := c.execute(c.program.operations[i:i+1], mask); err != nil {
			return err
		}
		if c.record.Meeting.Waits {
			c.record.Resume.Segment, c.record.Resume.At, c.record.Resume.Stepwise = segment, i-seg.First, true
			return nil
		}
		if executes {
			c.show(w, i, lane)
		}
	}
	return nil
}

// guardHolds reports whether a lane executes an instruction.
func (c *warpContext) guardHolds(instruction, lane int) bool {
	g := c.program.kernel.PTX.Body[instruction].Guard
	if g.Register == nil {
		return true
	}
	return c.predicates[c.program.layout.registers[g.Register.Index]]>>lane&1 != 0 != g.Negated
}

// show writes a line for an instruction that has been executed.
func (c *warpContext) show(w *coexecution.Watch, instruction, lane int) {
	in := &c.program.kernel.PTX.Body[instruction]
	var values []string
	for i := range in.Operands[:in.Destinations] {
		values = c.appendValues(w, values, &in.Operands[i], in.Type(), lane)
	}
	if len(values) == 0 && len(w.Registers) > 0 {
		return
	}
	place := fmt.Sprintf("%s:%d", in.File, in.Line)
	if in.SourceLine != 0 {
		place += fmt.Sprintf(" (%s:%d)", c.program.kernel.PTX.Module.SourceFiles[in.SourceFile], in.SourceLine)
	}
	text := strings.Join(strings.Fields(coexecution.LineOf(c.program.kernel.PTX.Module.Text, in.Line)), " ")
	fmt.Fprintf(w.Out, "%s  %s  %s\n", place, text, strings.Join(values, ", "))
}

// appendValues adds the registers of a destination with their values.
func (c *warpContext) appendValues(w *coexecution.Watch, values []string, o *ptx.Operand, t ptx.Type, lane int) []string {
	for i := range o.Elements {
		values = c.appendValues(w, values, &o.Elements[i], t, lane)
	}
	if o.Kind != ptx.OperandRegister || len(w.Registers) > 0 && !slices.Contains(w.Registers, o.Register.Name) {
		return values
	}
	slot := c.program.layout.registers[o.Register.Index]
	name, bits := o.Register.Name, o.Register.Type.Bits()
	if o.Register.Type == ptx.Pred {
		return append(values, fmt.Sprintf("%s = %t", name, c.predicates[slot]>>lane&1 != 0))
	}
	if bits == 128 {
		return append(values, fmt.Sprintf("%s = 0x%016x%016x", name, c.lane(upperHalf(slot), true, lane), c.lane(slot, true, lane)))
	}
	v := c.lane(slot, bits == 64, lane)
	return append(values, fmt.Sprintf("%s = %#x%s", name, v, reading(v, t, bits)))
}

// reading is what a value means in the instruction's type.
func reading(v uint64, t ptx.Type, bits int) string {
	switch {
	case t == ptx.F32 && bits == 32:
		return fmt.Sprintf(" (%g)", math.Float32frombits(uint32(v)))
	case t == ptx.F64 && bits == 64:
		return fmt.Sprintf(" (%g)", math.Float64frombits(v))
	case t.Signed():
		return fmt.Sprintf(" (%d)", int64(lanes.Extend(v, bits, true)))
	}
	return fmt.Sprintf(" (%d)", v)
}
