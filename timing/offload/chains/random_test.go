// SPDX-License-Identifier: Apache-2.0

package chains

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
)

// randomBlock is straight-line code over few registers, so that values are reused,
// overwritten and moved past stores.
func randomBlock(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(start)
	f := func() string { return fmt.Sprintf("%%f%d", r.IntN(7)) }
	rd := func() string { return fmt.Sprintf("%%rd%d", r.IntN(4)) }
	for range 4 + r.IntN(30) {
		nc := ""
		if r.IntN(2) == 0 {
			nc = ".nc"
		}
		switch r.IntN(9) {
		case 0, 1, 2:
			fmt.Fprintf(&b, "ld.global%s.f32 %s, [%s];\n", nc, f(), rd())
		case 3:
			fmt.Fprintf(&b, "st.global.f32 [%s], %s;\n", rd(), f())
		case 4:
			fmt.Fprintf(&b, "add.f32 %s, %s, %s;\n", f(), f(), f())
		case 5:
			fmt.Fprintf(&b, "mul.f32 %s, %s, %%fs;\n", f(), f())
		case 6:
			fmt.Fprintf(&b, "fma.rn.f32 %s, %s, %s, %s;\n", f(), f(), f(), f())
		case 7:
			fmt.Fprintf(&b, "add.u64 %s, %s, 4;\n", rd(), rd())
		case 8:
			fmt.Fprintf(&b, "@%%p%d mul.f32 %s, %s, 2;\n", r.IntN(2), f(), f())
		}
	}
	b.WriteString("ret;\n")
	return b.String()
}

// machine executes a block symbolically: a value is the text of what made it, a
// load of writable memory depends on the stores before it.
type machine struct {
	registers map[string]string
	stores    []string
	guarded   []uint32
}

func execute(k *trace.Kernel, order []uint32) *machine {
	m := &machine{registers: map[string]string{}}
	for _, i := range order {
		in := &k.Instructions[i]
		text := fmt.Sprint(in.Opcode, in.Modifiers, in.Types)
		for n := int(in.Destinations); n < len(in.Operands); n++ {
			text += " " + m.read(&in.Operands[n])
		}
		switch memoryOrder(in) {
		case ordersStore:
			m.stores = append(m.stores, text)
		case ordersLoad:
			text += fmt.Sprint(" after ", len(m.stores))
		}
		if in.Guarded() {
			m.guarded = append(m.guarded, i)
		}
		if in.Destinations > 0 {
			to := in.Operands[0].Register.Virtual
			if in.Guard.Present {
				text = "(" + text + " or " + m.registers[to] + ")"
			}
			m.registers[to] = digest(text)
		}
	}
	return m
}

func (m *machine) read(o *trace.Operand) string {
	if o.Kind == trace.OperandImmediate || o.Register.Virtual == "" {
		return fmt.Sprint(o.Kind, o.Symbol, o.Value)
	}
	return m.registers[o.Register.Virtual] + "@" + o.Register.Virtual + fmt.Sprint(o.Value)
}

// digest keeps texts short.
func digest(text string) string {
	h := uint64(14695981039346656037)
	for _, c := range []byte(text) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return fmt.Sprintf("%x", h)
}

func TestReorderedBlocksComputeTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 3000 {
		text := randomBlock(r)
		k := assemble(t, text)
		p := find(t, k)
		found += len(p.Chains)
		var asRecorded []uint32
		for i := range k.Instructions {
			asRecorded = append(asRecorded, uint32(i))
		}
		a, b := execute(k, asRecorded), execute(k, p.Order)
		if diff := cmp.Diff(a, b, cmp.AllowUnexported(machine{})); diff != "" {
			t.Fatalf("%s\norder %v\n%s", text, p.Order, diff)
		}
	}
	if found < 500 {
		t.Errorf("only %d chains in 3000 random blocks", found)
	}
}

// TestChainsHideNothing holds chains against their definition, with a search of
// its own. What a load brings, and what a compute instruction but the last gives,
// is read by one later instruction of the chain, and by nothing else.
func TestChainsHideNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		text := randomBlock(r)
		k := assemble(t, text)
		p := find(t, k)
		for n, c := range p.Chains {
			for _, i := range c.Members[:len(c.Members)-1] {
				if k.Instructions[i].Destinations == 0 {
					t.Fatalf("%s\nchain %v goes on after a store", text, c.Members)
				}
				for _, by := range readers(k, int(i)) {
					if p.ChainOf[by] != int32(n) {
						t.Fatalf("%s\ninstruction %d reads what %d of chain %v has", text, by, i, c.Members)
					}
				}
				if len(readers(k, int(i))) != 1 {
					t.Fatalf("%s\n%d instructions read what %d of chain %v has", text, len(readers(k, int(i))), i, c.Members)
				}
			}
		}
	}
}

// readers are the instructions that may read what i writes, up to the next write.
func readers(k *trace.Kernel, i int) []int {
	name := k.Instructions[i].Operands[0].Register.Virtual
	var out []int
	for n := i + 1; n < len(k.Instructions); n++ {
		in := &k.Instructions[n]
		reads := in.Guard.Present && in.Guard.Register.Virtual == name
		for o := range in.Operands {
			written := o < int(in.Destinations)
			if in.Operands[o].Register.Virtual == name && (!written || in.Guard.Present) {
				reads = true
			}
		}
		if reads {
			out = append(out, n)
		}
		if in.Destinations > 0 && in.Operands[0].Register.Virtual == name && !in.Guard.Present {
			break
		}
	}
	return out
}

// FuzzFind must neither panic nor hang on damaged kernels.
func FuzzFind(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte("ld ld add st and a branch back"))
	f.Fuzz(func(t *testing.T, data []byte) {
		k := damaged(data)
		if p, err := Find(k); err == nil {
			check(t, k, p)
		}
	})
}

// damaged makes a kernel of arbitrary rows.
func damaged(data []byte) *trace.Kernel {
	k := &trace.Kernel{Name: "damaged"}
	next := func() byte {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return b
	}
	for len(data) > 0 {
		in := trace.Instruction{Class: trace.OpClass(next()), Space: trace.Space(next() % 4), LaneBytes: next() % 9, Types: []string{"f32"}}
		for range next() % 5 {
			in.Operands = append(in.Operands, trace.Operand{
				Kind: trace.OperandKind(next() % 11), HasBase: next()%2 == 0,
				Register: trace.Register{Number: uint16(next() % 5), Words: next() % 3, File: trace.RegisterFile(next() % 2)},
			})
		}
		in.Destinations = min(next()%3, uint8(len(in.Operands)))
		in.Guard.Present = next()%8 == 0
		k.Instructions = append(k.Instructions, in)
	}
	at := 0
	for at < len(k.Instructions) {
		n := min(1+len(k.Instructions)%7, len(k.Instructions)-at)
		k.Blocks = append(k.Blocks, trace.BasicBlock{First: uint32(at), Count: uint32(n), Successors: []uint32{uint32(at % 3)}, PostDominator: trace.NoBlock})
		at += n
	}
	return k
}
