// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
)

// randomKernel writes a kernel of random blocks: arithmetic over a few 32-bit,
// 64-bit and predicate registers, guards, and branches to anywhere. Seed 0 and
// up give different kernels; the same seed gives the same.
func randomKernel(t testing.TB, seed uint64, blocks int) *ptx.Kernel {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	b.WriteString(".version 7.0\n.target sm_70\n.address_size 64\n.entry random(.param .u64 out) {\n.reg .pred %p<5>; .reg .b32 %r<14>; .reg .b64 %rd<6>;\n")
	for i := range blocks {
		fmt.Fprintf(&b, "L%d:\n", i)
		for range r.IntN(6) {
			b.WriteString(randomInstruction(r))
		}
		switch r.IntN(8) {
		case 0:
		case 1:
			b.WriteString("ret;\n")
		case 2:
			fmt.Fprintf(&b, "@%%p%d exit;\n", r.IntN(5))
		case 3:
			b.WriteString("bar.sync 0;\n")
		case 4:
			fmt.Fprintf(&b, "bra L%d;\n", r.IntN(blocks))
		case 5:
			fmt.Fprintf(&b, "T%d: .branchtargets L%d, L%d, L%d;\nbrx.idx %%r%d, T%d;\n", i, r.IntN(blocks), r.IntN(blocks), r.IntN(blocks), r.IntN(14), i)
		default:
			fmt.Fprintf(&b, "@%s%%p%d bra L%d;\n", []string{"", "!"}[r.IntN(2)], r.IntN(5), r.IntN(blocks))
		}
	}
	b.WriteString("mov.u32 %r0, 0;\n}\n")
	m, err := ptx.Parse("random.ptx", []byte(b.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return m.Kernels[0]
}

func randomInstruction(r *rand.Rand) string {
	guard := ""
	if r.IntN(4) == 0 {
		guard = fmt.Sprintf("@%%p%d ", r.IntN(5))
	}
	x, y, z := r.IntN(7), r.IntN(7), r.IntN(14)
	d, e := r.IntN(6), r.IntN(6)
	p, q := r.IntN(5), r.IntN(5)
	switch r.IntN(12) {
	case 0:
		return fmt.Sprintf("%sadd.u32 %%r%d, %%r%d, %%r%d;\n", guard, x, y, z)
	case 1:
		return fmt.Sprintf("%smul.wide.u32 %%rd%d, %%r%d, %%r%d;\n", guard, d, x, y)
	case 2:
		return fmt.Sprintf("%ssetp.lt.u32 %%p%d|%%p%d, %%r%d, 5;\n", guard, p, q, x)
	case 3:
		return fmt.Sprintf("%sld.global.v2.u32 {%%r%d, %%r%d}, [%%rd%d+8];\n", guard, x, y, e)
	case 4:
		return fmt.Sprintf("%sst.global.u64 [%%rd%d], %%rd%d;\n", guard, d, e)
	case 5:
		return fmt.Sprintf("%sselp.b32 %%r%d, %%r%d, 1, %%p%d;\n", guard, x, y, p)
	case 6:
		return fmt.Sprintf("mov.u32 %%r%d, %%tid.x;\n", x)
	case 7, 8, 9:
		return fmt.Sprintf("mov.u32 %%r%d, %d;\n", x, 3+r.IntN(5))
	case 10:
		return fmt.Sprintf("setp.lt.u32 %%p%d|%%p%d, %%r%d, %%r%d;\n", p, q, x, y)
	}
	return fmt.Sprintf("%smov.b64 %%rd%d, {%%r%d, %%r%d};\n", guard, d, x, y)
}

// mustContaminate contaminates or ends the test.
func mustContaminate(t testing.TB, k *ptx.Kernel) *Kernel {
	t.Helper()
	c, err := Contaminate(k)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fromText contaminates the first kernel of a body that stands in a fixed head.
func fromText(t testing.TB, body string) *Kernel {
	t.Helper()
	text := ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 out, .param .u32 n) {\n" +
		".reg .pred %p<10>; .reg .b16 %rs<10>; .reg .b32 %r<30>; .reg .b64 %rd<10>; .reg .f32 %f<10>;\n" + body + "\n}\n"
	m, err := ptx.Parse("k.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return mustContaminate(t, m.Kernels[0])
}

// structuredKernel writes nested conditions and loops over a few variables that
// begin alike in all lanes; some conditions ask for the lane. It is what
// control dependence shows in: variables set on one side only, or a different
// number of times.
func structuredKernel(t testing.TB, seed uint64) *ptx.Kernel {
	t.Helper()
	w := structuredWriter{r: rand.New(rand.NewPCG(seed, 11))}
	w.WriteString(".version 7.0\n.target sm_70\n.entry structured() {\n.reg .pred %p<1000>, %q<1000>; .reg .b32 %r<6>, %c<1000>;\nmov.u32 %r5, %tid.x;\n")
	for range 12 {
		w.statement(3)
	}
	w.WriteString("ret;\n}\n")
	m, err := ptx.Parse("structured.ptx", []byte(w.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, w.String())
	}
	return m.Kernels[0]
}

type structuredWriter struct {
	strings.Builder
	r      *rand.Rand
	labels int
}

func (w *structuredWriter) label() int {
	w.labels++
	return w.labels
}

// condition sets %pN and its opposite %qN and returns N: one time in three it
// is about the lane. As compilers do, every condition has registers of its own.
func (w *structuredWriter) condition() int {
	v, n := w.r.IntN(5), w.label()
	if w.r.IntN(3) == 0 {
		v = 5
	}
	fmt.Fprintf(w, "setp.lt.u32 %%p%d|%%q%d, %%r%d, %d;\n", n, n, v, 1+w.r.IntN(9))
	return n
}

func (w *structuredWriter) statement(depth int) {
	kind := w.r.IntN(6)
	switch {
	case depth > 0 && kind == 0:
		w.ifElse(depth - 1)
	case depth > 0 && kind == 1:
		w.loop(depth - 1)
	case depth > 0 && kind == 2:
		end := w.label()
		fmt.Fprintf(w, "@%%q%d bra L%d;\n", w.condition(), end)
		w.statement(depth - 1)
		w.statement(depth - 1)
		fmt.Fprintf(w, "L%d:\n", end)
	case kind <= 3:
		fmt.Fprintf(w, "mov.u32 %%r%d, %d;\n", w.r.IntN(5), w.r.IntN(8))
	default:
		v := w.r.IntN(5)
		fmt.Fprintf(w, "add.u32 %%r%d, %%r%d, %d;\n", v, v, 1+w.r.IntN(3))
	}
}

func (w *structuredWriter) ifElse(depth int) {
	otherwise, end := w.label(), w.label()
	fmt.Fprintf(w, "@%%p%d bra L%d;\n", w.condition(), otherwise)
	w.statement(depth)
	fmt.Fprintf(w, "bra L%d;\nL%d:\n", end, otherwise)
	w.statement(depth)
	fmt.Fprintf(w, "L%d:\n", end)
}

// loop has at most four rounds; it ends earlier by a condition.
func (w *structuredWriter) loop(depth int) {
	begin, end := w.label(), w.label()
	fmt.Fprintf(w, "mov.u32 %%c%d, 0;\nL%d:\n", begin, begin)
	w.statement(depth)
	w.statement(depth)
	fmt.Fprintf(w, "add.u32 %%c%d, %%c%d, 1;\nsetp.lt.u32 %%p%d|%%q%d, %%c%d, 4;\n@%%q%d bra L%d;\n", begin, begin, begin, begin, begin, begin, end)
	fmt.Fprintf(w, "@%%p%d bra L%d;\nL%d:\n", w.condition(), begin, end)
}
