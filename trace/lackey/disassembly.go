// SPDX-License-Identifier: Apache-2.0

package lackey

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/warptape/warptape/trace"
)

// Disassembly is what objdump -d says of a program: the registers of the instruction
// at each address, and where functions begin.
type Disassembly struct {
	instructions map[uint64]trace.CPUInstruction
	functions    map[string]uint64
	syncs        map[uint64]trace.CPUSyncKind // instructions that order accesses
}

// limits of what is read: a line, and instructions of a program.
const (
	maxLineBytes    = 1 << 16
	maxInstructions = 1 << 24
)

// ReadDisassembly reads the output of objdump -d. The error names the line.
func ReadDisassembly(in io.Reader) (*Disassembly, error) {
	d := &Disassembly{instructions: map[uint64]trace.CPUInstruction{}, functions: map[string]uint64{}, syncs: map[uint64]trace.CPUSyncKind{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, maxLineBytes), maxLineBytes)
	for n := 1; lines.Scan(); n++ {
		if err := d.line(lines.Text()); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: want the text of objdump -d", err)
	}
	if len(d.instructions) == 0 {
		return nil, fmt.Errorf("no instruction in it: want the text of objdump -d of the program")
	}
	return d, nil
}

// line takes one line: of a function ("0000000000401650 <kernel>:"), of an
// instruction (address, bytes and text with tabs between), or another.
func (d *Disassembly) line(text string) error {
	if at, name, ok := strings.Cut(text, " <"); ok && strings.HasSuffix(name, ">:") {
		address, err := strconv.ParseUint(at, 16, 64)
		if err != nil {
			return nil // not of a function
		}
		d.functions[strings.TrimSuffix(name, ">:")] = address
		return nil
	}
	fields := strings.SplitN(text, "\t", 3)
	if len(fields) < 3 {
		return nil
	}
	at, ok := strings.CutSuffix(strings.TrimSpace(fields[0]), ":")
	if !ok {
		return nil
	}
	address, err := strconv.ParseUint(at, 16, 64)
	if err != nil {
		return fmt.Errorf("address %.40q: want a hexadecimal number", at)
	}
	if len(d.instructions) == maxInstructions {
		return fmt.Errorf("more than %d instructions", maxInstructions)
	}
	in := decode(fields[2])
	in.IP = address
	d.instructions[address] = in
	if kind := orders(fields[2]); kind != trace.CPUNoSync {
		d.syncs[address] = kind
	}
	return nil
}

// orders says whether an instruction orders the accesses around it: one with the prefix
// lock, an exchange with memory, which needs none, and fences (Intel's manual, volume
// 3A, section 8.2).
func orders(text string) trace.CPUSyncKind {
	mnemonic, operands := split(text)
	switch {
	case strings.HasPrefix(strings.TrimSpace(text), "lock "), strings.HasPrefix(mnemonic, "xchg") && strings.Contains(operands, "("):
		return trace.CPUAtomic
	case mnemonic == "mfence":
		return trace.CPUFence
	}
	return trace.CPUNoSync
}
