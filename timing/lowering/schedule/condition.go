// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// KeepConditions makes values of conditions that need no quotient, where a value is made of them
// and of a quotient. With several divisions in a block the first conditions behind each stay
// predicates. Of a condition that counts, the vendor's compiler makes the sum with one in front of the division, and the old
// number again where the condition does not hold. Behind the division it selects this or the old number. So there
// are two operations by way of the multiplier in front, and one of the integer units behind. Ours has as
// many of each: the comparison reads the condition's value, and a sum stands for the selection.
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

// spared are the conditions behind a division that stay predicates where a block has several, and else
// those that are made last. Of the predicates two are left for what is compared meanwhile.
const spared = Predicates - 2

// divides reports whether a block calls the subroutine of a division.
func divides(b *ir.Block) bool { return divisions(b.Ops) > 0 }

// divisions are those that call their subroutine.
func divisions(ops []ir.Op) (n int) {
	for i := range ops {
		if ops[i].Code == ir.RET {
			n++
		}
	}
	return n
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

// conditions finds the conditions of a block that are kept. They are predicates that need no quotient. Of
// one and of a quotient a predicate is made that gives a value in all lanes.
func (u *uses) conditions(f *ir.Function, b *ir.Block, number int) []ir.Register {
	needs, several := needsQuotient(b.Ops), divisions(b.Ops) > 1
	valued, made := map[ir.Register]bool{}, map[ir.Register]bool{}
	for i := range b.Ops {
		if op := &b.Ops[i]; len(op.Dst) > 0 && f.Registers[op.Dst[0]].File != trace.FilePredicate && op.Guard.Kind != ir.Reg {
			op.EachRead(func(r ir.Register) { valued[r] = true })
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
				if here++; !several || here > spared {
					list = append(list, r)
				}
			}
		})
	}
	return list
}

// needsQuotient says of each operation of a block whether it needs a quotient of a division that calls its
// subroutine.
func needsQuotient(ops []ir.Op) []bool {
	called := map[uint32]bool{}
	for i := range ops {
		if ops[i].Code == ir.RET {
			called[ops[i].Origin] = true
		}
	}
	needs, of := make([]bool, len(ops)), map[ir.Register]bool{}
	for i := range ops {
		op := &ops[i]
		needs[i] = len(op.Covers) > 0 && called[op.Origin]
		op.EachRead(func(r ir.Register) { needs[i] = needs[i] || of[r] })
		for _, r := range op.Dst {
			of[r] = needs[i] || op.Partial && of[r]
		}
	}
	return needs
}

// keep makes values of conditions of a block, which what needs a quotient reads.
func keep(f *ir.Function, b *ir.Block, list []ir.Register) {
	needs, homes, kept := needsQuotient(b.Ops), map[ir.Register]ir.Register{}, map[ir.Register]bool{}
	for _, r := range list {
		kept[r] = true
	}
	var ops []ir.Op
	for i := range b.Ops {
		op := b.Ops[i]
		if needs[i] {
			op.Replace(func(o ir.Operand) ir.Operand {
				if home, ok := homes[o.Register]; ok {
					o.Register = home
				}
				return o
			})
		}
		ops = append(ops, op)
		if len(op.Dst) == 1 && kept[op.Dst[0]] {
			home := f.NewRegister(trace.FileGeneral, 1)
			homes[op.Dst[0]] = home
			ops = append(ops, ir.Op{Code: ir.Valued, Dst: []ir.Register{home}, Src: []ir.Operand{ir.RegOperand(op.Dst[0])}, Origin: op.Origin, Unmasked: true})
		}
	}
	b.Ops = ops
}
