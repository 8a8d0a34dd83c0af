// SPDX-License-Identifier: Apache-2.0

package dump

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/cursor"
)

// dumpCPU prints the chosen instructions of the CPU threads.
func (d *writer) dumpCPU() error {
	c := cursor.NewCPU(d.r)
	for {
		more, err := c.Step()
		if err != nil || !more {
			return err
		}
		thread, wanted := c.Chunk.Thread, d.o.CPUInstructions
		switch {
		case d.o.CPU != nil && *d.o.CPU != thread, wanted != nil && wanted.Last < c.Chunk.First, wanted != nil && wanted.First >= c.Chunk.First+uint64(len(c.Chunk.Steps)):
			c.Skip()
		case wanted == nil || wanted.Has(c.Number()):
			d.text.cpu(c)
		}
	}
}

func (t *text) cpu(c *cursor.CPU) {
	in, addresses := c.Instruction(), c.Addresses()
	for _, s := range c.Syncs() {
		fmt.Fprintf(t.w, "cpu %d sync %v 0x%x", c.Chunk.Thread, s.Kind, s.Object)
		if s.Threads > 0 {
			fmt.Fprintf(t.w, " of %d threads", s.Threads)
		}
		t.w.WriteByte('\n')
	}
	fmt.Fprintf(t.w, "cpu %d instruction %d ip 0x%x", c.Chunk.Thread, c.Number(), in.IP)
	if in.Branch {
		fmt.Fprintf(t.w, " %v", in.BranchKind())
	}
	if c.Taken() {
		t.w.WriteString(" taken")
	}
	for i, registers := range [][]int{registerNumbers(in.Destinations), registerNumbers(in.Sources)} {
		if len(registers) > 0 {
			fmt.Fprintf(t.w, " %s %s", []string{"writes", "reads"}[i], strings.Trim(fmt.Sprint(registers), "[]"))
		}
	}
	for i, a := range addresses {
		name := "load"
		if i < in.Stores() {
			name = "store"
		}
		fmt.Fprintf(t.w, " %s 0x%x", name, a)
	}
	t.w.WriteByte('\n')
}

// registerNumbers are those of the registers that are there.
func registerNumbers(places [trace.CPUOperands]uint8) (numbers []int) {
	for _, r := range places {
		if r != 0 {
			numbers = append(numbers, int(r))
		}
	}
	return numbers
}
