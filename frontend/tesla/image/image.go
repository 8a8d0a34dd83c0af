// SPDX-License-Identifier: Apache-2.0

package image

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/trace"
)

// Word is one word of an image, 36 bits wide.
type Word uint64

// The kinds of words (Table 4.3), the upper four bits.
const (
	kindGrid  = 0
	kindBlock = 1
	kindParam = 2
	kindInstr = 3
	kindConst = 4
	kindData  = 5
	kindWarp  = 6
	kindReg   = 7
	kindStart = 15
)

var kindNames = map[uint64]string{
	kindGrid: "GRID", kindBlock: "BLOCK", kindParam: "PARAM", kindInstr: "INSTR", kindConst: "CONST",
	kindData: "DATA", kindWarp: "WARP", kindReg: "REG", kindStart: "START",
}

const (
	dataBits  = 32
	wordBits  = 36
	wordHex   = wordBits / 4
	dimension = 10 // bits of a size
)

func word(kind uint64, data uint32) Word { return Word(kind<<dataBits | uint64(data)) }

// Of gives the image of a kernel: the launch, the parameters, the memories, START.
func Of(k *language.Kernel) []Word {
	words := []Word{word(kindGrid, packed(k.Grid)), word(kindBlock, packed(k.Block))}
	for _, p := range k.Parameters {
		words = append(words, word(kindParam, p))
	}
	for _, in := range k.Words() {
		words = append(words, word(kindInstr, in))
	}
	for _, c := range k.Constants {
		words = append(words, word(kindConst, c))
	}
	for _, d := range k.Data {
		words = append(words, word(kindData, d))
	}
	return append(words, word(kindWarp, uint32(k.WarpsPerBlock)), word(kindReg, uint32(k.RegistersPerThread)), word(kindStart, 0))
}

// LoadCycles is how long an image takes to load: a cycle for each word before START.
func LoadCycles(words []Word) int { return len(words) - 1 }

// packed has the sizes less one, ten bits each.
func packed(d trace.Dim3) uint32 {
	return (d.Z-1)<<(2*dimension) | (d.Y-1)<<dimension | (d.X - 1)
}

func unpacked(data uint32) trace.Dim3 {
	const mask = 1<<dimension - 1
	return trace.Dim3{X: data&mask + 1, Y: data>>dimension&mask + 1, Z: data>>(2*dimension)&mask + 1}
}

// Format writes an image, one word a line.
func Format(words []Word) string {
	b := new(strings.Builder)
	for _, w := range words {
		fmt.Fprintf(b, "%0*x\n", wordHex, uint64(w))
	}
	return b.String()
}
