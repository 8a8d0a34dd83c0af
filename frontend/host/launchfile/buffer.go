// SPDX-License-Identifier: Apache-2.0

package launchfile

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/warptape/warptape/frontend/ptx"
)

// elementType is how the elements of a buffer are made and stored.
type elementType struct {
	stored string // the array type
	made   string // the array type of the values before they are converted
	values string // f16 or bf16, whose bits an array of u16 has; else empty
	bytes  uint64
	float  bool
}

var elementTypes = map[string]elementType{
	"f32": {"f32", "f32", "", 4, true}, "f64": {"f64", "f64", "", 8, true},
	"f16": {"u16", "f32", "f16", 2, true}, "bf16": {"u16", "f32", "bf16", 2, true},
	"i8": {"i8", "i8", "", 1, false}, "i16": {"i16", "i16", "", 2, false}, "i32": {"i32", "i32", "", 4, false}, "i64": {"i64", "i64", "", 8, false},
	"u8": {"u8", "u8", "", 1, false}, "u16": {"u16", "u16", "", 2, false}, "u32": {"u32", "u32", "", 4, false}, "u64": {"u64", "u64", "", 8, false},
}

func typeNames() string {
	var names []string
	for name := range elementTypes {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// declaration is the expression that makes the buffer.
func (b *Buffer) declaration() (string, error) {
	if b.Type == "" {
		b.Type = "u8"
	}
	t, ok := elementTypes[b.Type]
	if !ok {
		return "", fmt.Errorf("type %q: there are %s", b.Type, typeNames())
	}
	name := strconv.Quote(b.Name)
	if b.File != "" {
		if b.Fill != nil || b.Bytes != nil || b.Elements != nil || b.Shape != nil || b.Low != nil || b.High != nil {
			return "", errors.New("a buffer of a file has its size and contents: leave out bytes, elements, shape, fill, low and high")
		}
		return fmt.Sprintf("gpu.buffer(%s, %s)", name, b.fromFile(b.File)), nil
	}
	n, err := b.elements(t)
	if err != nil {
		return "", err
	}
	values, err := b.values(t, n)
	if err != nil || values == "" {
		return fmt.Sprintf("gpu.alloc(%s, %s, %d)", name, t.stored, n), err
	}
	if t.values != "" {
		values = fmt.Sprintf("array.to_%s(%s)", t.values, values)
	}
	return fmt.Sprintf("gpu.buffer(%s, %s)", name, values), nil
}

// fromFile reads a data file with the buffer's type where the file has none.
func (b *Buffer) fromFile(file string) string {
	if path.Ext(file) == ".npy" {
		return fmt.Sprintf("host.file(%s)", strconv.Quote(file))
	}
	return fmt.Sprintf("host.file(%s, dtype=%s)", strconv.Quote(file), elementTypes[b.Type].stored)
}

// elements is how many there are.
func (b *Buffer) elements(t elementType) (uint64, error) {
	ways, n := 0, uint64(1)
	if b.Bytes != nil {
		ways, n = ways+1, uint64(*b.Bytes)/t.bytes
		if uint64(*b.Bytes)%t.bytes != 0 {
			return 0, fmt.Errorf("%d bytes are no whole number of %s", *b.Bytes, b.Type)
		}
	}
	if b.Elements != nil {
		ways, n = ways+1, uint64(*b.Elements)
	}
	if b.Shape != nil {
		ways++
		n = 1
		for _, d := range b.Shape {
			if d < 0 || uint64(d) > maxElements/max(n, 1) {
				return 0, fmt.Errorf("shape %v is no size", b.Shape)
			}
			n *= uint64(d)
		}
	}
	switch {
	case ways != 1:
		return 0, errors.New("its size is to be given once: bytes, elements or shape, or a file")
	case n > maxElements:
		return 0, fmt.Errorf("%d elements: at most %d are possible", n, uint64(maxElements))
	}
	return n, nil
}

// maxElements is beyond what a device has.
const maxElements = 1 << 36

// values is the expression of the elements, empty for zeros.
func (b *Buffer) values(t elementType, n uint64) (string, error) {
	fill := "zeros"
	if b.Fill != nil {
		fill = b.Fill.text
	}
	if (b.Low != nil || b.High != nil) && fill != "random" {
		return "", errors.New("low and high go with fill: random")
	}
	switch fill {
	case "zeros":
		return "", nil
	case "ones":
		return fmt.Sprintf("array.full(%s, %d, %s)", t.made, n, number(t, "1")), nil
	case "ramp":
		return fmt.Sprintf("array.arange(%s, %d)", t.made, n), nil
	case "random":
		return b.random(t, n)
	}
	if len(b.Fill.list) > 0 || !isNumber(fill, t.float) {
		return "", fmt.Errorf("fill %q: write zeros, ones, ramp, random or a number", fill)
	}
	return fmt.Sprintf("array.full(%s, %d, %s)", t.made, n, number(t, fill)), nil
}

func (b *Buffer) random(t elementType, n uint64) (string, error) {
	low, high := "0", "1"
	for _, x := range []struct {
		given *Value
		to    *string
		name  string
	}{{b.Low, &low, "low"}, {b.High, &high, "high"}} {
		if x.given == nil {
			continue
		}
		if *x.to = x.given.text; len(x.given.list) > 0 || !isNumber(*x.to, t.float) {
			return "", fmt.Errorf("%s %q is no number of type %s", x.name, *x.to, b.Type)
		}
	}
	if t.float {
		return fmt.Sprintf("random.uniform(%s, %d, low=%s, high=%s)", t.made, n, number(t, low), number(t, high)), nil
	}
	if b.High == nil {
		return "", errors.New("random integers need high, which is excluded: high: 256")
	}
	return fmt.Sprintf("random.integers(%s, %d, low=%s, high=%s)", t.made, n, low, high), nil
}

// number writes a number of a type as Starlark has it.
func number(t elementType, text string) string {
	if t.float && !strings.ContainsAny(text, ".eE") {
		return text + ".0"
	}
	return text
}

// isNumber reports whether text is a decimal number as Starlark reads it, too.
func isNumber(text string, float bool) bool {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' || len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return false
	}
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return true
	}
	if _, err := strconv.ParseUint(text, 10, 64); err == nil {
		return true
	}
	if !float || strings.Trim(text, "-+.0123456789eE") != "" {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// literal is the expression of a value for a parameter.
func literal(p *ptx.Param, v *Value) (string, error) {
	t, ok := parameterTypes[p.Type]
	if !ok {
		return "", fmt.Errorf("a value of type .%s cannot be written", p.Type)
	}
	if v.list == nil {
		if int(p.Bytes) != p.Type.Bytes() {
			return "", fmt.Errorf("it has %d bytes: give a list of %d numbers of type .%s", p.Bytes, int(p.Bytes)/p.Type.Bytes(), p.Type)
		}
		return scalar(p, t, v.text)
	}
	if len(v.list)*p.Type.Bytes() != int(p.Bytes) {
		return "", fmt.Errorf("a list of %d numbers: it has %d of type .%s", len(v.list), int(p.Bytes)/p.Type.Bytes(), p.Type)
	}
	list := make([]string, len(v.list))
	for i := range v.list {
		if list[i] = v.list[i].text; !isNumber(list[i], elementTypes[t].float) {
			return "", fmt.Errorf("%q is no .%s", list[i], p.Type)
		}
		list[i] = number(elementTypes[t], list[i])
	}
	return fmt.Sprintf("%s([%s])", t, strings.Join(list, ", ")), nil
}

// scalar is the expression of one number. An untyped parameter of 32 or 64 bits takes a
// number with a fraction as the float of its width, as compilers declare f32 parameters .b32.
func scalar(p *ptx.Param, t, text string) (string, error) {
	if p.Type.Untyped() && !isNumber(text, false) && isNumber(text, true) {
		switch p.Type.Bytes() {
		case 4:
			return fmt.Sprintf("f32(%s)", text), nil
		case 8:
			return fmt.Sprintf("f64(%s)", text), nil
		}
	}
	if !isNumber(text, elementTypes[t].float) {
		return "", fmt.Errorf("%q is no .%s", text, p.Type)
	}
	if elementTypes[t].float {
		return fmt.Sprintf("%s(%s)", t, number(elementTypes[t], text)), nil
	}
	return text, nil
}

// parameterTypes are the array types of parameters.
var parameterTypes = map[ptx.Type]string{
	ptx.B8: "u8", ptx.B16: "u16", ptx.B32: "u32", ptx.B64: "u64", ptx.U8: "u8", ptx.U16: "u16", ptx.U32: "u32", ptx.U64: "u64",
	ptx.S8: "i8", ptx.S16: "i16", ptx.S32: "i32", ptx.S64: "i64", ptx.F32: "f32", ptx.F64: "f64",
}
