// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/timing/lowering/loweringtest"
	"github.com/warptape/warptape/trace"
)

// What instructions compute that a lowering takes apart (PTX ISA, "Integer Arithmetic Instructions" and
// "Data Movement and Conversion Instructions"); others are not known.
func TestKnownResults(t *testing.T) {
	const low, all = 0xffffffff, 0xffffffffffffffff
	for _, c := range []struct {
		line string
		args []uint64
		want uint64
		not  bool
	}{
		{line: "add.s32 r3, r1, r2", args: []uint64{3, 4}, want: 7},
		{line: "add.s64 d3, d1, d2", args: []uint64{all, 4}, want: 3},
		{line: "sub.s32 r3, r1, r2", args: []uint64{3, 4}, want: all},
		{line: "neg.s32 r3, r1", args: []uint64{3}, want: all - 2},
		{line: "and.b32 r3, r1, r2", args: []uint64{6, 12}, want: 4},
		{line: "or.b32 r3, r1, r2", args: []uint64{6, 12}, want: 14},
		{line: "xor.b32 r3, r1, r2", args: []uint64{6, 12}, want: 10},
		{line: "not.b64 d3, d1", args: []uint64{6}, want: all - 6},
		{line: "shl.b32 r3, r1, r2", args: []uint64{3, 31}, want: 3 << 31},
		{line: "shl.b32 r3, r1, r2", args: []uint64{3, 32}, not: true},
		{line: "mul.lo.s32 r3, r1, r2", args: []uint64{6, 7}, want: 42},
		{line: "mad.lo.s32 r3, r1, r2, r4", args: []uint64{6, 7, 8}, want: 50},
		{line: "mul.wide.s32 d3, r1, r2", args: []uint64{low, 2}, want: all - 1},
		{line: "mul.wide.u32 d3, r1, r2", args: []uint64{low, 2}, want: 0x1fffffffe},
		{line: "mul.wide.s32 d3, r1, r2", args: []uint64{7 | 1<<40, low}, want: all - 6},
		{line: "mul.wide.u32 d3, r1, r2", args: []uint64{7 | 1<<40, 3 | 1<<50}, want: 21},
		{line: "mad.wide.s32 d3, r1, r2, d1", args: []uint64{low, 2, 5}, want: 3},
		{line: "mad.wide.u32 d3, r1, r2, d1", args: []uint64{low, 2, 5}, want: 0x200000003},
		{line: "mul.wide.u16 r3, r1, r2", args: []uint64{2, 3}, not: true},
		{line: "mul.hi.s32 r3, r1, r2", args: []uint64{6, 7}, not: true},
		{line: "mul.f32 r3, r1, r2", args: []uint64{6, 7}, not: true},
		{line: "add.f32 r3, r1, r2", args: []uint64{6, 7}, not: true},
		{line: "add.bf16 r3, r1, r2", args: []uint64{6, 7}, not: true},
		{line: "sub.f64 d3, d1, d2", args: []uint64{6, 7}, not: true},
		{line: "neg.f32 r3, r1", args: []uint64{6}, not: true},
		{line: "add.sat.s32 r3, r1, r2", args: []uint64{6, 7}, not: true},
		{line: "add.cc.s32 r3, r1, r2", args: []uint64{6, 7}, not: true},
		{line: "and.b128 d3, d1, d2", args: []uint64{6, 7}, not: true},
		{line: "div.s32 r3, r1, r2", args: []uint64{6, 7}, not: true},
		{line: "mov.u32 r3, r1", args: []uint64{6}, want: 6},
		{line: "cvta.to.global.u64 d3, d1", args: []uint64{6}, want: 6},
		{line: "mov.b64 d3, {r1,r2}", args: []uint64{5 | 1<<40, 6}, want: 5 | 6<<32},
		{line: "mov.b32 r3, {r1,r2}", args: []uint64{5, 6}, not: true},
		{line: "cvt.u64.u32 d3, r1", args: []uint64{0x80000000 | 1<<40}, want: 0x80000000},
		{line: "cvt.s64.s32 d3, r1", args: []uint64{0x80000000 | 1<<40}, want: 0xffffffff80000000},
		{line: "cvt.u32.u64 r3, d1", args: []uint64{5 | 1<<40}, want: 5 | 1<<40}, // the register takes the low word
		{line: "cvt.u32.u16 r3, r1", args: []uint64{0x12345}, want: 0x2345},
		{line: "cvt.u32.u8 r3, r1", args: []uint64{0x12345}, want: 0x45},
		{line: "cvt.s32.b8 r3, r1", args: []uint64{0x12345}, want: 0x45},
		{line: "cvt.s32.s16 r3, r1", args: []uint64{0x12345}, not: true},
		{line: "cvt.u16.u32 r3, r1", args: []uint64{0x12345}, not: true},
		{line: "cvt.rn.f32.u32 r3, r1", args: []uint64{5}, not: true},
		{line: "cvt.rzi.u32.f32 r3, r1", args: []uint64{5}, not: true},
		{line: "cvt.u32 r3, r1", args: []uint64{5}, not: true},
		{line: "add r3, r1, r2", args: []uint64{6, 7}, not: true},
	} {
		in := loweringtest.Assemble(t, c.line).Instructions[0]
		for unwritten := -1; unwritten < len(c.args); unwritten++ { // the argument that the kernel has not written
			var args []value
			for n, x := range c.args {
				args = append(args, value{bits: [2]uint64{x, 0}, unknown: n == unwritten})
			}
			got, ok := known(&in, args)
			if ok == c.not || ok && (got.bits != [2]uint64{c.want, 0} || got.unknown != (unwritten >= 0)) {
				t.Errorf("%s of %#x with %d unknown: %v, %v; want %#x", c.line, c.args, unwritten, got, ok, c.want)
			}
		}
	}
}

