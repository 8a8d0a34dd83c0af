// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"io"
	"testing"

	"github.com/warptape/warptape/trace"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// opcodes of the kernels that FuzzCompile makes; not all combinations make sense.
var opcodes = []struct {
	opcode    string
	modifiers []string
	typ       string
	class     trace.OpClass
}{
	{"mov", nil, "u32", trace.ClassMove}, {"add", nil, "s32", trace.ClassIntAdd}, {"mul", []string{"wide"}, "u64", trace.ClassIntMul},
	{"mad", []string{"lo"}, "s32", trace.ClassIntMad}, {"setp", []string{"lt"}, "u32", trace.ClassIntAdd}, {"and", nil, "pred", trace.ClassPredicate},
	{"selp", nil, "b64", trace.ClassIntAdd}, {"rem", nil, "u16", trace.ClassIntDiv}, {"min", nil, "s64", trace.ClassIntMinMax},
	{"cvt", nil, "u64", trace.ClassConvert}, {"cvta", []string{"to", "shared"}, "u64", trace.ClassMove}, {"ld", []string{"global"}, "u32", trace.ClassLoad},
	{"st", []string{"global"}, "u32", trace.ClassStore}, {"ld", []string{"param"}, "u64", trace.ClassLoad}, {"bra", nil, "", trace.ClassBranch},
	{"bar", []string{"sync"}, "", trace.ClassBarrier}, {"exit", nil, "", trace.ClassExit}, {"abs", nil, "s8", trace.ClassIntAdd}, {"or", nil, "b32", trace.ClassIntAdd},
}

// bytesOf hands out the fuzzer's bytes, zeros at their end.
type bytesOf []byte

func (b *bytesOf) next() int {
	if len(*b) == 0 {
		return 0
	}
	v := (*b)[0]
	*b = (*b)[1:]
	return int(v)
}

func fuzzOperand(b *bytesOf, blocks int) trace.Operand {
	r := trace.Register{File: trace.RegisterFile(b.next() % 2), Number: uint16(b.next() % 6), Words: uint8(1 + b.next()%2)}
	switch b.next() % 7 {
	case 0:
		return trace.Operand{Kind: trace.OperandImmediate, Value: int64(b.next() - 128)}
	case 1:
		return trace.Operand{Kind: trace.OperandSpecial, Symbol: []string{"tid.x", "ctaid.y", "ntid.x", "laneid"}[b.next()%4]}
	case 2:
		return trace.Operand{Kind: trace.OperandAddress, HasBase: true, Register: r, Value: 4}
	case 3:
		return trace.Operand{Kind: trace.OperandSymbol, Symbol: "s"}
	case 4:
		return trace.Operand{Kind: trace.OperandBlock, Value: int64(b.next() % blocks)}
	}
	return trace.Operand{Kind: trace.OperandRegister, Register: r, Negated: b.next()%4 == 0}
}

// fuzzKernel makes a kernel of any bytes.
func fuzzKernel(b bytesOf) *trace.Kernel {
	blocks := 1 + b.next()%6
	k := &trace.Kernel{Name: "fuzz", Params: []trace.Param{{Name: "s", Bytes: 8}}}
	for range blocks {
		first := len(k.Instructions)
		for range 1 + b.next()%5 {
			o := opcodes[b.next()%len(opcodes)]
			in := trace.Instruction{Opcode: o.opcode, Modifiers: o.modifiers, Class: o.class, Space: trace.Space(b.next() % 6), LaneBytes: uint8(b.next() % 17)}
			if o.typ != "" {
				in.Types = []string{o.typ, "u32"}[:1+b.next()%2]
			}
			for range b.next() % 5 {
				in.Operands = append(in.Operands, fuzzOperand(&b, blocks))
			}
			in.Destinations = uint8(b.next() % (len(in.Operands) + 1))
			if b.next()%3 == 0 {
				in.Guard = trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate, Number: uint16(b.next() % 6), Words: 1}}
			}
			k.Instructions = append(k.Instructions, in)
		}
		block := trace.BasicBlock{First: uint32(first), Count: uint32(len(k.Instructions) - first), PostDominator: trace.NoBlock}
		for range b.next() % 3 {
			block.Successors = append(block.Successors, uint32(b.next()%blocks))
		}
		if p := b.next() % (blocks + 1); p < blocks {
			block.PostDominator = uint32(p)
		}
		k.Blocks = append(k.Blocks, block)
	}
	return k
}

// Whatever a kernel looks like that a trace may hold, it is split, with a place for every
// instruction that the affine stream executes, and printed.
func FuzzCompile(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{3, 4, 0, 0, 0, 2, 0, 0, 1, 1, 4, 1, 2, 2, 1, 0, 1, 1, 0, 6, 2, 3, 1, 2})
	f.Add([]byte("a loop with a guarded selp and an address of another block, perhaps"))
	f.Fuzz(func(t *testing.T, data []byte) {
		k := fuzzKernel(data)
		if k.Validate() != nil {
			return
		}
		p := CompileWith(k, Options{StackDepth: 1 + len(data)%3})
		for i := range p.Fates {
			fate := &p.Fates[i]
			if fate.Enqueue != NoQueue && !p.Decoupled() {
				t.Errorf("instruction %d is enqueued in a kernel without decoupled instructions", i)
			}
			if fate.EmbeddedIn > 0 && p.Fates[fate.EmbeddedIn-1].Predicate != uint32(i)+1 {
				t.Errorf("instruction %d is embedded where nothing dequeues it", i)
			}
		}
		if err := p.Print(io.Discard); err != nil {
			t.Error(err)
		}
		if p.Decoupled() {
			if _, err := NewEvaluator(p, &trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 40, Y: 1, Z: 1}}); err != nil {
				t.Error(err)
			}
		}
	})
}
