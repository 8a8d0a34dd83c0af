// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Kind says what a record of the log is. A record begins with two words. The first has
// the kind in its upper 4 bits and the number of a statement in the others. The second
// has the lanes that wrote the record.
type Kind uint8

// The kinds of record, with what follows the two words. Sizes are multiples of 8 bytes.
const (
	// KindVisit: lanes come to the segment that begins with the statement.
	KindVisit Kind = iota + 1
	// KindNext: lanes have stopped before that segment.
	KindNext
	// KindGuard: 32 bits, the lanes whose guard holds, and 32 bits of nothing.
	KindGuard
	// KindStrided: the value of the lowest lane, and how much more each next lane has, 64
	// bits each. The value is an address, or an operand of the statement.
	KindStrided
	// KindList: a value of 64 bits for each lane of the mask.
	KindList
)

const (
	kindShift  = 28
	numberMask = 1<<kindShift - 1
	headBytes  = 8
)

// Record is one record of a warp's log. The values of a list are in Values, by lane; those
// of a strided record are Base + (lane - lowest lane of Mask)*Stride.
type Record struct {
	Kind      Kind
	Statement int
	Mask      uint32
	Holds     uint32
	Base      uint64
	Stride    int64
	// list has the values of a KindList, in the order of the lanes.
	list []byte
}

// Value is a lane's value, which must be in the mask.
func (r *Record) Value(lane int) uint64 {
	if r.Kind == KindStrided {
		return r.Base + uint64(int64(lane-bits.TrailingZeros32(r.Mask))*r.Stride)
	}
	return binary.LittleEndian.Uint64(r.list[8*bits.OnesCount32(r.Mask&(1<<lane-1)):])
}

// ErrLog is behind complaints about a log that cannot be what the kernel wrote.
type ErrLog struct{ What string }

func (e *ErrLog) Error() string {
	return "the log that the device wrote cannot be that of the kernel: " + e.What
}

// ReadLog splits a warp's log into records, which share its memory. Statements are below
// the given number. Whatever the bytes are, it gives an *ErrLog or records that fit them.
func ReadLog(log []byte, statements int, into []Record) ([]Record, error) {
	into = into[:0]
	for at := 0; at < len(log); {
		rest := log[at:]
		if len(rest) < headBytes {
			return nil, &ErrLog{fmt.Sprintf("it ends within the record at byte %d", at)}
		}
		word := binary.LittleEndian.Uint32(rest)
		r := Record{Kind: Kind(word >> kindShift), Statement: int(word & numberMask), Mask: binary.LittleEndian.Uint32(rest[4:])}
		n := recordBytes(r.Kind, r.Mask)
		switch {
		case n == 0 || r.Mask == 0 || r.Statement >= statements:
			return nil, &ErrLog{fmt.Sprintf("byte %d begins no record (kind %d, statement %d, lanes 0x%08x)", at, r.Kind, r.Statement, r.Mask)}
		case n > len(rest):
			return nil, &ErrLog{fmt.Sprintf("it ends within the record at byte %d", at)}
		}
		switch r.Kind {
		case KindGuard:
			r.Holds = binary.LittleEndian.Uint32(rest[8:])
			if r.Holds&^r.Mask != 0 {
				return nil, &ErrLog{fmt.Sprintf("the guard at byte %d holds for lanes that are not there", at)}
			}
		case KindStrided:
			r.Base, r.Stride = binary.LittleEndian.Uint64(rest[8:]), int64(binary.LittleEndian.Uint64(rest[16:]))
		case KindList:
			r.list = rest[headBytes:n]
		}
		into = append(into, r)
		at += n
	}
	return into, nil
}

// recordBytes is the size of a record; zero for what is none.
func recordBytes(k Kind, mask uint32) int {
	switch k {
	case KindVisit, KindNext:
		return headBytes
	case KindGuard:
		return headBytes + 8
	case KindStrided:
		return headBytes + 16
	case KindList:
		return headBytes + 8*bits.OnesCount32(mask)
	}
	return 0
}
