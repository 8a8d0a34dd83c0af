// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// parted is a block with divisions by its parts: what needs no quotient is in groups of one operation.
type parted struct {
	f         *ir.Function
	divisions []division
	tail      []ir.Op // a call that does not come back in the block, and what lies behind it
	out       []ir.Register
}

// division is a call with its return, the quotient, and pairs of a group and what needs it.
type division struct {
	call  []ir.Op
	made  ir.Op
	pairs [][2]ir.Op
}

// newParted makes a block of divisions. In each the quotient multiplies so many products, which are summed up. A
// condition, if asked for, selects a value.
func newParted(divisions, products int, condition bool) *parted {
	p := &parted{f: new(ir.Function)}
	general := func() ir.Register { return p.f.NewRegister(trace.FileGeneral, 1) }
	op := func(code *ir.Code, to ir.Register, from ...ir.Register) ir.Op {
		o := ir.Op{Code: code, Dst: []ir.Register{to}}
		for _, r := range from {
			o.Src = append(o.Src, ir.RegOperand(r))
		}
		return o
	}
	a := general()
	for d := range divisions {
		of, quotient := uint32(d+1), general()
		x := division{call: []ir.Op{{Code: ir.CALL, Origin: of}, {Code: ir.RET, Origin: of}}, made: op(ir.IMADMov, quotient, a)}
		x.made.Origin, x.made.Covers = of, []uint32{of}
		if condition {
			c, both := p.f.NewRegister(trace.FilePredicate, 1), p.f.NewRegister(trace.FilePredicate, 1)
			x.pairs = append(x.pairs, [2]ir.Op{op(ir.ISETP, c, a), op(ir.FSETP, both, quotient, c)})
			value := general()
			p.out = append(p.out, value)
			p.tail = append(p.tail, op(ir.SEL, value, a, both), ir.Op{Code: ir.STL, Guard: ir.RegOperand(both), Base: ir.RegOperand(a), Effect: ir.Stores, Memory: true, Space: trace.SpaceGlobal, Bytes: 4})
		}
		sum := a
		for range products {
			product, next := general(), general()
			x.pairs = append(x.pairs, [2]ir.Op{op(ir.FMUL, product, a, a), op(ir.FFMA, next, quotient, product, sum)})
			sum = next
		}
		p.out = append(p.out, sum)
		p.divisions = append(p.divisions, x)
	}
	p.tail = append([]ir.Op{{Code: ir.CALL}}, append(p.tail, op(ir.FADD, general(), a, a))...)
	return p
}

// ops is the block with so many groups of each division first, in front of the call or behind its return.
func (p *parted) ops(first int, early bool) (list []ir.Op) {
	for _, d := range p.divisions {
		n := min(first, len(d.pairs))
		if !early {
			list = append(list, d.call...)
		}
		for _, x := range d.pairs[:n] {
			list = append(list, x[0])
		}
		if early {
			list = append(list, d.call...)
		}
		list = append(list, d.made)
		for k, x := range d.pairs {
			if k >= n {
				list = append(list, x[0])
			}
			list = append(list, x[1])
		}
	}
	return append(list, p.tail...)
}

// weights are how many registers are live with none, one, and so on, of each division's groups first.
func (p *parted) weights(early bool) (list []int) {
	for n := range len(p.divisions[0].pairs) + 1 {
		list = append(list, int(weighed(p.f, p.ops(n, early), p.out).words))
	}
	return list
}

// fitting is how many groups of each division may go first with so many registers.
func fitting(weights []int, room int) (n int) {
	for n+1 < len(weights) && weights[n+1] <= room {
		n++
	}
	return n
}

// Where conditions become values, as many groups go behind the return as fit into a thread's registers; of one division
// the last five stay. Other values go in front of the call where all fit into the registers that loads may take, and
// else as many go behind it as the target says. All else keeps its order.
func TestAsManyGroupsGoFirstAsFit(t *testing.T) {
	const products = 8
	none, some, all := 0, 0, 0
	for divisions := 1; divisions <= 3; divisions++ {
		for _, condition := range []bool{false, true} {
			p := newParted(divisions, products, condition)
			inFront, behind := p.weights(true), p.weights(false)
			for room := 1; room < 24; room++ {
				target, early := Target{Registers: room, Quotients: room - 2, All: room + 3}, false
				want := fitting(behind, target.All)
				if most := len(p.divisions[0].pairs); !condition {
					if early = fitting(inFront, target.Registers) == most; early {
						want = most
					} else {
						want = fitting(behind, target.Quotients)
					}
				} else if divisions == 1 {
					want = min(want, most-5)
				}
				b := &ir.Block{Ops: p.ops(0, false)}
				if !New(p.f).quotients(b, p.out, &target) {
					t.Fatal("the block has no call")
				}
				if order := p.ops(want, early); !slices.EqualFunc(b.Ops, order, func(a, b ir.Op) bool {
					return a.Code == b.Code && a.Origin == b.Origin && slices.Equal(a.Dst, b.Dst)
				}) {
					t.Errorf("%d divisions, condition %v, %d registers: not %d groups go first (early %v)", divisions, condition, room, want, early)
				}
				switch want {
				case 0:
					none++
				case len(p.divisions[0].pairs):
					all++
				default:
					some++
				}
			}
		}
	}
	if none < 20 || some < 20 || all < 20 {
		t.Errorf("%d times none go first, %d times some, %d times all", none, some, all)
	}
}

// A value that two of the same group read lies behind the return: it keeps nothing from going in front of the call.
func TestAGroupThatSharesAValueGoesInFront(t *testing.T) {
	p := newParted(1, 1, false)
	d := &p.divisions[0]
	shared := p.f.NewRegister(trace.FileGeneral, 1)
	sum := ir.Op{Code: ir.FADD, Dst: []ir.Register{shared}, Src: d.pairs[0][0].Src}
	between := ir.Op{Code: ir.FMUL, Dst: []ir.Register{p.f.NewRegister(trace.FileGeneral, 1)}, Src: []ir.Operand{ir.RegOperand(shared)}}
	last := d.pairs[0][0]
	last.Src = []ir.Operand{ir.RegOperand(between.Dst[0]), ir.RegOperand(shared)}
	b := &ir.Block{Ops: []ir.Op{d.call[0], d.call[1], sum, between, last, d.made, d.pairs[0][1]}}
	New(p.f).quotients(b, p.out, &Target{Registers: 99, Quotients: 99, All: 99})
	if at := slices.IndexFunc(b.Ops, func(o ir.Op) bool { return o.Code == ir.CALL }); at != 3 {
		t.Errorf("%d operations go in front of the call, want the group of 3", at)
	}
}
