// SPDX-License-Identifier: Apache-2.0

package selection_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/evaluate"
	"github.com/warptape/warptape/timing/lowering/loweringtest"
)

// forms are instructions whose operands are drawn: R, D and P are results, r, d and p sources, n a
// small number and h one of at most 31.
var forms = []string{
	"add.s32 R, r, r", "add.s32 R, r, n", "add.u32 R, n, r", "sub.s32 R, r, r", "mul.lo.s32 R, r, r", "mul.lo.s32 R, r, n", "mad.lo.s32 R, r, r, r", "mad.lo.s32 R, r, n, r",
	"add.s64 D, d, d", "add.s64 D, d, n", "sub.s64 D, d, d", "mul.lo.s64 D, d, d", "mul.hi.u64 D, d, d", "mad.lo.s64 D, d, d, d",
	"mul.wide.s32 D, r, r", "mul.wide.u32 D, r, n", "mad.wide.s32 D, r, r, d", "mul.hi.s32 R, r, r",
	"shl.b32 R, r, h", "shl.b32 R, r, r", "shr.u32 R, r, h", "shl.b64 D, d, h", "shr.s64 D, d, h", "shl.b64 D, d, r",
	"and.b32 R, r, r", "and.b32 R, r, n", "or.b32 R, r, r", "xor.b32 R, r, n", "not.b32 R, r", "and.b64 D, d, d", "xor.b64 D, d, n",
	"lop3.b32 R, r, r, r, 128", "setp.lt.s32 P, r, r", "setp.lt.s32 P, r, n", "setp.lt.f32 P, r, r", "setp.lt.s64 P, d, d",
	"and.pred P, p, p", "or.pred P, p, p", "not.pred P, p", "xor.pred P, p, p", "selp.b32 R, r, r, p", "selp.b32 R, r, n, p", "selp.b64 D, d, d, p",
	"min.s32 R, r, r", "max.s64 D, d, d", "neg.s32 R, r", "abs.s32 R, r", "neg.s64 D, d",
	"mov.u32 R, r", "mov.u64 D, d", "mov.u32 R, n", "mov.u32 R, %tid.x", "mov.u32 R, %ntid.x", "mov.b64 D, {r,r}", "mov.b64 {R,R'}, d", "mov.pred P, p",
	"cvt.u64.u32 D, r", "cvt.s64.s32 D, r", "cvt.u32.u64 R, d", "cvt.u16.u32 R, r", "cvt.rn.f32.s32 R, r", "cvta.to.global.u64 D, d",
	"popc.b32 R, r", "popc.b64 R, d", "clz.b32 R, r", "brev.b64 D, d", "bfe.u32 R, r, n, n", "bfi.b32 R, r, r, n, n",
	"add.f32 R, r, r", "fma.rn.f32 R, r, r, r", "div.rn.f32 R, r, r", "div.full.f32 R, r, r", "rcp.rn.f32 R, r", "ex2.approx.f32 R, r", "div.u32 R, r, n", "rem.s32 R, r, r", "div.u64 D, d, d",
	"ld.param.u32 R, [second]", "ld.param.u64 D, [first]", "ld.param.u32 R, [second+4]", "ld.const.u32 R, [table+8]", "ld.const.v2.u32 {R,R'}, [table+16]",
	"ld.global.u32 R, [d+n]", "ld.global.u64 D, [d]", "ld.shared.u32 R, [r+n]", "ld.shared.u32 R, [d]", "ld.global.v2.u32 {R,R'}, [d]", "ld.global.u16 R, [d+n]",
	"st.global.u32 [d+n], r", "st.shared.u32 [r+n], r", "st.shared.u32 [d], n", "st.global.u64 [d], d", "st.global.u32 [d], n",
}

// drawer draws instructions. Registers are few, so that some are written once and others again.
type drawer struct {
	draw *rand.Rand
	next int // registers that are still to be written for the first time
}

