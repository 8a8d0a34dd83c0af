// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"slices"

	"github.com/warptape/warptape/timing/sm/scoreboard"
	"github.com/warptape/warptape/trace"
)

// operands sets the register sets, the register counts and the bank conflicts.
func (d *decoder) operands(op *operation, in *trace.Instruction) {
	d.registers = in.Writes(d.registers[:0])
	for _, r := range d.registers {
		d.mark(r)
		op.writes += words(r)
	}
	op.written = d.flush()
	reads := len(d.registers)
	d.registers = in.Reads(d.registers)
	if d.machine.SM.Collects() {
		d.bankAccesses(op, d.registers[:reads], d.registers[reads:])
	} else {
		op.conflicts = uint16(min(bankConflicts(d.registers[reads:], d.machine.SM.RegisterBanks), maxConflicts))
	}
	d.program.mostConflicts = max(d.program.mostConflicts, int(op.conflicts))
	for _, r := range d.registers[reads:] {
		op.reads += words(r)
	}
	for _, r := range d.registers {
		d.mark(r)
	}
	op.hazard = d.flush()
}

// maxAccesses bounds the register accesses of one instruction, read or written:
// a tensor instruction of three matrices has 32.
const maxAccesses = 63

// bankAccesses lists the accesses to register banks of an operation.
func (d *decoder) bankAccesses(op *operation, written, read []trace.Register) {
	op.targets = d.accesses(written)
	op.operands.Sources = d.accesses(read)
	for _, r := range read {
		if r.File != trace.FilePredicate {
			d.mark(r)
		}
	}
	op.operands.Read = d.flush()
}

// accesses lists each register once.
func (d *decoder) accesses(registers []trace.Register) []uint16 {
	var list []uint16
	for _, r := range registers {
		n := words(r)
		if d.machine.SM.Collectors.WholeOperands {
			n = min(n, 1)
		}
		for k := range n {
			if x := r.Number + k; len(list) < maxAccesses && !slices.Contains(list, x) {
				list = append(list, x)
			}
		}
	}
	return list
}

func words(r trace.Register) uint16 {
	if r.File == trace.FilePredicate {
		return 0
	}
	return uint16(max(r.Words, 1))
}

// mark sets the scoreboard bits of a register.
func (d *decoder) mark(r trace.Register) {
	at := int(r.Number)
	if r.File == trace.FilePredicate {
		at += d.predicates
	}
	for range max(r.Words, 1) {
		d.bits[at/64] |= 1 << (at % 64)
		at++
	}
}

// flush makes a set of the marked bits.
func (d *decoder) flush() (s scoreboard.Set) {
	s, d.program.sets = scoreboard.Gather(d.bits, d.program.sets)
	clear(d.bits)
	return s
}

// bankConflicts is the number of extra cycles in which the registers are read
// when each bank gives one register (of a whole warp) a cycle. Register r of
// warp w is in bank (r+w) mod banks, so that the warp does not matter. The same
// register read twice is read once.
func bankConflicts(registers []trace.Register, banks int) int {
	if banks <= 0 {
		return 0
	}
	load := make(map[int]int)
	seen := make(map[int]bool)
	worst := 0
	for _, r := range registers {
		for n := range int(words(r)) {
			number := int(r.Number) + n
			if seen[number] {
				continue
			}
			seen[number] = true
			load[number%banks]++
			worst = max(worst, load[number%banks])
		}
	}
	return max(worst-1, 0)
}
