// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
)

// slowField is bfe bit by bit, as the PTX ISA writes it.
func slowField(a uint64, at, n int, width int, signed bool) uint64 {
	top := min(at+n-1, width-1)
	sign := uint64(0)
	if signed && n > 0 {
		sign = a >> top & 1
	}
	out := uint64(0)
	for i := range width {
		bit := sign
		if i < n && at+i < width {
			bit = a >> (at + i) & 1
		}
		out |= bit << i
	}
	return out
}

// slowMask is bmsk bit by bit.
func slowMask(at, n int) (out uint64) {
	for i := at; i < min(at+n, 32); i++ {
		out |= 1 << i
	}
	return out
}

// slowInsert is bfi bit by bit.
func slowInsert(a, b uint64, at, n, width int) uint64 {
	for i := 0; i < n && at+i < width; i++ {
		b = b&^(1<<(at+i)) | (a>>i&1)<<(at+i)
	}
	return b
}

// slowHigh is the upper half of a product of any size.
func slowHigh(a, b uint64, width int, signed bool) uint64 {
	number := func(v uint64) *big.Int {
		if signed {
			return big.NewInt(signExtend(int64(v), uint8(width)))
		}
		return new(big.Int).SetUint64(v)
	}
	p := new(big.Int).Mul(number(a), number(b))
	p.Rsh(p, uint(width)).And(p, new(big.Int).SetUint64(1<<(width-1)*2-1))
	return p.Uint64()
}

