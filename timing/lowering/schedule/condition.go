// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// KeepConditions keeps conditions that need no quotient in general registers (P2R, ISETP), but
// for the first ones. They are compared with zero where a value is made of them and of a
// quotient.
func KeepConditions(f *ir.Function) {
	var u *uses
	for number, b := range f.Blocks {
		if b == nil || !divides(b) {
			continue
		}
		if u == nil {
			u = usesOf(f)
		}
		if list := u.conditions(f, b, number); len(list) > 0 {
			keep(f, b, list)
		}
	}
}

// spared are the conditions behind a division that stay predicates. Two are left for what is compared
// meanwhile.
const spared = Predicates - 2

// divides reports whether a block calls the subroutine of a division.
func divides(b *ir.Block) bool {
	for i := range b.Ops {
		if b.Ops[i].Code == ir.RET {
			return true
		}
	}
	return false
}

// uses says of each register how often it is written, and which block alone reads it; -1: several.
type uses struct {
	writes []int32
	reader []int
}

func usesOf(f *ir.Function) *uses {
	u := &uses{writes: make([]int32, len(f.Registers)), reader: make([]int, len(f.Registers))}
	for number, b := range f.Blocks {
		if b == nil {
			continue
		}
		for i := range b.Ops {
			b.Ops[i].EachRead(func(r ir.Register) {
				if u.reader[r] == 0 || u.reader[r] == number+1 {
					u.reader[r] = number + 1
				} else {
					u.reader[r] = -1
				}
			})
			for _, r := range b.Ops[i].Dst {
				u.writes[r]++
			}
		}
	}
	return u
}

// conditions finds the conditions of a block that are kept, but for the first ones behind each division. They are
// predicates that need no quotient. Of one and of a quotient a predicate is made that gives a value in all lanes.
func (u *uses) conditions(f *ir.Function, b *ir.Block, number int) []ir.Register {
	needs := needsQuotient(b)
	valued, made := map[ir.Register]bool{}, map[ir.Register]bool{}
	for i := range b.Ops {
		if op := &b.Ops[i]; len(op.Dst) > 0 && f.Registers[op.Dst[0]].File != trace.FilePredicate && op.Guard.Kind != ir.Reg {
			op.EachRead(func(r ir.Register) { valued[r] = f.Registers[r].File == trace.FilePredicate })
		}
	}
	var list []ir.Register
	listed, here := map[ir.Register]bool{}, 0
	for i := range b.Ops {
		op := &b.Ops[i]
		if op.Code == ir.CALL {
			here = 0
		}
		if len(op.Dst) != 1 || f.Registers[op.Dst[0]].File != trace.FilePredicate {
			continue
		}
		if !needs[i] {
			made[op.Dst[0]] = true
			continue
		}
		if !valued[op.Dst[0]] {
			continue
		}
		op.EachRead(func(r ir.Register) {
			if made[r] && u.writes[r] == 1 && u.reader[r] == number+1 && !listed[r] {
				listed[r] = true
				if here++; here > spared {
					list = append(list, r)
				}
			}
		})
	}
	return list
}

// needsQuotient says of each operation of a block whether it needs a quotient.
func needsQuotient(b *ir.Block) []bool {
	divisions := map[uint32]bool{}
	for i := range b.Ops {
		if b.Ops[i].Code == ir.RET {
			divisions[b.Ops[i].Origin] = true
		}
	}
	needs, of := make([]bool, len(b.Ops)), map[ir.Register]bool{}
	for i := range b.Ops {
		op := &b.Ops[i]
		needs[i] = len(op.Covers) > 0 && divisions[op.Origin]
		op.EachRead(func(r ir.Register) { needs[i] = needs[i] || of[r] })
		for _, r := range op.Dst {
			of[r] = needs[i] || op.Partial && of[r]
		}
	}
	return needs
}

// keep puts conditions of a block into general registers, and back where what needs a quotient
// reads them.
func keep(f *ir.Function, b *ir.Block, list []ir.Register) {
	needs, homes, kept := needsQuotient(b), map[ir.Register]ir.Register{}, map[ir.Register]bool{}
	for _, r := range list {
		kept[r] = true
	}
	ops := make([]ir.Op, 0, len(b.Ops)+2*len(list))
	for i := range b.Ops {
		op := b.Ops[i]
		if needs[i] {
			again := map[ir.Register]ir.Register{}
			op.Replace(func(o ir.Operand) ir.Operand {
				home, ok := homes[o.Register]
				if !ok {
					return o
				}
				p, ok := again[o.Register]
				if !ok {
					p = f.NewRegister(trace.FilePredicate, 1)
					again[o.Register] = p
					ops = append(ops, ir.Op{Code: ir.Unpack, Dst: []ir.Register{p}, Src: []ir.Operand{ir.RegOperand(home)}, Origin: op.Origin, Unmasked: true})
				}
				o.Register = p
				return o
			})
		}
		ops = append(ops, op)
		if len(op.Dst) == 1 && kept[op.Dst[0]] {
			home := f.NewRegister(trace.FileGeneral, 1)
			homes[op.Dst[0]] = home
			ops = append(ops, ir.Op{Code: ir.P2R, Dst: []ir.Register{home}, Src: []ir.Operand{ir.RegOperand(op.Dst[0])}, Origin: op.Origin, Unmasked: true})
		}
	}
	b.Ops = ops
}
