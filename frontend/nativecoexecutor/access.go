// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

func mnemonic(in *ptx.Instruction) string {
	return strings.Join(append([]string{in.Op.String()}, in.Suffixes...), ".")
}

// access adds the addresses of a memory instruction to the record.
func (c *context) access(i int, site *contamination.Site, executes uint32, r *coexecution.Record) error {
	in, o := &c.program.kernel.PTX.Body[i], site.Address
	a := r.NextAccess()
	a.Instruction, a.Mask, a.Pattern = i, executes, nil
	if site.Bulk != nil {
		return c.bulk(i, site.Bulk, executes, a)
	}
	if site.Coordinates != nil {
		return c.sample(i, site, executes, a)
	}
	if site.Stride != nil || in.Op == ptx.OpWmma {
		return c.matrix(i, site, executes, a)
	}
	if executes == 0 || !contamination.Logged(o) && !c.framed(o) {
		a.Strided, a.Base, a.Stride = true, c.static(o, executes != 0), 0
		return nil
	}
	a.Strided = false
	if !contamination.Logged(o) {
		at := c.program.placeOf(o.Variable) + uint64(o.Offset)
		for m := executes; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			a.Addresses[lane] = c.frames[lane][len(c.frames[lane])-1].variables + at
		}
		return nil
	}
	if err := c.addresses(i, o, executes, a); err != nil {
		return err
	}
	if in.Op == ptx.OpLdmatrix || in.Op == ptx.OpStmatrix {
		c.repeatRows(in, a)
	}
	return nil
}

// addresses takes the lanes' addresses from the log.
func (c *context) addresses(i int, o *ptx.Operand, executes uint32, a *coexecution.AccessRecord) error {
	in := &c.program.kernel.PTX.Body[i]
	if err := c.operand(i, o, executes); err != nil {
		return err
	}
	for m := executes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		space := in.Space
		if in.Op == ptx.OpTensormap && in.Into != ptx.SpaceNone {
			space = in.Into
		}
		at, ok := c.program.places.translate(space, c.values[lane], c.rank())
		if ok && !c.allocated(in, at) {
			return deviceError(c.program.kernel, c.outside(i, in, lane, at))
		}
		if !ok {
			return c.wrong(c.program.numbers[i], 1<<lane, fmt.Sprintf("%s accesses 0x%x, where nothing is", mnemonic(in), c.values[lane]))
		}
		a.Addresses[lane] = at
	}
	return nil
}

// outside is the fault of an access to global memory where no buffer is. The device has let
// it pass, since all buffers lie in one piece of its memory.
func (c *context) outside(i int, in *ptx.Instruction, lane int, at uint64) error {
	detail, freed := c.program.launch.Memory.Global.Describe(at, uint64(in.LaneBytes()))
	f := &coexecution.Fault{Kind: coexecution.FaultOutOfBounds, Access: mnemonic(in), Address: at, Space: ptx.SpaceGlobal, Detail: detail}
	if freed {
		f.Kind = coexecution.FaultUseAfterFree
	}
	f.Locate(c.program.kernel.PTX, i, c.identity, lane)
	return f
}

// matrix gives wmma.load and wmma.store the address of each lane's piece, as ptx.Fragment
// hands the matrix out.
func (c *context) matrix(i int, site *contamination.Site, executes uint32, a *coexecution.AccessRecord) error {
	a.Strided = executes == 0
	if a.Strided {
		a.Base, a.Stride = c.static(site.Address, false), 0
		return nil
	}
	if contamination.Logged(site.Address) {
		if err := c.addresses(i, site.Address, executes, a); err != nil {
			return err
		}
	} else {
		for lane := range a.Addresses {
			a.Addresses[lane] = c.static(site.Address, true)
		}
	}
	fragment := c.program.kernel.PTX.Body[i].Fragment()
	for lane := range c.values {
		c.values[lane] = uint64(fragment.Length)
	}
	if site.Stride != nil {
		if err := c.operand(i, site.Stride, executes); err != nil {
			return err
		}
	}
	for lane := range a.Addresses {
		a.Addresses[lane] += fragment.Offset(lane, uint32(c.values[lane]))
	}
	return nil
}

// allocated reports whether the first byte of an access to global memory lies in a buffer.
func (c *context) allocated(in *ptx.Instruction, at uint64) bool {
	switch in.Space {
	case ptx.SpaceGlobal, ptx.SpaceGeneric, ptx.SpaceNone:
		for _, base := range []uint64{memory.ConstWindowBase, memory.SharedWindowBase, memory.LocalWindowBase, memory.ParamWindowBase} {
			if memory.InWindow(at, base) {
				return in.Space != ptx.SpaceGlobal
			}
		}
		return c.program.lives(at, 1)
	}
	return true
}

// repeatRows gives lanes whose addresses ldmatrix and stmatrix do not use those of the lanes
// that give the same rows, as the interpreter does.
func (c *context) repeatRows(in *ptx.Instruction, a *coexecution.AccessRecord) {
	vector := &in.Operands[0]
	if in.Op == ptx.OpStmatrix {
		vector = &in.Operands[1]
	}
	const rowsOfMatrix = 8
	if rows := max(len(vector.Elements), 1) * rowsOfMatrix; rows < trace.WarpSize {
		for lane := range a.Addresses {
			a.Addresses[lane] = a.Addresses[lane%rows]
		}
	}
}

// framed reports whether an operand names a variable in a frame of a function.
func (c *context) framed(o *ptx.Operand) bool {
	v := o.Variable
	if v == nil || v.Space != ptx.SpaceLocal && v.Space != ptx.SpaceArgument || len(c.program.kernel.Units) == 1 {
		return false
	}
	for _, u := range c.program.kernel.Units[1:] {
		for _, own := range u.PTX.Variables {
			if own == v {
				return true
			}
		}
	}
	return false
}

// static is the address of an operand without a register; executed says that some lane
// executes the instruction. Of one that none executes the interpreter has the offset from
// the variable in global or constant memory.
func (c *context) static(o *ptx.Operand, executed bool) uint64 {
	at := uint64(o.Offset)
	switch {
	case o.Register != nil:
		return at
	case o.Param != nil:
		return at + uint64(o.Param.Offset)
	case o.Variable == nil:
		return at
	case c.framed(o) || o.Variable.Space == ptx.SpaceShared || o.Variable.Space == ptx.SpaceLocal || o.Variable.Space == ptx.SpaceArgument:
		return at + c.program.placeOf(o.Variable)
	case executed:
		return at + c.program.launch.VariableAddress(o.Variable)
	}
	return at
}
