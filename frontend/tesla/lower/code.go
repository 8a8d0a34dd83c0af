// SPDX-License-Identifier: Apache-2.0

package lower

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/frontend/tesla/language"
)

// none stands for a register that an operation does not have.
const none = -1

// operation is an instruction of the machine with virtual registers.
type operation struct {
	op        language.Opcode
	d         int
	sources   []int
	immediate int // of MVI, or the selector of LDS
	target    int // segment of a branch or of SSY
	line      int // of the PTX
}

// code is a kernel in virtual registers; starts has the first operation of each segment.
type code struct {
	operations []operation
	starts     []int
	registers  int
}

func (c *code) fresh() int {
	c.registers++
	return c.registers - 1
}

// next are the operations that may follow one.
func (c *code) next(i int) []int {
	o := &c.operations[i]
	switch o.op {
	case language.EXIT:
		return nil
	case language.BEQ, language.BNE:
		return []int{i + 1, c.starts[o.target]}
	}
	return []int{i + 1}
}

// live gives the registers that are alive behind each operation.
func (c *code) live() []map[int]bool {
	in, out := make([]map[int]bool, len(c.operations)+1), make([]map[int]bool, len(c.operations))
	for i := range in {
		in[i] = map[int]bool{}
	}
	for i := range out {
		out[i] = map[int]bool{}
	}
	for changed := true; changed; {
		changed = false
		add := func(set map[int]bool, r int) {
			if !set[r] {
				set[r], changed = true, true
			}
		}
		for i := len(out) - 1; i >= 0; i-- {
			for _, n := range c.next(i) {
				for r := range in[n] {
					add(out[i], r)
				}
			}
			for r := range out[i] {
				if r != c.operations[i].d {
					add(in[i], r)
				}
			}
			for _, r := range c.operations[i].sources {
				add(in[i], r)
			}
		}
	}
	return out
}

// machineRegisters is what a thread has.
const machineRegisters = 32

// allocate gives each virtual register one of the machine. Registers that are alive at
// the same time differ, and so do those of LD: LD rX, [rX] is unsafe.
func (c *code) allocate(place func(line int) string) ([]int, error) {
	out := c.live()
	apart := make([]map[int]bool, c.registers)
	for i := range apart {
		apart[i] = map[int]bool{}
	}
	part := func(a, b int) {
		if a != b {
			apart[a][b], apart[b][a] = true, true
		}
	}
	for i := range c.operations {
		o := &c.operations[i]
		if o.d == none {
			continue
		}
		for r := range out[i] {
			part(o.d, r)
		}
		if o.op == language.LD {
			part(o.d, o.sources[0])
		}
	}
	given := make([]int, c.registers)
	for i := range given {
		given[i] = none
	}
	for i := range c.operations {
		o := &c.operations[i]
		for _, r := range append([]int{o.d}, o.sources...) {
			if r == none || given[r] != none {
				continue
			}
			var taken [machineRegisters]bool
			for other := range apart[r] {
				if given[other] != none {
					taken[given[other]] = true
				}
			}
			for given[r] = 0; given[r] < machineRegisters && taken[given[r]]; given[r]++ {
			}
			if given[r] == machineRegisters {
				return nil, fmt.Errorf("%s: more than the %d registers of a thread are alive here; keep fewer values", place(o.line), machineRegisters)
			}
		}
	}
	return given, nil
}

// text is the program, without the lines that say how it is launched.
func (c *code) text(given []int) string {
	var b strings.Builder
	at := map[int][]int{}
	for s, first := range c.starts {
		if first != none {
			at[first] = append(at[first], s)
		}
	}
	for i := range c.operations {
		for _, s := range at[i] {
			fmt.Fprintf(&b, "s%d:\n", s)
		}
		o := &c.operations[i]
		fmt.Fprintf(&b, "\t%v", o.op)
		separator := " "
		write := func(format string, v int) {
			fmt.Fprintf(&b, separator+format, v)
			separator = ", "
		}
		if o.d != none {
			write("r%d", given[o.d])
		}
		for _, r := range o.sources {
			write("r%d", given[r])
		}
		switch o.op {
		case language.MVI:
			write("%d", o.immediate)
		case language.LDS:
			write("%d", o.immediate)
		case language.BEQ, language.BNE, language.SSY:
			write("s%d", o.target)
		}
		fmt.Fprintf(&b, "\t; %d\n", o.line)
	}
	return b.String()
}
