// SPDX-License-Identifier: Apache-2.0

// Package lanecode codes the explicit lane addresses of a memory instruction's
// executions. Models predict a lane's address from others, differences become codes,
// codes a class and open bits, and classes are coded by their entropy. Field
// AccessStream of wtape.proto says what a file has.
package lanecode

import (
	"encoding/binary"
	"math/bits"

	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanevector"
)

// A lane code is a number that is mostly small. It is stored as a class, one byte
// that the compressor's entropy coder shortens, and the low bits that the class
// leaves open. Those bits are close to random and are packed as they are. Codes
// below 8 are their own class. Above, a class has the bit length and the two bits
// after the leading one: 8 + 4*(length-4) + those two bits, at most 251.

// ExactClasses is the number of codes that are their own class.
const ExactClasses = lanevector.ExactClasses

// Class returns the class of a code and how many of its low bits are stored.
func Class(code uint64) (class byte, open uint) {
	if code < ExactClasses {
		return byte(code), 0
	}
	open = uint(bits.Len64(code)) - 3
	return byte(ExactClasses + 4*(open-1) + uint(code>>open)&3), open
}

// classOf is Class's class.
func classOf(code uint64) byte { return lanevector.ClassOf(code) }

// laneCode is the inverse of Class but for the open bits, which are zero.
func laneCode(class byte) (code uint64, open uint) {
	if class < ExactClasses {
		return uint64(class), 0
	}
	open = uint(class-ExactClasses)/4 + 1
	return uint64(4|class&3) << open, open
}

// MaxClass is the class of the largest codes.
const MaxClass = ExactClasses + 4*60 + 3

// Classes is laneCode for all bytes, as a decoder wants it.
var Classes = func() (t [256]struct {
	code uint64
	mask uint64 // of the open bits
	Open uint8  // more than 64 for what is no class
}) {
	for class := range t {
		e := &t[class]
		if e.Open = 255; class <= MaxClass {
			code, open := laneCode(byte(class))
			e.code, e.Open, e.mask = code, uint8(open), 1<<open-1
		}
	}
	return t
}()

// CodeReader is the inverse of laneCodeWriter. Like a column it yields zeros
// after the end, and tells at the end that it failed.
type CodeReader struct {
	Classes []byte
	Open    columns.BitReader
	failed  bool
}

func NewCodeReader(classes, open []byte) CodeReader {
	return CodeReader{Classes: classes, Open: columns.BitReader{Data: open}}
}

// Take reads one code for each lane of the mask, ascending. There are as many.
func (r *CodeReader) Take(mask uint32, codes *[WarpLanes]uint64) {
	if mask == AllWarpLanes {
		r.takeAll(codes)
		return
	}
	n := bits.OnesCount32(mask)
	for _, class := range r.Classes[:n] {
		codes[Lane(mask)] = r.code(class)
		mask &= mask - 1
	}
	r.Classes = r.Classes[n:]
}

// takeAll is take for all lanes, which most executions have.
func (r *CodeReader) takeAll(codes *[WarpLanes]uint64) {
	classes := (*[WarpLanes]byte)(r.Classes)
	r.Classes = r.Classes[WarpLanes:]
	if noneIsSet(classes) { // as predicted
		*codes = [WarpLanes]uint64{}
		return
	}
	open, at := r.Open.Data, r.Open.At
	if at>>3 > uint64(len(open)) || uint64(len(open))-at>>3 < WarpLanes*8 {
		for l, class := range classes {
			codes[l] = r.code(class)
		}
		return
	}
	for l := 0; l < WarpLanes; l += 4 {
		a, b, c, d := &shortClasses[classes[l]], &shortClasses[classes[l+1]], &shortClasses[classes[l+2]], &shortClasses[classes[l+3]]
		all := a.open + b.open + c.open + d.open
		if all > columns.WideBits {
			r.Open.At = at
			for i, class := range classes[l : l+4] {
				codes[l+i] = r.code(class)
			}
			at = r.Open.At
			continue
		}
		load := (*[8]byte)(open[at>>3:])
		bits := binary.LittleEndian.Uint64(load[:]) >> (at & 7)
		at += all
		codes[l] = uint64(a.code | uint32(bits)&a.mask)
		bits >>= a.open & 63
		codes[l+1] = uint64(b.code | uint32(bits)&b.mask)
		bits >>= b.open & 63
		codes[l+2] = uint64(c.code | uint32(bits)&c.mask)
		bits >>= c.open & 63
		codes[l+3] = uint64(d.code | uint32(bits)&d.mask)
	}
	r.Open.At = at
}

// shortClass is a class with so few open bits that four of them can be loaded
// together, packed so that a processor finds it with a shift.
type shortClass struct {
	code, mask uint32
	open       uint64 // more than WideBits for what has more open bits, and for what is no class
}

var shortClasses = func() (t [256]shortClass) {
	for class := range t {
		e := &Classes[class]
		if t[class].open = 255; e.Open <= 28 {
			t[class] = shortClass{uint32(e.code), uint32(e.mask), uint64(e.Open)}
		}
	}
	return t
}()

// noneIsSet tells whether all classes are zero.
func noneIsSet(classes *[WarpLanes]byte) bool {
	all := uint64(0)
	for i := 0; i < WarpLanes; i += 8 {
		all |= binary.LittleEndian.Uint64(classes[i : i+8])
	}
	return all == 0
}

// code reads the code of one class.
func (r *CodeReader) code(class byte) uint64 {
	e := &Classes[class]
	if e.Open > columns.WideBits {
		return r.slow(class)
	}
	return e.code | r.Open.Next(uint(e.Open))
}

// slow reads the code of any class, near the end of the open bits too.
func (r *CodeReader) slow(class byte) uint64 {
	if class > MaxClass {
		r.failed = true
		return 0
	}
	code, open := laneCode(class)
	return code | r.Open.Slow(open)
}

func (r *CodeReader) Check() error {
	have, want := uint64(len(r.Open.Data)), (r.Open.At+7)/8
	switch {
	case r.failed || want > have:
		return columns.ErrShort
	case len(r.Classes) > 0 || want < have:
		return columns.ErrLong
	}
	return nil
}
