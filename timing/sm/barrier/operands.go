// SPDX-License-Identifier: Apache-2.0

package barrier

import (
	"slices"

	"github.com/warptape/warptape/trace"
)

// Operands gives the operands a and b of bar.sync a{,b}, bar.arrive a,b and bar.red.op
// d,a{,b},c (PTX ISA 9.7.13.1): the number of the barrier and that of its threads. They
// are nil where the instruction does not have them.
func Operands(in *trace.Instruction) (number, threads *trace.Operand) {
	sources := in.Operands[min(int(in.Destinations), len(in.Operands)):]
	if slices.Contains(in.Modifiers, "red") && len(sources) > 0 {
		sources = sources[:len(sources)-1]
	}
	if len(sources) > 0 {
		number = &sources[0]
	}
	if len(sources) > 1 {
		threads = &sources[1]
	}
	return number, threads
}