// Operations that tuples do not have are those of the lanes on scalars: they are compared
// with slow forms, bit by bit, of either width and sign.
func TestOperationsOfScalarsAreThoseOfTheLanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 34))
	for range 2000 {
		x, y, z := rng.Uint64()>>rng.IntN(64), rng.Uint64()>>rng.IntN(64), rng.Uint64()>>rng.IntN(64)
		if rng.IntN(3) == 0 {
			x, y = -x, -y
		}
		at, n := rng.IntN(80), rng.IntN(80)
		if rng.IntN(4) == 0 {
			at, n = at|0x300, n|0x500 // only eight bits count
		}
		x32, y32, z32 := uint32(x), uint32(y), uint32(z)
		lane := lanesOf32(x32, y32)
		var third, table uint64 = uint64(z32), uint64(uint8(rng.Uint32()))
		lop := uint32(0)
		for i := range 32 {
			lop |= uint32(table>>(x32>>i&1<<2|y32>>i&1<<1|z32>>i&1)&1) << i
		}
		perm := uint32(0)
		for i := range 4 {
			pick := z32 >> (4 * i) & 15
			b := lane[pick&7]
			if pick&8 != 0 {
				b = uint8(int8(b) >> 7)
			}
			perm |= uint32(b) << (8 * i)
		}
		for _, c := range []struct {
			name    string
			sources []uint64
			want    uint64
		}{
			{"mul.hi.u32", []uint64{uint64(x32), uint64(y32)}, slowHigh(uint64(x32), uint64(y32), 32, false)},
			{"mul.hi.s32", []uint64{uint64(x32), uint64(y32)}, slowHigh(uint64(x32), uint64(y32), 32, true)},
			{"mul.hi.u64", []uint64{x, y}, slowHigh(x, y, 64, false)},
			{"mul.hi.s64", []uint64{x, y}, slowHigh(x, y, 64, true)},
			{"mad.hi.s32", []uint64{uint64(x32), uint64(y32), third}, uint64(uint32(slowHigh(uint64(x32), uint64(y32), 32, true)) + z32)},
			{"bfe.u32", []uint64{uint64(x32), uint64(at), uint64(n)}, slowField(uint64(x32), at&255, n&255, 32, false)},
			{"bfe.s32", []uint64{uint64(x32), uint64(at), uint64(n)}, slowField(uint64(x32), at&255, n&255, 32, true)},
			{"bfe.u64", []uint64{x, uint64(at), uint64(n)}, slowField(x, at&255, n&255, 64, false)},
			{"bfe.s64", []uint64{x, uint64(at), uint64(n)}, slowField(x, at&255, n&255, 64, true)},
			{"bfi.b32", []uint64{uint64(x32), uint64(y32), uint64(at), uint64(n)}, slowInsert(uint64(x32), uint64(y32), at&255, n&255, 32)},
			{"bfi.b64", []uint64{x, y, uint64(at), uint64(n)}, slowInsert(x, y, at&255, n&255, 64)},
			{"popc.b32", []uint64{uint64(x32)}, uint64(bits.OnesCount32(x32))},
			{"popc.b64", []uint64{x}, uint64(bits.OnesCount64(x))},
			{"clz.b32", []uint64{uint64(x32)}, uint64(bits.LeadingZeros32(x32))},
			{"clz.b64", []uint64{x}, uint64(bits.LeadingZeros64(x))},
			{"brev.b32", []uint64{uint64(x32)}, uint64(bits.Reverse32(x32))},
			{"brev.b64", []uint64{x}, bits.Reverse64(x)},
			{"bfind.u32", []uint64{uint64(x32)}, uint64(uint32(31 - bits.LeadingZeros32(x32)))},
			{"bfind.shiftamt.u32", []uint64{uint64(x32 | 1)}, uint64(bits.LeadingZeros32(x32 | 1))},
			{"bfind.s32", []uint64{uint64(x32)}, uint64(uint32(31 - bits.LeadingZeros32(uint32(int32(x32)>>31)^x32)))},
			{"prmt.b32", []uint64{uint64(x32), uint64(y32), third}, uint64(perm)},
			{"shf.l.wrap.b32", []uint64{uint64(x32), uint64(y32), uint64(at)}, uint64(uint32((uint64(y32)<<32 | uint64(x32)) << (at & 31) >> 32))},
			{"shf.r.clamp.b32", []uint64{uint64(x32), uint64(y32), uint64(at)}, uint64(uint32((uint64(y32)<<32 | uint64(x32)) >> min(at, 32)))},
			{"lop3.b32", []uint64{uint64(x32), uint64(y32), third, table}, uint64(lop)},
			{"sad.u32", []uint64{uint64(x32), uint64(y32), third}, uint64(max(x32, y32) - min(x32, y32) + z32)},
			{"cnot.b32", []uint64{uint64(x32 & 1)}, uint64(1 - x32&1)},
			{"slct.b32.s32", []uint64{uint64(x32), uint64(y32), third}, uint64(map[bool]uint32{true: x32, false: y32}[int32(z32) >= 0])},
			{"slct.u64.s32", []uint64{x, y, third}, map[bool]uint64{true: x, false: y}[int32(z32) >= 0]},
			{"set.lt.u32.s32", []uint64{uint64(x32), uint64(y32)}, ones(int32(x32) < int32(y32))},
			{"set.lt.u32.u32", []uint64{uint64(x32), uint64(y32)}, ones(x32 < y32)},
			{"set.hs.s32.u32", []uint64{uint64(x32), uint64(y32)}, ones(x32 >= y32)},
			{"set.ne.u32.s32", []uint64{uint64(x32), uint64(x32)}, 0},
			{"set.le.u32.s32", []uint64{uint64(x32), uint64(x32)}, ones(true)},
			{"set.gt.u32.u32", []uint64{uint64(x32), uint64(y32)}, ones(x32 > y32)},
			{"dp4a.u32.u32", []uint64{uint64(x32), uint64(y32), third}, uint64(z32 + slowDot4(x32, y32, func(b uint8) int32 { return int32(b) }, func(b uint8) int32 { return int32(b) }))},
			{"dp4a.s32.u32", []uint64{uint64(x32), uint64(y32), third}, uint64(z32 + slowDot4(x32, y32, func(b uint8) int32 { return int32(int8(b)) }, func(b uint8) int32 { return int32(b) }))},
			{"dp4a.s32.s32", []uint64{uint64(x32), uint64(y32), third}, uint64(z32 + slowDot4(x32, y32, func(b uint8) int32 { return int32(int8(b)) }, func(b uint8) int32 { return int32(int8(b)) }))},
			{"dp2a.lo.s32.u32", []uint64{uint64(x32), uint64(y32), third}, uint64(z32 + uint32(int32(int16(x32))*int32(uint8(y32))+int32(int16(x32>>16))*int32(uint8(y32>>8))))},
			{"dp2a.hi.u32.s32", []uint64{uint64(x32), uint64(y32), third}, uint64(z32 + uint32(int32(uint16(x32))*int32(int8(y32>>16))) + uint32(int32(uint16(x32>>16))*int32(int8(y32>>24))))},
			{"mul24.lo.u32", []uint64{uint64(x32), uint64(y32)}, uint64(uint32(uint64(x32&0xffffff) * uint64(y32&0xffffff)))},
			{"bmsk.clamp.b32", []uint64{uint64(at & 0xff), uint64(n & 0xff)}, slowMask(min(at&0xff, 32), min(n&0xff, 32))},
			{"bmsk.wrap.b32", []uint64{uint64(at), uint64(n)}, slowMask(at&31, n&31)},
			{"szext.clamp.u32", []uint64{uint64(x32), uint64(n & 0xff)}, slowField(uint64(x32), 0, min(n&0xff, 32), 32, false)},
			{"szext.wrap.s32", []uint64{uint64(x32), uint64(n)}, slowField(uint64(x32), 0, n&31, 32, true)},
			{"mul24.hi.u32", []uint64{uint64(x32), uint64(y32)}, uint64(uint32(uint64(x32&0xffffff) * uint64(y32&0xffffff) >> 16))},
		} {
			if got := onScalars(t, c.name, c.sources); got != c.want {
				t.Fatalf("%s of %#x is %#x, the lanes' %#x", c.name, c.sources, got, c.want)
			}
		}
	}
}

