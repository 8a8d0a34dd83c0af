// SPDX-License-Identifier: Apache-2.0

package datafile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.starlark.net/syntax"

	"github.com/warptape/warptape/frontend/host/array"
)

// maxHeaderBytes bounds the header of a .npy file, which describes one array.
const maxHeaderBytes = 1 << 16

// maxDimensions is NumPy's.
const maxDimensions = 64

// header is what a .npy file says of its array.
type header struct {
	order   binary.ByteOrder
	typ     array.Type
	columns bool // the first dimension is the innermost ("Fortran order")
	shape   []int
}

// NPY reads an array in NumPy's format, versions 1 to 3 (numpy.lib.format): its type and
// shape are the file's, and its elements lie row by row, whatever the file's order.
func NPY(space *array.Space, r io.Reader, size int64) (*array.Array, error) {
	h, length, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	n, err := array.Elements(h.shape)
	if err != nil {
		return nil, err
	}
	if want, have := int64(n)*int64(h.typ.Bytes()), size-length; want != have {
		return nil, fmt.Errorf("the header says %s%v, which are %d bytes, and %d follow: the file is cut off, or has something behind the array", h.typ, h.shape, want, have)
	}
	a, err := elements(space, r, h.typ, h.shape...)
	if err != nil {
		return nil, err
	}
	if h.order == binary.BigEndian {
		if err := swap(a); err != nil {
			return nil, err
		}
	}
	if h.columns {
		return rowByRow(space, a)
	}
	return a, nil
}

// readHeader gives the header, and how many bytes lie before the elements.
func readHeader(r io.Reader) (*header, int64, error) {
	var start [8]byte
	if _, err := io.ReadFull(r, start[:]); err != nil || string(start[:6]) != "\x93NUMPY" {
		return nil, 0, errors.New("it is no .npy file: it does not start with \\x93NUMPY")
	}
	length := make([]byte, 4)
	switch start[6] {
	case 1:
		length = length[:2]
	case 2, 3:
	default:
		return nil, 0, fmt.Errorf("version %d.%d of the .npy format: 1, 2 and 3 are known", start[6], start[7])
	}
	if _, err := io.ReadFull(r, length); err != nil {
		return nil, 0, errors.New("the file ends in its header")
	}
	bytes := uint32(binary.LittleEndian.Uint16(length))
	if len(length) == 4 {
		bytes = binary.LittleEndian.Uint32(length)
	}
	if bytes > maxHeaderBytes {
		return nil, 0, fmt.Errorf("a header of %d bytes: at most %d are read", bytes, maxHeaderBytes)
	}
	text := make([]byte, bytes)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, 0, errors.New("the file ends in its header")
	}
	h, err := parseHeader(text)
	if err != nil {
		return nil, 0, fmt.Errorf("the header %.100q: %w", text, err)
	}
	return h, int64(len(start) + len(length) + len(text)), nil
}

// parseHeader reads the Python dictionary of a header. It parses the dictionary as Starlark
// and looks at literals only: nothing of a file is executed.
func parseHeader(text []byte) (*header, error) {
	if slices.Max(nesting(text)) > 4 {
		return nil, errors.New("it has too many brackets in each other")
	}
	expr, err := (&syntax.FileOptions{}).ParseExpr("header", text, 0)
	if err != nil {
		return nil, errors.New("it is no Python dictionary")
	}
	dict, ok := expr.(*syntax.DictExpr)
	if !ok {
		return nil, errors.New("it is no Python dictionary")
	}
	h, found := &header{}, map[string]bool{}
	for _, e := range dict.List {
		entry := e.(*syntax.DictEntry)
		key, _ := literal(entry.Key).(string)
		found[key] = true
		switch key {
		case "descr":
			name, _ := literal(entry.Value).(string)
			err = h.setType(name)
		case "fortran_order":
			word, _ := entry.Value.(*syntax.Ident)
			h.columns = word != nil && word.Name == "True"
			if word == nil || word.Name != "True" && word.Name != "False" {
				err = errors.New("fortran_order is neither True nor False")
			}
		case "shape":
			h.shape, err = shape(entry.Value)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !found[key] {
			return nil, fmt.Errorf("it lacks the key %s", key)
		}
	}
	return h, nil
}

// nesting is, behind each byte, how many brackets are open.
func nesting(text []byte) []int {
	depths, depth := []int{0}, 0
	for _, c := range text {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		depths = append(depths, depth)
	}
	return depths
}

// types are NumPy's type strings without the byte order.
var types = map[string]array.Type{
	"f4": array.F32, "f8": array.F64, "i1": array.I8, "i2": array.I16, "i4": array.I32, "i8": array.I64,
	"u1": array.U8, "u2": array.U16, "u4": array.U32, "u8": array.U64, "b1": array.U8,
}

func (h *header) setType(name string) error {
	if len(name) < 2 {
		return errors.New("descr is no type string: structured arrays are not supported")
	}
	switch name[0] {
	case '<', '|', '=':
		h.order = binary.LittleEndian
	case '>':
		h.order = binary.BigEndian
	default:
		return fmt.Errorf("the type %q is not supported", name)
	}
	if name[1:] == "f2" {
		return errors.New(`half-precision numbers are not supported: save their bits, a.view("u2"), and array.of_f16 makes f32 of them`)
	}
	t, ok := types[name[1:]]
	if !ok {
		return fmt.Errorf("the type %q is not supported: integers and floats of 32 and 64 bits are", name)
	}
	h.typ = t
	return nil
}

// shape reads a tuple of sizes.
func shape(e syntax.Expr) ([]int, error) {
	if p, ok := e.(*syntax.ParenExpr); ok {
		e = p.X
	}
	tuple, ok := e.(*syntax.TupleExpr)
	if !ok || len(tuple.List) > maxDimensions {
		return nil, fmt.Errorf("shape is no tuple of at most %d numbers", maxDimensions)
	}
	dims := make([]int, len(tuple.List))
	for i, x := range tuple.List {
		n, ok := literal(x).(int64)
		if !ok || n < 0 || n != int64(int(n)) {
			return nil, errors.New("shape is no tuple of sizes")
		}
		dims[i] = int(n)
	}
	return dims, nil
}

// literal is the value of a literal: a string or an int64; nil of anything else.
func literal(e syntax.Expr) any {
	if l, ok := e.(*syntax.Literal); ok {
		return l.Value
	}
	return nil
}

// swap turns the bytes of every element round.
func swap(a *array.Array) error {
	bytes, width := a.AppendBytes(nil), a.ElementType().Bytes()
	for i := 0; i < len(bytes); i += width {
		slices.Reverse(bytes[i : i+width])
	}
	return a.SetBytes(bytes)
}

// rowByRow gives an array whose elements lie column by column in the usual order.
func rowByRow(space *array.Space, a *array.Array) (*array.Array, error) {
	out, err := array.New(space, a.ElementType(), a.Shape()...)
	if err != nil {
		return nil, err
	}
	width := a.ElementType().Bytes()
	from, to := a.Bytes(), make([]byte, a.ByteSize())
	place := make([]int, len(a.Shape()))
	for i := range a.Len() {
		at, stride := 0, 1
		for d, n := range a.Shape() {
			at += place[d] * stride
			stride *= n
		}
		copy(to[i*width:(i+1)*width], from[at*width:])
		for d := len(place) - 1; d >= 0; d-- {
			if place[d]++; place[d] < a.Shape()[d] {
				break
			}
			place[d] = 0
		}
	}
	return out, out.SetBytes(to)
}
