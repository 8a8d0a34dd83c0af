// SPDX-License-Identifier: Apache-2.0

package allocate

import "github.com/warptape/warptape/timing/lowering/ir"

// Spans gives the positions from which and to which each register is live.
func Spans(f *ir.Function) (list [][][2]int) {
	for _, spans := range spansOf(f, NewLiveness(f)) {
		var one [][2]int
		for _, s := range spans {
			one = append(one, [2]int{int(s.from), int(s.to)})
		}
		list = append(list, one)
	}
	return list
}