// fixed has a value for each register.
type fixed map[string]value

func (f fixed) get(r trace.Register) value { return f[r.Virtual] }
func (fixed) drawn() uint64                { return 1 }
func (fixed) place(string) uint64          { return 0 }

// Results have the width of what they are written to: a bit of a predicate, the low bits of a narrow load,
// words of a vector that differ, and halves.
func TestResultsHaveTheWidthOfTheirRegisters(t *testing.T) {
	m := fixed{"%r1": word(5), "%r2": {bits: [2]uint64{7, 0}, unknown: true}, "%d1": word(5 | 6<<32)}
	of := func(line string) []value {
		in := loweringtest.Assemble(t, line).Instructions[0]
		return results(&in, m, word(1<<40|0x8765), in.Writes(nil))
	}
	ones := 0
	for _, line := range []string{"setp.lt.s32 p1, r1, 1", "setp.lt.s32 p1, r1, 2", "setp.lt.s32 p1, r1, 3", "setp.lt.s32 p1, r1, 4", "setp.lt.s32 p1, r1, 5", "and.pred p1, r1, r1", "mov.pred p1, 7"} {
		v := of(line)[0]
		if v.bits[0] > 1 || v.bits[1] != 0 {
			t.Errorf("%s gives %#x", line, v.bits)
		}
		ones += int(v.bits[0])
	}
	if ones < 2 {
		t.Errorf("%d of seven predicates hold", ones)
	}
	for line, most := range map[string]uint64{"ld.global.u8 r3, [d1]": 0xff, "ld.global.b16 r3, [d1]": 0xffff, "ld.global.u32 r3, [d1]": 0xffffffff, "ld.global.s8 r3, [d1]": 0xffffffff, "ld.global.s16 r3, [d1]": 0xffffffff} {
		if v := of(line)[0]; v.bits[0] > most || v.bits[0] <= most>>9 {
			t.Errorf("%s gives %#x, %#x is the most", line, v.bits[0], most)
		}
	}
	if v := of("ld.global.v2.u32 {r3,r4}, [d1]"); v[0] == v[1] || v[0].bits[0]>>32 != 0 {
		t.Errorf("a vector has %v", v)
	}
	if v := of("mov.b64 {r3,r4}, d1"); v[0] != word(5) || v[1] != word(6) {
		t.Errorf("halves are %v", v)
	}
	if v := of("mov.b64 {r3,r4}, r2"); !v[0].unknown || !v[1].unknown {
		t.Error("halves of what is unknown are known")
	}
	if v := of("add.s32 r3, r1, -6"); v[0] != word(0xffffffff) {
		t.Errorf("a sum of one word is %v", v)
	}
	if v := of("activemask.b32 r3"); len(v) != 1 || v[0] != of("activemask.b32 r3")[0] {
		t.Errorf("what reads nothing gives %v", v)
	}
	if a, b := of("ex2.f32 r3, r1")[0], of("ex2.f32 r3, r2")[0]; a.unknown || !b.unknown || a.bits == b.bits || a != of("ex2.f32 r3, r1")[0] {
		t.Errorf("functions of 5 and 7 are %v and %v", a, b)
	}
	if v := mixed("ex2", []value{word(5)}); v.bits[0] == v.bits[1] {
		t.Errorf("both words of 128 bits are %#x", v.bits[0])
	}
	if a, b := of("ex2.f32 r3, r1")[0], of("lg2.f32 r3, r1")[0]; a == b {
		t.Errorf("two functions of 5 are %v", a)
	}
}

