package trace

import "math/bits"

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

// laneCodeWriter builds the columns lane_class and lane_open.
type laneCodeWriter struct {
	classes []byte
	open    bitWriter
}

func (w *laneCodeWriter) put(code uint64) {
	class, open := laneClass(code)
	w.classes = append(w.classes, class)
	w.open.put(code, open)
}

func (w *laneCodeWriter) reset() {
	w.classes = w.classes[:0]
	w.open.reset()
}

// laneCodeReader is the inverse of laneCodeWriter. Like a column it yields zeros
// after the end, and tells at the end that it failed.
type laneCodeReader struct {
	classes  []byte
	open     bitReader
	openBits uint64 // taken so far
	bytes    uint64 // of the open column
	failed   bool
}

func newLaneCodeReader(classes, open []byte) laneCodeReader {
	return laneCodeReader{classes: classes, open: bitReader{data: open}, bytes: uint64(len(open))}
}

func (r *laneCodeReader) next() uint64 {
	if len(r.classes) == 0 {
		r.failed = true
		return 0
	}
	class := r.classes[0]
	r.classes = r.classes[1:]
	if class < exactClasses {
		return uint64(class)
	}
	if class > maxLaneClass {
		r.failed = true
		return 0
	}
	code, open := laneCode(class)
	r.openBits += uint64(open)
	return code | r.open.next(open)
}

func (r *laneCodeReader) check() error {
	switch {
	case r.failed:
		return errColumnShort
	case len(r.classes) > 0 || (r.openBits+7)/8 < r.bytes:
		return errColumnLong
	case (r.openBits+7)/8 > r.bytes:
		return errColumnShort
	}
	return nil
}
