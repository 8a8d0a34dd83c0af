// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// bulk gives what a bulk copy moved, lane by lane, as trace.BulkCopy has it. The log has its
// operands; the pieces of a tensor are worked out by the tensor map, as the interpreter does.
func (c *context) bulk(i int, b *contamination.BulkSite, executes uint32, a *coexecution.AccessRecord) error {
	if executes == 0 {
		a.Strided, a.Base, a.Stride = true, 0, 0
		return nil
	}
	in := &c.program.kernel.PTX.Body[i]
	list := b.Operands()
	values := make([][trace.WarpSize]uint64, len(list))
	for n, o := range list {
		if o == nil {
			continue
		}
		if err := c.operand(i, o, executes); err != nil {
			return err
		}
		if o.Kind == ptx.OperandAddress && !contamination.Logged(o) {
			for lane := range c.values {
				c.values[lane] = c.static(o, true)
			}
		}
		values[n] = c.values
	}
	words := make([][trace.WarpSize]uint64, len(b.Words))
	for n := range b.Words {
		if err := c.operand(i, b.Words[n].Low, executes); err != nil {
			return err
		}
		words[n] = c.values
	}
	var moved trace.BulkCopy
	for m := executes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if why := c.moveLane(in, b, lane, values, words, &moved); why != "" {
			return c.wrong(c.program.numbers[i], 1<<lane, fmt.Sprintf("%s: %s", mnemonic(in), why))
		}
	}
	a.Mask, a.Strided, a.Addresses = ^uint32(0), false, moved.Words()
	return nil
}

// The places of operands in BulkSite.Operands.
const (
	bulkFrom = iota
	bulkTo
	bulkSize
	bulkBarrier
	bulkBlocks
	bulkMap
	bulkCoordinates
)

// moveLane adds what a lane's copy moved, or says what stands against it.
func (c *context) moveLane(in *ptx.Instruction, b *contamination.BulkSite, lane int, values, words [][trace.WarpSize]uint64, moved *trace.BulkCopy) string {
	bytes := uint32(0)
	if b.Map != nil {
		why := ""
		if bytes, why = c.moveTensor(b, lane, values, words, moved); why != "" {
			return why
		}
	} else {
		side, space := values[bulkFrom][lane], in.Space
		if b.Store {
			side, space = values[bulkTo][lane], ptx.SpaceGlobal
		}
		at, ok := c.program.places.translate(space, side, c.rank())
		if n := values[bulkSize][lane]; !ok || space == ptx.SpaceGlobal && n > 0 && !c.program.lives(at, n) {
			return fmt.Sprintf("it moves %d bytes at 0x%x, where nothing is", n, side)
		}
		bytes = uint32(values[bulkSize][lane])
		moved.Add(at, bytes)
	}
	if b.Barrier != nil {
		at, ok := c.program.places.translate(ptx.SpaceShared, values[bulkBarrier][lane], c.rank())
		if !ok {
			return fmt.Sprintf("no mbarrier is at 0x%x", values[bulkBarrier][lane])
		}
		blocks := uint16(0)
		if b.Blocks != nil {
			blocks = uint16(values[bulkBlocks][lane])
		}
		moved.Completes(at, blocks, bytes)
	}
	return ""
}

func (c *context) moveTensor(b *contamination.BulkSite, lane int, values, words [][trace.WarpSize]uint64, moved *trace.BulkCopy) (bytes uint32, why string) {
	at := values[bulkMap][lane]
	if place, ok := c.program.places.generic(at); ok && memory.InWindow(place, memory.ParamWindowBase) {
		at = place
	}
	raw := c.bytesAt(at, memory.TensorMapBytes)
	if len(words) > 0 { // as the device had it
		raw = nil
		for n := range words {
			raw = binary.LittleEndian.AppendUint64(raw, words[n][lane])
		}
	}
	if raw == nil {
		return 0, fmt.Sprintf("no tensor map is at 0x%x", at)
	}
	t := memory.TensorCopy{Im2col: b.Im2col, FourRows: b.FourRows}
	if err := t.Layout.Decode(raw); err != nil {
		return 0, err.Error()
	}
	if why := t.Against(len(b.Coordinates)); why != "" {
		return 0, why
	}
	for d := range b.Coordinates {
		t.Coordinates[d] = int64(int32(values[bulkCoordinates+d][lane]))
	}
	for d := range b.Offsets {
		t.Offsets = append(t.Offsets, uint16(values[bulkCoordinates+len(b.Coordinates)+d][lane]))
	}
	t.Find()
	for _, r := range t.Runs {
		moved.Add(r.Global, uint32(r.Bytes))
	}
	return uint32(t.Bytes()), ""
}

// bytesAt gives bytes of global or constant memory, or of parameters, at a generic address;
// nil where nothing is.
func (c *context) bytesAt(at, n uint64) []byte {
	l := c.program.launch
	if memory.InWindow(at, memory.ParamWindowBase) {
		at -= memory.ParamWindowBase
		if at+n > uint64(len(l.Arguments)) {
			return nil
		}
		return l.Arguments[at : at+n]
	}
	for _, space := range []*memory.Heap{&l.Memory.Global, &l.Memory.Constant} {
		if a := space.Find(at, n); a != nil {
			return a.Data[at-a.Base:][:n]
		}
	}
	return nil
}