// Operands are registers, also as their opposites, immediates, special registers and elements. Addresses
// are apart: the last one is that of the access, and known if its base is.
func TestOperandsAndAddresses(t *testing.T) {
	m := fixed{"%r1": word(5), "%r2": {bits: [2]uint64{7, 0}, unknown: true}, "%p1": word(1), "%d1": word(100)}
	of := func(line string) *trace.Instruction { return &loweringtest.Assemble(t, line).Instructions[0] }
	want := []value{word(5), word(0), word(9), {bits: [2]uint64{7, 0}, unknown: true}}
	if diff := cmp.Diff(want, operands(of("selp.b32 r3, r1, !p1, {9,r2}"), m), cmp.AllowUnexported(value{})); diff != "" {
		t.Errorf("operands (-want +got):\n%s", diff)
	}
	x, y := operands(of("mov.u32 r3, %tid.x"), m), operands(of("mov.u32 r3, %tid.y"), m)
	if len(x) != 1 || len(y) != 1 || x[0] == y[0] || x[0].bits[0]>>32 != 0 {
		t.Errorf("special registers are %v and %v", x, y)
	}
	for _, c := range []struct {
		line   string
		at     uint64
		known  bool
		others []value
	}{
		{"ld.global.u32 r3, [d1+4]", 104, true, nil},
		{"ld.shared.u32 r3, [r2+4]", 11, false, nil},
		{"ld.shared.u32 r3, [tile+4]", 4, true, nil},
		{"add.s32 r3, r1, r2", 0, true, nil},
		{"cp.shared.global [r1+1], [d1+2]", 102, true, []value{word(6)}},
		{"cp.shared.global [r2], [d1], [r1]", 5, true, []value{{bits: [2]uint64{7, 0}, unknown: true}, word(100)}},
	} {
		in := of(c.line)
		at, known := addressIn(in, m)
		if at != c.at || known != c.known || !slices.Equal(otherAddresses(in, m), c.others) {
			t.Errorf("%s: address %d, known %v, others %v", c.line, at, known, otherAddresses(in, m))
		}
	}
}

// Words of a value, and parts of a register.
func TestWordsOfValues(t *testing.T) {
	v := value{bits: [2]uint64{1 | 2<<32, 3 | 4<<32}}
	made := value{}
	for w := range uint8(4) {
		if got := part(v, w); got != word(uint64(w)+1) {
			t.Errorf("word %d is %v", w, got)
		}
		made = with(made, w, part(v, w))
	}
	if made != v {
		t.Errorf("of four words is made %v, want %v", made, v)
	}
	if with(v, 0, value{unknown: true}).unknown != true {
		t.Error("a value with an unknown word is known")
	}
	for words, want := range map[uint8][2]uint64{1: {1, 0}, 2: {1 | 2<<32, 0}, 4: v.bits} {
		if got := v.cut(words); got.bits != want {
			t.Errorf("%d words of it are %#x", words, got.bits)
		}
	}
}

