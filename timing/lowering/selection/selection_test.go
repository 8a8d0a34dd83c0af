// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/timing/lowering/loweringtest"
	"github.com/warptape/warptape/trace"
)

// chosen lists the operations of a kernel's block, but for what brings values in.
func chosen(t *testing.T, k *trace.Kernel, target Target) string {
	t.Helper()
	f, err := Select(k, [][]Part{{{Block: 0}}}, target)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range f.Blocks[0].Ops {
		switch name := f.Blocks[0].Ops[i].Code.Name; name {
		case "LDG", "STG", "EXIT":
		default:
			if slots := f.Blocks[0].Ops[i].Code.Slots; slots > 2 {
				name += fmt.Sprintf("/%d", slots)
			}
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// What one operation of the machine does, as public disassemblies for sm_70 and sm_75 show
// (LEA, IADD3, LOP3, IMAD.WIDE). Fermi has no three inputs: older is what it does in their
// place. Codes of two words stand once.
func TestInstructionsThatAreOneOperation(t *testing.T) {
	const begin = "ld.global.u64 d1, [d9]\nld.global.u32 r1, [d1]\nld.global.u32 r2, [d1+4]\nld.global.u32 r3, [d1+8]\n"
	for _, c := range []struct{ name, lines, newer, older string }{
		{"a product and a sum", "mul.lo.s32 r4, r1, r2\nadd.s32 r5, r4, r3\nst.global.u32 [d1], r5", "IMAD", "IMAD"},
		{"two sums", "add.s32 r4, r1, r2\nadd.s32 r5, r4, r3\nst.global.u32 [d1], r5", "IADD3", "IADD3 IADD3"},
		{"a sum that is read twice", "add.s32 r4, r1, r2\nadd.s32 r5, r4, r3\nst.global.u32 [d1], r5\nst.global.u32 [d1+4], r4", "IADD3 IADD3", "IADD3 IADD3"},
		{"a sum that counts a predicate", "setp.s32 p1, r1, r2\nselp.b32 r4, 1, 0, p1\nadd.s32 r5, r4, r3\nst.global.u32 [d1], r5", "ISETP IADD3", "ISETP SEL IADD3"},
		{"a sum with one of two numbers", "setp.s32 p1, r1, r2\nselp.b32 r4, 2, 0, p1\nadd.s32 r5, r4, r3\nst.global.u32 [d1], r5", "ISETP SEL IADD3", "ISETP SEL IADD3"},
		{"a sum that counts where a predicate is false", "setp.s32 p1, r1, r2\nselp.b32 r4, 0, 1, p1\nadd.s32 r5, r4, r3\nst.global.u32 [d1], r5", "ISETP SEL IADD3", "ISETP SEL IADD3"},
		{"a shift and a sum", "shl.b32 r4, r1, 2\nadd.s32 r5, r4, r3\nst.global.u32 [d1], r5", "LEA", "SHF IADD3"},
		{"two operations on bits", "and.b32 r4, r1, r2\nor.b32 r5, r4, r3\nst.global.u32 [d1], r5", "LOP3", "LOP3 LOP3"},
		{"an address of an element", "mul.wide.u32 d2, r1, 4\nadd.s64 d3, d1, d2\nld.global.u32 r4, [d3]\nst.global.u32 [d1], r4", "IMAD.WIDE", "IMAD IADD3.X"},
		{"a shift and a sum of 64 bits", "ld.global.u64 d2, [d1]\nshl.b64 d3, d2, 2\nadd.s64 d4, d3, d1\nst.global.u64 [d1], d4", "LEA.HI.X", "SHF IADD3.X"},
		{"a shift of 64 bits that is read twice", "ld.global.u64 d2, [d1]\nshl.b64 d3, d2, 2\nadd.s64 d4, d3, d1\nst.global.u64 [d1], d4\nst.global.u64 [d1+8], d3", "SHF IADD3.X", "SHF IADD3.X"},
		{"a shift to the right and a sum of 64 bits", "ld.global.u64 d2, [d1]\nshr.u64 d3, d2, 2\nadd.s64 d4, d3, d1\nst.global.u64 [d1], d4", "SHF IADD3.X", "SHF IADD3.X"},
		{"a move costs nothing", "mov.u32 r4, r1\nst.global.u32 [d1], r4", "", ""},
		{"a sum with an offset goes into the address", "add.s64 d2, d1, 64\nld.global.u32 r4, [d2+4]\nst.global.u32 [d1], r4", "", ""},
	} {
		k := loweringtest.Assemble(t, begin+c.lines+"\nexit")
		if got := chosen(t, k, Target{ThreeInputs: true, WideMultiply: true, Scoped: true}); got != c.newer {
			t.Errorf("%s: %s, want %s", c.name, got, c.newer)
		}
		if got := chosen(t, k, Target{}); got != c.older {
			t.Errorf("%s on Fermi: %s, want %s", c.name, got, c.older)
		}
	}
}

// interpret computes what registers hold; a special register has a value that is drawn.
func interpret(k *trace.Kernel, draw *rand.Rand) (addresses map[int]uint64) {
	values := map[trace.Register]uint64{}
	addresses = map[int]uint64{}
	for i := range k.Instructions {
		in := &k.Instructions[i]
		get := func(n int) uint64 {
			switch o := &in.Operands[n]; o.Kind {
			case trace.OperandRegister:
				return values[o.Register]
			case trace.OperandImmediate:
				return uint64(o.Value)
			}
			return uint64(draw.IntN(1 << 10))
		}
		var v uint64
		switch in.Opcode {
		case "mov":
			v = get(1)
		case "add":
			v = get(1) + get(2)
		case "sub":
			v = get(1) - get(2)
		case "mul":
			v = get(1) * get(2)
		case "mad":
			v = get(1)*get(2) + get(3)
		case "shl":
			v = get(1) << get(2)
		case "and":
			v = get(1) & get(2)
		case "or":
			v = get(1) | get(2)
		case "xor":
			v = get(1) ^ get(2)
		case "ld":
			addresses[i] = uint64(uint32(values[in.Operands[1].Register] + uint64(in.Operands[1].Value)))
			continue
		default:
			continue
		}
		values[in.Operands[0].Register] = uint64(uint32(v))
	}
	return addresses
}

// Zero bits are those of the arithmetic: sums have the fewest of their terms, products the sum, masks the
// most. What saturates, rounds, or has other widths has none.
func TestZeroBitsOfResults(t *testing.T) {
	const begin = "mov.u32 r1, %tid.x; shl.b32 r2, r1, 4; shl.b32 r3, r1, 6; "
	for line, want := range map[string]uint8{
		"add.s32 r4, r2, r3": 4, "sub.s32 r4, r3, r2": 4, "add.s32 r4, r3, 32": 5, "add.s32 r4, r3, 0": 6, "add.sat.s32 r4, r2, r3": 0, "add.cc.s32 r4, r2, r3": 0, "add.f32 r4, r2, r3": 0, "add.s16 r4, r2, r3": 0,
		"or.b32 r4, r2, r3": 4, "xor.b32 r4, r2, 2": 1, "and.b32 r4, r2, r3": 6, "and.b32 r4, r1, -16": 4, "selp.b32 r4, r2, r3, p1": 4, "min.s32 r4, r2, r3": 4, "max.s32 r4, r2, r3": 4,
		"mul.lo.s32 r4, r2, r3": 10, "mul.lo.s32 r4, r2, 12": 6, "mul.hi.s32 r4, r2, r3": 0, "mad.lo.s32 r4, r2, r2, r3": 6, "mad.lo.s32 r4, r2, r2, r1": 0, "mul.wide.s32 d4, r2, r3": 10,
		"shl.b32 r4, r2, 3": 7, "shl.b32 r4, r2, r1": 4, "shl.b32 r4, r2, 61": 62, "shl.b32 r4, r2, 62": 4, "shr.u32 r4, r2, 1": 0, "mov.u32 r4, r2": 4, "mov.u32 r4, 0": 62, "neg.s32 r4, r2": 4, "not.b32 r4, r2": 0,
		"cvt.u64.u32 d4, r2": 4, "cvt.u32.u16 r4, r2": 0, "cvt.u16.u32 r4, r2": 0, "cvt.rn.f32.u32 r4, r2": 0, "cvt.rzi.u32.f32 r4, r2": 0, "cvta.shared.u64 d4, r2": 4, "popc.b32 r4, r2": 0,
	} {
		k := loweringtest.Blocks(t, "/: "+begin+line)
		f := &ir.Function{Kernel: k}
		s := &selector{k: k, f: f, vars: newVariables(k, f)}
		a := alignment{s: s, zeros: make([]uint8, len(s.vars.defs))}
		for r := range a.zeros {
			a.zeros[r] = zeroBits
		}
		for i := range k.Instructions[:3] {
			a.define(i)
		}
		if got := a.result(&k.Instructions[3]); got != want {
			t.Errorf("%s: %d zero bits, want %d", line, got, want)
		}
	}
}

// A variable lies at the beginning of shared memory where a kernel names one alone. Of addresses that are
// moved a trace does not say in which memory they are, but LLVM's stack is none in shared memory.
func TestOneVariableLiesAtTheBeginning(t *testing.T) {
	for text, want := range map[string]string{
		"/: ld.shared.u32 r1, [tile]; st.shared.u32 [tile+4], r1":                        "tile",
		"/: ld.shared.u32 r1, [tile]; st.shared.u32 [other], r1":                         "",
		"/: ld.shared.u32 r1, [tile]; ld.global.u32 r2, [table]; ld.const.u32 r3, [two]": "tile",
		"/: mov.u32 r1, tile; ld.shared.u32 r2, [r1]":                                    "tile",
		"/: mov.u32 r1, tile; ld.shared.u32 r2, [other]":                                 "",
		"/: mov.u32 r1, __local_depot0; ld.shared.u32 r2, [tile]":                        "tile",
		"/: ld.shared.u32 r2, [r1]":                                                      "",
	} {
		k := loweringtest.Blocks(t, text)
		if got := (&selector{k: k}).onlyVariable(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// No address has fewer zero bits at its end than are claimed, whatever the thread's number,
// and some have as many.
func TestAddressesAreAlignedAsTheyAreSaidToBe(t *testing.T) {
	exact, claims := 0, 0
	for seed := range uint64(300) {
		draw := rand.New(rand.NewPCG(seed, 26))
		var b strings.Builder
		b.WriteString("mov.u32 r1, %tid.x\nshl.b32 r2, r1, 4\nmov.u32 r3, 48\n")
		for n := 4; n < 14; n++ {
			x, y := 1+draw.IntN(n-1), 1+draw.IntN(n-1)
			d := n
			if draw.IntN(5) == 0 {
				d = 2 + draw.IntN(n-2) // written again
			}
			switch draw.IntN(7) {
			case 0:
				fmt.Fprintf(&b, "add.u32 r%d, r%d, %d\n", d, x, 4*draw.IntN(16))
			case 1:
				fmt.Fprintf(&b, "shl.b32 r%d, r%d, %d\n", d, x, draw.IntN(5))
			case 2:
				fmt.Fprintf(&b, "mul.lo.u32 r%d, r%d, %d\n", d, x, 4*draw.IntN(9))
			case 3:
				fmt.Fprintf(&b, "mad.lo.u32 r%d, r%d, %d, r%d\n", d, x, 8*draw.IntN(5), y)
			case 4:
				fmt.Fprintf(&b, "%s r%d, r%d, r%d\n", []string{"or.b32", "xor.b32", "sub.u32", "add.u32"}[draw.IntN(4)], d, x, y)
			case 5:
				fmt.Fprintf(&b, "and.b32 r%d, r%d, %d\n", d, x, []int{-16, -4, 240, 7}[draw.IntN(4)])
			default:
				fmt.Fprintf(&b, "mov.u32 r%d, r%d\n", d, x)
			}
			if d < n {
				fmt.Fprintf(&b, "mov.u32 r%d, r%d\n", n, d)
			}
			fmt.Fprintf(&b, "ld.shared.u32 r%d, [r%d+%d]\n", 50+n, n, 4*draw.IntN(8))
		}
		b.WriteString("exit")
		k := loweringtest.Assemble(t, b.String())
		f := &ir.Function{Kernel: k}
		s := &selector{k: k, f: f, vars: newVariables(k, f)}
		claimed := s.alignments()
		least := map[int]int{}
		for range 40 {
			for i, a := range interpret(k, draw) {
				zeros := min(bits.TrailingZeros64(a), 32)
				if n, ok := least[i]; !ok || zeros < n {
					least[i] = zeros
				}
			}
		}
		for i, zeros := range least {
			claims++
			if int(claimed[i]) > zeros && zeros < 32 {
				t.Fatalf("seed %d, instruction %d: %d zero bits are claimed, an address has %d:\n%s", seed, i+1, claimed[i], zeros, b.String())
			}
			if int(claimed[i]) == zeros {
				exact++
			}
		}
	}
	if exact < claims/2 {
		t.Errorf("%d of %d claims are exact", exact, claims)
	}
}
