// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"testing"

	"github.com/warptape/warptape/trace"
)

// calling is a kernel whose blocks end in calls, returns, or neither, with these successors. The functions of a call come first, and
// what is behind it last. A return has what is behind all calls.
func calling(ends string, successors ...[]uint32) *trace.Kernel {
	k := &trace.Kernel{}
	guard := trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate, Words: 1, Virtual: "%p1"}}
	for i, end := range ends {
		in := map[rune]trace.Instruction{
			'c': {Opcode: "call", Class: trace.ClassCall}, 'r': {Opcode: "ret", Class: trace.ClassExit}, 'x': {Opcode: "exit", Class: trace.ClassExit},
			'?': {Opcode: "ret", Class: trace.ClassExit, Guard: guard}, 'a': {Opcode: "membar", Class: trace.ClassFence},
		}[end]
		k.Instructions = append(k.Instructions, in)
		k.Blocks = append(k.Blocks, trace.BasicBlock{First: uint32(i), Count: 1, Successors: successors[i]})
	}
	return k
}

// A function returns behind its call, and not behind another one: two calls of one function, one inside of another, one
// that calls itself, and one that may return early under a condition that nothing has written.
func TestFunctionsReturnBehindTheirCalls(t *testing.T) {
	next := func(list ...uint32) []uint32 { return list }
	for _, c := range []struct {
		name string
		k    *trace.Kernel
		want []string
	}{
		{"two calls", calling("ccxr", next(3, 1), next(3, 2), nil, next(1, 2)), []string{"[0 3 1 3 2] false"}},
		{"one inside of another", calling("ccxcrr", next(3, 1), next(4, 2), nil, next(4, 5), next(2, 5), next(1)), []string{"[0 3 4 5 1 4 2] false"}},
		{"an early return", calling("ccx?r", next(3, 1), next(3, 2), nil, next(4, 1, 2), next(1, 2)),
			[]string{"[0 3 1 3 2] false", "[0 3 4 1 3 2] false", "[0 3 1 3 4 2] false", "[0 3 4 1 3 4 2] false"}},
		{"of two functions", calling("cxrr", next(2, 3, 1), nil, next(1), next(1)), []string{"[0 2 1] false", "[0 3 1] false"}},
		{"of itself", calling("cxcr", next(2, 1), nil, next(2, 3), next(1, 3)), []string{"[0 2 2 2 2 2 2 2] true"}},
		{"of a function that is not recorded", calling("cx", next(1), nil), []string{"[0 1] false"}},
	} {
		t.Run(c.name, func(t *testing.T) { are(t, c.k, c.want...) })
	}
}