// A comparison takes a predicate in as && and || do.
func TestCombinedComparisons(t *testing.T) {
	c := &checker{thread: newThread(&trace.Kernel{}, 1), l: &lowering.Lowered{Function: &ir.Function{}, Place: []int{0}}, predicates: map[int]value{}}
	p := c.l.Function.NewRegister(trace.FilePredicate, 1)
	for combine, of := range map[ir.Combine]func(a, b bool) bool{
		ir.Alone: func(a, _ bool) bool { return a }, ir.And: func(a, b bool) bool { return a && b }, ir.Or: func(a, b bool) bool { return a || b },
	} {
		for bits := range uint64(8) {
			own, other, negated := bits&1, bits>>1&1, bits>>2 == 1
			c.predicates[0] = word(other)
			op := &ir.Op{Combine: combine, Src: []ir.Operand{ir.RegOperand(p)}}
			op.Src[0].Negated = negated
			if got := c.combined(op, word(own)); (got.bits[0] == 1) != of(own == 1, (other == 1) != negated) || got.bits[0] > 1 || got.unknown {
				t.Errorf("combination %d of %d and %d, negated %v: %v", combine, own, other, negated, got)
			}
			c.predicates[0] = value{unknown: true}
			if got := c.combined(op, word(own)); got.unknown != (combine != ir.Alone) {
				t.Errorf("combination %d with what is unknown: %v", combine, got)
			}
		}
	}
}

// A path begins at the first block and goes to successors, until it is long enough or a block has none.
func TestPathsGoToSuccessors(t *testing.T) {
	k := &trace.Kernel{Blocks: []trace.BasicBlock{{Successors: []uint32{1, 2}}, {Successors: []uint32{0, 2, 9}}, {Successors: []uint32{3}}, {}}}
	ends := map[int]int{}
	for seed := range uint64(200) {
		path := Path(k, rand.New(rand.NewPCG(seed, 40)), 6).blocks
		for n, b := range path {
			if n == 0 && b != 0 || n > 0 && !slices.Contains(k.Blocks[path[n-1]].Successors, b) {
				t.Fatalf("path %v", path)
			}
		}
		last := path[len(path)-1]
		if len(path) > 6 || len(path) < 6 && last != 3 && last != 1 {
			t.Fatalf("path %v ends at block %d", path, last)
		}
		ends[len(path)]++
	}
	if len(ends) != 6-1 || ends[6] == 0 {
		t.Errorf("lengths are %v", ends)
	}
}

// Results of functions without an interpretation differ with the function, the order of its arguments, and each bit of them.
func TestMixedValuesDifferWithEachBit(t *testing.T) {
	argument := value{bits: [2]uint64{0x0123456789abcdef, 0xfedcba9876543210}}
	seen := map[[2]uint64]string{}
	add := func(what string, v value) {
		if other, ok := seen[v.bits]; ok || v.unknown {
			t.Errorf("%s gives what %s does, or is unknown", what, other)
		}
		seen[v.bits] = what
	}
	add("one argument", mixed("f", []value{argument}))
	add("another function", mixed("g", []value{argument}))
	add("two arguments", mixed("f", []value{argument, word(1)}))
	add("two arguments in another order", mixed("f", []value{word(1), argument}))
	for bit := range 128 {
		other := argument
		other.bits[bit/64] ^= 1 << (bit % 64)
		add(fmt.Sprint("bit ", bit), mixed("f", []value{other}))
	}
	if !mixed("f", []value{argument, {unknown: true}}).unknown {
		t.Error("a result of what is unknown is known")
	}
}
