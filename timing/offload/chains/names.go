// SPDX-License-Identifier: Apache-2.0

package chains

import (
	"strconv"

	"github.com/warptape/warptape/trace"
)

// names numbers the registers of a kernel by the name that they have in PTX,
// before allocation, so that two values which share an allocated register are told
// apart. Where a trace has no names it numbers them by the allocated register.
type names struct {
	count int
	reads [][]int32 // by instruction, guard included
	wrote [][]int32 // by instruction
	of    map[string]int32
}

func nameRegisters(k *trace.Kernel) names {
	n := names{of: map[string]int32{}, reads: make([][]int32, len(k.Instructions)), wrote: make([][]int32, len(k.Instructions))}
	var registers []trace.Register
	for i := range k.Instructions {
		registers = k.Instructions[i].Reads(registers[:0])
		n.reads[i] = n.list(registers)
		registers = k.Instructions[i].Writes(registers[:0])
		n.wrote[i] = n.list(registers)
	}
	return n
}

func (n *names) list(registers []trace.Register) []int32 {
	var out []int32
	for _, r := range registers {
		out = append(out, n.number(r))
	}
	return out
}

// number is the name of a register.
func (n *names) number(r trace.Register) int32 {
	key := r.Virtual
	if key == "" {
		key = "#" + strconv.Itoa(int(r.Number))
	}
	if r.File == trace.FilePredicate {
		key = "p" + key
	}
	id, ok := n.of[key]
	if !ok {
		id = int32(n.count)
		n.of[key] = id
		n.count++
	}
	return id
}
