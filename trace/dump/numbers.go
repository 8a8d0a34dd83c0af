// SPDX-License-Identifier: Apache-2.0

package dump

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// describeNumbers is what lanes bring to an mbarrier, behind a blank; nothing of other accesses.
func describeNumbers(in *trace.Instruction, c *wtape.Chunk, a trace.Access, mask uint32) string {
	var words [trace.WarpSize]uint64
	if mask != 0 {
		c.Addresses(a, mask, &words)
	}
	if list := numbers(in, mask, &words); len(list) > 0 {
		return " " + strings.Join(list, ", ")
	}
	return ""
}

// numbers gives in words what lanes bring to an mbarrier: one entry where all bring the same,
// otherwise one for each lane from the lowest up.
func numbers(in *trace.Instruction, mask uint32, words *[trace.WarpSize]uint64) (list []string) {
	if slices.Contains(in.Modifiers, "inval") {
		return nil
	}
	for m := mask; m != 0; m &= m - 1 {
		n, ok := trace.NumberOf(words[bits.TrailingZeros32(m)])
		if !ok {
			return nil
		}
		list = append(list, number(in, n))
	}
	if len(slices.Compact(slices.Clone(list))) == 1 {
		list = list[:1]
	}
	return list
}

func number(in *trace.Instruction, n uint32) string {
	has := func(modifier string) bool { return slices.Contains(in.Modifiers, modifier) }
	switch {
	case has("test_wait"), has("try_wait"):
		l := trace.LookOf(n)
		answer := "not known"
		if l.Known && l.Passed {
			answer = "complete"
		} else if l.Known {
			answer = "not complete"
		}
		return fmt.Sprintf("phase of parity %d: %s", l.Parity, answer)
	case in.Opcode == "st", in.Opcode == "red":
		return fmt.Sprintf("mbarrier 0x%x", n)
	case has("expect_tx"), has("complete_tx"):
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("count %d", n)
}
