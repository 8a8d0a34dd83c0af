package trace

import (
	"fmt"
	"strings"
)

// dumpCPU prints the chosen instructions of the CPU threads.
func (d *dumper) dumpCPU() error {
	c := newCPUCursor(d.r)
	for {
		more, err := c.step()
		if err != nil || !more {
			return err
		}
		thread, wanted := c.chunk.Thread, d.o.CPUInstructions
		switch {
		case d.o.CPU != nil && *d.o.CPU != thread, wanted != nil && wanted.Last < c.chunk.First, wanted != nil && wanted.First >= c.chunk.First+uint64(len(c.chunk.Steps)):
			c.at = len(c.chunk.Steps) - 1 // the rest of the chunk
		case wanted == nil || wanted.Has(c.number()):
			d.text.cpu(c)
		}
	}
}

func (t *dumpText) cpu(c *cpuCursor) {
	in, addresses := c.instruction(), c.addresses()
	fmt.Fprintf(t.w, "cpu %d instruction %d ip 0x%x", c.chunk.Thread, c.number(), in.IP)
	if in.Branch {
		fmt.Fprintf(t.w, " %v", in.BranchKind())
	}
	if c.chunk.Taken[c.at] {
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
func registerNumbers(places [CPUOperands]uint8) (numbers []int) {
	for _, r := range places {
		if r != 0 {
			numbers = append(numbers, int(r))
		}
	}
	return numbers
}
