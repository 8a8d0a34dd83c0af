// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/trace"
)

// unnamedBarriers warns of the barriers of a kernel that have their number, or their number
// of threads, in a register (PTX ISA 9.7.13.1). Older traces do not hold what it was, so that
// a replay cannot tell one barrier from another.
func unnamedBarriers(k *trace.Kernel) []string {
	var numbers, counts []string
	for i := range k.Instructions {
		in := &k.Instructions[i]
		if in.Values || !named(in) {
			continue
		}
		number, threads := barrier.Operands(in)
		switch line := fmt.Sprintf("%s:%d", k.File, in.Line); {
		case !known(number):
			numbers = append(numbers, line)
		case !known(threads):
			counts = append(counts, line)
		}
	}
	var list []string
	warn := func(lines []string, what, taken string) {
		if len(lines) > 0 {
			list = append(list, fmt.Sprintf("kernel %s: %s of a barrier is in a register at %s; %s, and the order between threads that meet there is not kept: record the program again",
				k.Name, what, strings.Join(lines, ", "), taken))
		}
	}
	warn(numbers, "the number", "the replay takes it for barrier 0")
	warn(counts, "the number of threads", "the replay waits for all")
	return list
}

// named reports whether an instruction is of a thread block's barriers, which have numbers.
func named(in *trace.Instruction) bool {
	return (in.Opcode == "bar" || in.Opcode == "barrier") && !slices.Contains(in.Modifiers, "warp") && !slices.Contains(in.Modifiers, "cluster")
}

// known reports whether the trace has the value of an operand, or there is none.
func known(o *trace.Operand) bool { return o == nil || o.Kind == trace.OperandImmediate }
