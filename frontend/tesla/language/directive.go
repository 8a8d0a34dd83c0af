// SPDX-License-Identifier: Apache-2.0

package language

import (
	"strings"

	"github.com/warptape/warptape/trace"
)

// directive assembles a line that begins with a dot.
func (a *assembler) directive(name, rest string) {
	fields := strings.FieldsFunc(rest, func(c rune) bool { return c == ' ' || c == '\t' || c == ',' })
	k := a.kernel
	switch name {
	case ".grid":
		k.Grid = a.dimensions(name, fields)
	case ".block":
		k.Block = a.dimensions(name, fields)
	case ".warps":
		k.WarpsPerBlock = a.single(name, fields, 15)
	case ".registers":
		k.RegistersPerThread = a.single(name, fields, maxRegisters)
	case ".params":
		k.Parameters = a.words(k.Parameters, fields)
	case ".const":
		k.Constants = a.words(k.Constants, fields)
	case ".data":
		k.Data = a.words(k.Data, fields)
	case ".word":
		a.word(fields)
	default:
		a.fail("no directive is called %q; there are .grid, .block, .warps, .registers, .params, .const, .data and .word", name)
	}
}

// dimensions reads one to three sizes; those that are not given are one.
func (a *assembler) dimensions(name string, fields []string) trace.Dim3 {
	sizes := [3]uint32{1, 1, 1}
	if len(fields) < 1 || len(fields) > len(sizes) {
		a.fail("%s takes the sizes in x, y and z", name)
		return trace.Dim3{X: 1, Y: 1, Z: 1}
	}
	for i, f := range fields {
		sizes[i] = uint32(a.number(f, maxDimension))
	}
	return trace.Dim3{X: sizes[0], Y: sizes[1], Z: sizes[2]}
}

func (a *assembler) single(name string, fields []string, most uint64) int {
	if len(fields) != 1 {
		a.fail("%s takes one number", name)
		return 0
	}
	return int(a.number(fields[0], most))
}

func (a *assembler) words(list []uint32, fields []string) []uint32 {
	for _, f := range fields {
		list = append(list, uint32(a.number(f, 1<<32-1)))
	}
	return list
}

// word is an instruction given by its word.
func (a *assembler) word(fields []string) {
	if len(fields) != 1 {
		a.fail(".word takes the word of one instruction")
		return
	}
	in, err := Decode(uint32(a.number(fields[0], 1<<32-1)))
	if err != nil {
		a.fail("%v", err)
		return
	}
	a.append(in)
}
