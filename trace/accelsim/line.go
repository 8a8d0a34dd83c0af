// SPDX-License-Identifier: Apache-2.0

package accelsim

import (
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/warptape/warptape/trace"
)

// maxSources is how many source registers the reader of a trace accepts.
const maxSources = 4

// noRegister is RZ, the register that is always zero.
const noRegister = 255

// noPredicate is PT, the predicate that is always true.
const noPredicate = 7

// instructionBytes is the size of an instruction in every trace.
const instructionBytes = 16

// kernelText holds what does not change between executions of an instruction.
type kernelText struct {
	kernel       *trace.Kernel
	instructions []instructionText
	end          string // of every line
}

type instructionText struct {
	before []byte // [line] PC, with the space before the mask
	after  []byte // registers, opcode, width, from the space after the mask
}

func newKernelText(k *trace.Kernel, o *ExportOptions) (*kernelText, error) {
	t := &kernelText{kernel: k, end: " 0\n"}
	typed := o.Version >= typedVersion
	switch {
	case typed:
		t.end = " 0 NoVal\n"
	case o.Version == 3:
		t.end = "\n"
	}
	for i := range k.Instructions {
		in := &k.Instructions[i]
		var text instructionText
		if o.LineInfo {
			text.before = append(strconv.AppendUint(text.before, uint64(in.Line), 10), ' ')
		}
		text.before = append(appendHex(text.before, uint64(i)*instructionBytes, 4), ' ')
		opcode, err := Opcode(in)
		if err != nil {
			return nil, err
		}
		text.after = appendRegisters(text.after, registersOf(in.Writes(nil), typed), 1)
		text.after = append(append(text.after, ' '), opcode...)
		text.after = appendRegisters(text.after, sources(in, typed), maxSources)
		width := 0
		if in.Class.IsMemory() {
			width = int(in.LaneBytes)
		}
		text.after = strconv.AppendInt(append(text.after, ' '), int64(width), 10)
		t.instructions = append(t.instructions, text)
	}
	return t, nil
}

// append adds the line of one execution. The immediate is always there (but in version
// 3, which has none): readers of the format take it for an address difference and would run into the next line.
func (t *kernelText) append(dst []byte, i int, mask uint32, lanes *[trace.WarpSize]uint64) []byte {
	text := &t.instructions[i]
	dst = append(dst, text.before...)
	dst = appendHex(dst, uint64(mask), 8)
	dst = append(dst, text.after...)
	if lanes != nil && t.kernel.Instructions[i].LaneBytes > 0 {
		dst = appendAddresses(dst, mask, lanes)
	}
	return append(dst, t.end...)
}

func appendHex(dst []byte, n uint64, digits int) []byte {
	for have := max(1, (bits.Len64(n)+3)/4); have < digits; have++ {
		dst = append(dst, '0')
	}
	return strconv.AppendUint(dst, n, 16)
}

// registersOf are the distinct general registers, where they are typed also the
// predicates after them.
func registersOf(registers []trace.Register, typed bool) (distinct []register) {
	files := []trace.RegisterFile{trace.FileGeneral}
	if typed {
		files = append(files, trace.FilePredicate)
	}
	for _, file := range files {
		for _, r := range registers {
			written := register{vector, r.Number % noRegister}
			if file == trace.FilePredicate {
				written = register{predicate, r.Number % noPredicate}
			}
			if r.File == file && !slices.Contains(distinct, written) {
				distinct = append(distinct, written)
			}
		}
	}
	return distinct
}

// sources are the registers that an instruction reads, its address first.
func sources(in *trace.Instruction, typed bool) []register {
	var bases []trace.Register
	for i := range in.Operands {
		if o := &in.Operands[i]; o.Kind == trace.OperandAddress && o.HasBase {
			bases = append(bases, o.Register)
		}
	}
	return registersOf(in.Reads(bases), typed)
}

func appendRegisters(dst []byte, registers []register, most int) []byte {
	registers = registers[:min(most, len(registers))]
	dst = strconv.AppendInt(append(dst, ' '), int64(len(registers)), 10)
	for _, r := range registers {
		dst = append(append(dst, ' '), r.file...)
		dst = strconv.AppendUint(dst, uint64(r.number), 10)
	}
	return dst
}

// Address modes.
const (
	modeList = iota
	modeStride
	modeDelta
)

// appendAddresses writes the addresses in the mode that the tracer would choose.
func appendAddresses(dst []byte, mask uint32, lanes *[trace.WarpSize]uint64) []byte {
	if mask == 0 {
		return append(dst, " 1 0x0 0"...)
	}
	first, n := bits.TrailingZeros32(mask), bits.OnesCount32(mask)
	contiguous := mask>>first == 1<<n-1
	if n >= 2 && contiguous {
		stride := lanes[first+1] - lanes[first]
		regular := fits(stride)
		for l := first + 1; l < first+n; l++ {
			regular = regular && lanes[l]-lanes[l-1] == stride
		}
		if regular {
			dst = strconv.AppendUint(append(dst, " 1 0x"...), lanes[first], 16)
			return strconv.AppendInt(append(dst, ' '), int64(stride), 10)
		}
	}
	start := len(dst)
	dst = strconv.AppendUint(append(dst, " 2 0x"...), lanes[first], 16)
	last := lanes[first]
	for m := mask & (mask - 1); m != 0; m &= m - 1 {
		a := lanes[bits.TrailingZeros32(m)]
		if !fits(a - last) {
			return appendList(dst[:start], mask, lanes)
		}
		dst = strconv.AppendInt(append(dst, ' '), int64(a-last), 10)
		last = a
	}
	return dst
}

// fits reports whether a difference fits the simulator's 32-bit integers.
func fits(d uint64) bool { return int64(d) >= math.MinInt32 && int64(d) <= math.MaxInt32 }

func appendList(dst []byte, mask uint32, lanes *[trace.WarpSize]uint64) []byte {
	dst = append(dst, " 0"...)
	for m := mask; m != 0; m &= m - 1 {
		dst = strconv.AppendUint(append(dst, " 0x"...), lanes[bits.TrailingZeros32(m)], 16)
	}
	return dst
}
