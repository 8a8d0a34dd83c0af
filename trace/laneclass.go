package trace

import (
	"encoding/binary"
	"math/bits"
)

// A lane code is a number that is mostly small. It is stored as a class, one byte
// that the compressor's entropy coder shortens, and the low bits that the class
// leaves open, which are close to random and are packed as they are. Codes below 8
// are their own class; above, a class has the bit length and the two bits after
// the leading one: 8 + 4*(length-4) + those two bits, at most 251.

// exactClasses is the number of codes that are their own class.
const exactClasses = 8

// laneClass returns the class of a code and how many of its low bits are stored.
func laneClass(code uint64) (class byte, open uint) {
	if code < exactClasses {
		return byte(code), 0
	}
	open = uint(bits.Len64(code)) - 3
	return byte(exactClasses + 4*(open-1) + uint(code>>open)&3), open
}

// classOf is laneClass's class. Codes below exactClasses need no branch, which a
// processor would have to guess: they are as if they had three bits.
func classOf(code uint64) byte {
	open := bits.Len64(code|exactClasses/2) - 3
	return byte(4*open + int(code>>(open&63)))
}

// laneCode is the inverse of laneClass but for the open bits, which are zero.
func laneCode(class byte) (code uint64, open uint) {
	if class < exactClasses {
		return uint64(class), 0
	}
	open = uint(class-exactClasses)/4 + 1
	return uint64(4|class&3) << open, open
}

// maxLaneClass is the class of the largest codes.
const maxLaneClass = exactClasses + 4*60 + 3

// laneClasses is laneCode for all bytes, as a decoder wants it.
var laneClasses = func() (t [256]struct {
	code uint64
	mask uint64 // of the open bits
	open uint8  // more than 64 for what is no class
}) {
	for class := range t {
		e := &t[class]
		if e.open = 255; class <= maxLaneClass {
			code, open := laneCode(byte(class))
			e.code, e.open, e.mask = code, uint8(open), 1<<open-1
		}
	}
	return t
}()

// laneCodeReader is the inverse of laneCodeWriter. Like a column it yields zeros
// after the end, and tells at the end that it failed.
type laneCodeReader struct {
	classes []byte
	open    bitReader
	failed  bool
}

func newLaneCodeReader(classes, open []byte) laneCodeReader {
	return laneCodeReader{classes: classes, open: bitReader{data: open}}
}

// take reads one code for each lane of the mask, ascending. There are as many.
func (r *laneCodeReader) take(mask uint32, codes *[warpLanes]uint64) {
	if mask == allWarpLanes {
		r.takeAll(codes)
		return
	}
	n := bits.OnesCount32(mask)
	for _, class := range r.classes[:n] {
		codes[lane(mask)] = r.code(class)
		mask &= mask - 1
	}
	r.classes = r.classes[n:]
}

// takeAll is take for all lanes, which most executions have.
func (r *laneCodeReader) takeAll(codes *[warpLanes]uint64) {
	classes := (*[warpLanes]byte)(r.classes)
	r.classes = r.classes[warpLanes:]
	if noneIsSet(classes) { // as predicted
		*codes = [warpLanes]uint64{}
		return
	}
	open, at := r.open.data, r.open.at
	if at>>3 > uint64(len(open)) || uint64(len(open))-at>>3 < warpLanes*8 {
		for l, class := range classes {
			codes[l] = r.code(class)
		}
		return
	}
	for l := 0; l < warpLanes; l += 4 {
		a, b, c, d := &shortClasses[classes[l]], &shortClasses[classes[l+1]], &shortClasses[classes[l+2]], &shortClasses[classes[l+3]]
		all := a.open + b.open + c.open + d.open
		if all > wideBits {
			r.open.at = at
			for i, class := range classes[l : l+4] {
				codes[l+i] = r.code(class)
			}
			at = r.open.at
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
	r.open.at = at
}

// shortClass is a class with so few open bits that four of them can be loaded
// together, packed so that a processor finds it with a shift.
type shortClass struct {
	code, mask uint32
	open       uint64 // more than wideBits for what has more open bits, and for what is no class
}

var shortClasses = func() (t [256]shortClass) {
	for class := range t {
		e := &laneClasses[class]
		if t[class].open = 255; e.open <= 28 {
			t[class] = shortClass{uint32(e.code), uint32(e.mask), uint64(e.open)}
		}
	}
	return t
}()

// noneIsSet tells whether all classes are zero.
func noneIsSet(classes *[warpLanes]byte) bool {
	all := uint64(0)
	for i := 0; i < warpLanes; i += 8 {
		all |= binary.LittleEndian.Uint64(classes[i : i+8])
	}
	return all == 0
}

// code reads the code of one class.
func (r *laneCodeReader) code(class byte) uint64 {
	e := &laneClasses[class]
	if e.open > wideBits {
		return r.slow(class)
	}
	return e.code | r.open.next(uint(e.open))
}

// slow reads the code of any class, near the end of the open bits too.
func (r *laneCodeReader) slow(class byte) uint64 {
	if class > maxLaneClass {
		r.failed = true
		return 0
	}
	code, open := laneCode(class)
	return code | r.open.slow(open)
}

func (r *laneCodeReader) check() error {
	have, want := uint64(len(r.open.data)), (r.open.at+7)/8
	switch {
	case r.failed || want > have:
		return errColumnShort
	case len(r.classes) > 0 || want < have:
		return errColumnLong
	}
	return nil
}
