// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// A value that a quotient waits for goes in front of the call, with what makes it. Where that lies between the call
// and its return, the value stays behind them.
func TestAValueStaysBehindWhatItReads(t *testing.T) {
	for _, inside := range []bool{false, true} {
		f := new(ir.Function)
		general := func() ir.Register { return f.NewRegister(trace.FileGeneral, 1) }
		a, sum, quotient, product, result := general(), general(), general(), general(), general()
		op := func(code *ir.Code, origin uint32, dst ir.Register, src ...ir.Register) ir.Op {
			o := ir.Op{Code: code, Dst: []ir.Register{dst}, Origin: origin, Covers: []uint32{origin}}
			for _, r := range src {
				o.Src = append(o.Src, ir.RegOperand(r))
			}
			return o
		}
		call, back := ir.Op{Code: ir.CALL}, ir.Op{Code: ir.RET}
		b := &ir.Block{Ops: []ir.Op{op(ir.FADD, 1, sum, a, a), call, back}}
		if inside {
			b.Ops[0], b.Ops[1] = b.Ops[1], b.Ops[0]
		}
		b.Ops = append(b.Ops, op(ir.IMADMov, 0, quotient), op(ir.FMUL, 2, product, sum, sum), op(ir.FFMA, 3, result, quotient, product))
		if !New(f).quotients(b, []ir.Register{result}, &Target{Registers: 99, All: 99, Quotients: 99}) {
			t.Fatal("the block has no call")
		}
		at := func(c *ir.Code) int { return slices.IndexFunc(b.Ops, func(o ir.Op) bool { return o.Code == c }) }
		if at(ir.FADD) > at(ir.FMUL) || at(ir.FMUL) < at(ir.CALL) == inside {
			t.Errorf("inside %v: the sum is operation %d, the product %d, the call %d", inside, at(ir.FADD), at(ir.FMUL), at(ir.CALL))
		}
	}
}

// What does more than to compute stays behind the call, with what reads it. All else goes in front.
func TestOnlyWhatComputesGoesInFrontOfACall(t *testing.T) {
	for name, c := range map[string]struct {
		change func(o *ir.Op)
		stays  bool
	}{
		"computes":  {func(*ir.Op) {}, false},
		"loads":     {func(o *ir.Op) { o.Effect = ir.Loads }, true},
		"memory":    {func(o *ir.Op) { o.Memory = true }, true},
		"modifiers": {func(o *ir.Op) { o.Keep = new(trace.Instruction) }, true},
		"no class":  {func(o *ir.Op) { o.Code = ir.BSSY }, true},
		"quotient":  {func(o *ir.Op) { o.Origin = 0 }, true},
	} {
		for changed := range 2 { // the sum, and the product that reads it
			f := new(ir.Function)
			general := func() ir.Register { return f.NewRegister(trace.FileGeneral, 1) }
			a, sum, quotient, product, result := general(), general(), general(), general(), general()
			op := func(code *ir.Code, origin uint32, dst ir.Register, src ...ir.Register) ir.Op {
				o := ir.Op{Code: code, Dst: []ir.Register{dst}, Origin: origin, Covers: []uint32{origin}}
				for _, r := range src {
					o.Src = append(o.Src, ir.RegOperand(r))
				}
				return o
			}
			made := []ir.Op{op(ir.FADD, 1, sum, a, a), op(ir.FMUL, 2, product, sum, sum)}
			c.change(&made[changed])
			b := &ir.Block{Ops: []ir.Op{{Code: ir.CALL}, {Code: ir.RET}, op(ir.IMADMov, 0, quotient), made[0], made[1], op(ir.FFMA, 3, result, quotient, product)}}
			New(f).quotients(b, []ir.Register{result}, &Target{Registers: 99, All: 99, Quotients: 99})
			place := func(of ir.Register) int {
				return slices.IndexFunc(b.Ops, func(o ir.Op) bool { return slices.Contains(o.Dst, of) })
			}
			call := slices.IndexFunc(b.Ops, func(o ir.Op) bool { return o.Code == ir.CALL })
			if behind := place(product) > call; behind != c.stays || place(sum) > place(product) {
				t.Errorf("%s, operation %d: the call is operation %d, the sum %d, the product %d", name, changed, call, place(sum), place(product))
			}
		}
	}
}
