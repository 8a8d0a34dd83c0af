// SPDX-License-Identifier: Apache-2.0

package array

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/warptape/warptape/trace/hugepages"
)

// littleEndian reports whether elements lie in this host's memory as they do in a GPU's.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// AppendBytes appends the elements to dst in row-major order, little-endian.
func (a *Array) AppendBytes(dst []byte) []byte {
	if littleEndian {
		return append(dst, kinds[a.typ].view(a.values())...)
	}
	dst, err := binary.Append(dst, binary.LittleEndian, a.values())
	if err != nil {
		panic("BUG: array storage is no slice of numbers: " + err.Error())
	}
	return dst
}

// Bytes gives the elements as AppendBytes does, perhaps in the array's own memory: they
// are to be read, and only until the array changes.
func (a *Array) Bytes() []byte {
	if littleEndian {
		return kinds[a.typ].view(a.values())
	}
	return a.AppendBytes(nil)
}

// SetBytes fills the array from src, the counterpart of AppendBytes.
func (a *Array) SetBytes(src []byte) error {
	if uint64(len(src)) != a.ByteSize() {
		return fmt.Errorf("%d bytes for %s", len(src), a.describe())
	}
	if littleEndian {
		copy(kinds[a.typ].view(a.own()), src)
		return nil
	}
	_, err := binary.Decode(src, binary.LittleEndian, a.own())
	return err
}

// FillBytes has the bytes of all elements read from somewhere.
func (a *Array) FillBytes(read func(dst []byte) error) error {
	if littleEndian {
		return read(kinds[a.typ].view(a.own()))
	}
	bytes := hugepages.Back(make([]byte, a.ByteSize()))
	if err := read(bytes); err != nil {
		return err
	}
	return a.SetBytes(bytes)
}

// viewOf is the memory of elements.
func viewOf[T number](s storage) []byte {
	elements := s.([]T)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(elements))), len(elements)*int(unsafe.Sizeof(*new(T))))
}
