// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// What the analysis makes of the address base + f(tid), by the rules of section 4.4. A
// remainder by a scalar, and a mask of low bits, which is one, are mod-type tuples; those
// go on with scalars alone. An or is an addition where the bits are zero in every thread,
// which products with powers of two leave.
func TestAddressesFollowTheRulesOfSection44(t *testing.T) {
	tid, r1, a, base := reg("tid", 1, 1), reg("r1", 2, 1), reg("addrA", 3, 1), reg("A", 9, 1)
	rem := func(to, x, y trace.Operand) trace.Instruction { return op("rem", "u32", trace.ClassIntMul, to, x, y) }
	and := func(to, x, y trace.Operand) trace.Instruction { return op("and", "u32", trace.ClassIntAdd, to, x, y) }
	or := func(to, x, y trace.Operand) trace.Instruction { return op("or", "b32", trace.ClassIntAdd, to, x, y) }
	add := func(to, x, y trace.Operand) trace.Instruction { return op("add", "u32", trace.ClassIntAdd, to, x, y) }
	shl := func(to, x, y trace.Operand) trace.Instruction { return op("shl", "b32", trace.ClassIntAdd, to, x, y) }
	mul := func(to, x, y trace.Operand) trace.Instruction {
		return op("mul.lo", "u32", trace.ClassIntMul, to, x, y)
	}
	mad := func(to, x, y, z trace.Operand) trace.Instruction {
		return op("mad.lo", "u32", trace.ClassIntMad, to, x, y, z)
	}
	for _, c := range []struct {
		what          string
		first, second trace.Instruction // of r1, and of the address
		typ           Type              // of the address
		want          string            // the reason, empty: it is decoupled
	}{
		{"an affine value", mul(r1, tid, imm(4)), add(a, base, r1), Affine, ""},
		{"a remainder", rem(r1, tid, imm(4)), add(a, base, r1), Modulo, ""},
		{"a scaled remainder", rem(r1, tid, imm(4)), mul(a, r1, imm(4)), Modulo, ""},
		{"a remainder and an affine value", rem(r1, tid, imm(4)), add(a, tid, r1), NonAffine, moduloReason},
		{"a remainder times an affine value", rem(r1, tid, imm(4)), mul(a, r1, tid), NonAffine, moduloReason},
		{"a remainder by an affine value", rem(r1, tid, tid), add(a, base, r1), NonAffine, "rem by a value that is not scalar"},
		{"a remainder of a remainder", rem(r1, tid, imm(4)), rem(a, r1, imm(2)), NonAffine, moduloReason},
		{"a mask of low bits", and(r1, tid, imm(7)), add(a, base, r1), Modulo, ""},
		{"a mask of low bits and an affine value", and(r1, tid, imm(7)), add(a, tid, r1), NonAffine, moduloReason},
		{"another mask", and(r1, tid, imm(6)), add(a, base, r1), NonAffine, "a mask of low bits"},
		{"a mask of a remainder", rem(r1, tid, imm(4)), and(a, r1, imm(1)), NonAffine, "a mask of low bits"},
		{"a mad of affine values", mad(r1, tid, imm(4), tid), add(a, base, r1), Affine, ""},
		{"a mad of a remainder", rem(r1, tid, imm(4)), mad(a, r1, imm(4), base), Modulo, ""},
		{"a mad of a remainder and an affine value", rem(r1, tid, imm(4)), mad(a, r1, imm(4), tid), NonAffine, moduloReason},
		{"a mad of an affine value and a remainder", rem(r1, tid, imm(4)), mad(a, tid, imm(4), r1), NonAffine, moduloReason},
		{"a mad with two affine factors", mad(r1, tid, tid, base), add(a, base, r1), NonAffine, productReason},
		{"a shift by an affine value", shl(r1, imm(1), tid), add(a, base, r1), NonAffine, "shl by a value that is not scalar"},
		{"an or into zeros that a shift leaves", shl(r1, tid, imm(2)), or(a, r1, imm(3)), Affine, ""},
		{"an or beyond them", shl(r1, tid, imm(2)), or(a, r1, imm(4)), NonAffine, "or" + nonlinear},
		{"an or into zeros that a product leaves", mul(r1, tid, imm(8)), or(a, r1, imm(7)), Affine, ""},
		{"an or into zeros that a mad leaves", mad(r1, tid, imm(8), imm(4)), or(a, r1, imm(3)), Affine, ""},
		{"an or into a bit that a mad sets", mad(r1, tid, imm(8), imm(4)), or(a, r1, imm(7)), NonAffine, "or" + nonlinear},
		{"an or into zeros of both of a sum", shl(r1, tid, imm(3)), or(a, r1, imm(7)), Affine, ""},
	} {
		k := figure4()
		k.Instructions[6], k.Instructions[7] = c.first, c.second
		// The address stays as it is in the loop.
		k.Instructions[15] = add(reg("r9", 20, 1), base, base)
		p := Compile(k)
		got := p.Fates[10]
		if (got.Enqueue == Data) != (c.want == "") || !strings.Contains(got.Reason, c.want) || c.want == "" && p.Fates[7].Type != c.typ {
			t.Errorf("%s: enqueues %v, type %v, reason %q; want type %v, reason %q", c.what, got.Enqueue, p.Fates[7].Type, got.Reason, c.typ, c.want)
		}
	}
}

