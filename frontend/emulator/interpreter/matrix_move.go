// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"encoding/binary"
	"fmt"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// maxMatrixAccess is the widest piece that one lane moves at a time, in bytes,
// and thereby the alignment that the lines of a matrix need. PTX demands that of
// a fragment, up to 32 bytes (9.7.14.4.2), but CUDA's load_matrix_sync takes
// leading dimensions of any multiple of 16 bytes, and programs pad with that.
const maxMatrixAccess = 16

// maxFragment is the most registers that a fragment has.
const maxFragment = 8

// matrixMove is wmma.load or wmma.store. The trace has the address of each
// lane's piece.
type matrixMove struct {
	access   accessOperation
	fragment ptx.Fragment
	stride   uint32 // slot: distance of the lines in elements
	// line and start place each lane's piece, in elements.
	line, start [trace.WarpSize]uint64
	words       int // that a lane moves
	registers   []uint32
	wide        bool // registers have 64 bits
	// permute, if not nil, maps elements in memory's order to registers' order.
	permute []uint8
}

// lanePieces holds the words that each lane moves.
type lanePieces [trace.WarpSize][maxFragment]uint32

func runMatrixMove(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*matrixMove)
	if mask != lanes.FullMask && mask != 0 {
		return partialWarp("wmma", mask)
	}
	c.locate(&k.access, mask)
	if mask == lanes.FullMask {
		c.locatePieces(k)
	}
	c.trace(&k.access, mask)
	if mask == 0 {
		return nil
	}
	var pieces lanePieces
	if k.access.write {
		c.gatherFragment(k, &pieces)
		return c.movePieces(k, &pieces)
	}
	if err := c.movePieces(k, &pieces); err != nil {
		return err
	}
	c.scatterFragment(k, &pieces)
	return nil
}

// partialWarp is the fault of a matrix instruction that not all lanes execute.
func partialWarp(what string, mask uint32) error {
	return &laneFault{lane: -1, fault: coexecution.Fault{Kind: coexecution.FaultPartialWarp,
		Detail: fmt.Sprintf("%s takes all 32 lanes of the warp (PTX ISA 9.7.14), only those of 0x%08x execute it", what, mask)}}
}

// locatePieces moves each lane's address from the matrix's to its piece's.
func (c *warpContext) locatePieces(k *matrixMove) {
	s, stride := &c.access, lanes.Of[uint32](c.at(k.stride))
	for i := range s.addresses {
		s.addresses[i] = s.address(i) + k.fragment.ByteOffset(k.line[i]*uint64(stride[i])+k.start[i])
	}
	s.findStride(lanes.FullMask)
}

// movePieces moves the words of all lanes from or to memory, in accesses of at
// most maxMatrixAccess bytes, which window and resolve look at one by one.
func (c *warpContext) movePieces(k *matrixMove, pieces *lanePieces) error {
	step := int(k.access.bytes / 4)
	for word := 0; word < k.words; word += step {
		if word > 0 {
			c.access.advance(k.access.bytes)
		}
		data, ok := c.window(&k.access, lanes.FullMask)
		for i := range trace.WarpSize {
			var b []byte
			if ok {
				b = data[c.access.offsets[i]:][:k.access.bytes]
			} else {
				var err error
				if b, err = c.resolve(&k.access, i); err != nil {
					return err
				}
			}
			moveWords(pieces[i][word:word+step], b, k.access.write)
		}
	}
	return nil
}

// advance moves all lanes' addresses.
func (s *accessState) advance(bytes uint64) {
	s.base += bytes
	for i := range s.addresses {
		s.addresses[i] += bytes
	}
}

func moveWords(words []uint32, b []byte, write bool) {
	for w := range words {
		if write {
			binary.LittleEndian.PutUint32(b[4*w:], words[w])
		} else {
			words[w] = binary.LittleEndian.Uint32(b[4*w:])
		}
	}
}

// scatterFragment puts the lanes' words into registers; a short piece several
// times.
func (c *warpContext) scatterFragment(k *matrixMove, pieces *lanePieces) {
	if k.permute != nil {
		k.transpose(pieces, false)
	}
	for r, slot := range k.registers {
		if k.wide {
			z := lanes.Of[uint64](c.at(slot))
			for i := range z {
				z[i] = uint64(pieces[i][2*r]) | uint64(pieces[i][2*r+1])<<32
			}
			continue
		}
		z := lanes.Of[uint32](c.at(slot))
		for i := range z {
			z[i] = pieces[i][r%k.words]
		}
	}
}

// gatherFragment is the reverse of scatterFragment.
func (c *warpContext) gatherFragment(k *matrixMove, pieces *lanePieces) {
	for r, slot := range k.registers {
		if k.wide {
			for i, v := range lanes.Of[uint64](c.at(slot)) {
				pieces[i][2*r], pieces[i][2*r+1] = uint32(v), uint32(v>>32)
			}
			continue
		}
		z := lanes.Of[uint32](c.at(slot))
		for i := range z {
			pieces[i][r] = z[i]
		}
	}
	if k.permute != nil {
		k.transpose(pieces, true)
	}
}

// transpose puts an accumulator's elements from memory's order into that of
// the registers, or back.
func (k *matrixMove) transpose(pieces *lanePieces, back bool) {
	from := *pieces
	bits := k.fragment.ElementBits
	perLane := k.words * 32 / bits
	*pieces = lanePieces{}
	for memory, register := range k.permute {
		source, target := memory, int(register)
		if back {
			source, target = target, source
		}
		for at := 0; at < bits; at += 32 {
			s, t := source%perLane*bits+at, target%perLane*bits+at
			v := from[source/perLane][s/32] >> (s % 32)
			pieces[target/perLane][t/32] |= uint32(truncate(uint64(v), bits)) << (t % 32)
		}
	}
}
