// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"fmt"
	"testing"

	"github.com/warptape/warptape/trace"
)

// met is a kernel of blocks in a row, each with a branch to the last, where an address is used. The blocks that defines
// names give it a value of their own. Branches compare a special register: threads
// part by tid.x, thread blocks of the affine warp by ctaid.x, and none by ntid.x.
func met(defines []bool, by string) *trace.Kernel {
	k := &trace.Kernel{Name: "met"}
	which, tid, x, a := reg("which", 0, 1), reg("tid", 1, 1), reg("x", 2, 1), reg("a", 3, 1)
	join := uint32(len(defines))
	list := []trace.Instruction{op("mov", "u32", trace.ClassMove, tid, specialRegister("tid.x")), op("mov", "u32", trace.ClassMove, which, specialRegister(by))}
	for i, own := range defines {
		if own {
			list = append(list, op("add", "u32", trace.ClassIntAdd, a, tid, imm(int64(4096*(i+1)))))
		}
		block := trace.BasicBlock{First: uint32(len(k.Instructions)), Successors: []uint32{join}, PostDominator: join}
		if i < len(defines)-1 {
			p := predicate(fmt.Sprint("p", i), uint16(i))
			list = append(list,
				op("setp.ge", "u32", trace.ClassIntAdd, trace.Operand{Kind: trace.OperandRegister, Register: p}, which, imm(int64(30-i))),
				trace.Instruction{Opcode: "bra", Class: trace.ClassBranch, Guard: trace.Guard{Present: true, Register: p}, Operands: []trace.Operand{{Kind: trace.OperandBlock, Value: int64(join)}}})
			block.Successors = append(block.Successors, uint32(i+1))
		} else {
			list = append(list, op("mov", "u32", trace.ClassMove, which, imm(0)))
		}
		block.Count = uint32(len(list))
		k.Instructions, k.Blocks, list = append(k.Instructions, list...), append(k.Blocks, block), nil
	}
	load := op("ld.global", "u32", trace.ClassLoad, x, at(a))
	load.Space, load.LaneBytes = trace.SpaceGlobal, 4
	k.Blocks = append(k.Blocks, trace.BasicBlock{First: uint32(len(k.Instructions)), Count: 2, PostDominator: trace.NoBlock})
	k.Instructions = append(k.Instructions, load, trace.Instruction{Opcode: "ret", Class: trace.ClassExit})
	return k
}

// Where n definitions meet, n - 1 conditions tell them apart, however many ways lead there (section 4.7); three are too many.
// Where threads go together, there is none.
func TestConditionsTellDefinitionsApart(t *testing.T) {
	for blocks := 1; blocks <= 5; blocks++ {
		for ways := range 1 << (blocks - 1) {
			defines, n := make([]bool, blocks), 0
			for i := range defines {
				if defines[i] = i == 0 || ways>>(i-1)&1 != 0; defines[i] {
					n++
				}
			}
			for _, by := range []string{"tid.x", "ctaid.x", "ntid.x"} {
				k := met(defines, by)
				if err := k.Validate(); err != nil {
					t.Fatal(err)
				}
				want := 0
				if by != "ntid.x" {
					want = n - 1
				}
				f := Compile(k).Fates[len(k.Instructions)-2]
				if want > 2 && f.Enqueue != NoQueue || want <= 2 && (f.Enqueue != Data || f.Conditions != want) {
					t.Errorf("definitions in blocks %v, branches by %s: queue %v, %d conditions (%s), want %d", defines, by, f.Enqueue, f.Conditions, f.Reason, want)
				}
			}
		}
	}
}
