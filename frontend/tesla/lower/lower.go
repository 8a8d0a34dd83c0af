// SPDX-License-Identifier: Apache-2.0

package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/trace"
)

// Launch is what a kernel is launched with: the machine's programs have it inside.
type Launch struct {
	Grid, Block trace.Dim3
	Parameters  []uint32
}

// selectors of the parameters that LDS reads.
var readable = []int{0, 4}

// wordBytes of a word of the machine: PTX counts bytes.
const wordBytes = 4

// limit is the instruction memory of the reference runs.
var limit = 1 << language.Reference.InstructionAddressBits

type lowerer struct {
	code
	kernel *contaminator.Kernel
	launch Launch
	// base has the first byte of the thread block's memory; none in a grid of one block.
	base int
	line int // of the instruction
}

// refusal is an error with the place of the instruction.
func (l *lowerer) refusal(in *ptx.Instruction, format string, arguments ...any) error {
	return fmt.Errorf("%s: %s: %s", in.Position, ptx.Format(in), fmt.Sprintf(format, arguments...))
}

// Kernel gives the text of a program (package language) that does what the kernel does.
func Kernel(k *ptx.Kernel, launch Launch) (string, error) {
	kernel, err := contaminator.Contaminate(k)
	if err != nil {
		return "", err
	}
	l := &lowerer{kernel: kernel, launch: launch, base: none}
	if err := l.checkKernel(); err != nil {
		return "", err
	}
	l.registers = len(kernel.PTX.Registers)
	l.separate()
	for i := range kernel.Segments {
		l.starts = append(l.starts, len(l.operations))
		if err := l.segment(i); err != nil {
			return "", err
		}
		if len(l.operations) > limit {
			return "", fmt.Errorf("%s:%d: kernel %s takes more than the %d instructions that the machine has room for", k.Position.File, l.line, k.Name, limit)
		}
	}
	given, err := l.allocate(func(line int) string { return fmt.Sprintf("%s:%d", k.Position.File, line) })
	if err != nil {
		return "", err
	}
	return l.header(given) + l.text(given), nil
}

// checkKernel refuses what concerns no single instruction.
func (l *lowerer) checkKernel() error {
	k := l.kernel.PTX
	fail := func(format string, arguments ...any) error {
		return fmt.Errorf("%s: kernel %s: %s", k.Position, k.Name, fmt.Sprintf(format, arguments...))
	}
	words := l.blockWords() * l.launch.Grid.Count()
	switch {
	case len(k.Units) > 1:
		return fail("calls functions, which the machine cannot")
	case l.kernel.DynamicSharedAlign != 0:
		return fail("has shared memory of unknown size (.extern); give it one")
	case words > 1024:
		return fail("%d thread blocks of %d words of shared memory; a multiprocessor has 1024 words for all", l.launch.Grid.Count(), l.blockWords())
	case len(l.launch.Parameters) != len(k.Params):
		return fail("takes %d parameters, and %d values are given; give one for each, in their order", len(k.Params), len(l.launch.Parameters))
	}
	for i, p := range k.Params {
		if i >= len(readable) {
			return fmt.Errorf("%s: parameter %s is the third; LDS reads two", p.Position, p.Name)
		}
		if p.Bytes != wordBytes || p.Type.Float() {
			return fmt.Errorf("%s: parameter %s is no integer of 32 bits", p.Position, p.Name)
		}
	}
	return nil
}

// blockWords are the words of shared memory of a thread block.
func (l *lowerer) blockWords() uint64 { return (l.kernel.SharedBytes + wordBytes - 1) / wordBytes }

// separate computes base, from the number of the thread block, x fastest.
func (l *lowerer) separate() {
	g := l.launch.Grid
	if g.Count() <= 1 || l.blockWords() == 0 {
		return
	}
	l.line = l.kernel.PTX.Line
	number := none
	for _, d := range []struct {
		size uint32
		of   ptx.Special
	}{{g.Z, ptx.CtaidZ}, {g.Y, ptx.CtaidY}, {g.X, ptx.CtaidX}} {
		switch {
		case d.size == 1:
		case number == none:
			number = l.special(d.of)
		default:
			number = l.with(language.MAD, l.special(d.of), number, l.constant(d.size))
		}
	}
	// Blocks may read the base after branches: it is written first, and once.
	l.base = l.with(language.MUL, number, l.constant(uint32(l.blockWords()*wordBytes)))
}

// header are the lines that say how the kernel is launched.
func (l *lowerer) header(given []int) string {
	var b strings.Builder
	g, t := l.launch.Grid, l.launch.Block
	fmt.Fprintf(&b, "; kernel %s of %s\n.grid %d %d %d\n.block %d %d %d\n.registers %d\n", l.kernel.PTX.Name, l.kernel.PTX.Position.File, g.X, g.Y, g.Z, t.X, t.Y, t.Z, slices.Max(append(given, 0))+1)
	if len(l.launch.Parameters) > 0 {
		var list [5]uint32
		for i, v := range l.launch.Parameters {
			list[readable[i]] = v
		}
		fmt.Fprintf(&b, ".params %d %d %d %d %d\n", list[0], list[1], list[2], list[3], list[4])
	}
	return b.String()
}

func (l *lowerer) emit(op language.Opcode, d int, sources ...int) int {
	l.operations = append(l.operations, operation{op: op, d: d, sources: sources, target: none, line: l.line})
	return d
}

func (l *lowerer) jump(op language.Opcode, target int, sources ...int) {
	l.operations = append(l.operations, operation{op: op, d: none, sources: sources, target: target, line: l.line})
}

// with emits into a fresh register.
func (l *lowerer) with(op language.Opcode, sources ...int) int {
	return l.emit(op, l.fresh(), sources...)
}

func (l *lowerer) immediate(op language.Opcode, v int) int {
	d := l.fresh()
	l.operations = append(l.operations, operation{op: op, d: d, immediate: v, target: none, line: l.line})
	return d
}

// constant is a register with a value.
func (l *lowerer) constant(v uint32) int {
	if v <= 0xffff {
		return l.immediate(language.MVI, int(v))
	}
	high := l.with(language.SHL, l.immediate(language.MVI, int(v>>16)), l.immediate(language.MVI, 16))
	if v&0xffff == 0 {
		return high
	}
	return l.with(language.OR, high, l.immediate(language.MVI, int(v&0xffff)))
}
