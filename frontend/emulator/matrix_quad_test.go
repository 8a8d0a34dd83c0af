// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math"
	"testing"

	"github.com/warptape/warptape/frontend/internal/lanes"
)

// mma.m8n8k4 on .f16 matrices is four products of eight lanes each, whose
// fragments are those of PTX ISA 9.7.14.5.1.
func TestMmaOfQuadsComputesFourProducts(t *testing.T) {
	layouts := []string{"row", "col"}
	for _, types := range [][2]string{{"f16", "f16"}, {"f32", "f16"}, {"f32", "f32"}} {
		for i := range 4 {
			checkQuads(t, layouts[i&1], layouts[i>>1], types[0], types[1])
		}
	}
}

// quadElement gives the row and column of element i that a lane holds: of a in
// the layout, of b in the layout, or of an accumulator in its type.
func quadElement(matrix, kind string, lane, i int) (row, column int) {
	high := 0
	if lane >= 16 {
		high = 4
	}
	switch matrix + kind {
	case "arow":
		return lane%4 + high, i
	case "acol":
		return i%4 + high, lane % 4
	case "brow":
		return lane % 4, i + high
	case "bcol":
		return i, lane%4 + high
	case "cf16":
		return lane%4 + high, i
	case "cf32":
		return lane&0b1 + i&0b10 + high, i&0b100 + lane&0b10 + i&0b1
	}
	panic("BUG: " + matrix + kind)
}

func checkQuads(t *testing.T, la, lb, d, c string) {
	t.Helper()
	value := func(matrix string, product, row, column int) float64 {
		return matrixInput("f16", false, int(matrix[0])*1000+product*100+row*8+column)
	}
	product := func(lane int) int { return lane % 16 / 4 }
	// registers packs n elements of a lane.
	registers := func(matrix, kind, typ string, lane, n int) []uint32 {
		var list []uint32
		for i := range n {
			row, column := quadElement(matrix, kind, lane, i)
			v := value(matrix, product(lane), row, column)
			switch {
			case typ == "f32":
				list = append(list, math.Float32bits(float32(v)))
			case i%2 == 0:
				list = append(list, uint32(lanes.Half.Encode(v, lanes.Nearest)))
			default:
				list[i/2] |= uint32(lanes.Half.Encode(v, lanes.Nearest)) << 16
			}
		}
		return list
	}
	words := map[string]int{"f16": 4, "f32": 8}
	s := script{words: 32 * words[d]}
	for lane := range 32 {
		s.input = append(s.input, registers("a", la, "f16", lane, 4)...)
		s.input = append(s.input, registers("b", lb, "f16", lane, 4)...)
		s.input = append(s.input, registers("c", c, c, lane, 8)...)
	}
	each := 4 + words[c]
	s.body = fmt.Sprintf(".reg .b32 %%a<4>; .reg .b32 %%c<8>; .reg .b32 %%z<8>; mad.wide.u32 %%d3, %%r0, %d, %%d2; mad.wide.u32 %%d4, %%r0, %d, %%d1;\nld.global.v4.b32 {%%a0, %%a1, %%a2, %%a3}, [%%d3];\n", 4*each, 4*words[d])
	for i := range words[c] {
		s.body += fmt.Sprintf("ld.global.b32 %%c%d, [%%d3+%d];\n", i, 16+4*i)
	}
	s.body += fmt.Sprintf("mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s %s, {%%a0, %%a1}, {%%a2, %%a3}, %s;\n", la, lb, d, c, fragmentText("z", words[d]), fragmentText("c", words[c]))
	for i := range words[d] {
		s.body += fmt.Sprintf("st.global.b32 [%%d4+%d], %%z%d;\n", 4*i, i)
	}
	s.body += "ret;"
	got := s.run(t)
	for lane := range 32 {
		for i := range 8 {
			row, column := quadElement("c", d, lane, i)
			var x, y []float64
			for p := range 4 {
				x, y = append(x, value("a", product(lane), row, p)), append(y, value("b", product(lane), p, column))
			}
			want := floatSum(lanes.Half.Decode(lanes.Half.Encode(value("c", product(lane), row, column), lanes.Nearest)), x, y, d)
			v := float64(math.Float32frombits(got[lane*words[d]+i*words[d]/8]))
			if d == "f16" {
				v = lanes.Half.Decode(uint64(got[lane*4+i/2] >> (16 * (i % 2)) & 0xffff))
			}
			if v != want {
				t.Fatalf("%s.%s %s.%s: element %d of lane %d is %v, want %v", la, lb, d, c, i, lane, v, want)
			}
		}
	}
}
