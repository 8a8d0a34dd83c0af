// SPDX-License-Identifier: Apache-2.0

package lowering

import (
	"slices"

	"github.com/warptape/warptape/trace"
)

// placeVariables gives a kernel in which numbers stand for the addresses of variables of shared memory,
// as in machine code: what is behind a variable can then be told from the next one, and its
// alignment is known. It is k itself where the trace does not say where they lie, or where no
// operand names one.
func placeVariables(k *trace.Kernel) *trace.Kernel {
	if len(k.SharedVariables) == 0 {
		return k
	}
	at := make(map[string]int64, len(k.SharedVariables))
	for _, v := range k.SharedVariables {
		at[v.Name] = int64(v.Offset)
	}
	placed := k
	for i := range k.Instructions {
		list := placeAll(k.Instructions[i].Operands, at)
		if list == nil {
			continue
		}
		if placed == k {
			other := *k
			other.Instructions = slices.Clone(k.Instructions)
			placed = &other
		}
		placed.Instructions[i].Operands = list
	}
	return placed
}

// placeAll gives operands in which variables are placed, vectors' elements as well; nil: there
// are none.
func placeAll(list []trace.Operand, at map[string]int64) (placed []trace.Operand) {
	change := func(n int) *trace.Operand {
		if placed == nil {
			placed = slices.Clone(list)
		}
		return &placed[n]
	}
	for n := range list {
		o := &list[n]
		if elements := placeAll(o.Elements, at); elements != nil {
			change(n).Elements = elements
		}
		if o.Kind != trace.OperandSymbol && o.Kind != trace.OperandAddress || o.Symbol == "" {
			continue
		}
		offset, ok := at[o.Symbol]
		if !ok {
			continue
		}
		p := change(n)
		p.Symbol, p.Value = "", o.Value+offset
		if o.Kind == trace.OperandSymbol {
			p.Kind = trace.OperandImmediate
		}
	}
	return placed
}