// instruction fills a form.
func (d *drawer) instruction() string {
	form := forms[d.draw.IntN(len(forms))]
	var b strings.Builder
	if d.draw.IntN(10) == 0 && !strings.Contains(form, "P") && !strings.HasPrefix(form, "mov.pred") {
		fmt.Fprintf(&b, "@%sp%d ", []string{"", "!"}[d.draw.IntN(2)], d.draw.IntN(4))
	}
	name, operands, _ := strings.Cut(form, " ")
	b.WriteString(name + " ")
	operands = strings.ReplaceAll(operands, "R'", "r0") // another than R
	for n := 0; n < len(operands); n++ {
		rest := operands[n:]
		switch c := operands[n]; {
		case strings.HasPrefix(rest, "second"), strings.HasPrefix(rest, "first"), strings.HasPrefix(rest, "table"), strings.HasPrefix(rest, "r0"), c == '%':
			word := rest[:strings.IndexAny(rest+",", ",]+}")]
			b.WriteString(word)
			n += len(word) - 1
		case c == 'R' || c == 'D':
			d.next++
			at := 20 + d.next
			if d.draw.IntN(3) == 0 { // again
				at = 1 + d.draw.IntN(6)
			}
			fmt.Fprintf(&b, "%c%d", c+'a'-'A', at)
		case c == 'P':
			fmt.Fprintf(&b, "p%d", d.draw.IntN(9))
		case c == 'r' || c == 'd':
			at := 1 + d.draw.IntN(6)
			if d.draw.IntN(2) == 0 && d.next > 0 {
				at = 20 + max(1, d.next-d.draw.IntN(5))
			}
			fmt.Fprintf(&b, "%c%d", c, at)
		case c == 'p':
			fmt.Fprintf(&b, "p%d", d.draw.IntN(9))
		case c == 'n':
			fmt.Fprint(&b, d.draw.IntN(9))
		case c == 'h':
			fmt.Fprint(&b, d.draw.IntN(32))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// code is some instructions behind each other.
func (d *drawer) code(count int) string {
	var list []string
	for range count {
		list = append(list, d.instruction())
	}
	return strings.Join(list, "; ")
}

// begin gives all registers that may be read a value.
func begin() string {
	list := []string{"ld.param.u64 d19, [first]", "mov.u32 r0, %laneid"}
	for n := 1; n < 7; n++ {
		list = append(list, fmt.Sprintf("ld.global.u32 r%d, [d19+%d]; ld.global.u64 d%d, [d19+%d]", n, 4*n, n, 64+8*n))
	}
	for n := range 9 {
		list = append(list, fmt.Sprintf("setp.lt.s32 p%d, r%d, %d", n, 1+n%6, n))
	}
	return strings.Join(list, "; ")
}

// end stores what registers hold, so that nothing is dead.
func end() string {
	var list []string
	for n := 1; n < 7; n++ {
		list = append(list, fmt.Sprintf("st.global.u32 [d19+%d], r%d; st.global.u64 [d19+%d], d%d; selp.b32 r19, r%d, 1, p%d; st.global.u32 [d19+%d], r19", 4*n, n, 64+8*n, n, n, n, 256+4*n))
	}
	return strings.Join(list, "; ") + "; exit"
}

// Values that are drawn flow through lowered operations as through the instructions that they do the
// work of: in a block, around a part that a predicate guards, and around a loop.
func TestValuesFlowThroughChosenOperations(t *testing.T) {
	for seed := range uint64(40) {
		d := &drawer{draw: rand.New(rand.NewPCG(seed, 37))}
		shape := "1 2/2: %s; bra 2\n2: %s\n1 3/3: %s; bra2 1\n: %s"
		text := fmt.Sprintf(shape, begin()+"; "+d.code(12)+"; setp.lt.s32 p1, r1, 5", d.code(3), d.code(4)+"; setp.lt.s32 p2, r2, 7", d.code(12)+"; "+end())
		k := loweringtest.Blocks(t, text)
		for _, name := range []string{"fermi", "turing"} {
			target := lowering.Target{Generation: lowering.Generations[name], File: 65536, Threads: 1024, Unit: 256, Predicate: seed%2 == 0, NaN: seed%3 == 0}
			l, err := lowering.Lower(k, target, lowering.Budget{})
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, name, err, text)
			}
			for path := range uint64(4) {
				if err := evaluate.Check(k, l, evaluate.Path(k, rand.New(rand.NewPCG(path, 38)), 8)); err != nil {
					t.Fatalf("seed %d, %s: %v\n%s", seed, name, err, text)
				}
			}
		}
	}
}
