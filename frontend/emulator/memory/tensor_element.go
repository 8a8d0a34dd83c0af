// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"encoding/binary"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// TensorElement is an element type of a tensor map.
type TensorElement struct {
	// Type says how wide an element is. Loads round one of .tf32, which lies in memory as .f32.
	Type ptx.Type
	// Flush says that loads make zeros of subnormal numbers (.ftz).
	Flush bool
}

// tensorElements are the element types by their numbers in tensormap.replace (9.7.9.26).
var tensorElements = []TensorElement{
	{Type: ptx.U8}, {Type: ptx.U16}, {Type: ptx.U32}, {Type: ptx.S32}, {Type: ptx.U64}, {Type: ptx.S64}, {Type: ptx.F16}, {Type: ptx.F32},
	{Type: ptx.F32, Flush: true}, {Type: ptx.F64}, {Type: ptx.BF16}, {Type: ptx.TF32}, {Type: ptx.TF32, Flush: true},
}

// TensorElementOf is the element type of a number in tensormap.replace. There is none for numbers
// without one.
func TensorElementOf(number uint64) (e TensorElement, ok bool) {
	if number >= uint64(len(tensorElements)) {
		return TensorElement{}, false
	}
	return tensorElements[number], true
}

// Number is that in tensormap.replace, -1 for none.
func (e TensorElement) Number() int {
	for i, x := range tensorElements {
		if x == e {
			return i
		}
	}
	return -1
}

// String is the type as tensormap.replace spells it.
func (e TensorElement) String() string {
	if e.Flush {
		return e.Type.String() + ".ftz"
	}
	return e.Type.String()
}

// Converts reports whether loads change elements.
func (e TensorElement) Converts() bool { return e.Flush || e.Type == ptx.TF32 }

// Load makes of words that lie in memory what a load by the map brings. A subnormal number
// becomes a zero of its sign where they are flushed. One of .tf32 is rounded to the nearest, halves
// to even; infinities and NaNs stay as they are. PTX leaves the rounding open: this one is that of
// an RTX PRO 6000 (github.com/triton-lang/triton/pull/11751, a test of its compiler).
func (e TensorElement) Load(words []byte) {
	for ; len(words) >= 4; words = words[4:] {
		v := binary.LittleEndian.Uint32(words)
		if e.Flush {
			v = lanes.Flush32(v)
		}
		const exponent = 0x7f80_0000
		if e.Type == ptx.TF32 && v&exponent != exponent {
			v = lanes.RoundTF32(v)
		}
		binary.LittleEndian.PutUint32(words, v)
	}
}