// Operations of scalars are those of the lanes (PTX ISA, integer arithmetic and logic),
// of either sign.
func TestScalarsAreComputedAsTheLanesWould(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	e := extent{1, 1, 1, 1, 1, 1}
	for range 3000 {
		x, y := rng.Uint32()>>rng.IntN(32), rng.Uint32()>>rng.IntN(32)
		if rng.IntN(3) == 0 {
			x, y = -x, -y
		}
		n := rng.Uint32N(40)
		sx, sy := int32(x), int32(y)
		if y == 0 || sy == -1 {
			continue
		}
		for name, want := range map[string]uint32{
			"and.b32": x & y, "or.b32": x | y, "xor.b32": x ^ y,
			"div.u32": x / y, "rem.u32": x % y, "div.s32": uint32(sx / sy), "rem.s32": uint32(sx % sy),
			"shr.u32": uint32(uint64(x) >> n), "shr.s32": uint32(sx >> min(n, 31)), "shl.b32": uint32(uint64(x) << n),
			"add.u32": x + y, "sub.s32": x - y, "mul.lo.u32": x * y,
		} {
			opcode, typ, _ := cutLast(name)
			second := y
			if strings.HasPrefix(name, "sh") {
				second = n
			}
			in := op(opcode, typ, trace.ClassIntAdd, reg("d", 0, 1), reg("a", 1, 1), reg("b", 2, 1))
			o, why := decodeInteger(&in)
			if why != "" {
				t.Fatalf("%s: %s", name, why)
			}
			got, ok := o.tuple(&[maxSources]Tuple{constant(int64(int32(x))), constant(int64(int32(second)))}, &e)
			if !ok || uint32(got.Base) != want || got.Wrapped {
				t.Fatalf("%s of %#x, %#x is %#x (%v), the lanes' %#x", name, x, second, uint32(got.Base), got.Wrapped, want)
			}
		}
	}
}

func cutLast(name string) (before, after string, found bool) {
	i := strings.LastIndex(name, ".")
	return name[:i], name[i+1:], true
}

// A product of two registers as wide as both together is exact, with and without a sum.
func TestWideProductsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	e := extent{1, 1, 1, 1, 1, 1}
	for range 500 {
		x, y, z := rng.Uint32(), rng.Uint32(), rng.Uint64()
		for name, want := range map[string]uint64{
			"mul.wide.u32": uint64(x) * uint64(y), "mul.wide.s32": uint64(int64(int32(x)) * int64(int32(y))),
			"mad.wide.u32": uint64(x)*uint64(y) + z, "mad.wide.s32": uint64(int64(int32(x))*int64(int32(y))) + z,
		} {
			opcode, typ, _ := cutLast(name)
			operands := []trace.Operand{reg("d", 0, 2), reg("a", 2, 1), reg("b", 3, 1)}
			if strings.HasPrefix(name, "mad") {
				operands = append(operands, reg("c", 4, 2))
			}
			in := op(opcode, typ, trace.ClassIntMul, operands...)
			o, why := decodeInteger(&in)
			if why != "" {
				t.Fatalf("%s: %s", name, why)
			}
			got, ok := o.tuple(&[maxSources]Tuple{constant(int64(int32(x))), constant(int64(int32(y))), constant(int64(z))}, &e)
			if !ok || uint64(got.Base) != want {
				t.Fatalf("%s of %#x, %#x and %#x is %#x, want %#x", name, x, y, z, uint64(got.Base), want)
			}
		}
	}
}

// A generic request is of global or local memory as its first thread's address is, and
// early only where all are global.
func TestGenericRequestsAreEarlyWhereAllThreadsAreGlobal(t *testing.T) {
	const global, local, shared = 0x7_0000_0000, trace.LocalWindowBase + 64, trace.SharedWindowBase + 64
	for _, c := range []struct {
		lanes          map[int]uint64
		request, early bool
	}{
		{map[int]uint64{0: global, 5: global + 4, 31: global + 8}, true, true},
		{map[int]uint64{0: global, 5: global + 4, 31: local}, true, false},
		{map[int]uint64{3: local, 4: global}, true, false},
		{map[int]uint64{3: shared, 4: global}, false, false},
		{map[int]uint64{7: shared}, false, false},
		{nil, false, false},
	} {
		var x Expansion
		var lanes [trace.WarpSize]uint64
		for lane, address := range c.lanes {
			x.Mask |= 1 << lane
			lanes[lane] = address
		}
		chunk := wtape.NewChunk()
		if x.Mask != 0 {
			x.Access = chunk.AddLanes(x.Mask, &lanes)
		}
		if request, early := x.Generic(chunk); request != c.request || early != c.early {
			t.Errorf("%s: request %v, early %v", fmt.Sprint(c.lanes), request, early)
		}
	}
}