// ones is what set gives.
func ones(holds bool) uint64 {
	if holds {
		return 1<<32 - 1
	}
	return 0
}

// slowDot4 is the sum of products of bytes, each read as said.
func slowDot4(a, b uint32, readA, readB func(uint8) int32) uint32 {
	sum := int32(0)
	for i := range 4 {
		sum += readA(uint8(a>>(8*i))) * readB(uint8(b>>(8*i)))
	}
	return uint32(sum)
}

// lanesOf32 are the eight bytes of two words, the first lowest.
func lanesOf32(a, b uint32) (out [8]uint8) {
	for i := range 4 {
		out[i], out[4+i] = uint8(a>>(8*i)), uint8(b>>(8*i))
	}
	return out
}

// onScalars executes an instruction on scalars.
func onScalars(t *testing.T, name string, sources []uint64) uint64 {
	t.Helper()
	opcode, typ, _ := cutLast(name)
	var second []string
	if mnemonic, _, _ := strings.Cut(name, "."); lanesOperations[mnemonic] != nil && lanesOperations[mnemonic].second {
		second = []string{typ}
		opcode, typ, _ = cutLast(opcode)
	}
	width := uint64(32)
	if strings.HasSuffix(typ, "64") {
		width = 64
	}
	operands := []trace.Operand{reg("d", 0, uint8(width/32))}
	var v [maxSources]Tuple
	for k, s := range sources {
		operands = append(operands, reg("s", uint16(2+2*k), uint8(width/32)))
		v[k] = constant(signExtend(int64(s), uint8(width)))
		if k >= 1 && (opcode == "bfe" || opcode == "shf.l.wrap" || opcode == "shf.r.clamp") {
			v[k] = constant(int64(int32(uint32(s))))
		}
	}
	in := op(opcode, typ, trace.ClassIntAdd, operands...)
	in.Types = append(in.Types, second...)
	o, why := decodeInteger(&in)
	if why != "" {
		t.Fatalf("%s: %s", name, why)
	}
	got, ok := o.tuple(&v, &extent{1, 1, 1, 1, 1, 1})
	if !ok {
		t.Fatalf("%s of scalars is no scalar", name)
	}
	if width == 64 && !strings.HasPrefix(name, "popc") && !strings.HasPrefix(name, "clz") {
		return uint64(got.Base)
	}
	return uint64(uint32(got.Base))
}

// The same operations of an affine value leave an address to the warps.
func TestOperationsOfScalarsAreOfScalarsOnly(t *testing.T) {
	tid, r1, a, base := reg("tid", 1, 1), reg("r1", 2, 1), reg("addrA", 3, 1), reg("A", 9, 1)
	for _, source := range []trace.Operand{tid, imm(12)} {
		k := figure4()
		k.Instructions[6] = op("bfe", "u32", trace.ClassIntAdd, r1, source, imm(2), imm(4))
		k.Instructions[7] = op("add", "u32", trace.ClassIntAdd, a, base, r1)
		k.Instructions[15] = op("add", "u32", trace.ClassIntAdd, reg("r9", 20, 1), base, base)
		p := Compile(k)
		if affine := source.Kind != trace.OperandRegister; (p.Fates[10].Enqueue == Data) != affine {
			t.Errorf("bfe of %v: the load enqueues %v, reason %q", source.Kind, p.Fates[10].Enqueue, p.Fates[10].Reason)
		}
	}
}

// The modes of prmt take the bytes of the PTX ISA's table, the highest first.
func TestModesOfPermutationsTakeTheBytesOfTheTable(t *testing.T) {
	for mode, rows := range map[string][4][4]int64{
		"f4e":  {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}},
		"b4e":  {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}},
		"rc8":  {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
		"ecl":  {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}},
		"ecr":  {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}},
		"rc16": {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}},
	} {
		for by, row := range rows {
			for i := range 4 {
				if got := picked(mode, int64(i), int64(by)); got != row[3-i] {
					t.Errorf("prmt.b32.%s with %d in its selector: byte %d is %d, want %d", mode, by, i, got, row[3-i])
				}
			}
		}
	}
}
